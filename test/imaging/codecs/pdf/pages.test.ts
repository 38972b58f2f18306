// Pages of PDF files that are one image, found by ranges, against the image by itself and against poppler.

import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { createImaging } from "../../../../src/imaging/imaging.ts";
import { fixture, testHost } from "../../../host.ts";
import { filtered } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { countingBytes, psnr } from "../counting.ts";
import { pdfFile, type Scan, scanObjects } from "./pdf-file.ts";

const imaging = createImaging(testHost);
const pdf = createCodecs(testHost).decoder("pdf");

const photo = fixture("jpg-baseline-420.jpg");
const photoScan: Scan = { image: photo, width: 600, height: 400 };
const probe = (file: Uint8Array, page = 1) => pdf.probe(memoryBytes(file), page);
const region = { x: 100, y: 64, width: 200, height: 100 };

describe("a page that is one image", () => {
  test.each([
    ["a JPEG", photoScan],
    ["a progressive JPEG", { image: fixture("jpg-progressive.jpg") }],
    [
      "a gray JPEG",
      { image: fixture("jpg-gray.jpg"), entries: "/ColorSpace /DeviceGray /Filter [/DCTDecode]" },
    ],
    [
      "a JPEG 2000 image with its own colours",
      { image: fixture("jp2-reversible.jp2"), entries: "/Filter /JPXDecode" },
    ],
    [
      "a JPEG 2000 image with those of the page",
      { image: fixture("j2k-raw.j2k"), entries: "/ColorSpace /DeviceRGB /Filter /JPXDecode" },
    ],
    [
      "a JPEG of inverted CMYK",
      {
        image: fixture("jpg-cmyk-adobe.jpg"),
        entries: "/ColorSpace /DeviceCMYK /Decode [1 0 1 0 1 0 1 0] /Filter /DCTDecode",
      },
    ],
  ] as const)("has the pixels, derivatives and sidecar of its file: %s", async (_, scan) => {
    const alone = await imaging.open(scan.image);
    const { width, height, bands } = alone.header;
    const file = pdfFile(scanObjects([photoScan, { width, height, ...scan }]));
    const page = await imaging.open(file, { page: 2 });
    expect(page.header).toMatchObject({ format: "pdf", width, height, bands, pages: 2, orientation: 1 });
    expect(await page.read()).toEqual(await alone.read());
    const tile = { region, width: 100, format: "jpg" };
    if (alone.header.colour === undefined) expect(await page.derive(tile)).toEqual(await alone.derive(tile));
    const sidecar = await page.buildSidecar();
    expect(sidecar !== undefined).toBe((await alone.buildSidecar()) !== undefined);
    const withSidecar = await imaging.open(file, { page: 2, ...(sidecar && { sidecar }) });
    expect(await withSidecar.read()).toEqual(await alone.read());
  });

  test("counts as damaged if the file ends before its image does", async () => {
    const objects = scanObjects([photoScan]);
    const last = { ...(objects[5] as { dictionary: string }), data: photo.subarray(0, 10_000) };
    const file = pdfFile({ ...objects, 5: last });
    const text = Buffer.from(file).toString("latin1");
    // The length that the dictionary states reaches beyond the end of the file.
    const longer = Buffer.from(text.replace("/Length 10000", "/Length 99999"), "latin1");
    expect((await probe(longer)).incomplete).toBe(true);
    expect((await probe(file)).incomplete).toBeUndefined();
  });

  test("is found if the header of the file follows other bytes", async () => {
    const file = pdfFile(scanObjects([photoScan]));
    const moved = await imaging.open(Buffer.concat([Buffer.from("\ufeff\r\n"), file]));
    expect(moved.header).toMatchObject({ format: "pdf", width: 600 });
    expect(moved.header).not.toHaveProperty("drawn");
    expect(await moved.read()).toEqual(await (await imaging.open(photo)).read());
  });

  test("is drawn if its own decoder cannot read it", async () => {
    const at = photo.findIndex((byte, i) => byte === 0xc0 && photo[i - 1] === 0xff);
    const changed = (offset: number, value: number) => {
      const image = photo.slice();
      image[offset] = value;
      return image;
    };
    for (const [name, image] of [
      ["lossless", changed(at, 0xc3)],
      ["of 12 bits", changed(at + 3, 12)],
      ["no JPEG", new Uint8Array(500)],
    ] as const)
      expect(await probe(pdfFile(scanObjects([{ ...photoScan, image }]))), name).toHaveProperty("drawn");
  });

  test("has the profile that the page gives it, and not its own", async () => {
    const icc = (await sharp(fixture("jpg-icc-displayp3.jpg")).metadata()).icc!;
    const own = fixture("jpg-icc-adobergb.jpg");
    const { width, height } = await sharp(own).metadata();
    const entries = "/ColorSpace [/ICCBased 100 0 R] /Filter /DCTDecode";
    const stream = { dictionary: "/N 3 /Filter /FlateDecode", data: deflateSync(icc) };
    const file = pdfFile({ ...scanObjects([{ image: own, width, height, entries }]), 100: stream });
    const header = await probe(file);
    expect(header.colour).toMatchObject({ from: "icc", srgb: false });
    const { icc: found } = await pdf.metadata!.read(memoryBytes(file), header, "icc");
    expect(Buffer.from(found!).equals(icc)).toBe(true);
    const device = await probe(pdfFile(scanObjects([{ image: own, width, height }])));
    expect(device.colour).toBeUndefined();
  });
});

