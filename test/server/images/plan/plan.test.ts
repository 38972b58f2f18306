// Plans: what is read for a tile, in every orientation and at every scale, and where its pixels come from.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { resolve } from "../../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writingOf, writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { blurReach } from "../../../../src/imaging/pipeline/steps/sharpen.ts";
import { planRender } from "../../../../src/imaging/plan/plan.ts";
import { uprightSize } from "../../../../src/imaging/render/sampling.ts";
import { imageOptions } from "../../../../src/server/images/options.ts";
import { overlayOptions } from "../../../../src/server/images/overlay/options.ts";
import { outputPolicy } from "../../../../src/server/images/policy.ts";
import { fixture, testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { cut, difference, type Picture, pixelsOf } from "../derivatives.ts";

const codecs = createCodecs(testHost);
const orientations = [1, 2, 3, 4, 5, 6, 7, 8];

/** Headers as codecs read them; their sizes and orientations are then made up. */
const headers = new Map<string, ImageHeader>();
beforeAll(async () => {
  for (const [format, name] of [
    ["jpg", "jpg-baseline-420.jpg"],
    ["png", "base.png"],
    ["tif", "tif-bigtiff-bigendian-tiled.tif"],
    ["jp2", "jp2-reversible.jp2"],
  ] as const)
    headers.set(format, await codecs.decoder(format).probe(memoryBytes(fixture(name)), 1));
});

function headerOf(width: number, height: number, orientation: number, format: string = "jpg"): ImageHeader {
  return { ...(headers.get(format) as ImageHeader), width, height, orientation };
}

/** The header of a TIFF of five bands, which has no pyramid: its decoder averages. */
function averagedOf(width: number, height: number): ImageHeader {
  return { ...headerOf(width, height, 1, "tif"), bands: 5 };
}

function planOf(
  header: ImageHeader,
  path: string,
  settings: object = {},
  overlay?: Parameters<typeof planRender>[0]["overlay"],
) {
  const [region = "", size = "", rotation = "", file = ""] = path.split("/");
  const request = parseImageRequest(3, { region, size, rotation, file }, writtenFormats);
  const limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };
  return planRender({
    header,
    page: 1,
    fileSize: 1_000_000,
    request,
    geometry: resolve(request, uprightSize(header), { limits, tileSize: 512 }),
    policy: outputPolicy(imageOptions.parse(settings)),
    overlay,
    decoder: codecs.decoder(header.format),
    encoder: writingOf(request.format),
  });
}

describe("the transform of a plan", () => {
  test("has the axes of the derivative on the upright picture, with a margin for a blur", () => {
    const { transform, steps } = planOf(
      headerOf(4000, 3000, 6),
      "1024,512,1024,1024/512,512/!90/default.jpg",
      { sharpen: { radius: 1, amount: 1, threshold: 0 } },
    );
    const reach = blurReach(1);
    expect(transform).toEqual({
      orientation: 6,
      x: { size: 512 + 2 * reach, origin: 1024 - 2 * reach, scale: 2 },
      y: { size: 512 + 2 * reach, origin: 512 - 2 * reach, scale: 2 },
      margins: { left: reach, right: reach, top: reach, bottom: reach },
      mirror: true,
      degrees: 90,
    });
    expect(steps.map(({ op }) => op)).toEqual(["orient", "resize", "sharpen", "crop", "mirror", "rotate"]);
  });

  test("has no margin at the picture's edges", () => {
    const { transform } = planOf(headerOf(4000, 3000, 1), "full/500,/0/default.jpg", { sharpen: "on" });
    expect(transform.margins).toEqual({ left: 0, right: 0, top: 0, bottom: 0 });
  });
});

