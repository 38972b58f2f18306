// HT code-blocks (ITU-T T.814) made of random bytes: refinement passes as a plain decoder has them that looks
// at one sample at a time, and data that no encoder writes. Cleanup passes of encoders are tested with whole
// files.

import { describe, expect, it } from "vitest";
import { seeded } from "../../../seeded.ts";
import { ownModule } from "../../../wasm/own-modules.ts";

interface Decoder {
  readonly memory: WebAssembly.Memory;
  readonly htWorkBytes: () => number;
  readonly decodeHtBlock: (
    data: number,
    cleanupLength: number,
    refinementLength: number,
    passes: number,
    width: number,
    height: number,
    plane: number,
    causal: number,
    work: number,
    out: number,
  ) => number;
}

interface Block {
  readonly cleanup: Uint8Array;
  readonly refinement: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly plane: number;
  readonly causal: boolean;
}

const GUARD = 0x55;
const MOST_SAMPLES = 4096;
const decoder = new WebAssembly.Instance(await ownModule("jp2k")).exports as unknown as Decoder;
// behind all that the module has for itself; segments end 64 bytes before the end of the memory
const work = decoder.memory.buffer.byteLength;
decoder.memory.grow(4);
const end = decoder.memory.buffer.byteLength;
const out = work + decoder.htWorkBytes() + 64;

/** The samples of a block, or undefined if it is refused. Nothing may be written but to `work` and `out`. */
function decode(block: Block, passes: number): Int32Array | undefined {
  const { cleanup, refinement, width, height, plane, causal } = block;
  const bytes = new Uint8Array(decoder.memory.buffer);
  const data = end - 64 - cleanup.length - refinement.length;
  bytes.fill(GUARD, work);
  bytes.set(cleanup, data);
  bytes.set(refinement, data + cleanup.length);
  const [first, second] = [cleanup.length, refinement.length];
  const done = decoder.decodeHtBlock(
    data,
    first,
    second,
    passes,
    width,
    height,
    plane,
    Number(causal),
    work,
    out,
  );
  const isGuard = (byte: number) => byte === GUARD;
  const written = out + (width * height <= MOST_SAMPLES ? width * height * 4 : 0);
  expect(bytes.subarray(out - 64, out).every(isGuard)).toBe(true);
  expect(bytes.subarray(written, written + 4096).every(isGuard)).toBe(true);
  return done ? new Int32Array(decoder.memory.buffer.slice(out, written)) : undefined;
}

/** Bits of the SigProp segment, from its first byte on; zeros follow. */
function* forwardBits(bytes: Uint8Array): Generator<number, never> {
  let last = 0;
  for (const byte of bytes) {
    for (let bit = 0; bit < (last === 0xff ? 7 : 8); bit++) yield (byte >> bit) & 1;
    last = byte;
  }
  for (;;) yield 0;
}

/** Bits of the MagRef segment, from its last byte on; zeros follow. */
function* backwardBits(bytes: Uint8Array): Generator<number, never> {
  let last = 0xff;
  for (const byte of bytes.toReversed()) {
    for (let bit = 0; bit < (last > 0x8f && (byte & 0x7f) === 0x7f ? 7 : 8); bit++) yield (byte >> bit) & 1;
    last = byte;
  }
  for (;;) yield 0;
}

/** Refines the samples of the cleanup pass (T.814, 7.4 and 7.5). */
function refined(samples: Int32Array, block: Block, passes: number): Int32Array {
  const { width, height, plane, causal } = block;
  const result = samples.slice();
  const half = 1 << (plane - 1);
  const isSignificant = (x: number, y: number, stripe: number) =>
    x >= 0 &&
    x < width &&
    y >= 0 &&
    y < (causal ? Math.min(stripe + 4, height) : height) &&
    result[y * width + x] !== 0;
  const hasNeighbour = (x: number, y: number, stripe: number) =>
    [-1, 0, 1].some((down) =>
      [-1, 0, 1].some((right) => (down || right) && isSignificant(x + right, y + down, stripe)),
    );
  const significance = forwardBits(block.refinement);
  const magnitudes = backwardBits(block.refinement);
  for (let stripe = 0; stripe < height; stripe += 4) {
    for (let group = 0; group < width; group += 4) {
      const added: number[] = [];
      for (let x = group; x < Math.min(group + 4, width); x++)
        for (let y = stripe; y < Math.min(stripe + 4, height); y++) {
          const at = y * width + x;
          if (result[at] !== 0 || !hasNeighbour(x, y, stripe) || !significance.next().value) continue;
          result[at] = 2 * half + half;
          added.push(at);
        }
      for (const at of added) if (significance.next().value) result[at] = -result[at]!;
    }
    for (let x = 0; x < width && passes === 3; x++)
      for (let y = stripe; y < Math.min(stripe + 4, height); y++) {
        const value = samples[y * width + x]!;
        if (value === 0) continue;
        const known = Math.abs(value) - 2 * half;
        result[y * width + x] = Math.sign(value) * (known + 2 * half * magnitudes.next().value + half);
      }
  }
  return result;
}

