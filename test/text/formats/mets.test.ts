// METS: files by group, pages in order. The files are shortened forms of those of the DFG Viewer, the British
// Library, OCR-D and CCS docWorks.

import { expect, test } from "vitest";
import { createMetsReader, type MetsPage } from "../../../src/text/index.ts";

function read(text: string): readonly MetsPage[] | undefined {
  const reader = createMetsReader({ name: "mets.xml" });
  reader.write(new TextEncoder().encode(text));
  return reader.end();
}

const mets = (content: string) =>
  `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink">${content}</mets:mets>`;
const file = (id: string, type: string, address: string) =>
  `<mets:file ID="${id}" MIMETYPE="${type}"><mets:FLocat LOCTYPE="URL" xlink:href="${address}"/></mets:file>`;
const group = (use: string, ...files: string[]) =>
  `<mets:fileGrp USE="${use}">${files.join("")}</mets:fileGrp>`;
const page = (attributes: string, ...ids: string[]) =>
  `<mets:div TYPE="page" ${attributes}>${ids.map((id) => `<mets:fptr FILEID="${id}"/>`).join("")}</mets:div>`;
const physical = (...pages: string[]) =>
  `<mets:structMap TYPE="PHYSICAL"><mets:div TYPE="physSequence">${pages.join("")}</mets:div></mets:structMap>`;

const files =
  "<mets:fileSec>" +
  group(
    "DEFAULT",
    file("i1", "image/jpeg", "https://example.org/i/0001.jpg?x=1"),
    file("i2", "image/jpeg", "file:///D:/i/0002%20b.jpg"),
  ) +
  group(
    "FULLTEXT",
    file("t1", "text/xml", "ocr\\0001.xml"),
    file("t2", "application/alto+xml", "0002.xml"),
    file("p", "application/pdf", "all.pdf"),
  ) +
  group("Discarded", '<mets:file ID="d1" MIMETYPE="image/tiff"/>') +
  "</mets:fileSec>";

const first = {
  images: [{ name: "0001.jpg", group: "DEFAULT" }],
  texts: [{ name: "0001.xml", group: "FULLTEXT" }],
};
const second = {
  images: [{ name: "0002 b.jpg", group: "DEFAULT" }],
  texts: [{ name: "0002.xml", group: "FULLTEXT" }],
};

test("pages come by ORDER, each with its image and its text; files without an address are left out", () => {
  const pages = physical(
    page('ORDER="2"', "i2", "t2"),
    page('ORDER="1" ORDERLABEL="1r"', "i1", "t1", "d1", "p"),
  );
  expect(read(mets(files + pages))).toEqual([{ label: "1r", ...first }, second]);
});

test("without ORDER pages come as they are written", () => {
  expect(read(mets(files + physical(page("", "i2", "t2"), page("", "i1", "t1"))))).toEqual([second, first]);
});

test("areas in parallel, pages in capitals and areas of a page are read", () => {
  const areas = (image: string, text: string) =>
    `<mets:div TYPE="PAGE"><mets:fptr><mets:par><mets:area FILEID="${image}"/><mets:area FILEID="${text}" BEGIN="P1"/></mets:par></mets:fptr>` +
    `<mets:div TYPE="pagearea"><mets:fptr><mets:area FILEID="${text}"/></mets:fptr></mets:div></mets:div>`;
  expect(read(mets(files + physical(areas("i1", "t1"), areas("i2", "t2"))))).toEqual([first, second]);
});

test("a page that is listed twice counts once, and the logical structure not at all", () => {
  const logical = `<mets:structMap TYPE="LOGICAL"><mets:div TYPE="page">${page("", "i2")}</mets:div></mets:structMap>`;
  const pages = physical(page('ORDER="1"', "i1", "t1"), page('ORDER="2"', "i1", "t1"));
  expect(read(mets(files + logical + pages))).toEqual([first]);
});

test("groups nest, their ids name them without USE, and file names tell kinds without a media type", () => {
  const nested =
    '<mets:fileSec><mets:fileGrp ID="MASTER"><mets:fileGrp ID="IMG"><mets:file ID="i"><mets:FLocat xlink:href="a.TIF"/></mets:file></mets:fileGrp>' +
    '<mets:fileGrp ID="PAGEXML"><mets:file ID="t"><mets:FLocat xlink:href="page/a.xml"/></mets:file></mets:fileGrp></mets:fileGrp></mets:fileSec>';
  expect(read(mets(nested + physical(page("", "i", "t"))))).toEqual([
    { images: [{ name: "a.TIF", group: "IMG" }], texts: [{ name: "a.xml", group: "PAGEXML" }] },
  ]);
});

test("another root element is no METS file, and one that ends early is damaged", () => {
  expect(read("<TEI/>")).toBeUndefined();
  expect(() => read(mets(files).slice(0, -9))).toThrow("The text file mets.xml is damaged");
});
