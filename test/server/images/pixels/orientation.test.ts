// Upright pixels from every container in all eight orientations (Exif 2.3, tag 0x0112): whole, in regions, in
// tiles at scale factors, turned on request, to PNG and to JPEG. Other programs write the files, but for
// JP2's boxes.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { psnr } from "../../../imaging/codecs/counting.ts";
import { box, boxed, encodeCodestream } from "../../../imaging/codecs/jp2/files.ts";
import { makePng } from "../../../imaging/codecs/png/make-png.ts";
import { exifBlock, orientations, storedFor, xmpPacket } from "../../../imaging/orientations.ts";
import { sampled } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { cut, difference, informationOf, type Picture, pixelsOf } from "../derivatives.ts";

const [width, height] = [211, 139];

const exifBox = [..."JpgTiffExif->JP2"].map((c) => c.charCodeAt(0));
const xmpBox = [
  0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
];
const adobeExifBox = [
  0x05, 0x37, 0xcd, 0xab, 0x9d, 0x0c, 0x44, 0x31, 0xa7, 0x2a, 0xfa, 0x56, 0x1f, 0x2a, 0x11, 0x3e,
];

const raw = ({ width, height, bands, data }: Picture) =>
  sharp(data, { raw: { width, height, channels: bands as 1 | 3 } });

async function jp2(picture: Picture, orientation: number): Promise<Uint8Array> {
  const { width, height, bands, data } = picture;
  const values = [...data];
  return boxed({
    codestream: await encodeCodestream({ width, height, bands, bits: 8, values, highThroughput: false }),
    size: [width, height, bands],
    behind: box("uuid", exifBox, [...exifBlock(orientation)]),
  });
}

/** Each writes a stored picture; `lossless`: its pixels come back as they were. */
const containers = {
  png: {
    lossless: true,
    write: (p: Picture, orientation: number) => raw(p).withMetadata({ orientation }).png(),
  },
  tif: {
    lossless: true,
    write: (p: Picture, orientation: number) =>
      raw(p).withMetadata({ orientation }).tiff({ compression: "lzw" }),
  },
  "tiled.tif": {
    lossless: true,
    write: (p: Picture, orientation: number) =>
      raw(p)
        .withMetadata({ orientation })
        .tiff({ compression: "deflate", tile: true, tileWidth: 64, tileHeight: 64 }),
  },
  webp: {
    lossless: true,
    write: (p: Picture, orientation: number) =>
      raw(p).withMetadata({ orientation }).webp({ lossless: true, effort: 0 }),
  },
  jp2: { lossless: true, write: jp2 },
  jpg: {
    lossless: false,
    write: (p: Picture, orientation: number) => raw(p).withMetadata({ orientation }).jpeg({ quality: 96 }),
  },
  "full.jpg": {
    lossless: false,
    write: (p: Picture, orientation: number) =>
      raw(p).withMetadata({ orientation }).jpeg({ quality: 96, chromaSubsampling: "4:4:4" }),
  },
  "progressive.jpg": {
    lossless: false,
    write: (p: Picture, orientation: number) =>
      raw(p).withMetadata({ orientation }).jpeg({ quality: 96, progressive: true }),
  },
} as const;
const endings = Object.keys(containers) as (keyof typeof containers)[];

let folder: string;
let upright: Picture;
let app: Served;
let plain: Served;

const made = (name: string) => join(folder, name);
const bytesOf = async (file: Uint8Array | { toBuffer(): Promise<Uint8Array> }) =>
  file instanceof Uint8Array ? file : await file.toBuffer();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orientation-"));
  const { data } = await sharp(fixture("base.png"))
    .removeAlpha()
    .extract({ left: 100, top: 80, width, height })
    .raw()
    .toBuffer({ resolveWithObject: true });
  upright = { width, height, bands: 3, data: new Uint8Array(data) };
  for (const orientation of orientations) {
    const stored = storedFor(upright, orientation);
    for (const ending of endings)
      await writeFile(
        made(`${orientation}.${ending}`),
        await bytesOf(await containers[ending].write(stored, orientation)),
      );
  }
  const sources = `sources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`;
  app = await served(`image: { tile_size: 64 }\n${sources}`);
  plain = await served(`image: { tile_size: 64 }\ncache: { origin: { backend: none } }\n${sources}`);
});
afterAll(async () => {
  await Promise.all([app?.service.close(), plain?.service.close()]);
  await rm(folder, { recursive: true, force: true });
});

