// The requests of the community's validator for the IIIF Image API, as rows: versions 3.0 and 2.1.

import sharp from "sharp";
import { expect } from "vitest";
import { referencePicture, type Trial } from "./trial.ts";

export interface Case {
  /** The validator's name of the case. */
  readonly name: string;
  /** What holds, as a sentence. */
  readonly title: string;
  /** The compliance level that asks for it; 3 is optional everywhere. Left out: not asked in that version. */
  readonly level: { readonly 2?: 0 | 1 | 2 | 3; readonly 3?: 0 | 1 | 2 | 3 };
  run(trial: Trial): Promise<void>;
}

const both = (level: 0 | 1 | 2 | 3) => ({ 2: level, 3: level }) as const;

const identifiers: readonly Case[] = [
  {
    name: "id_basic",
    title: "an image is returned",
    level: both(0),
    run: async (t) => {
      const { width, height } = await t.image({});
      expect([width, height]).toEqual([1000, 1000]);
    },
  },
  {
    name: "id_squares",
    title: "it is the right image",
    level: both(0),
    run: async (t) => t.expectSquares(await t.image({})),
  },
  {
    name: "id_error_escapedslash",
    title: "an identifier with a slash that names nothing is 404",
    level: both(1),
    run: async (t) => {
      await t.expectStatus({ identifier: "a%2Fb" }, 404);
      await t.expectStatus({ identifier: "a/b" }, 404);
    },
  },
  {
    name: "id_error_random",
    title: "an unknown identifier is 404",
    level: both(1),
    run: (t) =>
      t.expectStatus({ identifier: `${t.random(2 ** 32).toString(16)}-11e1-89ae-279075081939` }, 404),
  },
  {
    name: "id_error_unescaped",
    title: "brackets that are not percent-encoded are 404",
    level: both(1),
    run: (t) => t.expectStatus({ identifier: "[frob]" }, 404),
  },
  {
    name: "id_escaped",
    title: "percent-encoded characters are decoded",
    level: both(1),
    run: async (t) => {
      const picture = await t.image({ identifier: referencePicture.replaceAll("-", "%2D") });
      t.expectSquares(picture);
    },
  },
  {
    name: "info_json",
    title: "image information has its required fields",
    level: both(0),
    run: async (t) => {
      const response = await t.app.get(`${t.base()}/info.json`);
      expect(response.headers.get("Content-Type")).toBe("application/json");
      const info = (await response.json()) as Record<string, unknown>;
      const id = `http://images.test${t.base()}`;
      const level = "http://iiif.io/api/image/2/level2.json";
      expect(info).toMatchObject({
        "@context": `http://iiif.io/api/image/${t.version}/context.json`,
        protocol: "http://iiif.io/api/image",
        width: 1000,
        height: 1000,
        tiles: [{ width: 512, scaleFactors: [1, 2] }],
        ...(t.version === 3
          ? { id, type: "ImageService3", profile: "level2" }
          : { "@id": id, profile: [level, {}] }),
      });
      for (const left of ["license", "attribution", "logo"]) expect(info).not.toHaveProperty(left);
    },
  },
];

const regions: readonly Case[] = [
  {
    name: "region_error_random",
    title: "a region of random characters is 400",
    level: both(1),
    run: (t) => t.expectStatus({ region: t.text(6) }, 400),
  },
  {
    name: "region_pixels",
    title: "regions in pixels show their squares",
    level: both(1),
    run: async (t) => {
      for (let i = 0; i < 5; i++) {
        const [x, y] = [t.random(10), t.random(10)];
        const picture = await t.image({ region: `${x * 100 + 13},${y * 100 + 13},74,74` });
        expect([picture.width, picture.height]).toEqual([74, 74]);
        t.expectSquare(picture, x, y);
      }
    },
  },
  {
    name: "region_percent",
    title: "regions in percent show their squares",
    level: both(2),
    run: async (t) => {
      for (let i = 0; i < 5; i++) {
        const [x, y] = [t.random(10), t.random(10)];
        const picture = await t.image({ region: `pct:${x * 10 + 1},${y * 10 + 1},9,9` });
        expect([picture.width, picture.height]).toEqual([90, 90]);
        t.expectSquare(picture, x, y, [5, 5, 75, 75]);
      }
    },
  },
  {
    name: "region_square",
    title: "the square region is as wide as high",
    level: { 2: 1, 3: 1 },
    run: async (t) => {
      const { width, height } = await t.image({ region: "square" });
      expect([width, height]).toEqual([1000, 1000]);
      const oblong = await t.image({ identifier: "base.png", region: "square" });
      expect([oblong.width, oblong.height]).toEqual([400, 400]);
    },
  },
];

