// Old-style JPEG in TIFF, in the forms that writers of the nineties have: its pixels are those that libtiff
// and libvips show.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { grain } from "../../../grain.ts";
import { fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { oldJpegFile, type Parts, partsOf } from "./old-jpeg-file.ts";
import type { Field } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const [width, height] = [200, 150];
const photo = () => sharp(fixture("tif-strip-none.tif")).extract({ left: 60, top: 40, width, height });
const folder = mkdtempSync(join(tmpdir(), "old-jpeg-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function decode(data: Uint8Array, part?: Rectangle) {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, 1);
  if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
}

type Interchange = readonly [format: number, length?: number];
const interchange = ([at, length]: Interchange): Field[] => [
  [513, 4, at],
  ...(length === undefined ? [] : [[514, 4, length] as Field]),
];

/** Offsets of tables: those of chroma are the second of each, or of all components the first. */
const tableFields = (at: readonly number[]): Field[] => {
  const [q0 = 0, q1 = q0, d0 = 0, d1 = d0, a0 = 0, a1 = a0] = at;
  return [
    [519, 4, q0, q1, q1],
    [520, 4, d0, d1, d1],
    [521, 4, a0, a1, a1],
  ];
};
const tablesOf = ({ quantisers, dc, ac }: Parts) => [...quantisers, ...dc, ...ac];

/** A stream that a strip, and JPEGInterchangeFormat if it is given, are all of. */
const wholeStream = (parts: Parts, ...more: readonly Field[]) =>
  oldJpegFile({ width, height }, [parts.file], ([at = 0]) => ({
    strips: [[at, parts.file.length]],
    more,
  }));

const parts = await partsOf(photo());
const { file, head, scan, data } = parts;
const rows = 48;
const strips = await Promise.all(
  Array.from({ length: Math.ceil(height / rows) }, (_, i) =>
    partsOf(
      sharp(fixture("tif-strip-none.tif")).extract({
        left: 60,
        top: 40 + i * rows,
        width,
        height: Math.min(rows, height - i * rows),
      }),
    ),
  ),
);
const subsampled: Field = [530, 3, 2, 2];
const placed = (at: readonly number[], all: readonly Uint8Array[]) =>
  all.map((part, i) => [at[i] ?? 0, part.length] as const);

/** A file for each form, all of one picture. */
const forms: Readonly<Record<string, Uint8Array>> = {
  "a stream that JPEGInterchangeFormat and the strip name": wholeStream(
    parts,
    ...interchange([8, file.length]),
  ),
  "a stream without a length": wholeStream(parts, ...interchange([8])),
  "a stream that only the strip names": wholeStream(parts),
  "a stream whose length is that of its tables": wholeStream(parts, ...interchange([8, head.length])),
  "a stream whose sampling differs from the field": wholeStream(
    parts,
    ...interchange([8, file.length]),
    [530, 3, 1, 1],
  ),
  "a stream that ends with its scan header, in front of the strip": oldJpegFile(
    { width, height },
    [head, scan, data],
    ([at = 0, , strip = 0]) => ({
      strips: [[strip, data.length]],
      more: interchange([at, head.length + scan.length]),
    }),
  ),
  "a stream of tables in front of a strip with the scan header": oldJpegFile(
    { width, height },
    [head, Uint8Array.of(1, 2, 3, 4), scan, data],
    ([at = 0, , strip = 0]) => ({
      strips: [[strip, scan.length + data.length]],
      more: interchange([at, head.length]),
    }),
  ),
  "tables in fields": oldJpegFile({ width, height }, [...tablesOf(parts), data], (at) => ({
    strips: [[at[6]!, data.length]],
    more: [...tableFields(at), subsampled, [512, 3, 1]],
  })),
  "tables in fields and a tile": oldJpegFile(
    { width, height, tile: [208, 160] },
    [...tablesOf(parts), data],
    (at) => ({ strips: [[at[6]!, data.length]], more: [...tableFields(at), subsampled] }),
  ),
};

/** The same picture in strips that were encoded independently. */
const inStrips: Readonly<Record<string, Uint8Array>> = {
  "strips, and tables in fields": oldJpegFile(
    { width, height, rows },
    [...tablesOf(parts), ...strips.map((strip) => strip.data)],
    (at) => ({
      strips: placed(
        at.slice(6),
        strips.map((strip) => strip.data),
      ),
      more: [...tableFields(at), subsampled],
    }),
  ),
  "strips behind a stream of tables, the first with the scan header": oldJpegFile(
    { width, height, rows },
    [head, scan, ...strips.map((strip) => strip.data)],
    (at) => ({
      strips: strips.map((strip, i) =>
        i === 0 ? [at[1]!, scan.length + strip.data.length] : [at[2 + i]!, strip.data.length],
      ),
      more: interchange([at[0]!, head.length]),
    }),
  ),
};

/** Returns the mean difference of two pictures, and the share of samples that differ by more than 24. */
function distance(one: ArrayLike<number>, other: ArrayLike<number>) {
  expect(one.length).toBe(other.length);
  const apart = Array.from(one, (sample, i) => Math.abs(sample - (other[i] as number)));
  return {
    mean: apart.reduce((sum, d) => sum + d, 0) / apart.length,
    far: apart.filter((d) => d > 24).length / apart.length,
  };
}

/** The pixels that libtiff shows, without interpolation of chroma. */
async function libtiff(data: Uint8Array) {
  const [from, to] = [join(folder, "in.tif"), join(folder, "out.tif")];
  writeFileSync(from, data);
  execFileSync("tiff2rgba", ["-c", "none", from, to], { stdio: "ignore" });
  return sharp(to).removeAlpha().raw().toBuffer();
}
const hasLibtiff = spawnSync("tiff2rgba", ["-h"]).error === undefined;
const near = { mean: 2, far: 0.01 };

describe("old-style JPEG", () => {
  test.each(Object.entries(forms))("%s equals the JPEG as libvips reads it", async (_name, tiff) => {
    const pixels = await decode(tiff);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([width, height, 3]);
    const { mean } = distance(pixels.data, await sharp(file).raw().toBuffer());
    expect(mean).toBeLessThan(0.1);
    expect(pixels.incomplete).toBe(false);
  });

  test.each(Object.entries({ ...forms, ...inStrips }))("%s is near libtiff's picture", async (name, tiff) => {
    // libtiff reads the head twice there, and refuses a second frame
    if (!hasLibtiff || name === "a stream whose length is that of its tables") return;
    const { mean, far } = distance((await decode(tiff)).data, await libtiff(tiff));
    expect(mean).toBeLessThan(near.mean);
    expect(far).toBeLessThan(near.far);
  });

  test("strips that were encoded independently equal libvips' strips, except for chroma at their edges", async () => {
    const expected = Buffer.concat(
      await Promise.all(strips.map((strip) => sharp(strip.file).raw().toBuffer())),
    );
    for (const tiff of Object.values(inStrips)) {
      const { mean, far } = distance((await decode(tiff)).data, expected);
      expect(mean).toBeLessThan(0.2);
      expect(far).toBeLessThan(near.far);
    }
  });

  test("gray equals the JPEG as libvips reads it, with tables in fields", async () => {
    const gray = await partsOf(photo().toColourspace("b-w"));
    const [q = new Uint8Array()] = gray.quantisers;
    const tiff = oldJpegFile(
      { width, height, gray: true },
      [q, gray.dc[0]!, gray.ac[0]!, gray.data],
      ([q0 = 0, d0 = 0, a0 = 0, strip = 0]) => ({
        strips: [[strip, gray.data.length]],
        more: [
          [519, 4, q0],
          [520, 4, d0],
          [521, 4, a0],
        ],
      }),
    );
    const pixels = await decode(tiff);
    expect(pixels.bands).toBe(1);
    expect(
      distance(pixels.data, await sharp(gray.file).toColourspace("b-w").raw().toBuffer()).mean,
    ).toBeLessThan(0.1);
  });

  test.skipIf(!hasLibtiff)("ReferenceBlackWhite of video is honoured, as in libtiff", async () => {
    const full = await partsOf(photo(), "4:4:4");
    const tiff = oldJpegFile({ width, height }, [full.file], ([at = 0]) => ({
      strips: [[at, full.file.length]],
      more: [...interchange([at, full.file.length]), [530, 3, 1, 1], [532, 5, 16, 235, 128, 240, 128, 240]],
    }));
    const pixels = (await decode(tiff)).data;
    expect(distance(pixels, await libtiff(tiff)).mean).toBeLessThan(near.mean);
    expect(distance(pixels, await sharp(full.file).raw().toBuffer()).mean).toBeGreaterThan(5);
  });

  test("a region equals the same part of the whole picture, at each scale", async () => {
    const region = { x: 64, y: 40, width: 96, height: 64 };
    for (const tiff of [forms["tables in fields"]!, inStrips["strips, and tables in fields"]!]) {
      const whole = await decode(tiff);
      const part = await decode(tiff, region);
      const expected = Array.from({ length: region.height }, (_, y) => {
        const from = ((region.y + y) * width + region.x) * 3;
        return [...whole.data.subarray(from, from + region.width * 3)];
      }).flat();
      expect([...part.data]).toEqual(expected);
      const bytes = memoryBytes(tiff);
      const header = await codec.probe(bytes, 1);
      expect(codec.scales?.of(header, false).map(({ factor }) => factor)).toEqual([2, 4, 8]);
      const small = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 8 });
      expect([small.width, small.height]).toEqual([12, 8]);
    }
  });

  test("memory and sidecars of a large picture are estimated as those of a JPEG of its size", async () => {
    const large = new Uint8Array(await grain(2000, 1500, 20).jpeg().toBuffer());
    const tiff = oldJpegFile({ width: 2000, height: 1500 }, [large], ([at = 0]) => ({
      strips: [[at, large.length]],
      more: interchange([at, large.length]),
    }));
    const jpeg = createCodecs(testHost).decoder("jpg");
    const region = { x: 0, y: 0, width: 512, height: 512 };
    const read = async (of: typeof codec, data: Uint8Array) => {
      const request = { header: await of.probe(memoryBytes(data), 1), page: 1, region, scaleFactor: 1 };
      return [of.memory(request, data.length), of.decodedPixels(request)];
    };
    expect(await read(codec, tiff)).toEqual(await read(jpeg, large));
  });
});

