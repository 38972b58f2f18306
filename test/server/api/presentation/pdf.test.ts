// A scanned PDF in the whole service: its pages as images, as canvases, and for the doctor.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnose } from "../../../../src/doctor/image/diagnose.ts";
import { fixture } from "../../../host.ts";
import { pdfFile, type Scan, scanObjects } from "../../../imaging/codecs/pdf/pdf-file.ts";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json } from "./walk.ts";

const gray: Scan = {
  image: fixture("jpg-gray.jpg"),
  width: 600,
  height: 400,
  entries: "/ColorSpace /DeviceGray /Filter /DCTDecode",
};
const colour: Scan = { image: fixture("jpg-baseline-420.jpg"), width: 600, height: 400, page: "/Rotate 90" };
const drawn: Scan = { ...colour, points: [144, 72], content: "q 72 0 0 48 0 0 cm /I Do Q 0 0 m 144 72 l S" };
const hidden: Scan = {
  ...gray,
  content: "q 600 0 0 400 0 0 cm /I Do Q BT 3 Tr /F 20 Tf 50 300 Td (Hidden words) Tj ET",
  resources: "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>",
};
/** A page that shows the lower one of its two lines. */
const cropped: Scan = {
  ...hidden,
  page: "/CropBox [0 0 600 250]",
  content: "BT /F 20 Tf 50 300 Td (Outside) Tj 0 -200 Td (Inside) Tj ET",
};
const labels = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>";
const file = pdfFile({
  ...scanObjects([gray, colour, drawn]),
  1: `<< /Type /Catalog /Pages 2 0 R ${labels} >>`,
});

let laid: Laid;
let app: Served;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/gray.jpg", "jpg-gray.jpg");
  await laid.put("book/colour.jpg", "jpg-baseline-420.jpg");
  mkdirSync(join(laid.root, "books"));
  for (const [name, bytes] of [
    ["../books/scan.pdf", file],
    ["scan.pdf", file],
    ["cut.pdf", file.subarray(0, 5000)],
    ["texts.pdf", pdfFile(scanObjects([hidden, gray]))],
    ["named.pdf", pdfFile(scanObjects([hidden]))],
    ["cropped.pdf", pdfFile(scanObjects([cropped]))],
  ] as const)
    writeFileSync(join(laid.root, "book", name), bytes);
  await laid.write("book/named.txt", "From a file\n");
  app = await served(laid.yaml());
});
afterAll(() => laid.drop());

