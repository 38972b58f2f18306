// Slides of microscopes: which directories are levels, and which are pages. Aperio's are written by libtiff's
// tools, OME-TIFF as its specification lays it out (section "Storage"); libvips and OpenSlide read them too.

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { storedScales } from "../../../../src/imaging/codecs/tif/directory/stages.ts";
import { testHost } from "../../../host.ts";
import { compressRaw } from "../jp2/files.ts";
import { hasOpenJpegTools } from "../jp2/openjpeg.ts";
import { aperio, hasTiffTools, picture, slide, slidePages, writeSlide } from "./slide-file.ts";
import { type Field, plainFields, type TestPicture, textField, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const has = (tool: string) =>
  spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0 || process.env.CI !== undefined;
const hasOpenSlide = has("openslide-write-png") && has("openslide-show-properties");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-slides-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const largestDifference = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let largest = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i]! - b[i]!));
  return largest;
};

async function decodePage(data: Uint8Array, page: number, scaleFactor = 1) {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, page);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  const pixels = await codec.decode(bytes, { header, page, region, scaleFactor });
  return { header, ...pixels };
}

/** Sizes and stored scales of all pages. */
async function pagesOf(data: Uint8Array) {
  const bytes = memoryBytes(data);
  const { pages } = await codec.probe(bytes, 1);
  const headers = await Promise.all(Array.from({ length: pages }, (_, i) => codec.probe(bytes, i + 1)));
  return headers.map((header) => [header.width, header.height, ...storedScales(header)]);
}

describe.skipIf(!hasTiffTools)("a slide of Aperio", () => {
  for (const [name, jpeg] of [
    ["rgb.svs", "jpeg:r:90"],
    ["ycbcr.svs", "jpeg:90"],
  ] as const)
    describe(name, () => {
      let path: string;
      let data: Uint8Array;
      beforeAll(async () => {
        path = await writeSlide(join(folder, name), jpeg);
        data = new Uint8Array(readFileSync(path));
      });

      test("has its tiled directories as levels, and thumbnail, label and macro as pages", async () => {
        expect(await pagesOf(data)).toEqual(slidePages);
        await expect(codec.probe(memoryBytes(data), 5)).rejects.toMatchObject({ code: "page_not_found" });
      });

      test("has the pixels of libvips in each level and page", async () => {
        const directories = [
          [1, 1],
          [2, 1],
          [1, 4],
          [1, 16],
          [3, 1],
          [4, 1],
        ] as const;
        for (const [directory, [page, scale]] of directories.entries()) {
          const { data: raw, info } = await sharp(path, { page: directory })
            .raw()
            .toBuffer({ resolveWithObject: true });
          const own = await decodePage(data, page, scale);
          // A level that is rounded down has its last column and row repeated.
          expect([Math.abs(own.width - info.width), Math.abs(own.height - info.height)]).toEqual(
            scale === 1 ? [0, 0] : [1, 1],
          );
          const common = new Uint8Array(raw.length).map((_, i) => {
            const pixel = Math.floor(i / 3);
            const at = Math.floor(pixel / info.width) * own.width + (pixel % info.width);
            return own.data[at * 3 + (i % 3)]!;
          });
          expect(largestDifference(common, raw)).toBeLessThanOrEqual(1);
        }
      });

      test.skipIf(!hasOpenSlide)("has the levels of OpenSlide", () => {
        const properties = execFileSync("openslide-show-properties", [path], { encoding: "utf8" });
        const sizes = [...properties.matchAll(/level\[(\d)\]\.(width|height): '(\d+)'/g)];
        const told = slide.levels.map(() => [0, 0]);
        for (const [, level, side, value] of sizes)
          told[Number(level)]![side === "width" ? 0 : 1] = Number(value);
        expect(properties).toContain("openslide.vendor: 'aperio'");
        expect(told).toEqual(slide.levels);
      });
    });

  test("is one by the description of its first picture alone", async () => {
    const path = join(folder, "other.svs");
    copyFileSync(await writeSlide(join(folder, "copied.svs"), "jpeg:90"), path);
    execFileSync("tiffset", ["-d", "0", "-s", "270", "A slide of Aperio", path]);
    // Unmarked directories in tiles are levels, others pages, and marked ones reduced pictures, of no level
    // here.
    expect(await pagesOf(new Uint8Array(readFileSync(path)))).toEqual([
      [1003, 742, 1, 4, 16],
      [250, 185, 1],
    ]);
  });
});