const sizes: readonly Case[] = [
  {
    name: "size_wc",
    title: "w, scales to a width",
    level: both(1),
    run: (t) => scaled(t, (s) => `${s},`),
  },
  {
    name: "size_ch",
    title: ",h scales to a height",
    level: both(1),
    run: (t) => scaled(t, (s) => `,${s}`),
  },
  {
    name: "size_wh",
    title: "w,h scales to both, whatever the aspect ratio",
    level: { 2: 2, 3: 1 },
    run: async (t) => {
      const [w, h] = [t.between(350, 750), t.between(350, 750)];
      const picture = await t.image({ size: `${w},${h}` });
      expect([picture.width, picture.height]).toEqual([w, h]);
      t.expectSquares(picture);
    },
  },
  {
    name: "size_bwh",
    title: "!w,h fits into a box",
    level: both(2),
    run: async (t) => {
      const [w, h] = [t.between(350, 750), t.between(350, 750)];
      const picture = await t.image({ size: `!${w},${h}` });
      expect([picture.width, picture.height]).toEqual([Math.min(w, h), Math.min(w, h)]);
      t.expectSquares(picture);
    },
  },
  {
    name: "size_percent",
    title: "pct:n scales by percent",
    level: { 2: 1, 3: 2 },
    run: async (t) => {
      const n = t.between(45, 75);
      const picture = await t.image({ size: `pct:${n}` });
      expect([picture.width, picture.height]).toEqual([n * 10, n * 10]);
      t.expectSquares(picture);
    },
  },
  {
    name: "size_region",
    title: "a region is scaled to its own size",
    level: both(1),
    run: async (t) => {
      for (let i = 0; i < 5; i++) {
        const [s, x, y] = [t.between(35, 90), t.random(10), t.random(10)];
        const picture = await t.image({ region: `${x * 100},${y * 100},100,100`, size: `${s},${s}` });
        expect([picture.width, picture.height]).toEqual([s, s]);
        t.expectSquare(picture, x, y, [4, 4, s - 8, s - 8]);
      }
    },
  },
  {
    name: "size_error_random",
    title: "a size of random characters is 400",
    level: both(1),
    run: (t) => t.expectStatus({ size: t.text(6) }, 400),
  },
  {
    name: "size_nofull",
    title: "full is no size of version 3",
    level: { 3: 0 },
    run: (t) => t.expectStatus({ size: "full" }, 400),
  },
  {
    name: "size_noup",
    title: "sizes above the region are 400 without ^",
    level: { 3: 1 },
    run: async (t) => {
      const s = t.between(1100, 2000);
      for (const size of [`${s},${s}`, `,${s}`, `${s},`, "pct:200", "!2000,3000"])
        await t.expectStatus({ size }, 400);
    },
  },
  {
    name: "size_up",
    title: "^ scales up",
    level: { 3: 3 },
    run: async (t) => {
      const s = t.between(1100, 2000);
      await t.expectStatus({ size: `,${s}` }, 400);
      const rows: readonly (readonly [string, number])[] = [
        [`^${s},${s}`, s],
        [`^,${s}`, s],
        [`^${s},`, s],
        ["^max", 1000],
        ["^pct:200", 2000],
        ["^!2000,500", 500],
        ["^!2000,3000", 2000],
      ];
      for (const [size, side] of rows) {
        const picture = await t.image({ size });
        expect([picture.width, picture.height], size).toEqual([side, side]);
        t.expectSquares(picture);
      }
    },
  },
];