const bytesOf = async (target: string) => {
  const response = await app.get(`/iiif/3/book%2F${target}`);
  expect(response.status, target).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

describe("a page that is one image", () => {
  test.each([
    ["gray.jpg/100,64,256,256/128,/0/default.jpg", "scan.pdf/100,64,256,256/128,/0/default.jpg"],
    ["gray.jpg/full/max/0/default.png", "scan.pdf;1/full/max/0/default.png"],
    // The page is turned clockwise by its /Rotate.
    ["colour.jpg/full/max/90/default.png", "scan.pdf;2/full/max/0/default.png"],
  ])("sends the derivatives of its JPEG: %s as %s", async (alone, page) => {
    // Only the resolution that they state differs: that of a page is in the PDF.
    expect(
      await sharp(await bytesOf(page))
        .raw()
        .toBuffer(),
    ).toEqual(
      await sharp(await bytesOf(alone))
        .raw()
        .toBuffer(),
    );
  });

  test("has the size of the upright image", async () => {
    expect(await json(app, "/iiif/3/book%2Fscan.pdf;2/info.json")).toMatchObject({ width: 400, height: 600 });
  });
});

test("a page that is not one image is drawn", async () => {
  expect(await json(app, "/iiif/3/book%2Fscan.pdf;3/info.json")).toMatchObject({ width: 300, height: 600 });
  expect((await bytesOf("scan.pdf;3/0,0,256,256/256,/0/default.jpg")).length).toBeGreaterThan(1000);
});

test("there is no page after the last one, and a damaged file says what to do", async () => {
  expect((await app.get("/iiif/3/book%2Fscan.pdf;4/info.json")).status).toBe(404);
  const damaged = await app.get("/iiif/3/book%2Fcut.pdf/info.json");
  expect(damaged.status).toBe(500);
  expect((await damaged.json()).detail).toContain("qpdf");
});

test("the file has a manifest of its pages, and a folder of PDFs has them as canvases", async () => {
  const sizes = [
    [600, 400],
    [400, 600],
    [300, 600],
  ];
  const own = await json(app, "/iiif/presentation/3/book/scan.pdf");
  expect(own.items.map(({ width, height }: typeof own) => [width, height])).toEqual(sizes);
  expect(own.items.map(({ label }: typeof own) => Object.values<string[]>(label)[0]?.[0])).toEqual([
    "i",
    "ii",
    "1",
  ]);
  expect(await canvasesOf("books")).toEqual(["scan.pdf, p. 1", "scan.pdf, p. 2", "scan.pdf, p. 3"]);
});

test("a PDF next to other images is none of their canvases", async () => {
  expect(await canvasesOf("book")).toEqual(["colour.jpg", "gray.jpg"]);
});

async function canvasesOf(folder: string): Promise<(string | undefined)[]> {
  const { items } = await json(app, `/iiif/presentation/3/${folder}`);
  return items.map(({ label }: Json) => Object.values<string[]>(label)[0]?.[0]);
}

describe("the text of a page", () => {
  const lineOf = (page: Json) => page.items[0]?.body.value;

  test("is that of the PDF: its lines, its plain text, and its words in a search", async () => {
    const address = "/iiif/presentation/3/book/texts.pdf";
    const lines = await json(app, `${address}/canvas/1/lines`);
    expect(lineOf(lines)).toBe("Hidden words");
    const [, x, y, width, height] = /xywh=(\d+),(\d+),(\d+),(\d+)/.exec(JSON.stringify(lines))!.map(Number);
    // Text of 20 points from 50, 300 on, of a page of 600 x 400.
    expect([x! >= 48 && x! <= 52, y! >= 78 && y! <= 86]).toEqual([true, true]);
    expect([width! > 90 && width! < 130, height! > 15 && height! < 30]).toEqual([true, true]);
    expect(await (await app.get(`${address}/canvas/1/text`)).text()).toContain("Hidden words");
    const manifest = await json(app, address);
    const service = JSON.stringify(manifest.service);
    const search = /"id":"http:\/\/images.test([^"]*search[^"]*)"/.exec(service)?.[1];
    const hits = await json(app, `${search}?q=hidden`);
    expect(hits.items).toHaveLength(1);
    expect(hits.items[0].target.source ?? hits.items[0].target).toContain("/canvas/1");
  });

  test("is that of the part of the page that is shown", async () => {
    const text = await (await app.get("/iiif/presentation/3/book/cropped.pdf/canvas/1/text")).text();
    expect(text).toContain("Inside");
    expect(text).not.toContain("Outside");
  });

  test("is not used if the operator turns it off, and files of text next to PDFs are", async () => {
    const other = await served(`${laid.yaml()}presentation: { pdf_texts: false }\n`);
    const textOf = async (name: string) =>
      (await other.get(`/iiif/presentation/3/book/${name}/canvas/1/text`)).text();
    expect(await textOf("texts.pdf")).not.toContain("Hidden");
    expect(await textOf("named.pdf")).toContain("From a file");
  });

  test("is that of a file of text next to the PDF, if there is one", async () => {
    const text = await app.get("/iiif/presentation/3/book/named.pdf/canvas/1/text");
    expect(await text.text()).toContain("From a file");
  });
});

describe("the doctor", () => {
  const findingOf = async (identifier: string) => {
    const { findings } = await diagnose(app.service.images, identifier, { measures: false });
    return findings.find(({ code }) => code === "drawn_page")?.text;
  };

  test("says why a page is drawn, and how many of the first pages are", async () => {
    expect(await findingOf("book/scan.pdf;3")).toContain("since it has drawings above an image");
    expect(await findingOf("book/scan.pdf;3")).toContain("Of its first 3 pages, 1 are drawn");
    expect(await findingOf("book/scan.pdf;2")).toContain("This page is one image");
  });

  test("says nothing about pages of other files", async () => {
    expect(await findingOf("book/gray.jpg")).toBeUndefined();
  });
});
