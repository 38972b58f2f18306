// Inflating by the runtime's zlib and by DecompressionStream, to the same contract.

import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { NativeZlib } from "../../../src/base/bytes/zlib.ts";
import { inflate } from "../../../src/imaging/codecs/inflate.ts";
import { testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";

const nativeZlib = testHost.zlib as NativeZlib;
const next = seeded(7);
const content = new Uint8Array(3_000_000).map((_, i) => (i % 1000 < 500 ? 7 : next(256)));
const stream = new Uint8Array(deflateSync(content));

/** The pieces of `data`, counted as they are taken. */
function fed(data: Uint8Array, size: number) {
  const state = { taken: 0, ended: false };
  async function* pieces() {
    try {
      for (let at = 0; at < data.length; at += size) {
        state.taken++;
        yield data.subarray(at, at + size);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: pieces() };
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of pieces) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

describe.each([
  ["zlib", nativeZlib],
  ["DecompressionStream", undefined],
] as const)("a stream inflated by %s", (_, zlib) => {
  it("has the contents, however its bytes are divided", async () => {
    for (const size of [1000, 100_000, stream.length])
      expect(await all(inflate(fed(stream, size).pieces, zlib))).toEqual(content);
  });

  it("fails if it is cut, broken, or has another checksum", async () => {
    const broken = stream.with(stream.length >> 1, stream[stream.length >> 1]! ^ 0x55);
    const unsound = stream.with(stream.length - 1, stream.at(-1)! ^ 1);
    for (const data of [stream.subarray(0, -10), broken, unsound, new Uint8Array(9)])
      await expect(all(inflate(fed(data, 50_000).pieces, zlib))).rejects.toThrow();
  });

  it("fails with the error of its pieces", async () => {
    async function* failing() {
      yield stream.subarray(0, 100);
      throw new RangeError("gone");
    }
    await expect(all(inflate(failing(), zlib))).rejects.toThrow(new RangeError("gone"));
  });

  it("takes no more pieces once its reader has left", async () => {
    const zeros = new Uint8Array(deflateSync(new Uint8Array(64 << 20)));
    const { state, pieces } = fed(zeros, 8192);
    let total = 0;
    for await (const part of inflate(pieces, zlib)) {
      total += part.length;
      if (total > 1 << 20) break;
    }
    await expect.poll(() => state.ended).toBe(true);
    const { taken } = state;
    expect(taken).toBeLessThan(zeros.length / 8192);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(state.taken).toBe(taken);
  });
});

describe("a stream inflated as a whole", () => {
  it("is undefined if it is longer than the limit, or broken", () => {
    const { inflateWithin } = nativeZlib;
    expect(inflateWithin(stream, content.length)).toEqual(content);
    expect(inflateWithin(stream, content.length + 1)).toEqual(content);
    expect(inflateWithin(stream, content.length - 1)).toBeUndefined();
    expect(inflateWithin(stream, 0)).toBeUndefined();
    expect(inflateWithin(stream.subarray(0, -1), content.length)).toBeUndefined();
    expect(inflateWithin(new Uint8Array(deflateSync(new Uint8Array())), 0)).toEqual(new Uint8Array());
  });
});
