// Boxes of ISO base media files (ISO/IEC 14496-12, section 4.2), written and found in files of our own
// encoders.

import { concatenate } from "../../base/index.ts";
import { latin1 } from "../metadata/metadata-bytes.ts";

export const u16 = (value: number): readonly number[] => [(value >> 8) & 255, value & 255];
export const u32 = (value: number): readonly number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];

/** Returns a box of a type of four letters. */
export function isoBox(type: string, ...content: readonly ArrayLike<number>[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 8);
  return concatenate([u32(length), latin1(type), ...content]);
}

/** Returns the boxes from `start` on by type, header included; of several of a type the first one. */
export function isoBoxes(bytes: Uint8Array, start = 0): ReadonlyMap<string, Uint8Array> {
  return new Map(
    isoBoxList(bytes, start)
      .reverse()
      .map((box) => [String.fromCharCode(...box.subarray(4, 8)), box]),
  );
}

/** Returns the boxes from `start` on in order, header included. Ends at one that is not whole. */
export function isoBoxList(bytes: Uint8Array, start = 0): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Uint8Array[] = [];
  for (let at = start; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (length < 8 || at + length > bytes.length) break;
    found.push(bytes.subarray(at, at + length));
    at += length;
  }
  return found;
}
