// The contract of sidecars, for each codec that has the group, and for a format of 100 lines that shows what
// one is to write.
// @module-tag slow

import type { Sharp, TiffOptions } from "sharp";
import { expect, test } from "vitest";
import { formats } from "../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import type { ReadRequest } from "../../../src/imaging/codecs/plan.ts";
import { grain } from "../../grain.ts";
import { fixture, testHost } from "../../host.ts";
import { pdfFile, scanObjects } from "../codecs/pdf/pdf-file.ts";
import { oldJpegFile } from "../codecs/tif/old-jpeg-file.ts";
import { plainFields, tiffFile } from "../codecs/tif/tiff-file.ts";
import { type SidecarContract, sidecarContract } from "./codec-contract.ts";
import { exampleCodec, exampleFile } from "./example-codec.ts";

/** The formats that have rows below. */
const tested = new Set<string>();
const codecOf = (format: string) => {
  tested.add(format);
  return () => createCodecs(testHost).decoder(format);
};
const region = { x: 512, y: 768, width: 256, height: 128 };
const wholeOf = ({ width, height }: ImageHeader) => ({ x: 0, y: 0, width, height });
const picture = (progressive: boolean) => async () =>
  new Uint8Array(await grain(1024, 1024, 30).jpeg({ quality: 90, progressive }).toBuffer());

sidecarContract("a sequential JPEG", {
  codec: codecOf("jpg"),
  file: picture(false),
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 1 },
    { header, page: 1, region, scaleFactor: 4, halvesColour: true },
    { header, page: 1, region, scaleFactor: 8 },
  ],
});

sidecarContract("a sequential JPEG with its level at 1/4", {
  codec: codecOf("jpg"),
  file: picture(false),
  layer: "level4",
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 4, halvesColour: true },
    { header, page: 1, region: wholeOf(header), scaleFactor: 4, halvesColour: true },
  ],
});

sidecarContract("a progressive JPEG", {
  codec: codecOf("jpg"),
  file: picture(true),
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 1 },
    { header, page: 1, region, scaleFactor: 4, halvesColour: true },
  ],
  rest: (header) => [{ header, page: 1, region, scaleFactor: 8 }],
});

sidecarContract("a progressive JPEG at 1/8", {
  codec: codecOf("jpg"),
  file: picture(true),
  layer: "overview",
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 8 },
    { header, page: 1, region: wholeOf(header), scaleFactor: 8 },
  ],
});

sidecarContract("old-style JPEG in a TIFF", {
  codec: codecOf("tif"),
  async file() {
    const jpeg = await picture(false)();
    return oldJpegFile({ width: 1024, height: 1024 }, [jpeg], ([at = 0]) => ({
      strips: [[at, jpeg.length]],
      more: [
        [513, 4, at],
        [514, 4, jpeg.length],
      ],
    }));
  },
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 1 },
    { header, page: 1, region, scaleFactor: 4, halvesColour: true },
    { header, page: 1, region, scaleFactor: 8 },
  ],
});

sidecarContract("a TIFF that is read with a window", {
  codec() {
    const tiff = codecOf("tif")();
    // A plan with a window marks the header so.
    const probe: typeof tiff.probe = async (...master) => ({
      ...(await tiff.probe(...master)),
      windowed: true,
    });
    return { ...tiff, probe };
  },
  async file() {
    return wideStrips(960);
  },
  reads: (header): readonly ReadRequest[] => [
    { header, page: 1, region, scaleFactor: 1, window: { low: 2, high: 98 } },
  ],
});

/** A gray TIFF of 16 bits, 1024 pixels wide, in strips of 64 rows. */
function wideStrips(height: number): Uint8Array {
  const rows = new Uint16Array(1024 * height).map((_, i) => (i * 7919) % 50_000);
  const blocks = Array.from({ length: height / 64 }, (_, i) => {
    const strip = rows.subarray(i * 64 * 1024, (i + 1) * 64 * 1024);
    return new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength);
  });
  return tiffFile([{ fields: plainFields(1024, height, 1, 16, 1, [278, 3, 64]), blocks }]);
}

/**
 * Reads of each kind of place in a pyramid: inside of a tile, across tiles, at an edge, and all of a level.
 */
const pyramidReads = (header: ImageHeader): readonly ReadRequest[] => [
  { header, page: 1, region, scaleFactor: 1 },
  { header, page: 1, region: { x: 200, y: 130, width: 333, height: 401 }, scaleFactor: 1 },
  { header, page: 1, region: { x: 512, y: 512, width: 512, height: 512 }, scaleFactor: 2 },
  { header, page: 1, region: wholeOf(header), scaleFactor: 4 },
];

interface RowsFile extends Pick<SidecarContract, "codec" | "file"> {
  readonly reads?: SidecarContract["reads"];
}

/** Reads that an overview serves. */
const overviewReads = (header: ImageHeader) =>
  pyramidReads(header).filter(({ scaleFactor }) => scaleFactor > 1);

/** Tests the sidecar of a format that is decoded in rows. */
const pyramidContract = (name: string, { codec, file, reads = pyramidReads }: RowsFile) =>
  sidecarContract(name, { codec, file, layer: "pyramid", reads });
