// The words of PDF pages, against poppler.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import { filtered } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { pdfFile, type Scan, scanObjects } from "./pdf-file.ts";

const pdf = createCodecs(testHost).decoder("pdf");

const text = "BT 3 Tr /F 20 Tf 50 300 Td (Invisible words) Tj 0 -50 Td (of another line) Tj ET";
const scan: Scan = {
  image: fixture("jpg-baseline-420.jpg"),
  width: 600,
  height: 400,
  content: `q 600 0 0 400 0 0 cm /I Do Q ${text}`,
  resources: "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>",
};

async function linesOf(file: Uint8Array) {
  const bytes = memoryBytes(file);
  const header = await pdf.probe(bytes, 1);
  return { header, lines: await pdf.words!.read(bytes, { header, page: 1 }) };
}

/** The words that poppler finds, with their edges in points. */
function popplerWords(file: Uint8Array) {
  const html = Buffer.from(filtered("pdftotext", ["-bbox", "-", "-"], file)!).toString();
  return [
    ...html.matchAll(/<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</g),
  ].map(([, left, top, right, bottom, word]) => ({ word, edges: [left, top, right, bottom].map(Number) }));
}

describe.skipIf(!hasProgram("pdftotext"))("words lie where poppler finds them", () => {
  test.each<[string, Partial<Scan>]>([
    ["on an image", {}],
    ["on a turned image", { page: "/Rotate 90" }],
    ["on a page that is drawn", { content: `${text} 0 0 m 9 9 l S` }],
    ["on a page of which a part is shown", { page: "/CropBox [20 30 590 390]" }],
  ])("%s", async (_, over) => {
    const file = pdfFile(scanObjects([{ ...scan, ...over }]));
    const { lines, header } = await linesOf(file);
    const texts = lines.map((line) => line.map((word) => word.text).join(" "));
    expect(texts.sort()).toEqual(["Invisible words", "of another line"]);
    const found = popplerWords(file);
    const words = lines.flat();
    expect(found.map(({ word }) => word).sort()).toEqual(words.map((word) => word.text).sort());
    const own = found.map(({ word }) => words.find((each) => each.text === word));
    const pixels = (header.resolution!.x * 2.54) / 72;
    // Poppler's boxes do not begin at the part that is shown.
    const [left, top] = "page" in over && over.page?.includes("Crop") ? [20, 10] : [0, 0];
    for (const [i, { edges }] of found.entries()) {
      const [x, y, width, height] = own[i]!.box.map((value) => value / pixels) as [
        number,
        number,
        number,
        number,
      ];
      const moved = [edges[0]! - left, edges[1]! - top, edges[2]! - left, edges[3]! - top];
      for (const [at, edge] of [x, y, x + width, y + height].entries())
        expect(Math.abs(edge - moved[at]!), `${own[i]!.text} ${at}`).toBeLessThan(6);
    }
  });
});

test("a page without text has no lines", async () => {
  expect(
    (await linesOf(pdfFile(scanObjects([{ ...scan, content: "q 600 0 0 400 0 0 cm /I Do Q" }])))).lines,
  ).toEqual([]);
});
