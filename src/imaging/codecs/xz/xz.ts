// The .xz container, version 1.1.0: blocks of LZMA2, optionally with a delta filter.

import { allocateOrThrow } from "../allocate.ts";
import { damagedLzma } from "../damaged.ts";
import { Lzma, type Output } from "./lzma.ts";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const HEADER = 12;
const DELTA = 0x03;
const LZMA2 = 0x21;

/** Returns the bytes that `decompress` holds, its result included: models and the requested bytes. */
export const xzMemory = (wanted: number) => wanted + 2 ** 16;

/**
 * Returns the first `wanted` bytes of an .xz stream. Block checks are not verified, since data after the
 * requested bytes is not read. Throws ImagingError `decode` if the data is broken or shorter.
 */
export function decompress(data: Uint8Array, wanted: number): Uint8Array {
  if (MAGIC.some((byte, i) => data[i] !== byte)) throw damagedLzma("an .xz stream", "something else");
  const checkBytes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][(data[7] ?? 0) & 15] ?? 0;
  const output: Output = { bytes: allocateOrThrow(() => new Uint8Array(wanted)), length: 0, start: 0 };
  let at = HEADER;
  while (output.length < wanted) {
    const size = ((data[at] ?? 0) + 1) * 4;
    if (size === 4 || at + size > data.length) throw damagedLzma(`${wanted} bytes`, `${output.length}`);
    const distance = deltaOf(data.subarray(at, at + size));
    const first = output.length;
    output.start = first;
    const end = takeChunks(data, at + size, output, wanted);
    if (distance > 0)
      for (let i = first + distance; i < output.length; i++)
        output.bytes[i] = (output.bytes[i] as number) + (output.bytes[i - distance] as number);
    at = end + ((4 - ((end - at - size) % 4)) % 4) + checkBytes;
  }
  return output.bytes;
}

/**
 * Returns the distance of a block header's delta filter, 0 without one. Throws ImagingError `decode` for
 * other filters.
 */
function deltaOf(header: Uint8Array): number {
  const flags = header[1] ?? 0;
  let at = 2;
  const number = () => {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = header[at++] ?? 0;
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) break;
    }
    return value;
  };
  if (flags & 0x40) number();
  if (flags & 0x80) number();
  const filters: (readonly [id: number, property: number])[] = [];
  for (let i = 0; i <= (flags & 3); i++) {
    const id = number();
    const length = number();
    filters.push([id, header[at] ?? 0]);
    at += length;
  }
  const [last, delta, ...others] = filters.reverse();
  if (last?.[0] !== LZMA2 || (delta && delta[0] !== DELTA) || others.length > 0)
    throw damagedLzma("LZMA2 with a delta filter or without", "other filters");
  return delta ? delta[1] + 1 : 0;
}

/** A chunk of LZMA2 by its control byte. */
interface Chunk {
  readonly isCoded: boolean;
  /** True if the dictionary is cleared. */
  readonly clears: boolean;
  /** True if the models are reset. */
  readonly resets: boolean;
  readonly properties: number | undefined;
  /** Bytes that it decodes to, its own bytes, and those before them. */
  readonly made: number;
  readonly stored: number;
  readonly head: number;
}

function chunkAt(data: Uint8Array, at: number, control: number): Chunk {
  const isCoded = control >= 0x80;
  if (control > 2 && !isCoded) throw damagedLzma("a chunk of LZMA2", `one of kind ${control}`);
  const made = (isCoded ? (control & 31) << 16 : 0) + word(data, at + 1) + 1;
  return {
    isCoded,
    clears: control === 1 || control >= 0xe0,
    resets: control >= 0xa0,
    properties: control >= 0xc0 ? data[at + 5] : undefined,
    made,
    stored: isCoded ? word(data, at + 3) + 1 : made,
    head: control >= 0xc0 ? 6 : isCoded ? 5 : 3,
  };
}

const word = (data: Uint8Array, at: number) => ((data[at] ?? 0) << 8) | (data[at + 1] ?? 0);

/** Decodes chunks of LZMA2 from `start` until their end or that of the output; returns the end. */
function takeChunks(data: Uint8Array, start: number, output: Output, wanted: number): number {
  let lzma: Lzma | undefined;
  let properties = 0;
  let at = start;
  while (output.length < wanted && at < data.length) {
    const control = data[at] as number;
    if (control === 0) return at + 1;
    const chunk = chunkAt(data, at, control);
    const from = at + chunk.head;
    at = from + chunk.stored;
    if (at > data.length) throw damagedLzma("a whole chunk of LZMA2", "the end of the data");
    if (chunk.clears) output.start = output.length;
    if (chunk.isCoded) {
      properties = chunk.properties ?? properties;
      if (chunk.resets) lzma = new Lzma(properties);
      if (!lzma || chunk.stored < 5)
        throw damagedLzma("a chunk with models of its own", "one that goes on from another");
      lzma.decode(data.subarray(from, at), output, Math.min(wanted, output.length + chunk.made));
    } else {
      const part = data.subarray(from, Math.min(at, from + wanted - output.length));
      output.bytes.set(part, output.length);
      output.length += part.length;
    }
  }
  if (output.length < wanted) throw damagedLzma(`${wanted} bytes`, `${output.length}`);
  return at;
}