describe("a plan with an overlay", () => {
  const settings = overlayOptions.parse({ image: "mark.png" });
  const overlay = (width: number, height: number) => ({
    settings,
    image: { digest: "d", width, height, data: new Uint8Array() },
  });
  const header = headerOf.bind(undefined, 4000, 3000, 1, "png");

  test("applies it after the rotation, before alpha removal, gray and bit reduction", () => {
    const deep = { ...header(), bands: 4, depth: 16 } as const;
    const path = "full/400,/!30/gray.jpg";
    const { steps } = planOf(deep, path, {}, overlay(20, 10));
    const ops = steps.map(({ op }) => op);
    expect(ops.slice(ops.indexOf("mirror"))).toEqual([
      "mirror",
      "rotate",
      "overlay",
      "flatten",
      "gray",
      "depth",
    ]);
    const without = planOf(deep, path).steps.map(({ op }) => op);
    expect(ops.filter((op) => op !== "overlay")).toEqual(without);
  });

  test("counts its pixels, and those at the size and in the colours of the derivative", () => {
    const memory = (given?: ReturnType<typeof overlay>) =>
      planOf(header(), "full/400,/0/default.jpg", {}, given).memory;
    expect(memory(overlay(100, 50)) - memory()).toBeGreaterThanOrEqual(3 * 4 * 100 * 50);
    expect(memory(overlay(2000, 2000)) - memory()).toBeGreaterThanOrEqual(4 * 2000 * 2000);
  });
});

/** A tile of 512 pixels at a scale factor, counted from the left and top. */
const tilePath = (s: number, column: number, row: number) =>
  `${column * 512 * s},${row * 512 * s},${512 * s},${512 * s}/512,512/0/default.jpg`;

