// The end of a WebP: the length in its RIFF header (WebP Container Specification, "WebP file header").

import type { Cut, SizedSource } from "../cut.ts";

/** Returns the length of a file as its header states it. */
export async function statedLength(read: SizedSource["read"]): Promise<number> {
  const head = await read(0, 8);
  return 8 + new DataView(head.buffer, head.byteOffset, head.length).getUint32(4, true);
}

export async function webpCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  // Some writers leave out the byte that pads the last chunk.
  return (await statedLength(read)) > size + 1 ? "picture" : undefined;
}
