// AVIF over HTTP, as libavif and libvips decode it.

import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { avifdec, avifInfo, rgbaOf } from "../../imaging/codecs/avif/avifdec.ts";
import { hasProgram } from "../../programs.ts";
import { type Served, served } from "../../served.ts";

let app: Served;
beforeAll(async () => {
  app = await served("image: { formats: [avif], avif_quality: 95, metadata: preserve, depth: source }");
});

async function bytesOf(path: string, from = app): Promise<Uint8Array> {
  const response = await from.get(`/iiif/3/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return new Uint8Array(await response.arrayBuffer());
}

/** Mean difference of all samples of two pictures, and of the alpha alone. */
function differences(one: Awaited<ReturnType<typeof rgbaOf>>, other: typeof one) {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  const apart = one.data.map((value, at) => Math.abs(value - other.data[at]!));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return { mean: mean([...apart]), alpha: mean([...apart].filter((_, at) => at % 4 === 3)) };
}

test("a server writes AVIF only if its configuration names it", async () => {
  const plain = await served();
  expect((await plain.get("/iiif/3/base.png/full/max/0/default.avif")).status).toBe(400);
  expect(await (await plain.get("/iiif/3/base.png/info.json")).text()).not.toContain("avif");
  const response = await app.get("/iiif/3/base.png/full/60,/0/default.avif");
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/avif"]);
  for (const version of [2, 3])
    expect(await (await app.get(`/iiif/${version}/base.png/info.json`)).text()).toContain('"avif"');
});

test("image information of version 3 has the preferred formats in their order", async () => {
  const preferring = await served("image: { formats: [avif, jxl], preferred_formats: [jxl, avif, jpg] }");
  const info = await (await preferring.get("/iiif/3/base.png/info.json")).json();
  expect(info.preferredFormats).toEqual(["jxl", "avif", "jpg"]);
});

test.each([
  ["jpg-baseline-420.jpg/full/max/0/default", 2.5],
  ["jpg-baseline-420.jpg/17,33,255,101/max/0/default", 3],
  ["jpg-cmyk-icc.jpg/full/300,/0/default", 2.5],
  ["jpg-gray.jpg/full/max/0/default", 2.5],
  ["base.png/full/150,/30/gray", 2.5],
  ["base.png/full/1,/0/default", 4],
  ["png-rgba8.png/full/max/0/default", 2.5],
  ["png-la8.png/full/max/0/default", 2.5],
])("%s shows in AVIF what it shows in PNG", async (path, most) => {
  const [avif, png] = [await bytesOf(`${path}.avif`), await bytesOf(`${path}.png`)];
  const { mean, alpha } = differences(await rgbaOf(avif), await rgbaOf(png));
  expect(mean).toBeLessThan(most);
  expect(alpha).toBeLessThan(1);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])("orientation %d is in properties that decoders apply", async (number) => {
  const upright = await served("image: { formats: [avif] }");
  const path = `jpg-orient-${number}.jpg/full/max/0/default`;
  const [kept, turned] = [await bytesOf(`${path}.avif`), await bytesOf(`${path}.png`, upright)];
  expect(differences(await rgbaOf(kept), await rgbaOf(turned)).mean).toBeLessThan(3);
});

test("the profile, EXIF and XMP of a master are kept, next to its colours", async () => {
  const [avif, png] = await Promise.all(
    ["avif", "png"].map(async (format) =>
      sharp(await bytesOf(`jpg-icc-displayp3.jpg/full/300,/0/default.${format}`)).metadata(),
    ),
  );
  expect(png!.icc?.length).toBeGreaterThan(400);
  expect(avif!.icc).toEqual(png!.icc);
  const { exif, xmp } = await sharp(
    await bytesOf("jpg-exif-xmp-iptc-gps.jpg/full/300,/0/default.avif"),
  ).metadata();
  expect(exif?.toString("latin1")).toContain("Fixture Maker");
  expect(xmp?.toString()).toContain("x:xmpmeta");
});

describe.skipIf(!hasProgram("avifdec"))("libavif", () => {
  test("reads what a file says of itself", async () => {
    const {
      "Color Primaries": primaries,
      "Transfer Char.": transfer,
      ...info
    } = avifInfo(await bytesOf("png-rgba8.png/full/max/0/default.avif"));
    expect([primaries, transfer]).toEqual(["1", "13"]);
    expect(info).toMatchObject({ "Bit Depth": "8", Format: "YUV420", Alpha: "Not premultiplied" });
    const gray = avifInfo(await bytesOf("jpg-gray.jpg/full/max/0/default.avif"));
    expect(gray).toMatchObject({ Format: "YUV400", Alpha: "Absent" });
    const turned = await bytesOf("jpg-icc-displayp3-orient-6.jpg/full/max/0/default.avif");
    const { "ICC Profile": profile, "Exif Metadata": exif, "irot (Rotation)": irot } = avifInfo(turned);
    expect([profile, exif, irot]).not.toContain("Absent");
    expect(irot).toContain("3");
  });

  test("reads a file with alpha that has profile, orientation and EXIF too", async () => {
    const path = "jpg-icc-displayp3-orient-6.jpg/full/300,/30/default";
    const [avif, png] = [await bytesOf(`${path}.avif`), await bytesOf(`${path}.png`)];
    expect(avifInfo(avif)).toMatchObject({
      Alpha: "Not premultiplied",
      "ICC Profile": expect.stringContaining("Present"),
      "Exif Metadata": expect.stringContaining("Present"),
      "irot (Rotation)": "3",
    });
    // PNG states the orientation in EXIF alone, which libvips has to be told to apply.
    const upright = await rgbaOf(await sharp(png).rotate().png().toBuffer());
    expect(differences(await rgbaOf(avif), upright).alpha).toBeLessThan(1);
  });

  test("finds 10 bits of a master of 16", async () => {
    const avif = await bytesOf("png-rgb16.png/full/max/0/default.avif");
    expect(avifInfo(avif)["Bit Depth"]).toBe("10");
    const samples = async (file: Uint8Array) => {
      const raw = sharp(file).removeAlpha().toColourspace("rgb16").raw({ depth: "ushort" });
      const { data } = await raw.toBuffer({ resolveWithObject: true });
      return new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    };
    const png = await bytesOf("png-rgb16.png/full/max/0/default.png");
    const [one, other] = [await samples(avifdec(avif)), await samples(png)];
    expect(one.length).toBe(other.length);
    const mean = one.reduce((sum, value, at) => sum + Math.abs(value - other[at]!), 0) / one.length;
    expect(mean / 257).toBeLessThan(2.5);
  });

  test("finds chroma of full size if that is configured", async () => {
    const full = await served("image: { formats: [avif], jpeg_chroma: '444' }");
    expect(avifInfo(await bytesOf("base.png/full/100,/0/default.avif", full)).Format).toBe("YUV444");
  });
});
