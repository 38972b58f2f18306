// Regions from borrowed bytes: used before they are overwritten, and read if they cannot be borrowed.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import {
  type JpegReader,
  openJpeg,
  type ScaleFactor,
} from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { differences, engine, openIndexed, resamplePlane, whole } from "../open.ts";

/**
 * Lends what `lends` says, in one array that is overwritten by the next call, and as soon as anybody waits.
 */
function lending(file: Uint8Array, lends: () => boolean) {
  const lent = new Uint8Array(file.length);
  let calls = 0;
  const source: ByteSource = {
    ...memoryBytes(file),
    borrow(ranges) {
      lent.fill(0xaa);
      if (!lends()) return undefined;
      calls++;
      queueMicrotask(() => lent.fill(0xaa));
      let at = 0;
      return ranges.map(({ offset, length }) => {
        const part = file.subarray(offset, offset + length);
        lent.set(part, at);
        at += part.length;
        return lent.subarray(at - part.length, at);
      });
    },
  };
  return { source, calls: () => calls };
}

async function opened(source: ByteSource): Promise<JpegReader> {
  const reader = await openJpeg(() => engine, source, { resample: resamplePlane });
  if (!reader) throw new Error("not a file for this decoder");
  await reader.buildAccessPoints();
  return reader;
}

it.each(["jpg-baseline-420.jpg", "jpg-restart.jpg", "jpg-gray.jpg"])(
  "%s reads the same from borrowed bytes as from its own",
  async (name) => {
    const file = new Uint8Array(readFileSync(`test/fixtures/${name}`));
    const plain = await opened(memoryBytes(file));
    let turn = 0;
    const always = lending(file, () => true);
    const sometimes = lending(file, () => turn++ % 2 === 0);
    for (const { source, calls } of [always, sometimes]) {
      const reader = await opened(source);
      const { width, height } = whole(plain);
      for (const region of [whole(plain), { x: 32, y: 48, width: width - 64, height: height - 80 }])
        for (const scale of [1, 2, 4] as ScaleFactor[]) {
          const expected = await plain.decodePixels(region, scale);
          expect(differences((await reader.decodePixels(region, scale)).data, expected.data)).toBe(0);
        }
      const tile = { x: 32, y: 48, width: 64, height: 64 };
      const [expected, cut] = [await plain.crop(tile), await reader.crop(tile)];
      expect(expected).toBeDefined();
      expect(differences(cut!, expected!)).toBe(0);
      expect(calls()).toBeGreaterThan(2);
    }
  },
);

it("reports bytes that cannot be borrowed", async () => {
  const file = new Uint8Array(readFileSync("test/fixtures/jpg-baseline-420.jpg"));
  const unreadable = new ImagingError("source", "unreadable");
  const reader = await opened({
    ...memoryBytes(file),
    borrow() {
      throw unreadable;
    },
  });
  await expect(reader.decodePixels(whole(await openIndexed(file)), 1)).rejects.toBe(unreadable);
});