const rotations: readonly Case[] = [
  {
    name: "rot_error_random",
    title: "a rotation of random characters is 400",
    level: both(1),
    run: (t) => t.expectStatus({ rotation: t.text(4) }, 400),
  },
  {
    name: "rot_full_basic",
    title: "quarter turns go clockwise",
    level: both(2),
    run: async (t) => {
      // Which square comes to the top left corner, and which to the bottom right.
      await corners(t, "90", [0, 9], [9, 0]);
      await corners(t, "180", [9, 9], [0, 0]);
      await corners(t, "270", [9, 0], [0, 9]);
    },
  },
  {
    name: "rot_region_basic",
    title: "a region is turned in its place",
    level: both(2),
    run: async (t) => {
      for (let i = 0; i < 4; i++) {
        const [x, y] = [t.random(10), t.random(10)];
        const region = `${x * 100 + 13},${y * 100 + 13},76,76`;
        const picture = await t.image({ region, rotation: "180" });
        expect([picture.width, picture.height]).toEqual([76, 76]);
        t.expectSquare(picture, x, y);
      }
    },
  },
  {
    name: "rot_full_non90",
    title: "any whole number of degrees is served",
    level: both(3),
    run: async (t) => turned(t, t.between(1, 359), undefined, 1000),
  },
  {
    name: "rot_region_non90",
    title: "a region is turned by any whole number of degrees",
    level: both(3),
    run: async (t) => {
      for (let i = 0; i < 4; i++) {
        const [x, y] = [t.random(10), t.random(10)];
        await turned(t, t.between(1, 359), `${x * 100},${y * 100},100,100`, 100);
      }
    },
  },
  {
    name: "rot_mirror",
    title: "! mirrors left and right",
    level: both(3),
    run: (t) => corners(t, "!0", [9, 0], [0, 9]),
  },
  {
    name: "rot_mirror_180",
    title: "! mirrors before it turns",
    level: both(3),
    run: (t) => corners(t, "!180", [0, 9], [9, 0]),
  },
];

const qualities: readonly Case[] = [
  {
    name: "quality_error_random",
    title: "a quality of random characters is 400",
    level: both(1),
    run: (t) => t.expectStatus({ quality: t.text(6) }, 400),
  },
  {
    name: "quality_color",
    title: "color keeps the colours",
    level: both(2),
    run: async (t) => t.expectSquares(await t.image({ quality: "color" })),
  },
  {
    name: "quality_grey",
    title: "gray has one band, or three equal ones",
    level: both(2),
    run: async (t) => {
      const { data, bands } = await t.image({ quality: "gray", format: "png" });
      const tinted = data.some(
        (value, p) => p % bands > 0 && p % bands < 3 && value !== data[p - (p % bands)],
      );
      expect([data.length > 0, tinted]).toEqual([true, false]);
    },
  },
  {
    name: "quality_bitonal",
    title: "bitonal is black and white, both of them",
    level: both(2),
    run: async (t) => {
      const { data } = await t.image({ quality: "bitonal", format: "png" });
      expect([...new Set(data)].sort()).toEqual([0, 255]);
    },
  },
];

const signatures = {
  jpg: [0, [0xff, 0xd8, 0xff]],
  png: [0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  tif: [0, [0x49, 0x49, 0x2a, 0x00]],
  webp: [8, [0x57, 0x45, 0x42, 0x50]],
  jp2: [4, [0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a]],
} as const;

const types = {
  jpg: "image/jpeg",
  png: "image/png",
  tif: "image/tiff",
  webp: "image/webp",
  jp2: "image/jp2",
} as const;

const format = (name: keyof typeof signatures, level: 0 | 2 | 3): Case => ({
  name: `format_${name}`,
  title: `${name} is that format in type and bytes`,
  level: both(level),
  run: async (t) => {
    const response = await t.get({ format: name });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, types[name]]);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const [offset, signature] = signatures[name];
    expect([...bytes.subarray(offset, offset + signature.length)]).toEqual(signature);
    if (name !== "jp2") expect(await sharp(bytes).metadata()).toMatchObject({ width: 1000, height: 1000 });
  },
});

const formats: readonly Case[] = [
  {
    name: "format_error_random",
    title: "a format of random characters is 400",
    level: both(1),
    run: (t) => t.expectStatus({ format: t.text(3) }, 400),
  },
  format("jpg", 0),
  format("png", 2),
  format("tif", 3),
  format("webp", 3),
  format("jp2", 3),
];

