// Zstandard against what its reference encoder writes.
// @module-tag slow

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { decompressFrames } from "../../../../src/imaging/codecs/zstd/frames.ts";
import { noiseBytes } from "../jpg/cjpeg.ts";
import { randomness } from "../jpg/make-matrix.ts";
import { mutate } from "../jpg/mutate.ts";

const hasZstd = spawnSync("zstd", ["--version"]).status === 0;

function compress(data: Uint8Array, options: readonly string[]): Uint8Array {
  const { status, stdout } = spawnSync("zstd", ["-q", "-c", ...options], { input: data, maxBuffer: 1 << 27 });
  if (status !== 0) throw new Error("zstd failed");
  return new Uint8Array(stdout);
}

/** All bytes, or as many as are wanted. */
function decompress(data: Uint8Array, wanted: number): Uint8Array {
  const source = decompressFrames(data, wanted);
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let part = source.next(); part && total < wanted; part = source.next()) {
    parts.push(part.slice());
    total += part.length;
  }
  return new Uint8Array(Buffer.concat(parts)).subarray(0, wanted);
}

const noise = noiseBytes(300_000, 5);
const contents: Readonly<Record<string, Uint8Array>> = {
  "no bytes": new Uint8Array(),
  "one byte": Uint8Array.of(65),
  zeros: new Uint8Array(1 << 20),
  text: new Uint8Array(readFileSync("package-lock.json")),
  pixels: new Uint8Array(readFileSync("test/fixtures/tif-strip-none.tif")),
  noise,
  "few symbols": noise.map((value) => 31 - Math.clz32(value | 1)),
  "noise that comes again from far": new Uint8Array(Buffer.concat([noise, noise, noise.subarray(17)])),
};
const ways = [["-1"], ["--fast=5"], ["-3", "--no-check"], ["-9"], ["-19"], ["-3", "--long=20"]];

describe.skipIf(!hasZstd)("output of the reference encoder", () => {
  it.each(Object.entries(contents))("of %s is decompressed at every level", (_, content) => {
    for (const way of ways) {
      const file = compress(content, way);
      expect([way, Buffer.compare(decompress(file, content.length), content)]).toEqual([way, 0]);
    }
  });

  it("is read frame after frame, skipping skippable frames", () => {
    const skipped = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
    const [a, b] = [contents.text!, contents["few symbols"]!];
    const all = Buffer.concat([skipped, compress(a, ["-3"]), skipped, compress(b, ["-5"])]);
    const bytes = decompress(new Uint8Array(all), a.length + b.length);
    expect(Buffer.compare(bytes, Buffer.concat([a, b]))).toBe(0);
  });

  it("decodes to bytes or an ImagingError however it is changed, never to more than a block beyond the limit", () => {
    const random = randomness(9);
    const files = [contents.text!, contents.pixels!, contents["few symbols"]!].map((content) =>
      compress(content.subarray(0, 40_000), ["-7"]),
    );
    for (let i = 0; i < 1000; i++) {
      const source = decompressFrames(mutate(files[i % 3]!, random() < 0.5 ? 0 : 4, random), 40_000);
      try {
        let total = 0;
        for (let part = source.next(); part && total < 40_000; part = source.next()) total += part.length;
        expect(total).toBeLessThan(40_000 + 128 * 1024);
      } catch (error) {
        if (!(error instanceof ImagingError)) throw new Error(`mutation ${i}`, { cause: error });
        expect(error.kind).toBe("decode");
      }
    }
  });
});

describe("data that break the rules", () => {
  const magic = [0x28, 0xb5, 0x2f, 0xfd];
  /** A frame with a window of 128 KiB, and a last block of this kind and content. */
  const frame = (kind: number, size: number, ...content: number[]) => {
    const head = (size << 3) | (kind << 1) | 1;
    return Uint8Array.of(...magic, 0, 7 << 3, head & 255, (head >> 8) & 255, head >> 16, ...content);
  };
  it.each([
    ["another magic number", Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)],
    ["an end inside the header", Uint8Array.of(...magic, 0)],
    ["a dictionary", Uint8Array.of(...magic, 1, 56, 9, 1, 0, 0)],
    ["a window of 2 GiB", Uint8Array.of(...magic, 0, 21 << 3, 1, 0, 0)],
    ["a reserved kind of block", frame(3, 4, 1, 2, 3, 4)],
    ["a block that is longer than the data", frame(0, 100, 1, 2, 3)],
    ["a block of more than 128 KiB", frame(1, 131_073, 7)],
    ["more literals than a block holds", frame(2, 5, 0xfd, 0xff, 0xff, 7, 0)],
    ["literals by a table that is not there", frame(2, 6, 0x43, 0x40, 0, 1, 1, 0)],
    ["a copy from in front of the start", frame(2, 7, 0x09, 65, 1, 0x54, 0, 4, 0)],
    // all three tables have one symbol: 65,539 bytes are copied by each of 32,512 sequences
    ["few bytes that copy billions", frame(2, 12, 0x09, 65, 255, 0, 0, 0x54, 1, 0, 52, 255, 255, 1)],
  ])("%s is an ImagingError of kind decode", (_, data) => {
    expect(() => decompress(data, 1 << 20)).toThrow(expect.objectContaining({ kind: "decode" }));
  });

  /**
   * Returns literals 0 or 1 in four streams, whose codes have one bit each below the end mark of the stream.
   */
  const inFour = (size: number, streams: readonly [number, number, number, number]) =>
    frame(2, 16, 0x06 | (size << 4), 0, 3, 0x80, 0x10, 1, 0, 1, 0, 1, 0, ...streams, 0);

  it("cannot be four streams of six literals, the last stream empty", () => {
    expect([...decompress(inFour(6, [0b101, 0b110, 0b111, 0b1]), 6)]).toEqual([0, 1, 1, 0, 1, 1]);
  });

  // Three quarters, rounded up, are more than the whole.
  it.each([1, 2, 5])("can be four streams of %i literals", (size) => {
    expect(() => decompress(inFour(size, [0b101, 0b110, 0b111, 0b1]), 6)).toThrow(
      expect.objectContaining({ kind: "decode", message: expect.stringContaining("that fit their block") }),
    );
  });

  it("holds no more than is wanted, however much is promised", () => {
    const blocks = Array.from({ length: 1000 }, () => [0x02, 0x00, 0x10, 9]).flat();
    const bomb = Uint8Array.of(...magic, 0, 17 << 3, ...blocks);
    const source = decompressFrames(bomb, 1 << 20);
    let total = 0;
    let held = 0;
    while (total < 1 << 20) {
      const part = source.next()!;
      expect(part.every((value) => value === 9)).toBe(true);
      total += part.length;
      held = Math.max(held, part.buffer.byteLength);
    }
    expect(total).toBe(1 << 20);
    expect(held).toBeLessThanOrEqual((1 << 20) + 128 * 1024);
  });
});
