// Responses with an overlay compared with ImageMagick, which composites the same mark onto the responses
// without one.
// @module-tag slow

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Anchor, Fit } from "../../../../src/imaging/pipeline/steps/overlay-layout.ts";
import { outputOf, versionOf } from "../../../programs.ts";
import { sampled } from "../../../sampled.ts";
import { type Served, served } from "../../../served.ts";

const magickThere = versionOf("convert")?.includes("ImageMagick") === true;

const magick = (args: readonly string[], input?: Uint8Array): Buffer =>
  Buffer.from(outputOf("convert", args, { ...(input && { input }) }));

let folder: string;
const apps = new Map<string, Promise<Served>>();

/** Creates one application for each configuration, reused by the next test with the same. */
function appOf(yaml: string): Promise<Served> {
  let app = apps.get(yaml);
  if (!app) apps.set(yaml, (app = served(yaml)));
  return app;
}

const mark = { width: 53, height: 22 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-overlay-"));
  // Colours and alpha that change slowly, with opaque and with empty parts.
  const data = new Uint8Array(mark.width * mark.height * 4);
  for (let y = 0; y < mark.height; y++)
    for (let x = 0; x < mark.width; x++)
      data.set(
        [x * 4, 255 - y * 9, 128 + y * 3, Math.min(255, Math.max(0, x * 8 - 60))],
        (y * mark.width + x) * 4,
      );
  await sharp(data, { raw: { ...mark, channels: 4 } })
    .png()
    .toFile(join(folder, "mark.png"));
});
afterAll(async () => {
  for (const app of apps.values()) await (await app).service.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

interface Settings {
  readonly anchor: Anchor;
  readonly offset: readonly [number, number];
  readonly fit: Fit;
  readonly opacity: number;
}

const usual: Settings = { anchor: "bottom-right", offset: [7, 5], fit: "shrink", opacity: 0.6 };

/** Returns the response without an overlay and with one. */
async function answers(target: string, settings: Settings, image = "") {
  const plain = await appOf(image);
  const { anchor, offset, fit, opacity } = settings;
  const marked = await appOf(
    `overlay: { image: "${folder}/mark.png", anchor: ${anchor}, offset: [${offset}], fit: ${fit}, opacity: ${opacity} }\n${image}`,
  );
  const bytes = async (app: Served) => {
    const response = await app.get(`/iiif/3/${target}`);
    expect(response.status, target).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  };
  return { without: await bytes(plain), marked: await bytes(marked) };
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha from 0 to 65535. */
  readonly data: Uint16Array;
}

/** A file's pixels as ImageMagick reads them, after `operations`. */
function pixelsOf(file: Uint8Array, operations: readonly string[] = []): Pixels {
  // PAM: lines of text that end with ENDHDR, then samples of 16 bits, the high byte first.
  const pam = magick(
    ["-", ...operations, "-alpha", "set", "-type", "TrueColorMatte", "-depth", "16", "PAM:-"],
    file,
  );
  const [head = "", width = 0, height = 0, depth, most] =
    /^P7\nWIDTH (\d+)\nHEIGHT (\d+)\nDEPTH (\d+)\nMAXVAL (\d+)\n[\s\S]*?ENDHDR\n/.exec(
      pam.subarray(0, 200).toString("latin1"),
    ) ?? [];
  expect([depth, most]).toEqual(["4", "65535"]);
  const samples = Uint8Array.from(pam.subarray(head.length));
  const data = new Uint16Array(Buffer.from(samples.buffer).swap16().buffer);
  return { width: Number(width), height: Number(height), data };
}

/** Width and height of a file. */
async function sizeOf(file: Uint8Array): Promise<readonly [number, number]> {
  const { width, height } = await sharp(file).metadata();
  return [width, height];
}

const gravities = {
  "top-left": "NorthWest",
  top: "North",
  "top-right": "NorthEast",
  left: "West",
  center: "Center",
  right: "East",
  "bottom-left": "SouthWest",
  bottom: "South",
  "bottom-right": "SouthEast",
} as const satisfies Record<Anchor, string>;

/** Returns ImageMagick's composite over the response without an overlay; `after`: further operations. */
async function composite(
  without: Uint8Array,
  { anchor, offset, fit, opacity }: Settings,
  after: readonly string[] = [],
  markAs: readonly string[] = [],
): Promise<Pixels> {
  const [width, height] = await sizeOf(without);
  const fade = [
    "-alpha",
    "set",
    "-channel",
    "A",
    "-evaluate",
    "multiply",
    String(opacity),
    "+channel",
    ...markAs,
  ];
  const centred = {
    across: /^(top|bottom|center)$/.test(anchor),
    down: /^(left|right|center)$/.test(anchor),
  };
  const dx = centred.across ? 0 : offset[0];
  const dy = centred.down ? 0 : offset[1];
  const file = `${folder}/mark.png`;
  if (fit === "tile") {
    const at = (size: number, own: number, middle: boolean, far: boolean, gap: number) =>
      middle ? Math.floor((size - own) / 2) : far ? size - own - gap : gap;
    const x = at(width, mark.width, centred.across, anchor.endsWith("right"), dx);
    const y = at(height, mark.height, centred.down, anchor.startsWith("bottom"), dy);
    const from = (start: number, own: number) => (own - (start % own) + own) % own;
    const layer = [
      "(",
      ...["(", file, "-duplicate", String(Math.ceil(width / mark.width)), "+append", ")"],
      ...["-duplicate", String(Math.ceil(height / mark.height)), "-append"],
      "-crop",
      `${width}x${height}+${from(x, mark.width)}+${from(y, mark.height)}`,
      "+repage",
      ...fade,
      ")",
    ];
    return pixelsOf(without, [...layer, "-composite", ...after]);
  }
  const room = { width: width - dx, height: height - dy };
  const factor = Math.min(room.width / mark.width, room.height / mark.height);
  const size =
    fit === "shrink" && factor >= 1
      ? []
      : [
          "-filter",
          "Lanczos",
          "-resize",
          `${Math.round(mark.width * factor)}x${Math.round(mark.height * factor)}!`,
        ];
  return pixelsOf(without, [
    "(",
    file,
    ...size,
    ...fade,
    ")",
    "-gravity",
    gravities[anchor],
    "-geometry",
    `+${dx}+${dy}`,
    "-composite",
    ...after,
  ]);
}

/**
 * Largest and mean difference in levels of 0 to 255, colours multiplied by alpha, and whether the sizes are
 * the same.
 */
function difference(a: Pixels, b: Pixels) {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  expect(a.data.length).toBe(a.width * a.height * 4);
  let most = 0;
  let sum = 0;
  for (let p = 0; p < a.data.length; p += 4) {
    const [alphaA, alphaB] = [a.data[p + 3]! / 65535, b.data[p + 3]! / 65535];
    for (let band = p; band < p + 4; band++) {
      const [x, y] = band === p + 3 ? [1, 1] : [alphaA, alphaB];
      const gap = Math.abs(a.data[band]! * x - b.data[band]! * y) / 257;
      most = Math.max(most, gap);
      sum += gap;
    }
  }
  return { most, mean: sum / a.data.length };
}

/** Both round to 8 bits, ImageMagick those of the mark before the blend too. */
const rounding = 1.01;

describe.skipIf(!magickThere)("a derivative with an overlay equals ImageMagick's composite", () => {
  const all = Object.keys(gravities) as Anchor[];
  test.each(sampled("anchors of an overlay", all, 3))("at %s, in each fit", async (anchor) => {
    for (const [fit, within] of [
      ["shrink", rounding],
      ["tile", rounding],
      ["scale", 6],
    ] as const) {
      const settings = { ...usual, anchor, fit };
      const { without, marked } = await answers("base.png/full/181,/0/default.png", settings);
      const made = pixelsOf(marked);
      expect(difference(made, await composite(without, settings)).most, fit).toBeLessThanOrEqual(within);
      // The mark is to be seen at all.
      expect(difference(made, pixelsOf(without)).mean, fit).toBeGreaterThan(0.5);
    }
  });

  test("if the derivative is smaller than the mark", async () => {
    for (const anchor of ["top-left", "right", "bottom-right"] as const) {
      const settings = { ...usual, anchor };
      const { without, marked } = await answers("base.png/full/40,/0/default.png", settings);
      const { most, mean } = difference(pixelsOf(marked), await composite(without, settings));
      expect(most).toBeLessThanOrEqual(12);
      expect(mean).toBeLessThanOrEqual(0.5);
    }
  });

  test.each([0.25, 1])("with opacity %f", async (opacity) => {
    const settings = { ...usual, opacity };
    const { without, marked } = await answers("base.png/full/181,/0/default.png", settings);
    expect(difference(pixelsOf(marked), await composite(without, settings)).most).toBeLessThanOrEqual(
      rounding,
    );
  });

  const targets = [
    "base.png/100,50,300,200/150,/0/default.png",
    "base.png/square/!150,150/!0/default.png",
    "base.png/full/181,/90/default.png",
    "base.png/full/181,/!270/default.png",
    "base.png/full/181,/180/default.tif",
    "jpg-baseline-420.jpg/full/181,/90/default.png",
    "jpg-orient-6.jpg/full/,150/0/default.png",
    "tif-pyramid-subifd.tif/full/181,/0/default.tif",
    "jpg-cmyk-adobe.jpg/full/181,/0/default.png",
    "jpg-icc-adobergb.jpg/full/181,/0/default.png",
  ];
  test.each(sampled("answers with an overlay", targets, 4))("on %s", async (target) => {
    const { without, marked } = await answers(target, usual);
    expect(difference(pixelsOf(marked), await composite(without, usual)).most).toBeLessThanOrEqual(rounding);
  });

  const withAlpha = [
    "png-rgba8.png/full/max/0/default.png",
    "png-rgba8.png/full/max/0/default.tif",
    "webp-lossless-alpha.webp/full/max/0/default.png",
    "base.png/full/181,/30/default.png",
    "gif-transparent.gif/full/max/0/default.png",
  ];
  test.each(sampled("alpha under an overlay", withAlpha, 2))("on the alpha of %s", async (target) => {
    for (const settings of [usual, { ...usual, fit: "tile", opacity: 0.5 } as const]) {
      const { without, marked } = await answers(target, settings);
      expect(difference(pixelsOf(marked), await composite(without, settings)).most).toBeLessThanOrEqual(
        rounding,
      );
    }
  });

  const deep = ["png-rgb16.png", "png-rgba16.png", "tif-rgb16-deflate.tif"];
  test.each(sampled("16 bits under an overlay", deep, 1))("on 16 bits of %s", async (name) => {
    for (const format of ["png", "tif"]) {
      const target = `${name}/full/max/0/default.${format}`;
      const { without, marked } = await answers(target, usual, "image: { depth: source }");
      expect((await sharp(marked).metadata()).depth).toBe("ushort");
      const { most } = difference(pixelsOf(marked), await composite(without, usual));
      // Sixteen bits on both sides: a 64th of a level.
      expect(most).toBeLessThanOrEqual(1 / 64);
    }
    const { without, marked } = await answers(`${name}/full/max/0/default.png`, usual);
    // The response without an overlay is rounded before ImageMagick sees it.
    const { most } = difference(pixelsOf(marked), await composite(without, usual));
    expect(most).toBeLessThanOrEqual(rounding + 0.5);
  });

  const luma = ["-grayscale", "Rec601Luma"];
  test.each(["jpg-gray.jpg", "png-la8.png", "png-gray16.png"])("in gray on %s", async (name) => {
    const { without, marked } = await answers(`${name}/full/max/0/default.png`, usual);
    const expected = await composite(without, usual, [], luma);
    expect(difference(pixelsOf(marked), expected).most).toBeLessThanOrEqual(rounding + 0.5);
  });

  test("before gray and before black and white", async () => {
    const colours = await answers("base.png/full/181,/0/default.png", usual);
    const marked = await answers("base.png/full/181,/0/gray.png", usual);
    const gray = await composite(colours.without, usual, luma);
    expect(difference(pixelsOf(marked.marked), gray).most).toBeLessThanOrEqual(rounding + 0.5);
    const bitonal = await answers("base.png/full/181,/0/bitonal.png", usual);
    const threshold = await composite(colours.without, usual, [...luma, "-threshold", "50%"]);
    const { mean } = difference(pixelsOf(bitonal.marked), threshold);
    expect(mean).toBeLessThanOrEqual(255 * 0.75 * 0.005); // a pixel in two hundred at the threshold itself
    expect(difference(pixelsOf(bitonal.marked), pixelsOf(bitonal.without)).mean).toBeGreaterThan(2);
  });

  test("before alpha is flattened on the background", async () => {
    const clear = await answers("png-rgba8.png/full/max/0/default.png", usual);
    const { marked } = await answers(
      "png-rgba8.png/full/max/0/default.jpg",
      usual,
      "image: { background: '#20c040', jpeg_quality: 100, jpeg_chroma: '444' }",
    );
    const expected = await composite(clear.without, usual, ["-background", "#20c040", "-flatten"]);
    const { most, mean } = difference(pixelsOf(marked), expected);
    expect(most).toBeLessThanOrEqual(8);
    expect(mean).toBeLessThanOrEqual(0.8);
  });

  test.each([
    ["jpg", "image: { jpeg_quality: 100, jpeg_chroma: '444' }", 8, 0.8],
    ["jpg", "image: { jpeg_quality: 100, jpeg_chroma: '444', jpeg_progressive: true }", 8, 0.8],
    ["jpg", "", 128, 4],
    ["webp", "image: { webp_quality: 100 }", 128, 2.5],
  ])("as %s with %s", async (format, image, within, mean) => {
    for (const name of ["base.png", "jpg-baseline-420.jpg"]) {
      const { without } = await answers(`${name}/full/181,/0/default.png`, usual);
      const { marked } = await answers(`${name}/full/181,/0/default.${format}`, usual, image);
      const gap = difference(pixelsOf(marked), await composite(without, usual));
      expect(gap.most, name).toBeLessThanOrEqual(within);
      expect(gap.mean, name).toBeLessThanOrEqual(mean);
    }
  });

  test("on tiles that would be cut out of a JPEG losslessly", async () => {
    const tile = "jpg-baseline-420.jpg/64,64,128,128/128,128/0/default";
    const { without } = await answers(`${tile}.png`, usual);
    const { marked } = await answers(`${tile}.jpg`, usual);
    const { mean } = difference(pixelsOf(marked), await composite(without, usual));
    expect(mean).toBeLessThanOrEqual(2.5);
  });
});

describe("a derivative that preserves the master's colours or orientation", () => {
  /** Fully opaque and of one colour, on the left half of the response's lower edge. */
  const solid = async () => {
    const background = { r: 40, g: 180, b: 90 };
    await sharp({ create: { width: 60, height: 30, channels: 3, background } })
      .png()
      .toFile(join(folder, "solid.png"));
    return `overlay: { image: "${folder}/solid.png", anchor: bottom-left, offset: [0, 0], opacity: 1 }`;
  };
  const lowerLeft = async (image: Sharp) => {
    const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const at = ((info.height - 6) * info.width + 6) * info.channels;
    return [...data.subarray(at, at + info.channels)];
  };
  const answer = async (target: string, image: string) => {
    const response = await (await appOf(`${await solid()}\n${image}`)).get(`/iiif/3/${target}`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };

  test.each([
    "jpg-icc-adobergb.jpg/full/150,/0/default.png",
    "jpg-icc-displayp3.jpg/full/150,/0/default.tif",
    "png-rgb8-iccp-adobergb.png/full/150,/0/default.png",
    "png-rgb8-gama-linear.png/full/150,/0/default.png",
    "jp2-icc-displayp3.jp2/full/150,/0/default.png",
    "jpg-icc-adobergb.jpg/full/150,/0/default.jpg",
  ])("has the overlay in the colours of the profile of %s", async (target) => {
    const file = await answer(target, "image: { color: respect-icc, jpeg_quality: 100 }");
    const stored = await lowerLeft(sharp(file, { ignoreIcc: true } as object));
    // libvips and Little CMS bring it back to sRGB by the profile in the file.
    const seen = await lowerLeft(sharp(file).toColourspace("srgb").withIccProfile("srgb"));
    expect(stored).not.toEqual([40, 180, 90]);
    for (const [band, level] of [40, 180, 90].entries())
      expect(Math.abs(seen[band]! - level), `${stored} seen as ${seen}`).toBeLessThanOrEqual(4);
  });

  test("has it upright for viewers that rotate by EXIF, if orientation is preserved", async () => {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const file = await answer(
        `jpg-orient-${orientation}.jpg/full/max/0/default.jpg`,
        "image: { metadata: preserve, jpeg_quality: 100 }",
      );
      expect((await sharp(file).metadata()).orientation ?? 1).toBe(orientation);
      const turned = sharp(await sharp(file).rotate().png().toBuffer());
      const seen = await lowerLeft(turned);
      for (const [band, level] of [40, 180, 90].entries())
        expect(Math.abs(seen[band]! - level), `orientation ${orientation}: ${seen}`).toBeLessThanOrEqual(6);
    }
  });
});