describe("refused old-style JPEG reports what was found", () => {
  const twelve = (() => {
    const changed = Uint8Array.from(file);
    const frame = changed.findIndex((byte, i) => byte === 0xff && changed[i + 1] === 0xc0);
    changed[frame + 4] = 12;
    return changed;
  })();
  test.each([
    ["lossless JPEG", wholeStream(parts, [512, 3, 14])],
    ["12 bits", wholeStream({ ...parts, file: twelve })],
    ["planes", wholeStream(parts, [284, 3, 2])],
    [
      "several",
      oldJpegFile({ width, height, tile: [112, 160] }, [file], ([at = 0]) => ({
        strips: [
          [at, file.length],
          [at, file.length],
        ],
        more: [],
      })),
    ],
    [
      "a stream in each strip",
      oldJpegFile(
        { width, height, rows },
        strips.map((strip) => strip.file),
        (at) => ({
          strips: placed(
            at,
            strips.map((strip) => strip.file),
          ),
          more: [],
        }),
      ),
    ],
    [
      "strips of 44 rows",
      oldJpegFile({ width, height, rows: 44 }, [...tablesOf(parts), data], (at) => ({
        strips: Array.from({ length: 4 }, () => [at[6]!, data.length] as const),
        more: [...tableFields(at), subsampled],
      })),
    ],
    ["WhiteIsZero", wholeStream(parts, [262, 3, 0])],
  ])("%s", async (reason, tiff) => {
    const header = await codec.probe(memoryBytes(tiff), 1);
    expect([header.width, header.height]).toEqual([width, height]);
    expect(header.unsupported).toContain(reason);
    expect(header.unsupported).toMatch(/^Expected .* received .*; convert/);
  });
});