const overviewContract = (name: string, { codec, file }: RowsFile) =>
  sidecarContract(`${name}, with its overview`, { codec, file, layer: "overview", reads: overviewReads });

const lossyWebp = {
  codec: codecOf("webp"),
  file: async () => new Uint8Array(await grain(1100, 1030, 30).webp({ quality: 90, effort: 0 }).toBuffer()),
};
pyramidContract("a lossy WebP", lossyWebp);
overviewContract("a lossy WebP", lossyWebp);

pyramidContract("a WebP with alpha", {
  codec: codecOf("webp"),
  file: async () =>
    new Uint8Array(
      await grain(1024, 1025, 30).ensureAlpha(0.5).webp({ lossless: true, effort: 0 }).toBuffer(),
    ),
});

pyramidContract("an AVIF", {
  codec: codecOf("avif"),
  file: async () => new Uint8Array(await grain(1100, 1030, 30).avif({ quality: 60, effort: 0 }).toBuffer()),
});

/** A JPEG XL file by our encoder: of blocks, or with alpha, so that it is decoded as a whole. */
const jxl = (bands: 3 | 4) => ({
  codec: codecOf("jxl"),
  async file() {
    const picture = grain(1100, 1030, 30);
    const { data, info } = await (bands === 4 ? picture.ensureAlpha(0.5) : picture.removeAlpha())
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = { ...info, bands, interpretation: "rgb", data: new Uint8Array(data) } as const;
    const options = {
      format: "jxl",
      quality: 80,
      progressive: false,
      chroma: "420",
      encoder: "fast",
    } as const;
    return createCodecs(testHost).encoder("jxl").encode(pixels, options);
  },
});
// Regions of blocks are read at full size from the file.
pyramidContract("a JPEG XL of blocks", { ...jxl(3), reads: overviewReads });
pyramidContract("a JPEG XL with alpha", jxl(4));

const png = (options: object, change = (image: Sharp) => image) => ({
  codec: codecOf("png"),
  file: async () =>
    new Uint8Array(
      await change(grain(1030, 1024, 30))
        .png({ compressionLevel: 1, ...options })
        .toBuffer(),
    ),
});
pyramidContract("a PNG", png({ adaptiveFiltering: true }));
overviewContract("a PNG", png({ adaptiveFiltering: true }));
pyramidContract(
  "an interlaced PNG with alpha",
  png({ progressive: true }, (image) => image.ensureAlpha(0.3)),
);
pyramidContract(
  "a gray PNG of 16 bits",
  png({}, (image) => image.toColourspace("grey16")),
);

const gif = {
  codec: codecOf("gif"),
  file: async () => new Uint8Array(await grain(1024, 1024, 30).gif({ effort: 1 }).toBuffer()),
};
pyramidContract("a GIF", gif);
overviewContract("a GIF", gif);

const tiff = (options: TiffOptions, change = (image: Sharp) => image) => ({
  codec: codecOf("tif"),
  file: async () =>
    new Uint8Array(
      await change(grain(1030, 1100, 30))
        .tiff(options)
        .toBuffer(),
    ),
});
const strips = tiff({ compression: "lzw", predictor: "horizontal" });
pyramidContract("a TIFF in strips", strips);
overviewContract("a TIFF in strips", strips);
pyramidContract(
  "a TIFF with alpha in strips",
  tiff({ compression: "deflate" }, (image) => image.ensureAlpha(0.3)),
);
pyramidContract("a TIFF in tiles", {
  ...tiff({ compression: "deflate", tile: true, tileWidth: 256, tileHeight: 256 }),
  reads: overviewReads,
});
pyramidContract("a gray TIFF of 16 bits in strips", {
  codec: codecOf("tif"),
  file: async () => wideStrips(1088),
  // Plain strips are read at full size from the file.
  reads: overviewReads,
});

sidecarContract("a JPEG 2000 file", {
  codec: codecOf("jp2"),
  file: async () => fixture("jp2-tiled-128.jp2"),
  reads: (header) => [
    { header, page: 1, region: { x: 128, y: 64, width: 256, height: 128 }, scaleFactor: 1 },
    { header, page: 1, region: { x: 0, y: 0, width: 512, height: 256 }, scaleFactor: 4 },
  ],
});

sidecarContract("a page of a PDF that is a JPEG", {
  codec: codecOf("pdf"),
  file: async () => pdfFile(scanObjects([{ image: await picture(true)(), width: 1024, height: 1024 }])),
  reads: (header) => [
    { header, page: 1, region, scaleFactor: 1 },
    { header, page: 1, region, scaleFactor: 4, halvesColour: true },
  ],
  rest: (header) => [{ header, page: 1, region, scaleFactor: 8 }],
});

sidecarContract("the example", {
  codec: exampleCodec,
  file: async () => exampleFile(300, 1000),
  reads: (header) => [{ header, page: 1, region: { ...region, x: 32 }, scaleFactor: 1 }],
});

test("every format with a sidecar has a row here", () => {
  const read = Object.keys(formats).filter((format) => formats[format]?.read);
  const codecs = createCodecs(testHost);
  expect(new Set(read.filter((format) => codecs.decoder(format).sidecar))).toEqual(tested);
});
