// The bits of PNG responses: one depth for each master and form of request, whatever a region shows.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../served.ts";

let folder: string;
let app: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "png-depth-"));
  app = await served(`sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`);
  // the left half is black and white, the right one a ramp
  const data = new Uint8Array(512 * 256).map((_, i) => {
    const x = i % 512;
    return x < 256 ? ((x >> 4) & 1) * 255 : x - 256;
  });
  const gray = sharp(data, { raw: { width: 512, height: 256, channels: 1 } }).toColourspace("b-w");
  writeFileSync(join(folder, "gray.png"), await gray.png().toBuffer());
  writeFileSync(join(folder, "gray.tif"), await gray.tiff().toBuffer());
  const bits = gray.threshold(128);
  writeFileSync(join(folder, "bits.png"), await bits.png({ palette: false, colours: 2 }).toBuffer());
  writeFileSync(
    join(folder, "bits.tif"),
    await bits.tiff({ bitdepth: 1, compression: "ccittfax4" }).toBuffer(),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the bit depth and the colour type in the header of a PNG response. */
async function depthOf(request: string): Promise<readonly number[]> {
  const response = await app.get(`/iiif/3/${request}.png`);
  expect(response.status).toBe(200);
  return [...new Uint8Array(await response.arrayBuffer()).subarray(24, 26)];
}

const left = "0,0,256,256";
const right = "256,0,256,256";
const uniform = "0,0,16,16";

test.each(["gray.png", "gray.tif"])("all tiles of %s have 8 bits, black and white ones too", async (name) => {
  for (const region of [left, right, uniform])
    for (const size of ["max", "16,"])
      expect(await depthOf(`${name}/${region}/${size}/0/default`), region).toEqual([8, 0]);
});

test("all full-size tiles of a master of 1 bit have 1 bit, and all reduced ones 8", async () => {
  for (const region of [left, right, uniform]) {
    expect(await depthOf(`bits.tif/${region}/max/0/default`), region).toEqual([1, 0]);
    expect(await depthOf(`bits.tif/${region}/max/!90/gray`), region).toEqual([1, 0]);
    expect(await depthOf(`bits.tif/${region}/8,/0/default`), region).toEqual([8, 0]);
  }
});

test("rotation by another angle has 8 bits and alpha, since its edges are soft", async () => {
  expect(await depthOf(`bits.tif/${left}/max/45/default`)).toEqual([8, 4]);
});

test.each(["gray.png", "gray.tif", "bits.tif"])(
  "the quality bitonal of %s has 1 bit at all sizes",
  async (name) => {
    for (const region of [left, right, uniform])
      for (const size of ["max", "16,"])
        expect(await depthOf(`${name}/${region}/${size}/0/bitonal`), region).toEqual([1, 0]);
  },
);
