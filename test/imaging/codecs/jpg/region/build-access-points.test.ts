// Access points: the same however the file comes in, stored and loaded without loss, refused when it is not
// sound.
// @module-tag slow

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { crc32 } from "../../../../../src/base/bytes/crc32.ts";
import { createEngine, openJpeg } from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { decode, encode, hasTools, makeFile, matrix, picture, randomness } from "../make-matrix.ts";
import { differences, engine, module, openIndexed, whole } from "../open.ts";
import { withFrame } from "../segments.ts";

const fixture = (name: string) => new Uint8Array(readFileSync(`test/fixtures/${name}`));
const names = [
  "jpg-baseline-420.jpg",
  "jpg-baseline-422.jpg",
  "jpg-restart.jpg",
  "jpg-gray.jpg",
  "jpg-cmyk-adobe.jpg",
  "jpg-wide-5000x12.jpg",
  "bad-trunc-50.jpg",
];

describe.each(names)("the index of %s", (name) => {
  it("is the same from pieces of any size, down to single bytes", async () => {
    const file = fixture(name);
    const once = await openIndexed(file);
    for (const chunkSize of [1, 333, 3072, 65536].filter((size) => file.length / size < 30_000)) {
      const reader = await openIndexed(file, chunkSize);
      expect(differences(reader.saveAccessPoints()!, once.saveAccessPoints()!), `${chunkSize}`).toBe(0);
      reader.level8!.forEach((plane, i) => {
        expect(differences(plane, once.level8![i]!), `${chunkSize}`).toBe(0);
      });
    }
  });

  it("stored and loaded by another reader decodes the same tiles", async () => {
    const file = fixture(name);
    const reader = await openIndexed(file);
    const other = (await openJpeg(() => createEngine(module), memoryBytes(file)))!;
    expect(await other.loadAccessPoints(reader.saveAccessPoints()!, reader.level8)).toBe(true);
    expect(other.damaged).toBe(reader.damaged);
    for (const scale of [1, 2, 4, 8] as const) {
      const [a, b] = [
        await reader.decodePixels(whole(reader), scale),
        await other.decodePixels(whole(other), scale),
      ];
      expect(differences(a.data, b.data)).toBe(0);
    }
  });

  it("has the same 1/8 without the stored level, from the bytes", async () => {
    const file = fixture(name);
    const reader = await openIndexed(file);
    const other = (await openJpeg(() => engine, memoryBytes(file)))!;
    expect(await other.loadAccessPoints(reader.saveAccessPoints()!)).toBe(true);
    expect(other.level8).toBeUndefined();
    const [a, b] = [await reader.decodePixels(whole(reader), 8), await other.decodePixels(whole(other), 8)];
    expect(differences(a.data, b.data)).toBe(0);
  });
});

describe("stored access points", () => {
  it("are refused after any change of a byte", async () => {
    const file = fixture("jpg-restart.jpg");
    const stored = (await openIndexed(file)).saveAccessPoints()!;
    const other = (await openJpeg(() => engine, memoryBytes(file)))!;
    for (let i = 0; i < stored.length; i++)
      expect(await other.loadAccessPoints(stored.with(i, stored[i]! ^ 0x20) as Uint8Array), `${i}`).toBe(
        false,
      );
    for (const length of [0, 3, 4, 5, stored.length - 1])
      expect(await other.loadAccessPoints(stored.subarray(0, length)), `${length}`).toBe(false);
  });

  it("are refused or harmless if their checksum is right and their numbers are not", async () => {
    const random = randomness(9);
    const file = fixture("jpg-restart.jpg");
    const stored = (await openIndexed(file)).saveAccessPoints()!;
    let refused = 0;
    for (let i = 0; i < 400; i++) {
      const forged = stored.slice();
      for (let n = 0; n <= random() * 3; n++)
        forged[4 + Math.floor(random() * (forged.length - 4))] = Math.floor(random() * 256);
      new DataView(forged.buffer).setUint32(0, crc32(forged.subarray(4)));
      const own = createEngine(module);
      const other = (await openJpeg(() => own, memoryBytes(file)))!;
      if (!(await other.loadAccessPoints(forged))) {
        refused++;
        continue;
      }
      const ranges = other.neededRanges(whole(other), 1);
      expect(ranges.every(({ offset, length }) => offset >= 0 && offset + length <= file.length + 4)).toBe(
        true,
      );
      const pixels = await other.decodePixels(whole(other), 1).catch((error: Error) => error);
      if (pixels instanceof Error) expect(pixels.name).toBe("ImagingError");
      expect(own.size).toBeLessThan(16 << 20);
    }
    expect(refused).toBeGreaterThan(100);
  });

  it("are refused for a file of another size or with another frame", async () => {
    const file = fixture("jpg-baseline-420.jpg");
    const stored = (await openIndexed(file)).saveAccessPoints()!;
    const longer = (await openJpeg(() => engine, memoryBytes(new Uint8Array([...file, 0]))))!;
    expect(await longer.loadAccessPoints(stored)).toBe(false);
    const narrower = withFrame(file, (frame) => ({ ...frame, body: frame.body.with(4, frame.body[4]! - 1) }));
    const other = (await openJpeg(() => engine, memoryBytes(narrower)))!;
    expect(await other.loadAccessPoints(stored)).toBe(false);
  });
});