/** The eight ways in which an image can lie in the unit square of 60 by 40 points, without a skew. */
const turns = [
  "60 0 0 40 0 0",
  "-60 0 0 40 60 0",
  "-60 0 0 -40 60 40",
  "60 0 0 -40 0 40",
  "0 40 60 0 0 0",
  "0 -40 60 0 0 40",
  "0 -40 -60 0 60 40",
  "0 40 -60 0 60 0",
];

test.skipIf(!hasProgram("pdftoppm"))(
  "a page lies as poppler shows it, for every matrix and rotation",
  async () => {
    // Four colours that flow into each other: poppler moves images by up to a pixel.
    const four = Buffer.from([255, 0, 0, 0, 160, 0, 0, 0, 255, 255, 255, 0]);
    const picture = (width: number, height: number) =>
      sharp(four, { raw: { width: 2, height: 2, channels: 3 } })
        .resize(width, height, { fit: "fill", kernel: "cubic" })
        .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
        .toBuffer();
    const [wide, high] = [await picture(60, 40), await picture(40, 60)];
    const scans = turns.flatMap((matrix, i) =>
      [0, 90, 180, -90].map((rotation): Scan => {
        const size = i < 4 ? { image: wide, width: 60, height: 40 } : { image: high, width: 40, height: 60 };
        const page = `/Rotate ${rotation}`;
        return { ...size, points: [60, 40], page, content: `q ${matrix} cm /I Do Q` };
      }),
    );
    const file = pdfFile(scanObjects(scans));
    const shown = ppms(filtered("pdftoppm", ["-r", "72", "-"], file)!);
    expect(shown.length).toBe(32);
    const seen = new Set<number>();
    for (const [i, { width, height, data }] of shown.entries()) {
      const page = await imaging.open(file, { page: i + 1 });
      seen.add(page.header.orientation);
      const { bytes } = await page.derive({ format: "png" });
      const own = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      expect(own.info, `page ${i + 1}`).toMatchObject({ width, height });
      expect(psnr(own.data, data), `page ${i + 1}`).toBeGreaterThan(30);
    }
    expect([...seen].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  },
);

/** Reads PPM files that follow each other. */
function ppms(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number; readonly data: Uint8Array }[] {
  const found: ReturnType<typeof ppms> = [];
  for (let at = 0; at < bytes.length; ) {
    const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
      Buffer.from(bytes.subarray(at, at + 64)).toString("latin1"),
    )!;
    const [width, height] = [Number(head[1]), Number(head[2])];
    const start = at + head[0].length;
    at = start + 3 * width * height;
    found.push({ width, height, data: bytes.subarray(start, at) });
  }
  return found;
}