const imageOf = (name: string, request: string) => `/iiif/3/${name}/${request}`;

/**
 * Returns a tile of the upright picture at 1/s as another program reduces it: beyond the picture its edge is
 * repeated.
 */
async function reduced([x, y, w, h]: Rectangle, s: number): Promise<Picture> {
  const [columns, rows] = [Math.ceil(w / s), Math.ceil(h / s)];
  const more = { right: columns * s - w, bottom: rows * s - h, extendWith: "copy" } as const;
  const whole = await raw(cut(upright, x, y, w, h))
    .extend(more)
    .raw()
    .toBuffer();
  const data = await sharp(whole, { raw: { width: columns * s, height: rows * s, channels: 3 } })
    .resize(columns, rows, { kernel: "lanczos3" })
    .raw()
    .toBuffer();
  return { width: columns, height: rows, bands: 3, data: new Uint8Array(data) };
}

const likeness = (a: Picture, b: Picture): number => {
  expect([a.width, a.height, a.bands]).toEqual([b.width, b.height, b.bands]);
  return psnr(a.data as Uint8Array, b.data as Uint8Array);
};

type Rectangle = readonly [x: number, y: number, width: number, height: number];

const regions: readonly Rectangle[] = [
  [37, 21, 95, 63],
  [0, 0, 64, 64],
  [width - 75, height - 51, 75, 51],
];

describe.each(endings)("%s", (ending) => {
  const { lossless } = containers[ending];
  // decibels that a pixel off would cost; samples of wavelets lie up to half a pixel from those of a
  // reduction
  const near = ending === "jp2" ? 21 : 36;

  describe.each(sampled(`orientations of ${ending}`, orientations, 3))("in orientation %i", (orientation) => {
    const name = `${orientation}.${ending}`;

    test("reports upright dimensions", async () => {
      expect(await informationOf(app, 3, name)).toMatchObject({ width, height });
    });

    test("returns upright pixels, whole and in regions", async () => {
      const whole = await pixelsOf(app, imageOf(name, "full/max/0/default.png"));
      // what another decoder makes of the file: the picture itself, or the picture as JPEG has it
      const seen: Picture = lossless
        ? upright
        : {
            ...upright,
            data: new Uint8Array(await sharp(made(name)).rotate().raw().toBuffer()),
          };
      expect(difference(whole, seen).largest).toBe(0);
      for (const region of regions) {
        const part = await pixelsOf(app, imageOf(name, `${region}/max/0/default.png`));
        expect(difference(part, cut(seen, ...region)).largest, `${region}`).toBe(0);
        if (lossless) continue;
        const without = await pixelsOf(plain, imageOf(name, `${region}/max/0/default.png`));
        expect(difference(without, part).largest, `${region} without an origin slot`).toBe(0);
      }
    });

    test("returns upright tiles at every scale factor, as PNG and as JPEG", async () => {
      const random = seeded(orientation);
      for (const s of (await informationOf(app, 3, name)).tiles[0]?.scaleFactors ?? []) {
        const [columns, rows] = [Math.ceil(width / (64 * s)), Math.ceil(height / (64 * s))];
        const [x, y] = [random(columns) * 64 * s, random(rows) * 64 * s];
        const [w, h] = [Math.min(64 * s, width - x), Math.min(64 * s, height - y)];
        const size = [Math.ceil(w / s), Math.ceil(h / s)] as const;
        const whole = w === width && h === height;
        const target = `${whole ? "full" : [x, y, w, h]}/${whole && s === 1 ? "max" : size}/0/default`;
        const png = await pixelsOf(app, imageOf(name, `${target}.png`));
        expect(likeness(png, await reduced([x, y, w, h], s)), target).toBeGreaterThan(near);
        const jpg = await pixelsOf(app, imageOf(name, `${target}.jpg`));
        expect(likeness(jpg, png), `${target} as JPEG`).toBeGreaterThan(29);
      }
    });
  });
});