describe("the region read by a plan", () => {
  test.each(orientations)("is a tile and the filter's margin in orientation %i", (orientation) => {
    for (const format of ["jpg", "tif", "png"] as const)
      for (const s of [1, 2, 4, 8, 16]) {
        const { read } = planOf(headerOf(40_000, 30_000, orientation, format), tilePath(s, 1, 1));
        const { x, y, width, height } = read.region;
        // 512 samples, and at most 16 pixels of the derivative on each side for the filter.
        expect(Math.max(width, height), `${format} 1/${s}`).toBeLessThanOrEqual((512 + 32) * s);
        expect(Math.min(width, height), `${format} 1/${s}`).toBeGreaterThanOrEqual(512 * s);
        expect([x % read.scaleFactor, y % read.scaleFactor]).toEqual([0, 0]);
        expect([x >= 0, y >= 0, x + width <= 40_000, y + height <= 30_000]).toEqual([true, true, true, true]);
      }
  });

  test.each(orientations)("does not grow with the picture in orientation %i", (orientation) => {
    for (const s of [1, 2, 4, 8]) {
      const [small, large] = [12_288, 49_152].map((side) =>
        planOf(headerOf(side, side, orientation), tilePath(s, 1, 1)),
      );
      expect([large?.read.region.width, large?.read.region.height]).toEqual([
        small?.read.region.width,
        small?.read.region.height,
      ]);
    }
  });

  test.each(orientations)("covers the picture once at full size in orientation %i", (orientation) => {
    // Full-size tiles are read exactly: their regions are the tiles, turned, and fill the stored picture.
    const header = headerOf(1300, 700, orientation);
    const { width, height } = uprightSize(header);
    const covered = new Uint8Array(1300 * 700);
    for (let y = 0; y < height; y += 512)
      for (let x = 0; x < width; x += 512) {
        const [w, h] = [Math.min(512, width - x), Math.min(512, height - y)];
        const { region } = planOf(header, `${x},${y},${w},${h}/${w},${h}/0/default.jpg`).read;
        for (let row = region.y; row < region.y + region.height; row++)
          for (let column = region.x; column < region.x + region.width; column++)
            covered[row * 1300 + column]!++;
      }
    expect(covered.every((times) => times === 1)).toBe(true);
  });

  test("is scaled down by the decoder as far as it can without harm", () => {
    // Half of the reduction, so that a good filter makes the last step (JPEG: up to an eighth), or all of it
    // if the decoder filters itself (JPEG: a quarter, where colour is halved).
    expect(
      [1, 2, 4, 8, 16, 32].map(
        (s) => planOf(headerOf(40_000, 30_000, 1), tilePath(s, 0, 0)).read.scaleFactor,
      ),
    ).toEqual([1, 1, 4, 4, 8, 8]);
    const quarter = (path: string, settings = {}) =>
      planOf(headerOf(40_002, 30_000, 1), path, settings).read.scaleFactor;
    expect(quarter("0,0,2048,2048/512,512/0/default.png")).toBe(2);
    expect(quarter("0,0,2048,2048/512,512/0/default.jpg", { jpeg_chroma: "444" })).toBe(2);
    expect(quarter("2,0,2048,2048/512,512/0/default.jpg")).toBe(2);
    expect(quarter("0,0,2048,2048/512,511/0/default.jpg")).toBe(2);
  });

  test("is decoded at image.supersample times its usual size, at most at full size", () => {
    const picture = (format: "jpg" | "png") => headerOf(6_144, 5_120, 1, format);
    const factors = (format: "jpg" | "png", to: "jpg" | "png", s: number) =>
      [{}, { supersample: 2 }, { supersample: 4 }].map((settings) => {
        const [w, h] = [1536, 768];
        const path = `0,0,${w},${h}/${w / s},${h / s}/0/default.${to}`;
        return planOf(picture(format), path, settings).read.scaleFactor;
      });
    expect(factors("jpg", "png", 8)).toEqual([4, 2, 1]);
    expect(factors("jpg", "jpg", 4)).toEqual([4, 2, 1]);
    expect(factors("jpg", "png", 4)).toEqual([2, 1, 1]);
    expect(factors("png", "png", 16)).toEqual([16, 8, 4]);
    expect(factors("jpg", "png", 3)).toEqual([1, 1, 1]);
  });

  test("is four times the derivative if a decoder only averages, twice for a very large picture", () => {
    const scales = (width: number, height: number, path: (s: number) => string) =>
      [2, 4, 8].map((s) => planOf(averagedOf(width, height), path(s)).read.scaleFactor);
    expect(scales(6_144, 5_120, (s) => tilePath(s, 0, 0))).toEqual([1, 1, 2]);
    expect(scales(40_000, 30_000, (s) => tilePath(s, 0, 0))).toEqual([1, 2, 4]);
    // the whole level as its tiles
    expect(scales(40_000, 30_000, (s) => `full/${40_000 / s},${30_000 / s}/0/default.jpg`)).toEqual([
      1, 2, 4,
    ]);
  });

  test("omits bit-planes of JPEG 2000 if image.jp2_effort says so and the derivative is lossy", () => {
    const effort = (from: string, to: string, settings = {}) =>
      planOf(headerOf(1300, 700, 1, from), `0,0,512,512/512,512/0/default.${to}`, settings).read.effort;
    const visual = { jp2_effort: "visual" };
    expect(["jpg", "webp", "png", "tif"].map((to) => effort("jp2", to, visual))).toEqual([
      "visual",
      "visual",
      undefined,
      undefined,
    ]);
    expect([effort("jp2", "jpg"), effort("png", "jpg", visual)]).toEqual([undefined, undefined]);
  });

  test("is larger and never a lossless crop with image.supersample, and four times the derivative with image.linear", () => {
    const levels = averagedOf(8_192, 8_192);
    const factors = (settings: object, s: number) => {
      const { read, write } = planOf(levels, tilePath(s, 0, 0), settings);
      return [read.scaleFactor, write.passthrough];
    };
    expect(factors({}, 8)).toEqual([2, "auto"]);
    expect(factors({ supersample: 2 }, 8)).toEqual([1, "off"]);
    expect(factors({ supersample: 4 }, 2)).toEqual([1, "off"]);
    expect(factors({ supersample: 2 }, 1)).toEqual([1, "off"]);
    expect(factors({ linear: "on" }, 8)).toEqual([2, "auto"]);
    const { read } = planOf(levels, "0,0,1500,1500/500,500/0/default.jpg", { supersample: 4 });
    expect(read.scaleFactor).toBe(planOf(levels, "0,0,1500,1500/500,500/0/default.jpg").read.scaleFactor);
  });

  test("needs memory for the tile, not for the picture", () => {
    const tiled = (side: number) => headerOf(side, side, 1, "tif");
    const memory = [8_192, 65_536].map((side) => planOf(tiled(side), tilePath(1, 1, 1)).memory);
    expect(memory[1]).toBe(memory[0]);
  });
});

