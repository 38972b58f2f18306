// Decoders compiled from C: a master that changes their memory affects no other, and scans are bounded.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import type { CodecHost } from "../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import type { ReadRequest } from "../../src/imaging/codecs/plan.ts";
import { fixture, testHost } from "../host.ts";
import { plainFields, tiffFile } from "../imaging/codecs/tif/tiff-file.ts";
import { codes, fittingCode, fullness, reserved, tableEntries, webpOfCodes } from "./huffman-overflow.ts";

/** Codecs, and the modules that they have asked their host for, which they do for each instance. */
function countedCodecs() {
  const made: string[] = [];
  const host: CodecHost = {
    ...testHost,
    wasm(name) {
      made.push(name);
      return testHost.wasm(name);
    },
    async loadWasm(name) {
      made.push(name);
      return testHost.loadWasm(name);
    },
  };
  return { codecs: createCodecs(host), made };
}

async function decode(
  codecs: ReturnType<typeof createCodecs>,
  file: Uint8Array,
  options: Pick<ReadRequest, "whole"> & { readonly page?: number } = {},
) {
  const bytes = memoryBytes(file);
  const codec = codecs.recognise(file.subarray(0, 64))!;
  const { page = 1, ...rest } = options;
  const header = await codec.probe(bytes, page);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(bytes, { header, page, region, scaleFactor: 1, ...rest });
}

/** A TIFF of four strips of JPEG in CMYK, which our own decoder leaves to libjpeg-turbo. */
function inkStrips(jpeg: Uint8Array): Uint8Array {
  const fields = plainFields(16, 64, 4, 8, 5, [259, 3, 7], [278, 4, 16]);
  return tiffFile([{ fields, blocks: [jpeg, jpeg, jpeg, jpeg] }]);
}

const ink = await sharp({ create: { width: 16, height: 16, channels: 3, background: "teal" } })
  .toColourspace("cmyk")
  .jpeg()
  .toBuffer();

const avif = new Uint8Array(await sharp(fixture("base.png")).resize(60).avif({ effort: 0 }).toBuffer());
const jxl = await createCodecs(testHost)
  .encoder("jxl")
  .encode(
    { width: 16, height: 16, bands: 1, interpretation: "gray", data: new Uint8Array(256).fill(99) },
    { format: "jxl", quality: 80, progressive: false, chroma: "420", encoder: "fast" },
  );

describe("a decoder compiled from C", () => {
  test.each([
    ["AVIF", "avif-decode", avif, {}],
    ["JPEG XL", "jxl-decode", jxl, {}],
    ["WebP", "webp-decode", fixture("webp-lossy.webp"), {}],
    ["the frames of an animated WebP", "webp-decode", fixture("webp-animated-4.webp"), { page: 4 }],
    ["the WebP tiles of a TIFF", "webp-decode", fixture("tif-webp-tiled.tif"), {}],
    ["JPEG that our own reader refuses", "jpeg-turbo", fixture("jpg-ycck-adobe.jpg"), { whole: true }],
    ["the JPEG strips of a TIFF", "jpeg-turbo", inkStrips(ink), {}],
    ["arithmetic-coded JPEG", "jpeg-turbo-8bit", fixture("jpg-arithmetic.jpg"), {}],
  ] as const)(
    "has a new instance for each master, and one for all of %s",
    async (_, module, file, options) => {
      const { codecs, made } = countedCodecs();
      const ofModule = () => made.filter((name) => name === module).length;
      const before = (await decode(codecs, file, options)).data;
      expect(ofModule()).toBe(1);
      expect((await decode(codecs, file, options)).data).toEqual(before);
      expect(ofModule()).toBe(2);
    },
  );

  test("shares no instance with the encoder of its module, which keeps none either", async () => {
    const { codecs, made } = countedCodecs();
    const { encode } = codecs.encoder("jpg");
    const pixels = await decode(codecs, fixture("jpg-arithmetic.jpg"));
    const options = {
      format: "jpg",
      quality: 80,
      progressive: true,
      chroma: "420",
      encoder: "fast",
    } as const;
    for (let i = 0; i < 2; i++) {
      await decode(codecs, fixture("jpg-arithmetic.jpg"));
      await encode(pixels, options);
    }
    expect(made.filter((name) => name === "jpeg-turbo-8bit").length).toBe(3 + 2);
  });
});

describe("codes that overflow the tables of libwebp", () => {
  test("need 132 entries more than are reserved, all of them in the last table", () => {
    expect(codes.map(({ lengths }) => fullness(lengths) === 1)).toEqual([true, true, true, true, false]);
    for (const { lengths, alphabet } of codes)
      expect(lengths.reduce((sum: number, count) => sum + count, 0)).toBe(alphabet);
    expect(codes.map(({ lengths }) => tableEntries(lengths))).toEqual([654, 630, 630, 630, 542]);
    expect(codes.reduce((sum, { lengths }) => sum + tableEntries(lengths), 0)).toBe(reserved + 132);
  });

  test("are the reason why libwebp stops, since it refuses such codes that fit", async () => {
    const file = webpOfCodes([...codes.slice(0, 4), fittingCode]);
    await expect(decode(createCodecs(testHost), file)).rejects.toThrow("the decoder refused it");
  });

  test.each([
    ["a WebP", webpOfCodes()],
    [
      "a tile of a TIFF",
      tiffFile([
        {
          fields: [
            ...plainFields(16, 16, 3, 8, 2, [259, 3, 50001]).filter(([tag]) => tag !== 278),
            [322, 3, 16],
            [323, 3, 16],
          ],
          blocks: [webpOfCodes()],
          tiled: true,
        },
      ]),
    ],
  ] as const)("in %s end in an error and do not change the next pictures", async (_, hostile) => {
    const codecs = createCodecs(testHost);
    for (const name of ["webp-lossy.webp", "webp-lossless-alpha.webp", "tif-webp-tiled.tif"]) {
      const { data } = await decode(createCodecs(testHost), fixture(name));
      await expect(decode(codecs, hostile)).rejects.toThrow("the decoder stopped");
      expect((await decode(codecs, fixture(name))).data).toEqual(data);
    }
  });
});

describe("a JPEG of more scans than its size allows is refused before C code sees it", () => {
  /** A gray JPEG of square pixels with scans of one component in front of its end. */
  function ofScans(frame: number, side: number, scans: number): Uint8Array {
    const segment = (code: number, ...body: number[]) => [0xff, code, 0, body.length + 2, ...body];
    return new Uint8Array([
      ...[0xff, 0xd8, ...segment(0xdb, 0, ...Array<number>(64).fill(1))],
      ...segment(frame, 8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0),
      ...Array.from({ length: scans }, () => segment(0xda, 1, 1, 0, 0, 0, 0)).flat(),
      ...[0xff, 0xd9],
    ]);
  }
  test.each([
    ["arithmetic-coded", 0xca, 64, 101],
    ["progressive", 0xc2, 64, 101],
    ["progressive and of 400 megapixels", 0xc2, 20_000, 21],
  ] as const)("%s", async (_, frame, side, scans) => {
    await expect(
      decode(createCodecs(testHost), ofScans(frame, side, scans), { whole: true }),
    ).rejects.toMatchObject({ kind: "decode", code: "too_many_scans" });
  });
});
