// The window of scientific TIFF: two percentiles of a picture's own values become black and white, the same
// in all its tiles.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Field, plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { served } from "../../../served.ts";
import { pixelsOf } from "../derivatives.ts";
import { expectNoSeams } from "./levels.ts";

const side = 400;
/** 0 to 1, each value as often as every other, from the left to the right. */
const share = (i: number) => (i % side) / (side - 1);
const values = <T extends Float32Array | Uint16Array>(out: T, value: (i: number) => number): Uint8Array => {
  for (let i = 0; i < out.length; i++) out[i] = value(i);
  return new Uint8Array(out.buffer);
};
const floats = (value: (i: number) => number, bands = 1) =>
  values(new Float32Array(side * side * bands), value);
const words = (value: (i: number) => number) => values(new Uint16Array(side * side), value);
const file = (bits: number, photometric: number, block: Uint8Array, ...more: Field[]) =>
  tiffFile([
    {
      fields: plainFields(
        side,
        side,
        photometric === 2 ? 3 : 1,
        bits,
        photometric,
        [339, 3, bits === 32 ? 3 : 1],
        ...more,
      ),
      blocks: [block],
    },
  ]);

const files = {
  "float.tif": () =>
    file(
      32,
      1,
      floats((i) => 3000 * share(i) - 1000),
    ),
  "holes.tif": () =>
    file(
      32,
      1,
      floats((i) =>
        i % 97 === 0 ? Number.NaN : i % 89 === 0 ? Number.POSITIVE_INFINITY : 3000 * share(i) - 1000,
      ),
    ),
  "narrow.tif": () =>
    file(
      16,
      1,
      words((i) => 20_000 + Math.round(800 * share(i))),
    ),
  "inverted.tif": () =>
    file(
      16,
      0,
      words((i) => 20_000 + Math.round(800 * (1 - share(i)))),
    ),
  "colours.tif": () =>
    file(
      32,
      2,
      floats((i) => 3000 * share(Math.floor(i / 3)) - 1000, 3),
    ),
  "flat.tif": () =>
    file(
      16,
      1,
      words(() => 25_700),
    ),
  "bytes.tif": () =>
    file(
      8,
      1,
      new Uint8Array(side * side).map((_, i) => 100 + Math.round(50 * share(i))),
    ),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "window-"));
  for (const [name, make] of Object.entries(files)) await writeFile(join(folder, name), make());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const over = (image: string, more = "") =>
  served(
    `image: ${image}\n${more}\nsources: [{ name: made, type: filesystem, root: ${JSON.stringify(folder)} }]`,
  );

async function rowOf(
  image: string,
  name: string,
  rest = "full/max/0/gray.png",
  more = "",
): Promise<number[]> {
  const app = await over(image, more);
  const { data, width, bands } = await pixelsOf(app, `/iiif/3/${name}/${rest}`);
  await app.service.close();
  return Array.from({ length: width }, (_, x) => data[(7 * width + x) * bands] as number);
}

describe.each(["float.tif", "narrow.tif", "inverted.tif", "colours.tif"])("as %s", (name) => {
  test.each([
    [0, 100],
    [0.5, 99.5],
    [10, 60],
  ])("%d and %d percent become black and white, with a ramp in between", async (low, high) => {
    const row = await rowOf(`{ window: { low: ${low}, high: ${high} } }`, name);
    for (const [x, value] of row.entries()) {
      const wanted = (255 * (100 * share(x) - low)) / (high - low);
      // one level of rounding, and one step of the values if there are few
      expect(Math.abs(value - Math.min(255, Math.max(0, wanted))), `column ${x}`).toBeLessThanOrEqual(2);
    }
  });

  test("the range of the type is shown without the setting", async () => {
    const row = await rowOf("{}", name);
    const typical = {
      "float.tif": [0, 255],
      "colours.tif": [0, 255],
      "narrow.tif": [78, 81],
      "inverted.tif": [174, 177],
    };
    const [least, most] = typical[name as keyof typeof typical];
    expect([Math.min(...row), Math.max(...row)]).toEqual([least, most]);
  });
});

test("NaN values do not count", async () => {
  const row = await rowOf("{ window: { low: 0, high: 100 } }", "holes.tif");
  const first = 7 * side;
  for (const [x, value] of row.entries()) {
    const i = first + x;
    const wanted = i % 97 === 0 ? 0 : i % 89 === 0 ? 255 : 255 * share(x);
    expect(Math.abs(value - wanted), `column ${x}`).toBeLessThanOrEqual(2);
  }
});

test.each(["flat.tif", "bytes.tif"])(
  "%s, which has no range or none of its own, stays unchanged",
  async (name) => {
    expect(await rowOf("{ window: {} }", name)).toEqual(await rowOf("{}", name));
  },
);

test("tiles meet without a seam, and show the range of the whole picture", async () => {
  const app = await over("{ window: {}, tile_size: 128 }");
  await expectNoSeams(app, 3, "float.tif");
  await app.service.close();
  const corner = await rowOf("{ window: {} }", "float.tif", "0,0,64,64/max/0/default.png");
  expect(Math.abs((corner.at(-1) as number) - (255 * (100 * share(63) - 0.5)) / 99)).toBeLessThanOrEqual(2);
});

test("responses are the same whatever the slots hold", async () => {
  const rest = "128,128,128,128/64,64/0/default.png";
  const slots = [
    "",
    "cache: { origin: { backend: none } }",
    "cache: { origin: { backend: none }, info: { backend: none }, render: { backend: none } }",
  ];
  const rows = await Promise.all(slots.map((more) => rowOf("{ window: {} }", "colours.tif", rest, more)));
  for (const row of rows) expect(row).toEqual(rows[0]);
});
