// Strips and tiles of a few bytes each, of which a file of a megabyte has tens of thousands.

import { expect, test } from "vitest";
import { decompressFrames } from "../../src/imaging/codecs/zstd/frames.ts";
import { costOf } from "./cost.ts";

test("a Zstandard frame of 4 bytes costs some microseconds", async () => {
  // RFC 8878, 3.1.1: magic number, a single segment of 4 bytes, one last raw block
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, (4 << 3) | 1, 0, 0, 1, 2, 3, 4);
  const { result, cpuMs } = await costOf(() => {
    let sum = 0;
    for (let i = 0; i < 10_000; i++) {
      const reading = decompressFrames(frame, 4);
      sum += reading.next()!.reduce((all, byte) => all + byte);
      reading.close();
    }
    return sum;
  });
  expect(result).toBe(10 * 10_000);
  expect(cpuMs).toBeLessThan(1000);
});