it("shares one pass among those who ask at the same time", async () => {
  const file = fixture("jpg-baseline-420.jpg");
  const { size, read } = memoryBytes(file);
  let bytes = 0;
  const counting = {
    size,
    read: async (offset: number, length: number) => {
      const part = await read(offset, length);
      bytes += part.length;
      return part;
    },
  };
  const reader = (await openJpeg(() => engine, counting, { chunkSize: 5000 }))!;
  await Promise.all([reader.buildAccessPoints(), reader.buildAccessPoints(100), reader.buildAccessPoints()]);
  expect(reader.isComplete).toBe(true);
  expect(bytes).toBeLessThan(file.length + 20_000);
});

it("continues what a caller has left", async () => {
  const file = fixture("jpg-baseline-420.jpg");
  const reader = (await openJpeg(() => engine, memoryBytes(file), { chunkSize: 2000 }))!;
  const rows: number[] = [];
  for (let piece = 0; piece < 5; piece++) {
    await reader.stepAccessPoints();
    rows.push(reader.rows);
  }
  expect(rows).toEqual(rows.toSorted((a, b) => a - b));
  expect(reader.isComplete).toBe(false);
  await reader.buildAccessPoints();
  const once = await openIndexed(file);
  expect(differences(reader.saveAccessPoints()!, once.saveAccessPoints()!)).toBe(0);
});

it("works on several files with one engine in turn, and goes on with a new engine after one was dropped", async () => {
  const files = ["jpg-baseline-420.jpg", "jpg-gray.jpg", "jpg-restart.jpg"].map(fixture);
  let current = createEngine(module);
  const readers = await Promise.all(
    files.map(async (file) => (await openJpeg(() => current, memoryBytes(file), { chunkSize: 7000 }))!),
  );
  while ((await Promise.all(readers.map((reader) => reader.stepAccessPoints()))).some(Boolean))
    current = createEngine(module);
  const mixed = await Promise.all(
    readers.flatMap((reader) =>
      [1, 2, 4].map((scale) => reader.decodePixels(whole(reader), scale as 1 | 2 | 4)),
    ),
  );
  for (const [i, file] of files.entries()) {
    const alone = await openIndexed(file);
    for (const [j, scale] of ([1, 2, 4] as const).entries())
      expect(differences(mixed[3 * i + j]!.data, (await alone.decodePixels(whole(alone), scale)).data)).toBe(
        0,
      );
  }
});

it("takes the height of a file with none in its frame from the DNL segment", async () => {
  const file = fixture("jpg-baseline-420.jpg");
  const { height } = (await openIndexed(file)).frame;
  const bare = withFrame(file, (frame) => ({ ...frame, body: frame.body.with(1, 0).with(2, 0) }));
  const dnl = [0xff, 0xdc, 0, 4, height >> 8, height & 255];
  const late = new Uint8Array([...bare.subarray(0, -2), ...dnl, 0xff, 0xd9]);
  const [a, b] = [await openIndexed(file), await openIndexed(late)];
  expect(b.frame.height).toBe(height);
  expect(b.damaged).toBe(false);
  expect(
    differences((await a.decodePixels(whole(a), 1)).data, (await b.decodePixels(whole(b), 1)).data),
  ).toBe(0);
});