/** A block of random bytes, many of them FF or above 8F, with a suffix length that fits. */
function randomBlock(random: (below: number) => number): Block {
  const bytesOf = (length: number) =>
    new Uint8Array(length).map(() => (random(4) ? random(256) : [0xff, 0x7f, 0x90, 0x8f][random(4)]!));
  const cleanup = bytesOf(2 + random(600));
  const suffix = 2 + random(cleanup.length - 1);
  cleanup[cleanup.length - 1] = suffix >> 4;
  cleanup[cleanup.length - 2] = (cleanup[cleanup.length - 2]! & 0xf0) | (suffix & 15);
  const [width, height] = random(8) ? [1 + random(40), 1 + random(24)] : [1 + random(1024), 1 + random(4)];
  return {
    cleanup,
    refinement: bytesOf(1 + random(120)),
    width,
    height,
    plane: 1 + random(6),
    causal: random(2) === 1,
  };
}

/**
 * A sound block of 4 x 4 samples that are all 0: no MagSgn bit that matters, and the MEL coder has events 0
 * only.
 */
const sound: Block = {
  cleanup: Uint8Array.of(0, 0xff, 0xf3, 0),
  refinement: new Uint8Array(0),
  width: 4,
  height: 4,
  plane: 0,
  causal: false,
};

describe("HT code-blocks", () => {
  it("are refined like in a decoder that processes one sample at a time", () => {
    const random = seeded(814);
    let compared = 0;
    let changed = 0;
    for (let i = 0; i < 600; i++) {
      const block = randomBlock(random);
      const samples = decode(block, 1);
      if (!samples) continue;
      for (const passes of [2, 3]) {
        const expected = refined(samples, block, passes);
        expect(decode(block, passes)).toEqual(expected);
        compared++;
        if (expected.some((value, at) => value !== samples[at])) changed++;
      }
    }
    expect(compared).toBeGreaterThan(300);
    expect(changed).toBeGreaterThan(200);
  });

  it("without refinement bytes equal those of the cleanup pass", () => {
    const random = seeded(15);
    const block = { ...randomBlock(random), refinement: new Uint8Array(0), width: 8, height: 8 };
    expect(decode(block, 1)).toBeDefined();
    expect(decode(block, 3)).toEqual(decode(block, 1));
  });

  it("have a suffix within the segment and a plane within 31 bits", () => {
    expect(decode(sound, 1)).toEqual(new Int32Array(16));
    const withSuffix = (low: number, high: number) => ({
      ...sound,
      cleanup: Uint8Array.of(0, 0xff, low, high),
    });
    expect(decode(withSuffix(0xf2, 0), 1)).toBeDefined();
    expect(decode(withSuffix(0xf1, 0), 1)).toBeUndefined();
    expect(decode(withSuffix(0xf5, 0), 1)).toBeUndefined();
    expect(decode({ ...sound, cleanup: Uint8Array.of(2) }, 1)).toBeUndefined();
    expect(decode({ ...sound, plane: 29 }, 1)).toBeDefined();
    for (const plane of [-1, 30, 64]) expect(decode({ ...sound, plane }, 1)).toBeUndefined();
  });

  it("have no refinement below plane 0, 1 to 3 passes, and at most 4096 samples", () => {
    expect(decode(sound, 2)).toBeUndefined();
    for (const passes of [0, 4]) expect(decode({ ...sound, plane: 1 }, passes)).toBeUndefined();
    for (const [width, height] of [
      [0, 4],
      [4, 0],
      [1025, 1],
      [1, 1025],
      [64, 65],
      [-4, 4],
    ] as const)
      expect(decode({ ...sound, width, height }, 1)).toBeUndefined();
  });
});
