// LZMA in TIFF: as `xz` compresses blocks, with the filters that libtiff uses.

import { execFileSync, spawnSync } from "node:child_process";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";
import { plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");
const hasXz = spawnSync("xz", ["--version"]).status === 0;
const [width, height, rows] = [120, 90, 32];
const pixels = new Uint8Array(
  await sharp(fixture("tif-strip-none.tif")).extract({ left: 80, top: 50, width, height }).raw().toBuffer(),
);

const compressed = (data: Uint8Array, ...filters: readonly string[]) =>
  new Uint8Array(execFileSync("xz", ["-zc", "--format=xz", ...filters], { input: data }));

function stripped(...filters: readonly string[]) {
  const strips = Array.from({ length: Math.ceil(height / rows) }, (_, i) =>
    compressed(pixels.subarray(i * rows * width * 3, (i + 1) * rows * width * 3), ...filters),
  );
  const fields = plainFields(width, height, 3, 8, 2, [259, 3, 34925], [278, 4, rows]);
  return tiffFile([{ fields, blocks: strips }]);
}

async function decode(data: Uint8Array, y = 0, count = height) {
  const bytes = memoryBytes(data);
  const header = await codec.probe(bytes, 1);
  return codec.decode(bytes, { header, page: 1, region: { x: 0, y, width, height: count }, scaleFactor: 1 });
}

describe.skipIf(!hasXz)("LZMA", () => {
  test.each([
    ["as libtiff filters it", "--delta=dist=1", "--lzma2=preset=6"],
    ["with a distance of three", "--delta=dist=3", "--lzma2=preset=9"],
    ["without a filter", "-6"],
    ["with other contexts", "--lzma2=preset=6,lc=0,lp=4,pb=4"],
    ["with a small dictionary", "--lzma2=preset=1,dict=4KiB"],
    ["in several blocks", "--block-size=3000", "-3"],
    ["with another check", "--check=sha256", "-3"],
  ])("%s decodes to the original pixels, by region too", async (_name, ...filters) => {
    const tiff = stripped(...filters);
    expect(Buffer.from((await decode(tiff)).data).equals(pixels)).toBe(true);
    const part = pixels.subarray(40 * width * 3, 75 * width * 3);
    expect(Buffer.from((await decode(tiff, 40, 35)).data).equals(part)).toBe(true);
  });

  test("data that do not compress are read", async () => {
    const random = seeded(9);
    const noise = new Uint8Array(300 * 300).map(() => random(256));
    const fields = plainFields(300, 300, 1, 8, 1, [259, 3, 34925]);
    const bytes = memoryBytes(tiffFile([{ fields, blocks: [compressed(noise, "-6")] }]));
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: 300, height: 300 };
    const { data } = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    expect(Buffer.from(data).equals(noise)).toBe(true);
  });

  test.each([
    ["other filters", ["--x86", "--lzma2=preset=6"]],
    ["bytes", ["-6"]],
  ] as const)("a block that lacks rows, or has %s, is an error", async (_name, filters) => {
    const block = compressed(pixels.subarray(0, 3000), ...filters);
    const fields = plainFields(width, height, 3, 8, 2, [259, 3, 34925]);
    await expect(decode(tiffFile([{ fields, blocks: [block] }]))).rejects.toMatchObject({ kind: "decode" });
  });

  test("any change of bytes ends in pixels or in an error", async () => {
    const tiff = stripped("-6");
    const random = seeded(77);
    for (let run = 0; run < 60; run++) {
      const changed = Uint8Array.from(tiff);
      for (let i = 0; i < 3; i++) changed[8 + random(9000)] = random(256);
      try {
        await decode(run % 3 ? changed : changed.subarray(0, 8 + random(changed.length)));
      } catch (error) {
        expect(error).toBeInstanceOf(ImagingError);
      }
    }
  });
});