describe("a page that is not exactly one image", () => {
  const cm = "600 0 0 400 0 0 cm";
  test.each<[string, Partial<Scan>, string]>([
    ["text above the image", { content: `q ${cm} /I Do Q BT /F 9 Tf (a) Tj ET` }, "text above"],
    ["a line above it", { content: `q ${cm} /I Do Q 0 0 m 9 9 l S` }, "drawings above"],
    ["two images", { content: `q ${cm} /I Do /I Do Q` }, "several images"],
    ["an image in its content", { content: `q ${cm} BI /W 1 ID x EI Q` }, "in its content"],
    ["no image", { content: "0 0 m 9 9 l S" }, "no image"],
    ["an image that is too small", { content: "q 500 0 0 400 0 0 cm /I Do Q" }, "does not fill"],
    ["an image beyond its edges", { page: "/CropBox [50 0 600 400]" }, "does not fill"],
    ["a clip", { content: `q 0 0 300 400 re W n ${cm} /I Do Q` }, "clipped"],
    ["a clip of another form", { content: `q 0 0 m 9 9 l 9 0 l W n ${cm} /I Do Q` }, "no rectangle"],
    ["a clip of text", { content: `q BT 7 Tr (a) Tj ET ${cm} /I Do Q` }, "clip of text"],
    ["a skewed image", { content: "q 600 30 0 400 0 0 cm /I Do Q" }, "skewed"],
    ["a stretched image", { content: "q 600 0 0 800 0 0 cm /I Do Q", points: [600, 800] }, "stretched"],
    [
      "a transparent image",
      { content: `q /G gs ${cm} /I Do Q`, resources: "/ExtGState << /G << /ca 0.5 >> >>" },
      "transparent",
    ],
    ["optional content", { content: `/OC /P BDC q ${cm} /I Do Q EMC` }, "optional"],
    ["a stamp", { page: "/Annots [<< /Subtype /Stamp /AP << >> >>]" }, "annotations"],
    ["a mask", { entries: "/ColorSpace /DeviceRGB /Filter /DCTDecode /SMask 5 0 R" }, "mask"],
    [
      "inverted samples",
      { entries: "/ColorSpace /DeviceRGB /Filter /DCTDecode /Decode [1 0 1 0 1 0]" },
      "unusual",
    ],
    ["spot colours", { entries: "/ColorSpace [/Separation /Red /DeviceRGB] /Filter /DCTDecode" }, "unusual"],
    ["another number of colours", { entries: "/ColorSpace /DeviceGray /Filter /DCTDecode" }, "unusual"],
    ["another compression", { entries: "/ColorSpace /DeviceRGB /Filter /CCITTFaxDecode" }, "neither"],
    ["another size than its JPEG", { width: 300, height: 200, points: [600, 400] }, "another size"],
  ])("says so: %s", async (_, scan, reason) => {
    expect((await probe(pdfFile(scanObjects([{ ...photoScan, ...scan }])))).drawn).toContain(reason);
  });

  test.each<[string, Partial<Scan>]>([
    ["invisible text above it", { content: `q ${cm} /I Do Q BT 3 Tr /F 9 Tf (a) Tj ET` }],
    ["text and drawings below it", { content: `BT (a) Tj ET 1 g 0 0 600 400 re f q ${cm} /I Do Q` }],
    ["a clip to the page", { content: `q 0 0 600 400 re W n ${cm} /I Do Q` }],
    ["an image that is smaller by a part of a percent", { content: "q 597 0 0 398 1 1 cm /I Do Q" }],
    [
      "an opaque graphics state",
      {
        content: `q /G gs ${cm} /I Do Q`,
        resources: "/ExtGState << /G << /ca 1 /BM /Normal /SMask /None >> >>",
      },
    ],
    ["a link", { page: "/Annots [<< /Subtype /Link >>]" }],
    ["marks of structure", { content: `/Figure << /MCID 0 >> BDC q ${cm} /I Do Q EMC` }],
  ])("is one if it has only %s", async (_, scan) => {
    const header: ImageHeader = await probe(pdfFile(scanObjects([{ ...photoScan, ...scan }])));
    expect(header.drawn).toBeUndefined();
  });
});

describe("a page far behind", () => {
  const scans = Array.from({ length: 500 }, (): Scan => photoScan);
  const name = "a version";

  test("is found by the bytes of its own objects, once the directory is known", async () => {
    const bytes = countingBytes(pdfFile(scanObjects(scans)));
    const decoder = createCodecs(testHost).decoder("pdf");
    expect((await decoder.probe(bytes, 1, name)).pages).toBe(500);
    const before = bytes.total();
    // The tail, the table of 1,502 entries and the list of pages.
    expect(before).toBeLessThan(100_000);
    expect((await decoder.probe(bytes, 400, name)).width).toBe(600);
    expect(bytes.total() - before).toBeLessThan(10_000);
  });
});

test("pages have the labels of their file: Roman, letters, prefixes in any encoding", async () => {
  const ranges =
    "0 << /S /r >> 2 << /S /D /St 7 /P (A-) >> 4 << /P <FEFF03B1> >> 5 << /S /A /St 27 >> 6 << /S /R /St 1999 >>";
  const scans = Array.from({ length: 7 }, () => photoScan);
  const file = pdfFile({
    ...scanObjects(scans),
    1: "<< /Type /Catalog /Pages 2 0 R /PageLabels << /Kids [99 0 R] >> >>",
    99: `<< /Nums [${ranges}] >>`,
  });
  const expected = ["i", "ii", "A-7", "A-8", "α", "AA", "MCMXCIX"];
  const labels: (string | undefined)[] = [];
  for await (const page of pdf.probePages!(memoryBytes(file), 7))
    labels.push("pageLabel" in page ? page.pageLabel : undefined);
  expect(labels).toEqual(expected);
  expect((await probe(file, 3)).pageLabel).toBe("A-7");
  expect((await probe(pdfFile(scanObjects(scans)), 3)).pageLabel).toBeUndefined();
});
