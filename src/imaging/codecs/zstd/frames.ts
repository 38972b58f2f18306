// Zstandard (RFC 8878): yields the contents of frames block by block.

import { allocateOrThrow } from "../allocate.ts";
import { damagedZstd } from "../damaged.ts";
import { type BlockState, blockState, decodeBlock, MOST_BLOCK } from "./block.ts";
import type { Output } from "./sequences.ts";

const MAGIC = 0xfd2fb528;
/** The first of 16 magic numbers of frames that decoders skip. */
const SKIPPED = 0x184d2a50;
/** The default of the reference decoder. */
export const MOST_WINDOW = 2 ** 27;

/** Decompressed data, produced on demand. */
export interface Decompressed {
  /**
   * Returns the bytes of the next non-empty block, valid until the next call; undefined at the end. Throws
   * ImagingError `decode`.
   */
  next(): Uint8Array | undefined;
  /** Ends the reading; the latest block is then no longer valid. */
  close(): void;
}

/** Bytes of an output that are kept for the next one. */
const maxCached = 2 ** 20;
/** The output of frames that were closed: allocating one takes longer than decoding a small frame. */
let spare: Uint8Array | undefined;

/** Returns at least `size` bytes of any content. Throws ImagingError if there is no room. */
function outputOf(size: number): Uint8Array {
  const reused = spare;
  if (!reused || reused.length < size) return allocateOrThrow(() => new Uint8Array(size));
  spare = undefined;
  return reused;
}

interface Frame {
  readonly window: number;
  readonly checksum: boolean;
  readonly state: BlockState;
}

/**
 * Decompresses `data`, of which at most `wanted` bytes are needed: no more than these, or two windows, and a
 * block are held. Content checksums are not verified, since data after the requested bytes is not read.
 */
export function decompressFrames(data: Uint8Array, wanted: number): Decompressed {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const output: Output = { bytes: new Uint8Array(), length: 0 };
  let at = 0;
  let frame: Frame | undefined;

  const need = (bytes: number) => {
    if (at + bytes > data.length) throw damagedZstd("a whole frame", "the end of the data");
  };

  /** Returns the next frame that is not skippable; undefined at the end. */
  const openFrame = (): Frame | undefined => {
    while (at < data.length) {
      need(5);
      const magic = view.getUint32(at, true);
      if (magic === MAGIC) return readHeader();
      if (magic - (magic % 16) !== SKIPPED) throw damagedZstd("the start of a frame", "something else");
      need(8);
      at += 8 + view.getUint32(at + 4, true);
    }
    return undefined;
  };

  const readHeader = (): Frame => {
    const flags = data[at + 4]!;
    const single = (flags & 0x20) !== 0;
    const idBytes = [0, 1, 2, 4][flags & 3]!;
    const sizeBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6]!;
    const idAt = at + (single ? 5 : 6);
    const sizeAt = idAt + idBytes;
    need(sizeAt + sizeBytes - at);
    if ((flags & 8) !== 0) throw damagedZstd("a frame of a known form", "another");
    for (let i = idAt; i < sizeAt; i++) if (data[i] !== 0) throw damagedZstd("no dictionary", "one");
    const descriptor = data[at + 5]!;
    const window = single
      ? contentSize(view, sizeAt, sizeBytes)
      : 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);
    if (!single && window > MOST_WINDOW)
      throw damagedZstd(`a window of at most ${MOST_WINDOW} bytes`, `${window}`);
    at = sizeAt + sizeBytes;
    output.length = 0;
    return { window, checksum: (flags & 4) !== 0, state: blockState() };
  };

  /** Makes room for a block after the bytes that copies may refer to. */
  const makeRoom = ({ window }: Frame) => {
    const { bytes, length } = output;
    const reach = Math.min(window, MOST_WINDOW);
    const size = Math.min(wanted, 2 * reach) + MOST_BLOCK;
    if (length === 0 && bytes.length < size) output.bytes = outputOf(size);
    else if (length + MOST_BLOCK > bytes.length) {
      const reused = Math.min(reach, bytes.length - MOST_BLOCK);
      bytes.copyWithin(0, length - reused, length);
      output.length = reused;
    }
  };

  /** Appends the next block to the output; returns true for the frame's last one. */
  const takeBlock = (current: Frame): boolean => {
    need(3);
    const head = view.getUint16(at, true) | (data[at + 2]! << 16);
    const kind = (head >> 1) & 3;
    const size = head >> 3;
    const max = Math.min(MOST_BLOCK, current.window);
    at += 3;
    if (kind === 3 || size > max)
      throw damagedZstd(`blocks of at most ${max} bytes`, `${size} of kind ${kind}`);
    const stored = kind === 1 ? 1 : size;
    need(stored);
    const block = data.subarray(at, at + stored);
    at += stored;
    if (kind === 2) decodeBlock(block, current.state, output, max);
    else {
      if (kind === 0) output.bytes.set(block, output.length);
      else output.bytes.fill(block[0]!, output.length, output.length + size);
      output.length += size;
    }
    return (head & 1) === 1;
  };

  return {
    next() {
      for (;;) {
        frame ??= openFrame();
        if (!frame) return undefined;
        makeRoom(frame);
        const start = output.length;
        if (takeBlock(frame)) {
          at += frame.checksum ? 4 : 0;
          frame = undefined;
        }
        if (output.length > start) return output.bytes.subarray(start, output.length);
      }
    },
    close() {
      const { bytes } = output;
      if (bytes.length > 0 && bytes.length <= maxCached) spare = bytes;
      output.bytes = new Uint8Array();
    },
  };
}

/** The content size of a frame, which is also its window if it has no other. */
function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return Number(view.getBigUint64(at, true));
}
