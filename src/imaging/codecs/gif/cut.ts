// The end of a GIF: the trailer after its blocks (GIF89a, section 27), which some writers leave out.

import type { Cut, SizedSource } from "../cut.ts";

/** Bytes of a file whose blocks are passed: of longer ones, only the last byte counts. */
const maxRead = 32 * 2 ** 20;
const [trailer, extension, image] = [0x3b, 0x21, 0x2c];

export async function gifCut({ size, read }: SizedSource): Promise<Cut | undefined> {
  const [last] = await read(size - 1, 1);
  if (last === trailer || size > maxRead) return undefined;
  const data = await read(0, size);
  const tableBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(data[10]);
  const passSubBlocks = () => {
    for (let length = data[at]; length; length = data[at]) at += 1 + length;
    at++;
  };
  while (at < size) {
    const kind = data[at];
    if (kind === extension) at += 2;
    else if (kind === image) at += 11 + tableBytes(data[at + 9]);
    else return undefined;
    passSubBlocks();
  }
  return at > size ? "picture" : undefined;
}
