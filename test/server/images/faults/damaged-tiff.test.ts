// Damaged TIFF through the whole application: responses do not depend on earlier requests.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Field, plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { type Served, served } from "../../../served.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "damaged-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = (image: string): Promise<Served> =>
  served(
    `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]\nimage: { ${image} }`,
  );

const junk = new Uint8Array(3000).map((_, i) => (i * 37) & 255);
const one = (bits: 1 | 8 | 16, compression: number, ...more: Field[]) =>
  tiffFile([{ fields: plainFields(600, 40, 1, bits, 1, [259, 3, compression], ...more), blocks: [junk] }]);

const files: Readonly<Record<string, Uint8Array>> = {
  "short.tif": one(8, 1),
  "short16.tif": one(16, 1),
  "lzw.tif": one(8, 5),
  "deflate.tif": one(8, 8),
  "deflate16.tif": one(16, 8),
  "packbits.tif": one(8, 32773),
  "jpeg.tif": one(8, 7),
  "g4.tif": tiffFile([
    { fields: plainFields(600, 40, 1, 1, 1, [259, 3, 4]), blocks: [new Uint8Array(3000)] },
  ]),
  "width.tif": one(8, 1, [256, 4, 0]),
  "tiles.tif": one(8, 1, [322, 4, 0], [323, 4, 0]),
  "subsampling.tif": one(8, 1, [262, 3, 6], [277, 3, 3], [258, 3, 8, 8, 8], [530, 3, 0, 0]),
};

describe.each([
  ["as usual", "depth: source"],
  ["with a window", "window: { low: 1, high: 99 }"],
])("a damaged TIFF, %s,", (_name, image) => {
  test.each(Object.entries(files))("%s has one code, whatever was requested first", async (name, file) => {
    writeFileSync(join(folder, name), file);
    const requests = ["full/max/0/default.png", "0,0,600,40/300,/0/default.jpg", "full/150,/0/default.jpg"];
    const codes = new Set<string>();
    for (const order of [requests, [...requests].reverse()]) {
      const app = await serve(image);
      for (const request of [...order, ...order]) {
        const response = await app.get(`/iiif/3/${name}/${request}`);
        const { code } = (await response.json()) as { code?: string };
        codes.add(`${response.status} ${code}`);
      }
    }
    expect([...codes]).toHaveLength(1);
    expect([...codes][0]).toMatch(/^500 [a-z_]+$/);
  });

  test.each(["width.tif", "tiles.tif", "subsampling.tif"])("%s has it in info.json too", async (name) => {
    writeFileSync(join(folder, name), files[name]!);
    const app = await serve(image);
    const answers = [];
    for (const path of ["info.json", "full/max/0/default.png", "info.json"]) {
      const response = await app.get(`/iiif/3/${name}/${path}`);
      answers.push([response.status, ((await response.json()) as { code?: string }).code]);
    }
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  });
});
