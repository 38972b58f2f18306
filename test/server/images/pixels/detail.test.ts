// A substitute: every response to callers without access is made only of the pixels of the whole image at one
// size.
// @module-tag slow

import { mkdtempSync, rmSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, fixturesFolder } from "../../../host.ts";
import { reference } from "../../../imaging/codecs/reference.ts";
import { everything, sampled, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated } from "../../api/access/gated.ts";
import { cut, difference, type Picture } from "../derivatives.ts";

let folder: string;

/** Everything is gated, and shown within a size to those without a grant. */
const site = (size: string, image = "{}") =>
  gated({
    folder,
    more: `image: ${image}`,
    auth: `
  profiles:
    terms: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "${size}" } }
  rules: [{ match: "*", profile: terms }]
`,
  });

async function bytesOf(app: Served, target: string, headers: Record<string, string> = {}) {
  const response = await app.get(target, { headers });
  if (response.status !== 200)
    expect.fail(`${target} is ${response.status}: ${(await response.text()).slice(0, 400)}`);
  return new Uint8Array(await response.arrayBuffer());
}

const shown = async ({ app }: Gated, target: string, headers?: Record<string, string>): Promise<Picture> =>
  reference(await bytesOf(app, target, headers));

const target = (name: string, request: string, rest = "0/default.png") =>
  `/iiif/3/${name}/${request}/${rest}`;

