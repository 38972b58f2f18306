// LZW of TIFF 6.0 section 13, and of writers before TIFF 5.0, in the module "tiff".

import { damagedTif } from "../../damaged.ts";
import type { BlockReader, BlockTools, StoredBlock } from "./block.ts";

/** Bytes of the table and the state of a block. */
export const stateBytes = 65_572;
/** Stored bytes that the module takes at a time. */
const feedBytes = 16 * 1024;
/** Bytes that the module makes at a time. */
const madeBytes = 32 * 1024;
/** Maximum bytes of a string, and those that are written after it. */
const overhang = 4096;

/** Bytes of the module's memory that a block needs. */
export const lzwMemory = stateBytes + feedBytes + madeBytes + overhang;

/**
 * True if codes begin at the low bit and grow wider as late as possible, as in GIF. A block begins with the
 * code that clears the table, 256 in 9 bits, so its first bytes decide.
 */
const isOldStyle = (data: Uint8Array) => data[0] === 0 && ((data[1] ?? 0) & 1) === 1;

/**
 * Decompresses a block. Reading throws ImagingError `decode` on an impossible code or when the block has
 * fewer bytes.
 */
export function lzw({ data, length }: StoredBlock, { module, memory: state }: BlockTools): BlockReader {
  const feed = state + stateBytes;
  const made = feed + feedBytes;
  const bytes = new Uint8Array(module.memory.buffer);
  let fed = 0;
  let total = 0;
  let ready = bytes.subarray(made, made);
  module.lzwBegin(state, isOldStyle(data) ? 1 : 0);

  /** Makes more bytes `ready`. */
  const advance = () => {
    const over = module.lzwOver(state);
    const part = data.subarray(fed, fed + feedBytes);
    if (over === 2) throw damagedTif("known codes in an LZW block", "others");
    const tooFew = () => damagedTif(`${length} bytes in an LZW block`, `${total}`);
    if (over === 1) throw tooFew();
    bytes.set(part, feed);
    const count = module.lzwRead(state, feed, feed + part.length, made, madeBytes);
    fed += module.lzwTaken(state) - feed;
    // Codes of bytes that were taken before may still be waiting.
    if (count === 0 && part.length === 0) throw tooFew();
    ready = bytes.subarray(made, made + count);
  };

  return {
    read(into) {
      for (let filled = 0; filled < into.length; ) {
        if (ready.length === 0) advance();
        const part = ready.subarray(0, into.length - filled);
        into.set(part, filled);
        ready = ready.subarray(part.length);
        filled += part.length;
        total += part.length;
      }
    },
  };
}