describe.skipIf(!hasTiffTools || !hasOpenSlide)("a tile that a slide does not store", () => {
  test("is white where OpenSlide shows nothing", async () => {
    const path = await writeSlide(join(folder, "sparse.svs"), "jpeg:90");
    const data = new Uint8Array(readFileSync(path));
    const view = new DataView(data.buffer);
    const directory = view.getUint32(4, true);
    for (let at = directory + 2; at < directory + 2 + 12 * view.getUint16(directory, true); at += 12)
      if ([324, 325].includes(view.getUint16(at, true))) {
        const [type, list] = [view.getUint16(at + 2, true), view.getUint32(at + 8, true)];
        // the second of the tiles, of 240 by 240 pixels
        if (type === 3) view.setUint16(list + 2, 0, true);
        else view.setUint32(list + 4, 0, true);
      }
    writeFileSync(path, data);
    const shown = join(folder, "sparse.png");
    execFileSync("openslide-write-png", [path, "0", "0", "0", "720", "240", shown]);
    const reference = await sharp(shown).flatten({ background: "white" }).raw().toBuffer();
    const page = await decodePage(data, 1);
    const own = Array.from(reference, (_, i) => {
      const pixel = Math.floor(i / 3);
      return page.data[(Math.floor(pixel / 720) * page.width + (pixel % 720)) * 3 + (i % 3)]!;
    });
    expect(largestDifference(own, reference)).toBeLessThanOrEqual(1);
    expect(own.slice(3 * 240, 3 * 480)).toEqual(Array(720).fill(255));
  });
});

/** An uncompressed gray picture, in tiles of 16 by 16 pixels or in one strip. */
const gray = (width: number, height: number, tiled: boolean): TestPicture => {
  const blocks = tiled ? Math.ceil(width / 16) * Math.ceil(height / 16) : 1;
  const fields = plainFields(width, height, 1, 8, 1, ...(tiled ? tilesOf16 : []));
  return {
    fields,
    blocks: Array.from({ length: blocks }, () => new Uint8Array(tiled ? 256 : width * height)),
    tiled,
  };
};

const tilesOf16: readonly Field[] = [
  [322, 3, 16],
  [323, 3, 16],
];

describe("directories that are not marked", () => {
  test.each<[name: string, directories: TestPicture[], pages: number[][]]>([
    [
      "two in strips are pages",
      [gray(80, 40, false), gray(40, 20, false)],
      [
        [80, 40, 1],
        [40, 20, 1],
      ],
    ],
    [
      "three in strips are a pyramid if each is half the one before",
      [gray(80, 40, false), gray(40, 20, false), gray(20, 10, false)],
      [[80, 40, 1, 2, 4]],
    ],
    [
      "in tiles are levels, and a label in a strip is a page",
      [gray(80, 40, true), gray(20, 10, true), gray(33, 30, false)],
      [
        [80, 40, 1, 4],
        [33, 30, 1],
      ],
    ],
    [
      "in tiles are pages if they are as large",
      [gray(80, 40, true), gray(80, 40, true)],
      [
        [80, 40, 1],
        [80, 40, 1],
      ],
    ],
  ])("%s", async (_, directories, pages) => {
    expect(await pagesOf(tiffFile(directories))).toEqual(pages);
  });
});