/** A picture of which every part differs from its neighbours. */
const enlarged = (width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill", kernel: "lanczos3" });

const masters = {
  "base.png": (image: Sharp) => image.png({ compressionLevel: 1 }),
  "alpha.png": (image: Sharp) =>
    image
      .joinChannel(Buffer.from(fineAlpha(600, 404)), { raw: { width: 600, height: 404, channels: 1 } })
      .png(),
  "deep.png": (image: Sharp) => image.toColourspace("rgb16").png({ compressionLevel: 1 }),
  "baseline.jpg": (image: Sharp) => image.jpeg({ quality: 92 }),
  "progressive.jpg": (image: Sharp) => image.jpeg({ quality: 85, progressive: true }),
  "turned.jpg": (image: Sharp) => image.withMetadata({ orientation: 6 }).jpeg({ quality: 92 }),
  "gray.jpg": (image: Sharp) => image.grayscale().jpeg({ quality: 90 }),
  "display.jpg": (image: Sharp) => image.withIccProfile("p3").jpeg({ quality: 90 }),
  "pyramid.tif": (image: Sharp) =>
    image.tiff({ compression: "deflate", tile: true, tileWidth: 128, tileHeight: 128, pyramid: true }),
  "turned.tif": (image: Sharp) =>
    image
      .withMetadata({ orientation: 7 })
      .tiff({ compression: "jpeg", quality: 90, tile: true, tileWidth: 128, tileHeight: 128 }),
} as const;
const copied = ["jp2-irreversible.jp2", "jp2-tiled-128.jp2", "jpg-cmyk-icc.jpg", "jpg-gray-icc.jpg"] as const;
const names = [...Object.keys(masters), ...copied];

/** Transparent here and there. */
function fineAlpha(width: number, height: number): Uint8Array {
  const random = seeded(5);
  return new Uint8Array(width * height).map(() => 255 - random(3) * 100);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "detail-"));
  for (const [name, write] of Object.entries(masters))
    await writeFile(join(folder, name), await write(enlarged(600, 404)).toBuffer());
  for (const name of copied) await copyFile(join(fixturesFolder, name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The cells that a span of an image touches: by the definition of a grid of equal cells. */
function cellsOf(start: number, extent: number, side: number, cells: number): readonly [number, number] {
  const first = Math.floor((start * cells) / side);
  return [first, Math.ceil(((start + extent) * cells) / side) - first];
}

describe.each([
  ["!150,150", "{}"],
  ["pct:50", "{ depth: source, supersample: 2 }"],
  ["77,", "{ linear: on, sharpen: on, depth: source }"],
  ["!130,130", "{ metadata: preserve, linear: on }"],
])("within %s and with image: %s, every region is that part of the whole", (size, image) => {
  let own: Gated;
  beforeAll(async () => {
    own = await site(size, image);
  });
  afterAll(() => own.app.service.close());

  test.each(sampled(`regions within ${size}`, names, 4))("of %s", async (name) => {
    const info = (await (await own.app.get(`/iiif/3/${name}/info.json`)).json()) as Record<string, number>;
    const { width = 0, height = 0 } = info;
    const whole = await shown(own, target(name, "full/max"));
    expect(whole.width).toBeLessThan(width);
    const random = seeded(seedOf(`regions of ${name} within ${size}`));
    for (let nth = 0; nth < (everything ? 10 : 5); nth++) {
      const [x, y] = [random(width), random(height)];
      const [w, h] = [1 + random(width - x), 1 + random(height - y)];
      const [left, columns] = cellsOf(x, w, width, whole.width);
      const [top, rows] = cellsOf(y, h, height, whole.height);
      const request = `${x},${y},${w},${h}/^2000,2000`;
      const part = await shown(own, target(name, request));
      const { largest } = difference(part, cut(whole, left, top, columns, rows));
      expect(largest, request).toBe(0);
    }
  });
});

test("versions 2 and 3 show the same pixels", async () => {
  const own = await site("!130,130");
  for (const name of ["baseline.jpg", "turned.tif"]) {
    const whole = await shown(own, target(name, "full/max"));
    expect(difference(whole, await shown(own, `/iiif/2/${name}/full/full/0/default.png`)).largest).toBe(0);
    const part = await shown(own, target(name, "101,57,200,230/max"));
    const same = await shown(own, `/iiif/2/${name}/101,57,200,230/max/0/default.png`);
    expect(difference(part, same).largest, name).toBe(0);
  }
  await own.app.service.close();
});

test("the whole image equals full/{max_size} for callers with access", async () => {
  const own = await site("!150,150");
  const headers = { Cookie: await own.cookie("terms") };
  for (const name of sampled("the whole and full/{max_size}", names, 4)) {
    const whole = await shown(own, target(name, "full/max"));
    const same = await shown(own, target(name, `full/${whole.width},${whole.height}`), headers);
    expect(difference(whole, same).largest, name).toBe(0);
  }
  await own.app.service.close();
});

describe.each([
  ["!150,150", "{ metadata: preserve }"], // exactly a quarter of most masters
  ["!133,133", "{ linear: on }"],
])("within %s and with image: %s, every response can be made from the substitute", (most, image) => {
  let own: Gated;
  let copies: Served;
  beforeAll(async () => {
    own = await site(most, image);
    copies = await served(
      `image: ${image}\nsources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]`,
    );
  });
  afterAll(async () => {
    await own.app.service.close();
    await copies.service.close();
  });

  test.each(sampled(`copies within ${most}`, names, 4))("of %s", async (name) => {
    const info = (await (await own.app.get(`/iiif/3/${name}/info.json`)).json()) as Record<string, number>;
    const { width = 0, height = 0 } = info;
    const substitute = await bytesOf(own.app, target(name, "full/max"));
    await writeFile(join(folder, `copy-of-${name}.png`), substitute);
    const whole = await reference(substitute);
    const random = seeded(seedOf(`copies of ${name} within ${most}`));
    const pick = <T>(...of: readonly T[]) => of[random(of.length)] as T;
    for (let nth = 0; nth < (everything ? 12 : 6); nth++) {
      const [x, y] = [random(width), random(height)];
      const [w, h] = [1 + random(width - x), 1 + random(height - y)];
      const [left, columns] = cellsOf(x, w, width, whole.width);
      const [top, rows] = cellsOf(y, h, height, whole.height);
      // Not below a seventh: the copy would be reduced by its decoder first.
      const size = [columns, rows].map((most) => most - random(nth % 3 && Math.floor((most * 6) / 7)));
      const file = `${pick("default", "default", "gray", "bitonal")}.${pick("jpg", "jpg", "png", "webp", "tif")}`;
      const rest = `^${size.join()}/${pick("0", "0", "!90", "20")}/${file}`;
      const answer = await shown(own, `/iiif/3/${name}/${x},${y},${w},${h}/${rest}`);
      const made = `/iiif/3/copy-of-${name}.png/${left},${top},${columns},${rows}/${rest}`;
      expect(difference(answer, await reference(await bytesOf(copies, made))).largest, made).toBe(0);
    }
  });
});

/** Pixels that a cell is wide. */
const pitch = 2.5;
const [wide, high] = [1000, 700];
const cells = wide / pitch;

/** The pixels that Lanczos-3 makes a cell of, and how much each counts; beyond the edge it is repeated. */
function tapsOf(cell: number): readonly (readonly [pixel: number, weight: number])[] {
  const sinc = (t: number) => (t === 0 ? 1 : Math.sin(Math.PI * t) / (Math.PI * t));
  const centre = (cell + 0.5) * pitch - 0.5;
  const taps: [number, number][] = [];
  for (let pixel = Math.ceil(centre - 3 * pitch); pixel < centre + 3 * pitch; pixel++) {
    const at = (pixel - centre) / pitch;
    taps.push([Math.min(wide - 1, Math.max(0, pixel)), sinc(at) * sinc(at / 3)]);
  }
  const sum = taps.reduce((total, [, weight]) => total + weight, 0);
  return taps.map(([pixel, weight]) => [pixel, weight / sum]);
}

/** Columns of noise around 0 without anything that cells show: least squares by conjugate gradients. */
function hiddenNoise(): Float64Array {
  const random = seeded(9);
  const noise = new Float64Array(wide).map(() => random(121) - 60);
  const taps = Array.from({ length: cells }, (_, cell) => tapsOf(cell));
  const seen = (columns: Float64Array) =>
    Float64Array.from(taps, (of) => of.reduce((sum, [pixel, weight]) => sum + weight * columns[pixel]!, 0));
  const spread = (values: Float64Array) => {
    const columns = new Float64Array(wide);
    taps.forEach((of, cell) => {
      for (const [pixel, weight] of of) columns[pixel]! += weight * values[cell]!;
    });
    return columns;
  };
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const solution = new Float64Array(cells);
  let rest = seen(noise);
  let direction = rest;
  for (let nth = 0; nth < 200 && dot(rest, rest) > 1e-9; nth++) {
    const image = seen(spread(direction));
    const length = dot(rest, rest) / dot(direction, image);
    for (let i = 0; i < cells; i++) solution[i]! += length * direction[i]!;
    const next = rest.map((value, i) => value - length * image[i]!);
    const share = dot(next, next) / dot(rest, rest);
    direction = next.map((value, i) => value + share * direction[i]!);
    rest = next;
  }
  const shown = spread(solution);
  return noise.map((value, i) => value - shown[i]!);
}

/**
 * Middle gray with that noise. Rows are rounded up or down in turn, so that a few of them are as exact as the
 * noise.
 */
function noisy(): Sharp {
  const noise = hiddenNoise();
  const golden = (Math.sqrt(5) - 1) / 2;
  const data = new Uint8Array(wide * high).map((_, i) =>
    Math.floor(128 + noise[i % wide]! + ((Math.floor(i / wide) * golden) % 1)),
  );
  return sharp(data, { raw: { width: wide, height: high, channels: 1 } });
}

/** Requests for odd parts at odd sizes. */
function oddRequests(count: number): readonly string[] {
  const random = seeded(seedOf("odd requests"));
  const pick = <T>(...of: readonly T[]) => of[random(of.length)] as T;
  return Array.from({ length: count }, () => {
    const region = pick(
      "full",
      "square",
      `${random(wide)},${random(high)},${1 + random(wide)},${1 + random(high)}`,
      `${random(wide - 300)},${random(high - 300)},${40 + random(260)},${40 + random(260)}`,
      `pct:${random(500) / 10},${random(500) / 10},${1 + random(400) / 10},${1 + random(400) / 10}`,
    );
    const [w, h] = [1 + random(420), 1 + random(420)];
    const size = pick("max", `^${w},`, `^,${h}`, `^${w},${h}`, `^!${w},${h}`, `pct:${1 + random(990) / 10}`);
    const rotation = pick("0", "0", "!0", "90", "!270", "180", "33.5");
    return `${region}/${size}/${rotation}/${pick("default", "color", "gray", "bitonal")}.${pick("jpg", "png", "webp", "tif")}`;
  });
}

describe.each([
  ["png", "{ sharpen: on }"],
  ["tif", "{}"],
] as const)(
  "with two masters in %s and image: %s, one of which has detail finer than the substitute",
  (format, image) => {
    const write = (picture: Sharp) =>
      format === "png" ? picture.png() : picture.tiff({ compression: "lzw" });
    const path = (name: string, request: string) => `/iiif/3/${name}.${format}/${request}`;
    let own: Gated;
    beforeAll(async () => {
      own = await site("!400,400", image);
      const flat = sharp(new Uint8Array(wide * high).fill(128), {
        raw: { width: wide, height: high, channels: 1 },
      });
      await writeFile(join(folder, `flat.${format}`), await write(flat).toBuffer());
      await writeFile(join(folder, `noisy.${format}`), await write(noisy()).toBuffer());
    });
    afterAll(() => own.app.service.close());

    const differing = async (requests: readonly string[], headers?: Record<string, string>) => {
      const found: string[] = [];
      for (const request of requests) {
        const [flat, more] = await Promise.all(
          ["flat", "noisy"].map((name) => bytesOf(own.app, path(name, request), headers)),
        );
        if (!Buffer.from(flat!).equals(more!)) found.push(request);
      }
      return found;
    };

    test("odd requests without access return the same bytes", async () => {
      const whole = await shown(own, path("noisy", "full/max/0/default.png"));
      expect([whole.width, whole.height, new Set(whole.data)]).toEqual([400, 280, new Set([128])]);
      expect(await differing(oddRequests(everything ? 200 : 24))).toEqual([]);
    });

    test("with access most of them differ", async () => {
      const some = oddRequests(everything ? 50 : 12);
      const headers = { Cookie: await own.cookie("terms") };
      expect((await differing(some, headers)).length).toBeGreaterThan(some.length / 2);
    });
  },
);