describe.skipIf(!hasTools)("needs cjpeg of libjpeg-turbo-progs", () => {
  it("has correct tiles in pictures of several columns of access points, at each scale, with and without restarts", async () => {
    const ppm = picture(1700, 130, 4);
    const kinds = [[], ["-sample", "1x1"], ["-restart", "37B"], ["-grayscale"], ["-sample", "4x1"]];
    for (const kind of kinds) {
      const reader = await openIndexed(encode(ppm, ["-quality", "85", ...kind]));
      const other = await openIndexed(encode(ppm, ["-quality", "85", ...kind]), 3000);
      expect(differences(reader.saveAccessPoints()!, other.saveAccessPoints()!)).toBe(0);
      for (const scale of [1, 2, 4, 8] as const) {
        const all = await reader.decodePixels(whole(reader), scale);
        for (const x of [0, 512, 1024, 1536]) {
          const width = Math.min(512, 1700 - x);
          const tile = await reader.decodePixels({ x, y: 32, width, height: 64 }, scale);
          for (let y = 0; y < tile.height; y++) {
            const from = ((32 / scale + y) * all.width + x / scale) * all.bands;
            const expected = all.data.subarray(from, from + tile.width * all.bands);
            const row = tile.data.subarray(y * expected.length, (y + 1) * expected.length);
            expect(differences(row, expected), `${kind} ${scale} ${x} ${y}`).toBe(0);
          }
        }
      }
    }
  });

  it("reads regions of files with a scan for each component, also from stored access points", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scans-"));
    const rows = [...matrix()].filter(({ script }) => script);
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const file = makeFile({ ...row, width: 1100, height: 50 });
      const reader = await openIndexed(file);
      const other = (await openJpeg(() => engine, memoryBytes(file)))!;
      expect(await other.loadAccessPoints(reader.saveAccessPoints()!)).toBe(true);
      expect(await other.loadAccessPoints(reader.saveAccessPoints()!)).toBe(true);
      expect(
        differences((await openIndexed(file, 900)).saveAccessPoints()!, reader.saveAccessPoints()!),
      ).toBe(0);
      expect(other.canCrop(whole(other))).toBe(false);
      const region = { x: 520, y: 16, width: 333, height: 30 };
      const all = decode(file);
      for (const { data } of [await reader.decodePixels(region, 1), await other.decodePixels(region, 1)])
        for (let y = 0; y < 30; y++) {
          const from = ((16 + y) * 1100 + 520) * 3;
          expect(
            differences(data.subarray(y * 999, (y + 1) * 999), all.subarray(from, from + 999)),
            row.name,
          ).toBe(0);
        }
    }
    rmSync(folder, { recursive: true });
  });

  it("reads a row again if the estimate of its bytes was too small", async () => {
    // flat on the left, noise from column 512 on: a tile needs far more than its share
    const ppm = picture(1400, 64, 5);
    const head = ppm.length - 1400 * 64 * 3;
    const random = randomness(1);
    for (let y = 0; y < 64; y++)
      for (let x = 0; x < 1400; x++) {
        const at = head + (y * 1400 + x) * 3;
        ppm.fill(x < 500 || x > 560 ? 90 : Math.floor(random() * 256), at, at + 3);
      }
    const file = encode(ppm, ["-quality", "100", "-sample", "1x1"]);
    const reader = await openIndexed(file);
    const region = { x: 0, y: 0, width: 560, height: 64 };
    let reads = 0;
    const tile = await reader.decodePixels(region, 1, async (offset, length) => {
      reads++;
      return file.subarray(offset, offset + length);
    });
    expect(reads).toBeGreaterThan(reader.neededRanges(region, 1, "pixels", 1024).length);
    const cut = await openIndexed((await reader.crop(region))!);
    expect(differences((await cut.decodePixels(whole(cut), 1)).data, tile.data)).toBe(0);
    const all = await reader.decodePixels(whole(reader), 1);
    for (let y = 0; y < 64; y++)
      expect(
        differences(
          tile.data.subarray(y * 1680, (y + 1) * 1680),
          all.data.subarray(y * 4200, y * 4200 + 1680),
        ),
      ).toBe(0);
  });
});
