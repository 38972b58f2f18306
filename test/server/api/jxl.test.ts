// JPEG XL over HTTP, as libjxl decodes it.

import { beforeAll, describe, expect, test } from "vitest";
import { rgbaOf } from "../../imaging/codecs/avif/avifdec.ts";
import { differences, djpeg, djxl, djxlPng, jxlinfo } from "../../imaging/codecs/jxl/pixels.ts";
import { hasProgram } from "../../programs.ts";
import { type Served, served } from "../../served.ts";

let app: Served;
beforeAll(async () => {
  app = await served("image: { formats: [jxl] }");
});

const bytesOf = async (path: string) => {
  const response = await app.get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return new Uint8Array(await response.arrayBuffer());
};

test("a server writes JPEG XL only if its configuration names it", async () => {
  const plain = await served();
  expect((await plain.get("/iiif/3/base.png/full/max/0/default.jxl")).status).toBe(400);
  expect(await (await plain.get("/iiif/3/base.png/info.json")).text()).not.toContain("jxl");
  const response = await app.get("/iiif/3/base.png/full/60,/0/default.jxl");
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/jxl"]);
  for (const version of [2, 3])
    expect(await (await app.get(`/iiif/${version}/base.png/info.json`)).text()).toContain('"jxl"');
});

test
  .skipIf(!hasProgram("djxl") || !hasProgram("djpeg"))
  .each([
    "jpg-baseline-420.jpg/full/max/0/default",
    "jpg-baseline-420.jpg/256,128,256,256/max/0/default",
    "jpg-baseline-420.jpg/256,128,256,256/max/90/default",
    "jpg-baseline-420.jpg/0,0,512,384/200,/!0/default",
    "jpg-progressive.jpg/full/max/0/default",
    "jpg-orient-6.jpg/full/max/0/default",
    "jpg-gray.jpg/full/max/0/default",
    "jpg-icc-displayp3.jpg/full/300,/0/default",
    "jpg-cmyk-icc.jpg/full/300,/0/default",
    "base.png/full/150,/180/gray",
    "base.png/full/max/0/bitonal",
  ])("%s shows in JPEG XL what it shows in JPEG", async (path) => {
  const [jxl, jpeg] = [await bytesOf(`/iiif/3/${path}.jxl`), await bytesOf(`/iiif/3/${path}.jpg`)];
  const { mean } = differences(djxl(jxl), djpeg(jpeg));
  expect(mean).toBeLessThan(0.75);
  expect(jxl.length).toBeLessThan(jpeg.length);
});

describe.skipIf(!hasProgram("djxl"))("libjxl's encoder", () => {
  /** Differences of the pixels, with alpha, from those of the PNG. */
  async function differencesFromPng(path: string, from = app) {
    const get = async (format: string) => {
      const response = await from.get(`/iiif/3/${path}.${format}`);
      expect([path, response.status]).toEqual([path, 200]);
      return new Uint8Array(await response.arrayBuffer());
    };
    const [jxl, png] = [await rgbaOf(djxlPng(await get("jxl"))), await rgbaOf(await get("png"))];
    expect([jxl.width, jxl.height]).toEqual([png.width, png.height]);
    let [sum, count, alpha] = [0, 0, 0];
    for (const [at, value] of jxl.data.entries()) {
      const difference = Math.abs(value - png.data[at]!);
      if (at % 4 === 3) alpha = Math.max(alpha, difference);
      if (png.data[at | 3] === 0) continue; // colours of transparent pixels are free
      sum += difference;
      count++;
    }
    return { mean: sum / count, alpha };
  }

  test.each([
    ["png-rgba8.png/full/max/0/default", 2.5],
    ["png-la8.png/full/max/0/default", 2.5],
    ["base.png/full/150,/30/default", 4],
    ["base.png/full/150,/30/gray", 2.5],
  ])("keeps the alpha of %s", async (path, most) => {
    const { mean, alpha } = await differencesFromPng(path);
    expect(mean).toBeLessThan(most);
    expect(alpha).toBeLessThan(16);
  });

  test("writes downloads, and no tiles", async () => {
    const download = "jpg-baseline-420.jpg/full/^1300,/0/default";
    expect((await differencesFromPng(download)).mean).toBeLessThan(1.5);
    const [small, large] = await Promise.all(
      ["^1200,", "^1300,"].map((size) => bytesOf(`/iiif/3/${download.replace("^1300,", size)}.jxl`)),
    );
    expect([jxlinfo(small!), jxlinfo(large!)]).toEqual([
      expect.stringContaining("8-bit RGB\n"),
      expect.stringContaining("8-bit RGBA\n"),
    ]);
  });

  test("shows a master with alpha upright, whose EXIF is kept", async () => {
    const preserving = await served("image: { formats: [jxl], metadata: preserve }");
    const file = await preserving.get("/iiif/3/png-exif-orient-6.png/full/max/30/default.jxl");
    const upright = await app.get("/iiif/3/png-exif-orient-6.png/full/max/30/default.jxl");
    const [one, other] = await Promise.all(
      [file, upright].map(async (response) => rgbaOf(djxlPng(new Uint8Array(await response.arrayBuffer())))),
    );
    expect([one!.width, one!.height]).toEqual([other!.width, other!.height]);
  });
});

test.skipIf(!hasProgram("djxl"))("preserved metadata are next to the codestream", async () => {
  const preserving = await served("image: { formats: [jxl], metadata: preserve }");
  const get = async (name: string, format: string) =>
    new Uint8Array(
      await (await preserving.get(`/iiif/3/${name}/full/max/0/default.${format}`)).arrayBuffer(),
    );
  const file = await get("jpg-exif-xmp-iptc-gps.jpg", "jxl");
  const text = Buffer.from(file).toString("latin1");
  expect([
    text.slice(4, 8),
    text.includes("Exif"),
    text.includes("x:xmpmeta"),
    text.includes("jxlc"),
  ]).toEqual(["JXL ", true, true, true]);
  expect(djxl(file).width).toBeGreaterThan(0);
  // Decoders of JPEG XL take the orientation from the codestream.
  const [stored, upright] = [
    djpeg(await get("jpg-orient-6.jpg", "jpg")),
    djxl(await get("jpg-orient-6.jpg", "jxl")),
  ];
  expect([upright.width, upright.height]).toEqual([stored.height, stored.width]);
});
