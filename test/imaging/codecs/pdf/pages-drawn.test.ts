// Pages of PDF files that PDFium draws, against poppler, in tiles, and within their memory.

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import type { CodecHost } from "../../../../src/imaging/codecs/codec.ts";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import { filtered } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { everything, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { psnr } from "../counting.ts";
import { mutate, pdfFile, type Scan, scanObjects } from "./pdf-file.ts";

const codecs = createCodecs(testHost);
const pdf = codecs.decoder("pdf");

const digestOf = (file: Uint8Array) => createHash("sha256").update(file).digest("hex");

async function draw(
  file: Uint8Array,
  options: { page?: number; region?: Rectangle; scaleFactor?: number } = {},
) {
  const bytes = memoryBytes(file);
  const { page = 1, scaleFactor = 1 } = options;
  const header = await pdf.probe(bytes, page);
  const { width, height } = header;
  const region = options.region ?? { x: 0, y: 0, width, height };
  const { data, ...size } = await pdf.decode(bytes, {
    header,
    page,
    region,
    scaleFactor,
    version: digestOf(file),
  });
  return { ...size, header, data: data as Uint8Array };
}

const font = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >> >>";
const image = fixture("jpg-baseline-420.jpg");
/** A page with text, lines and an image that is smaller than it. */
const article: Scan = {
  image,
  width: 600,
  height: 400,
  points: [144, 100],
  content:
    "q 90 0 0 60 20 10 cm /I Do Q BT /F 20 Tf 10 75 Td (Hello, page) Tj ET 2 w 1 0 0 RG 5 5 m 139 95 l S",
  resources: font,
};
/** A page of two strips, each a half of the image. */
const strips: Scan = {
  ...article,
  points: [144, 96],
  content: "q 144 0 0 48 0 48 cm /I Do Q q 144 0 0 48 0 0 cm /I Do Q",
};

describe("the size of a page", () => {
  test.each<[string, Scan, readonly [number, number]]>([
    ["is that at 300 pixels per inch with text", article, [600, 417]],
    [
      "is that of its largest image if it has images alone",
      { ...strips, points: [288, 192], content: "q 288 0 0 96 0 96 cm /I Do Q" },
      [1200, 800],
    ],
    [
      "is at most that at 600 pixels per inch",
      { ...strips, points: [72, 48], content: "q 72 0 0 24 0 0 cm /I Do Q" },
      [600, 400],
    ],
    [
      "is that of small images",
      { ...strips, content: "q 144 0 0 24 0 0 cm /I Do Q", points: [288, 192], width: 200, height: 33 },
      [400, 267],
    ],
    ["is turned with the page", { ...article, page: "/Rotate 90" }, [417, 600]],
    ["is that of the part that is shown", { ...article, page: "/CropBox [0 0 72 50]" }, [300, 208]],
    [
      "has a usual unit in place of an odd one",
      { ...article, page: `/UserUnit 1${"0".repeat(300)}` },
      [600, 417],
    ],
    [
      "is that of US Letter in place of a box without end",
      { ...article, page: `/CropBox [0 0 1${"0".repeat(300)} 1${"0".repeat(300)}]`, points: [1e9, 1e9] },
      [2550, 3300],
    ],
    ["follows the unit of the page", { ...article, page: "/UserUnit 2" }, [1200, 833]],
  ])("%s", async (_, scan, [width, height]) => {
    expect(await pdf.probe(memoryBytes(pdfFile(scanObjects([scan]))), 1)).toMatchObject({
      width,
      height,
      orientation: 1,
      scalable: true,
    });
  });
});

describe.skipIf(!hasProgram("pdftoppm"))("a page shows what poppler shows", () => {
  const stamp = "/Annots [<< /Type /Annot /Subtype /Stamp /Rect [10 10 60 60] /AP << /N 100 0 R >> >>]";
  test.each<[string, Partial<Scan>]>([
    ["upright", {}],
    ["turned", { page: "/Rotate 90" }],
    ["turned upside down", { page: "/Rotate 180" }],
    ["turned to the other side", { page: "/Rotate 270" }],
    ["in part", { page: "/CropBox [20 10 120 90]" }],
    ["with a stamp", { page: stamp }],
    [
      "with a transparent image",
      {
        content: "0 0 1 rg 0 0 72 100 re f /G gs q 144 0 0 100 0 0 cm /I Do Q",
        resources: "/ExtGState << /G << /ca 0.5 >> >>",
      },
    ],
    ["in strips", strips],
  ])("%s", async (_, scan) => {
    const form = {
      dictionary: "/Type /XObject /Subtype /Form /BBox [0 0 50 50]",
      data: Buffer.from("0 1 0 rg 0 0 50 50 re f"),
    };
    const file = pdfFile({ ...scanObjects([{ ...article, ...scan }]), 100: form });
    const { data, width, height, header } = await draw(file);
    const options = ["-r", `${header.resolution!.x * 2.54}`, "-cropbox", "-png", "-"];
    const shown = await sharp(filtered("pdftoppm", options, file)!)
      .resize(width, height, { fit: "fill" })
      .removeAlpha()
      .raw()
      .toBuffer();
    expect(psnr(data, shown)).toBeGreaterThan(21);
    // A page that is white, upside down or without its colours is further off.
    expect(psnr(new Uint8Array(data.length).fill(255), shown)).toBeLessThan(20);
    expect(psnr(data.slice().reverse(), shown)).toBeLessThan(20);
  });
});

test.each([1, 2, 8])(
  "at a scale of 1/%i, a region is the same as in the whole page, but for rounding",
  async (scaleFactor) => {
    const file = pdfFile(
      scanObjects([
        { ...article, points: [300, 200], content: article.content!.replace("90 0 0 60", "280 0 0 190") },
      ]),
    );
    const whole = await draw(file, { scaleFactor });
    const region = { x: 256, y: 128, width: 512, height: 512 };
    const part = await draw(file, { scaleFactor, region });
    expect([part.width, part.height]).toEqual([512 / scaleFactor, 512 / scaleFactor]);
    const same = await sharp(whole.data, { raw: { width: whole.width, height: whole.height, channels: 3 } })
      .extract({ left: 256 / scaleFactor, top: 128 / scaleFactor, width: part.width, height: part.height })
      .raw()
      .toBuffer();
    expect(psnr(part.data, same)).toBeGreaterThan(45);
  },
);

test("each file has an instance of PDFium of its own, which reads all of its pages", async () => {
  let instances = 0;
  const loadWasm: CodecHost["loadWasm"] = (name) => {
    instances++;
    return testHost.loadWasm(name);
  };
  const decoder = createCodecs({ ...testHost, loadWasm }).decoder("pdf");
  const [one, other] = [
    [article, strips],
    [strips, article],
  ].map((scans) => pdfFile(scanObjects(scans)));
  const read = async (file: Uint8Array, page: number) => {
    const bytes = memoryBytes(file);
    const header = await decoder.probe(bytes, page);
    const region = { x: 0, y: 0, width: 64, height: 64 };
    await decoder.decode(bytes, { header, page, region, scaleFactor: 1, version: digestOf(file) });
    return instances;
  };
  expect([await read(one!, 1), await read(one!, 2), await read(other!, 1), await read(one!, 1)]).toEqual([
    1, 1, 2, 3,
  ]);
});

describe("the memory of a page is bounded", () => {
  const operators = deflateSync(Buffer.alloc(200 << 20, " "), { level: 1 });
  const big = { ...scanObjects([article]), 4: { dictionary: "/Filter /FlateDecode", data: operators } };
  test("and what needs more is refused", async () => {
    await expect(draw(pdfFile(big))).rejects.toMatchObject({ kind: "too-large", code: "memory_budget" });
  });

  test("also after an error: the next page is drawn", async () => {
    await draw(pdfFile(big)).catch(() => {});
    expect((await draw(pdfFile(scanObjects([article])))).width).toBe(600);
  });
});

test("a page that PDFium cannot load is an error that says what to do", async () => {
  const file = Buffer.from(pdfFile(scanObjects([article])));
  // The directory that smalti reads is sound; PDFium asks for the type of the page.
  const other = Buffer.from(file.toString("latin1").replace("/Type /Page /", "/Type /Pagx /"), "latin1");
  const result = await draw(new Uint8Array(other)).catch((error: unknown) => error);
  if (result instanceof Error) expect(result).toMatchObject({ kind: "decode" });
});

test("mutated pages are drawn, or end in an error of the library", async () => {
  const file = pdfFile(scanObjects([{ ...article, image: fixture("jpg-1x1.jpg") }]));
  const below = seeded(seedOf("mutated drawn PDF"));
  let [drawn, failed] = [0, 0];
  for (let i = 0; i < (everything ? 2000 : 200); i++) {
    const region = { x: 0, y: 0, width: 64, height: 64 };
    const result = await draw(mutate(file, below), { region }).catch((error: unknown) => error);
    if (result instanceof Error) expect(result, `mutation ${i}`).toBeInstanceOf(ImagingError);
    if (result instanceof Error) failed++;
    else drawn++;
  }
  expect(drawn).toBeGreaterThan(10);
  expect(failed).toBeGreaterThan(10);
});
