// The end of a WebP: the length in its RIFF header (WebP Container Specification, "WebP file header").

import type { Cut, SizedSource } from "./cut.ts";

export async function webpCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  const head = await read(0, 12);
  const end = 8 + new DataView(head.buffer, head.byteOffset, head.length).getUint32(4, true);
  // Some writers leave out the byte that pads the last chunk.
  return end > size + 1 ? "picture" : undefined;
}