describe("a picture counts as one of any size", () => {
  const isScalable = async (pictures: readonly TestPicture[]) =>
    (await codec.probe(memoryBytes(tiffFile(pictures)), 1)).scalable;
  test.each<[name: string, pictures: TestPicture[], scalable: true | undefined]>([
    ["with tiles and levels", [gray(80, 40, true), gray(40, 20, true)], true],
    ["not without levels", [gray(80, 40, true)], undefined],
    ["not with levels far apart", [gray(160, 80, true), gray(10, 5, true)], undefined],
    ["not in strips", [gray(80, 40, false), gray(40, 20, false), gray(20, 10, false)], undefined],
  ])("%s", async (_, pictures, scalable) => {
    expect(await isScalable(pictures)).toBe(scalable);
  });
});

/** Cuts packed samples into blocks of 240 by 240 pixels, those at the edges filled up with zeros. */
function cut(samples: Uint8Array, width: number, height: number, pixelBytes: number): Uint8Array[] {
  const side = 240;
  const blocks: Uint8Array[] = [];
  for (let top = 0; top < height; top += side)
    for (let left = 0; left < width; left += side) {
      const block = new Uint8Array(side * side * pixelBytes);
      for (let y = top; y < Math.min(height, top + side); y++) {
        const end = Math.min(width, left + side);
        const row = samples.subarray((y * width + left) * pixelBytes, (y * width + end) * pixelBytes);
        block.set(row, (y - top) * side * pixelBytes);
      }
      blocks.push(block);
    }
  return blocks;
}

const tileFields: readonly Field[] = [
  [322, 3, 240],
  [323, 3, 240],
];

describe.skipIf(!hasOpenJpegTools || !hasOpenSlide)("a slide of Aperio in JPEG 2000", () => {
  test.each([
    [33003, false],
    [33005, true],
  ])("%i has the levels and pixels of OpenSlide", async (compression, isRgb) => {
    const sizes = [
      [500, 360],
      [125, 90],
    ] as const;
    const pictures: TestPicture[] = [];
    for (const [i, [width, height]] of [sizes[0], sizes[1], sizes[1]].entries()) {
      const samples = new Uint8Array(await picture(width, height));
      const isThumbnail = i === 1;
      const description = `${aperio}500x360 (240x240) J2K/YUV16 Q=70`;
      const blocks = isThumbnail
        ? [samples]
        : cut(samples, width, height, 3).map((block) =>
            compressRaw({ width: 240, height: 240, bands: 3, bits: 8, values: [...block] }, [
              "-n",
              "3",
              "-mct",
              isRgb ? "1" : "0",
            ]),
          );
      const stored: Field[] = isThumbnail ? [] : [...tileFields, [259, 3, compression]];
      const fields = plainFields(width, height, 3, 8, 2, textField(270, description), ...stored);
      pictures.push({ fields, blocks, tiled: !isThumbnail });
    }
    const path = join(folder, `${compression}.svs`);
    const data = tiffFile(pictures);
    writeFileSync(path, data);
    expect(await pagesOf(data)).toEqual([
      [500, 360, 1, 4],
      [125, 90, 1],
    ]);
    for (const [level, [width, height]] of sizes.entries()) {
      const png = join(folder, "region.png");
      execFileSync("openslide-write-png", [path, "0", "0", `${level}`, `${width}`, `${height}`, png]);
      const theirs = await sharp(png).removeAlpha().raw().toBuffer();
      expect(largestDifference((await decodePage(data, 1, 4 ** level)).data, theirs)).toBeLessThanOrEqual(1);
    }
  });
});