describe("regions of turned pictures", () => {
  let folder: string;
  let app: Served;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plans-"));
    const picture = () => sharp(fixture("base.png")).removeAlpha().resize(403, 269, { fit: "fill" });
    for (const orientation of orientations) {
      const turned = () => picture().withMetadata({ orientation });
      await writeFile(
        join(folder, `${orientation}.tif`),
        await turned().tiff({ compression: "deflate" }).toBuffer(),
      );
      await writeFile(join(folder, `${orientation}.png`), await turned().png().toBuffer());
      await writeFile(
        join(folder, `${orientation}.jpg`),
        await turned().jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).toBuffer(),
      );
    }
    app = await served(`sources: [{ name: turned, type: filesystem, root: ${JSON.stringify(folder)} }]`);
  });
  afterAll(async () => {
    await app.service.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Upright, as sharp turns it. */
  async function upright(name: string): Promise<Picture> {
    const { data, info } = await sharp(join(folder, name))
      .autoOrient()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, bands: info.channels, data: new Uint8Array(data) };
  }

  test.each(orientations.flatMap((o) => [`${o}.tif`, `${o}.png`, `${o}.jpg`]))(
    "of %s are those of the upright picture",
    async (name) => {
      const whole = await upright(name);
      const random = seeded(Number.parseInt(name, 10));
      for (let i = 0; i < 12; i++) {
        const [x, y] = [random(whole.width), random(whole.height)];
        const [w, h] = [1 + random(whole.width - x), 1 + random(whole.height - y)];
        const part = await pixelsOf(app, `/iiif/3/${name}/${x},${y},${w},${h}/max/0/default.png`);
        expect(difference(part, cut(whole, x, y, w, h)).largest, `${x},${y},${w},${h}`).toBe(0);
      }
    },
  );

  test.each(orientations)(
    "reduced, in orientation %i equal those of its upright copy",
    async (orientation) => {
      const name = `${orientation}.tif`;
      const copy = `upright-${orientation}.tif`;
      const { data, width, height, bands } = await upright(name);
      const raw = { width, height, channels: bands as 3 };
      await writeFile(
        join(folder, copy),
        await sharp(data, { raw }).tiff({ compression: "deflate" }).toBuffer(),
      );
      // Sums in the opposite order may round one level apart. At a quarter boxes of two by two are averaged
      // before, and those that begin at the other edge of an odd size hold other pixels.
      const same = { largest: 1, mean: 0.5 };
      const near = { largest: 16, mean: 1 };
      for (const [path, most] of [
        ["full/^!150,150", same],
        ["full/max", same],
        ["16,32,128,96/32,24", near],
        ["17,31,101,99/50,", same],
        ["full/101,68", near],
      ] as const) {
        const [turned, plain] = await Promise.all(
          [name, copy].map((file) => pixelsOf(app, `/iiif/3/${file}/${path}/0/default.png`)),
        );
        const { largest, mean } = difference(turned!, plain!);
        expect(largest, path).toBeLessThanOrEqual(most.largest);
        expect(mean, path).toBeLessThanOrEqual(most.mean);
      }
    },
  );
});