const http: readonly Case[] = [
  {
    name: "baseurl_redirect",
    title: "the base URI leads to the image information",
    level: both(1),
    run: async (t) => {
      const response = await t.app.get(t.base());
      expect([response.status, response.headers.get("Location")]).toEqual([
        303,
        `http://images.test${t.base()}/info.json`,
      ]);
    },
  },
  {
    name: "cors",
    title: "image information and images may be read from any origin",
    level: both(1),
    run: async (t) => {
      for (const target of [`${t.base()}/info.json`, t.target({ size: "50," })])
        expect((await t.app.get(target)).headers.get("Access-Control-Allow-Origin")).toBe("*");
    },
  },
  {
    name: "jsonld",
    title: "image information comes as JSON-LD where that is asked for",
    level: both(1),
    run: async (t) => {
      const response = await t.app.get(`${t.base()}/info.json`, {
        headers: { Accept: "application/ld+json" },
      });
      expect(response.headers.get("Content-Type")).toBe(
        `application/ld+json;profile="http://iiif.io/api/image/${t.version}/context.json"`,
      );
    },
  },
  {
    name: "linkheader_canonical",
    title: "an image names its canonical URI",
    level: both(3),
    run: async (t) => {
      const whole = t.version === 2 ? "full" : "max";
      expect((await t.get({ region: "0,0,1000,1000" })).headers.get("Link")).toContain(
        `<http://images.test${t.base()}/full/${whole}/0/default.jpg>;rel="canonical"`,
      );
    },
  },
  {
    name: "linkheader_profile",
    title: "an image names its compliance level",
    level: both(3),
    run: async (t) => {
      expect((await t.get({})).headers.get("Link")).toContain(
        `<http://iiif.io/api/image/${t.version}/level2.json>;rel="profile"`,
      );
    },
  },
];

export const cases: readonly Case[] = [
  ...identifiers,
  ...regions,
  ...sizes,
  ...rotations,
  ...qualities,
  ...formats,
  ...http,
];

/** Requests of the validator that this service refuses by design; optional at every level. */
export const refusals: readonly {
  readonly name: string;
  readonly title: string;
  readonly versions: readonly (2 | 3)[];
  run(trial: Trial): Promise<void>;
}[] = [
  {
    name: "format_gif",
    title: "gif is not written",
    versions: [2, 3],
    run: (t) => t.expectStatus({ format: "gif" }, 400),
  },
  {
    name: "format_pdf",
    title: "pdf is not written",
    versions: [2, 3],
    run: (t) => t.expectStatus({ format: "pdf" }, 400),
  },
  {
    name: "size_up",
    title: "version 2 does not scale up",
    versions: [2],
    run: (t) => t.expectStatus({ size: `,${t.between(1100, 2000)}` }, 400),
  },
];

async function scaled(t: Trial, size: (side: number) => string): Promise<void> {
  const side = t.between(450, 750);
  const picture = await t.image({ size: size(side) });
  expect([picture.width, picture.height]).toEqual([side, side]);
  t.expectSquares(picture);
}

async function corners(
  t: Trial,
  rotation: string,
  [left, top]: readonly [number, number],
  [right, bottom]: readonly [number, number],
): Promise<void> {
  const picture = await t.image({ rotation });
  expect([picture.width, picture.height]).toEqual([1000, 1000]);
  t.expectSquare(picture, left, top, [12, 12, 64, 64]);
  t.expectSquare(picture, right, bottom, [912, 912, 64, 64]);
}

/** Turned by any angle, a square picture grows to the box around it, and its middle stays in the middle. */
async function turned(t: Trial, degrees: number, region: string | undefined, side: number): Promise<void> {
  const picture = await t.image({ rotation: String(degrees), ...(region ? { region } : {}) });
  const angle = (degrees * Math.PI) / 180;
  const box = side * (Math.abs(Math.cos(angle)) + Math.abs(Math.sin(angle)));
  expect(Math.abs(picture.width - box), `${degrees}`).toBeLessThanOrEqual(1);
  expect(Math.abs(picture.height - box), `${degrees}`).toBeLessThanOrEqual(1);
  if (!region) return;
  const [column, row] = region.split(",").map((n) => Number(n) / 100);
  const middle = Math.floor(picture.width / 2) - 25;
  t.expectSquare(picture, column!, row!, [middle, middle, 50, 50]);
}