describe("an OME-TIFF", () => {
  const xml = (image: string) =>
    `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">${image}</OME>`;

  test("of three channels has three pages, each with the levels of its SubIFDs", async () => {
    const sizes = [
      [701, 500],
      [350, 250],
      [175, 125],
    ] as const;
    const channels: { samples: Uint16Array[]; picture: TestPicture }[] = [];
    for (let channel = 0; channel < 3; channel++) {
      const samples: Uint16Array[] = [];
      const levels: TestPicture[] = [];
      for (const [n, [width, height]] of sizes.entries()) {
        const eight = await picture(width, height);
        const values = new Uint16Array(width * height).map(
          (_, i) => eight[3 * i + channel]! * 257 - (eight[3 * i + channel]! > 0 ? i % 256 : 0),
        );
        samples.push(values);
        // Bio-Formats writes big-endian, without a predictor.
        const stored = new Uint8Array(Buffer.from(values.slice().buffer).swap16());
        const description: Field[] =
          n === 0 && channel === 0
            ? [
                textField(
                  270,
                  xml(
                    '<Image ID="Image:0"><Pixels DimensionOrder="XYCZT" ID="Pixels:0" SizeC="3" SizeT="1" SizeX="701" SizeY="500" SizeZ="1" Type="uint16"><TiffData FirstC="0" IFD="0"/></Pixels></Image>',
                  ),
                ),
              ]
            : [];
        levels.push({
          fields: plainFields(
            width,
            height,
            1,
            16,
            1,
            [254, 4, n === 0 ? 0 : 1],
            [259, 3, 8],
            ...tileFields,
            ...description,
          ),
          blocks: cut(stored, width, height, 2).map((block) => new Uint8Array(deflateSync(block))),
          tiled: true,
        });
      }
      const [full, ...reduced] = levels;
      channels.push({ samples, picture: { ...full!, reduced } });
    }
    const data = tiffFile(
      channels.map(({ picture }) => picture),
      { bigEndian: true },
    );
    expect(await pagesOf(data)).toEqual([1, 2, 3].map(() => [701, 500, 1, 2, 4]));
    for (const [channel, { samples }] of channels.entries())
      for (const [n, [width, height]] of sizes.entries()) {
        const options = n === 0 ? { page: channel } : { page: channel, tiff: { subifd: n - 1 } };
        const raw = await sharp(data, options).toColourspace("grey16").raw({ depth: "ushort" }).toBuffer();
        expect(largestDifference(new Uint16Array(new Uint8Array(raw).buffer), samples[n]!)).toBe(0);
        const own = await decodePage(data, channel + 1, 2 ** n);
        const common = samples[n]!.map((_, i) => own.data[Math.floor(i / width) * own.width + (i % width)]!);
        expect(largestDifference(common, samples[n]!)).toBe(0);
        expect(own.height).toBe(height);
      }
  });

  test("of a stained section in planes has its label as a page without levels", async () => {
    const sizes = [
      [480, 360],
      [240, 180],
      [120, 90],
    ] as const;
    const expected = await Promise.all(sizes.map(([width, height]) => picture(width, height)));
    const planar = ([width, height]: readonly [number, number], n: number): TestPicture => {
      const planes = [0, 1, 2].map((band) => expected[n]!.filter((_, i) => i % 3 === band));
      const blocks = planes.flatMap((plane) => cut(new Uint8Array(plane), width, height, 1));
      const fields = plainFields(
        width,
        height,
        3,
        8,
        2,
        [254, 4, n === 0 ? 0 : 1],
        [284, 3, 2],
        ...tileFields,
      );
      return { fields, blocks, tiled: true };
    };
    const [full, ...reduced] = sizes.map(planar);
    const label = new Uint8Array(await picture(60, 45));
    const description = textField(270, xml('<Image ID="Image:0"/><Image ID="Image:1" Name="label image"/>'));
    const data = tiffFile([
      { ...full!, fields: [...full!.fields, description], reduced },
      { fields: plainFields(60, 45, 3, 8, 2), blocks: [label] },
    ]);
    expect(await pagesOf(data)).toEqual([
      [480, 360, 1, 2, 4],
      [60, 45, 1],
    ]);
    for (const n of sizes.keys())
      expect(largestDifference((await decodePage(data, 1, 2 ** n)).data, expected[n]!)).toBe(0);
    expect(largestDifference((await decodePage(data, 2)).data, label)).toBe(0);
  });
});
