// WebP in TIFF, against libtiff's own reading of it in libvips.

import sharp, { type TiffOptions } from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../../host.ts";
import { randomness } from "../../jpg/make-matrix.ts";
import { mutate } from "../../jpg/mutate.ts";
import { type Field, plainFields, tiffFile } from "../tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array, scaleFactor = 1) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor });
}

const size = { width: 131, height: 77 };
const photo = sharp(fixture("base.png"))
  .removeAlpha()
  .extract({ left: 90, top: 40, ...size });
const rgb = await photo.clone().raw().toBuffer();
/** The photograph, ever less transparent from left to right. */
const rgba = new Uint8Array(131 * 77 * 4).map((_, i) =>
  i % 4 < 3 ? rgb[(i >> 2) * 3 + (i % 4)]! : (((i >> 2) % 131) * 255) / 130,
);
const pictures = {
  "three samples": photo,
  "four samples": sharp(rgba, { raw: { ...size, channels: 4 } }),
};
const layouts: readonly (readonly [string, TiffOptions])[] = [
  ["a strip", {}],
  ["tiles", { tile: true, tileWidth: 64, tileHeight: 32 }],
];
const codings: readonly (readonly [string, TiffOptions])[] = [
  ["lossy", { quality: 70 }],
  ["lossless", { quality: 100 }],
];

describe.each(Object.entries(pictures))("WebP of %s", (name, picture) => {
  it.each(
    layouts.flatMap(([where, layout]) => codings.map(([how, coding]) => ({ where, how, layout, coding }))),
  )("in $where, $how, decodes like in libvips", async ({ layout, coding }) => {
    const data = await picture
      .clone()
      .tiff({ compression: "webp", ...layout, ...coding })
      .toBuffer();
    const pixels = await decode(data);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([131, 77, name === "four samples" ? 4 : 3]);
    expect(Buffer.compare(pixels.data as Uint8Array, await sharp(data).raw().toBuffer())).toBe(0);
  });
});

it("reduces WebP by whole boxes of pixels, each its rounded average", async () => {
  const data = fixture("tif-webp-tiled.tif");
  const [full, half] = [await decode(data), await decode(data, 2)];
  const at = (x: number, y: number, band: number) => full.data[(y * full.width + x) * 3 + band]!;
  const mean = (x: number, y: number, b: number) =>
    (at(2 * x, 2 * y, b) + at(2 * x + 1, 2 * y, b) + at(2 * x, 2 * y + 1, b) + at(2 * x + 1, 2 * y + 1, b)) /
    4;
  expect([half.width, half.height]).toEqual([full.width / 2, full.height / 2]);
  for (let i = 0; i < half.data.length; i += 997) {
    const pixel = Math.floor(i / 3);
    const expected = Math.floor(mean(pixel % half.width, Math.floor(pixel / half.width), i % 3) + 0.5);
    expect(half.data[i]).toBe(expected);
  }
});

describe("a WebP block", () => {
  const webp = async (width: number, height: number) =>
    new Uint8Array(
      await sharp({ create: { width, height, channels: 3, background: "red" } })
        .webp()
        .toBuffer(),
    );
  const file = (block: Uint8Array, samples = 3, photometric = 2, ...more: Field[]) =>
    tiffFile([
      { fields: plainFields(16, 16, samples, 8, photometric, [259, 3, 50001], ...more), blocks: [block] },
    ]);
  const damaged = { name: "ImagingError", kind: "decode" };

  it("of another size than its strip is refused before it is decoded", async () => {
    await expect(decode(file(await webp(4000, 16)))).rejects.toMatchObject(damaged);
    await expect(decode(file(await webp(16, 15)))).rejects.toMatchObject(damaged);
    await expect(decode(file(await webp(16, 17)))).rejects.toMatchObject(damaged);
  });

  it("that is cut off, animated or not WebP is damaged", async () => {
    const sound = await webp(16, 16);
    for (const block of [sound.subarray(0, sound.length - 12), new Uint8Array(64)])
      await expect(decode(file(block))).rejects.toMatchObject(damaged);
    const fields = plainFields(150, 100, 3, 8, 2, [259, 3, 50001]);
    const animated = tiffFile([{ fields, blocks: [fixture("webp-animated-4.webp")] }]);
    await expect(decode(animated)).rejects.toMatchObject(damaged);
  });

  it.each([
    ["one sample", 1, 1],
    ["inks", 4, 5],
    ["five samples", 5, 2],
  ])("of %s is refused by the header", async (_, samples, photometric) => {
    const header = await codec.probe(memoryBytes(file(new Uint8Array(64), samples, photometric)), 1);
    expect(header.unsupported).toContain("8-bit RGB, with or without alpha, in interleaved WebP");
  });

  it("with changed bytes decodes to pixels or an ImagingError, and sound files are read afterwards", async () => {
    const random = randomness(3);
    const sound = await photo.clone().tiff({ compression: "webp", quality: 60 }).toBuffer();
    for (let i = 0; i < 150; i++) {
      try {
        const pixels = await decode(mutate(new Uint8Array(sound), 8, random));
        expect(pixels.data).toHaveLength(pixels.width * pixels.height * pixels.bands);
      } catch (error) {
        expect(error).toBeInstanceOf(ImagingError);
        expect(["decode", "unsupported"]).toContain((error as ImagingError).kind);
      }
    }
    expect((await decode(new Uint8Array(sound))).data).toHaveLength(131 * 77 * 3);
  });
});
