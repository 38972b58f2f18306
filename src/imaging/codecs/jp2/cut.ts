// The end of a JPEG 2000 codestream: EOC (ISO/IEC 15444-1, A.4.4), or the length of the box that holds it
// (I.4). Coded bytes never contain a marker above FF8F, so EOC can be searched for.

import type { Cut, SizedSource } from "../cut.ts";
import { endBytes, indexOf } from "../search.ts";

const eoc = [0xff, 0xd9];
const maxBoxes = 1000;
/** "jp2c" */
const codestream = 0x6a703263;

export async function jp2Cut(bytes: SizedSource): Promise<Cut | undefined> {
  const { size, read } = bytes;
  const head = await read(0, 4);
  const isRaw = head[0] === 0xff && head[1] === 0x4f;
  if (isRaw) return endOf(bytes, 0);
  let at = 0;
  for (let n = 0; n < maxBoxes && at + 8 <= size; n++) {
    const box = await read(at, 16);
    const view = new DataView(box.buffer, box.byteOffset, box.length);
    const short = view.getUint32(0);
    const isLong = short === 1 && box.length >= 16;
    const length = isLong ? Number(view.getBigUint64(8)) : short;
    if (view.getUint32(4) === codestream) {
      if (length === 0) return endOf(bytes, at + 8);
      return at + length > size ? "picture" : undefined;
    }
    if (length < 8) return undefined;
    at += length;
  }
  return undefined;
}

/** For a codestream to the end of the file. */
async function endOf({ size, read }: SizedSource, start: number): Promise<Cut | undefined> {
  const from = Math.max(start, size - endBytes);
  const tail = await read(from, size - from);
  if (indexOf(tail, eoc) >= 0) return undefined;
  // Text, films and the like follow a codestream whose end is further ahead.
  return isCoded(tail) ? "picture" : undefined;
}

/** True for bytes that may be of packets and of the headers of tile-parts. */
function isCoded(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1] as number;
    if (code > 0x93) return false;
  }
  return bytes.includes(0xff) || bytes.length < 1024;
}