describe("damaged old-style JPEG", () => {
  const files = [...Object.values(forms), ...Object.values(inStrips)];
  const endsWell = async (tiff: Uint8Array) => {
    try {
      await decode(tiff);
    } catch (error) {
      expect(error).toBeInstanceOf(ImagingError);
    }
  };

  test("a frame of another size than the picture is an error", async () => {
    for (const size of [
      [256, 4, 300],
      [257, 4, 300],
    ] as const)
      await expect(codec.probe(memoryBytes(wholeStream(parts, size)), 1)).rejects.toMatchObject({
        kind: "decode",
      });
  });

  test("neither tables nor a stream is an error", async () => {
    const bare = oldJpegFile({ width, height }, [data], ([at = 0]) => ({
      strips: [[at, data.length]],
      more: [],
    }));
    await expect(codec.probe(memoryBytes(bare), 1)).rejects.toMatchObject({ kind: "decode" });
  });

  test("coded data that end early are shown as far as they go, and said to be incomplete", async () => {
    const cut = oldJpegFile({ width, height }, [file.subarray(0, file.length >> 1)], ([at = 0]) => ({
      strips: [[at, file.length >> 1]],
      more: [],
    }));
    expect((await decode(cut)).incomplete).toBe(true);
  });

  test("any change of bytes ends in pixels or in an error", async () => {
    const index = fc.nat(files.length - 1);
    const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(index, changes, async (which, altered) => {
        const tiff = Uint8Array.from(files[which]!);
        // half of the places are in the directory and the tables
        for (const [i, [at, value]] of altered.entries()) {
          const span = i % 2 ? tiff.length : Math.min(tiff.length, 700);
          tiff[Math.floor(at * (span - 1)) + (i % 4 === 2 ? tiff.length - span : 0)] = value;
        }
        await endsWell(tiff);
      }),
      { numRuns: 60 },
    );
  });
});