describe.each(["png", "jpg", "progressive.jpg"] as const)("%s", (ending) => {
  const { lossless } = containers[ending];

  describe.each(sampled(`upright pictures of ${ending}`, [1, 3, 6, 7], 2))(
    "in orientation %i",
    (orientation) => {
      const name = `${orientation}.${ending}`;

      test("is mirrored and rotated from its upright picture", async () => {
        const part = raw(cut(upright, ...regions[0]!));
        const turned = {
          "90": part.clone().rotate(90),
          "180": part.clone().rotate(180),
          "270": part.clone().rotate(270),
          "!0": part.clone().flop(),
          "!90": raw(await flopped(part)).rotate(90),
        };
        for (const [rotation, image] of Object.entries(turned)) {
          const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
          const reference = { width: info.width, height: info.height, bands: 3, data: new Uint8Array(data) };
          const request = `${regions[0]}/max/${rotation}/default`;
          const png = await pixelsOf(app, imageOf(name, `${request}.png`));
          if (lossless) expect(difference(png, reference).largest, rotation).toBe(0);
          else expect(likeness(png, reference), rotation).toBeGreaterThan(32);
          const jpg = await pixelsOf(app, imageOf(name, `${request}.jpg`));
          expect(likeness(jpg, reference), `${rotation} as JPEG`).toBeGreaterThan(30);
        }
      });
    },
  );
});

async function flopped(image: Sharp): Promise<Picture> {
  const { data, info } = await image.clone().flop().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, bands: 3, data: new Uint8Array(data) };
}

describe("the orientation is read from", () => {
  const small = { width: 6, height: 4, bands: 1, data: new Uint8Array(24).map((_, i) => i * 10) };
  const png = (...before: readonly (readonly [string, Uint8Array])[]) =>
    makePng({ ...small, depth: 8, type: 0, sample: (x, y) => small.data[y * 6 + x]!, before });
  const text = (keyword: string, block: Uint8Array) => {
    const hex = Buffer.from(block).toString("hex").replace(/.{72}/g, "$&\n");
    return Buffer.from(`${keyword}\0\nexif\n${String(block.length).padStart(8)}\n${hex}\n`, "latin1");
  };
  const prefixed = (block: Uint8Array) => Buffer.concat([Buffer.from("Exif\0\0"), block]);
  const raw6 = { type: "Raw profile type exif", block: prefixed(exifBlock(6)) };
  const withBoxes = async (...boxes: (readonly number[])[]) => {
    const values = [...small.data];
    return boxed({
      codestream: await encodeCodestream({ ...small, bits: 8, values, highThroughput: false }),
      size: [6, 4, 1],
      enumerated: 17,
      behind: boxes.flat(),
    });
  };
  const uuid = (id: readonly number[], content: Uint8Array) => box("uuid", id, [...content]);

  const files: readonly (readonly [
    what: string,
    file: () => Uint8Array | Promise<Uint8Array>,
    turned: boolean,
  ])[] = [
    ["eXIf of a PNG", () => png(["eXIf", exifBlock(6)]), true],
    ["no eXIf of a PNG that is out of range", () => png(["eXIf", exifBlock(9)]), false],
    ["no eXIf of a PNG that is zero", () => png(["eXIf", exifBlock(0)]), false],
    ["EXIF that ImageMagick kept in a text of a PNG", () => png(["tEXt", text(raw6.type, raw6.block)]), true],
    [
      "eXIf of a PNG before such a text",
      () => png(["tEXt", text(raw6.type, raw6.block)], ["eXIf", exifBlock(1)]),
      false,
    ],
    ["no other text of a PNG", () => png(["tEXt", text("Raw profile type icc", raw6.block)]), false],
    [
      "no XMP of a PNG",
      () => png(["iTXt", Buffer.concat([Buffer.from("XML:com.adobe.xmp\0\0\0\0\0"), xmpPacket(6)])]),
      false,
    ],
    ["EXIF in a box of a JP2", () => withBoxes(uuid(exifBox, exifBlock(6))), true],
    ["EXIF in a box of Adobe's in a JP2", () => withBoxes(uuid(adobeExifBox, exifBlock(6))), true],
    ["XMP of a JP2", () => withBoxes(uuid(xmpBox, xmpPacket(6))), true],
    ["XMP of a JP2 that has an element", () => withBoxes(uuid(xmpBox, xmpPacket(8, "element"))), true],
    ["no XMP of a JP2 that is out of range", () => withBoxes(uuid(xmpBox, xmpPacket(16))), false],
    [
      "EXIF of a JP2 rather than its XMP",
      () => withBoxes(uuid(xmpBox, xmpPacket(6)), uuid(exifBox, exifBlock(3))),
      false,
    ],
  ];

  test.each(files)("%s", async (what, file, turned) => {
    const name = `${what.replaceAll(/\W/g, "-")}`;
    await writeFile(made(name), await file());
    const info = await informationOf(app, 3, name);
    expect([info.width, info.height]).toEqual(turned ? [4, 6] : [6, 4]);
  });
});
