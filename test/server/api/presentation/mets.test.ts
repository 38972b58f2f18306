// A METS file next to images: the order of the pages, their labels, and their files of text.

import { afterEach, beforeEach, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";
import { alto } from "../search/pages.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json } from "./walk.ts";

const root = "/iiif/presentation/3";

interface Page {
  readonly image: string;
  readonly text?: string;
  readonly label?: string;
}

/** A METS file as OCR-D and the British Library write it. */
const metsOf = (pages: readonly Page[]) =>
  `<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><mets:fileSec>
<mets:fileGrp USE="OCR-D-IMG">${pages.map(({ image }, at) => fileOf(`i${at}`, "image/tiff", image)).join("")}</mets:fileGrp>
<mets:fileGrp USE="OCR-D-GT-PAGE">${pages.map(({ text }, at) => (text === undefined ? "" : fileOf(`t${at}`, "text/xml", text))).join("")}</mets:fileGrp>
</mets:fileSec><mets:structMap TYPE="PHYSICAL"><mets:div TYPE="physSequence">${pages
    .map(
      ({ text, label }, at) =>
        `<mets:div TYPE="page" ORDER="${at + 1}"${label === undefined ? "" : ` ORDERLABEL="${label}"`}><mets:fptr FILEID="i${at}"/>${text === undefined ? "" : `<mets:fptr FILEID="t${at}"/>`}</mets:div>`,
    )
    .join("")}</mets:div></mets:structMap></mets:mets>`;
const fileOf = (id: string, type: string, address: string) =>
  `<mets:file ID="${id}" MIMETYPE="${type}"><mets:FLocat LOCTYPE="URL" xlink:href="${address}"/></mets:file>`;

let laid: Laid;
beforeEach(async () => {
  laid = await layFolder();
  for (const name of ["a", "b", "c"]) await laid.put(`book/${name}.jpg`, "jpg-gray.jpg");
});
afterEach(() => laid.drop());

const labels = async (app: Served, id = "book") =>
  (await json(app, `${root}/${id}`)).items.map(({ label }: Json) => label.none[0]);

test("gives the order of the canvases, whose ids stay, and their labels", async () => {
  await laid.write(
    "book/mets.xml",
    metsOf([{ image: "file:///D:/scans/c.tif", label: "1r" }, { image: "a.jpg" }]),
  );
  const app = await served(laid.yaml());
  const { items } = await json(app, `${root}/book`);
  expect(items.map(({ id, label }: Json) => [id.split("/").at(-1), label.none[0]])).toEqual([
    ["3", "1r"],
    ["1", "a.jpg"],
    ["2", "b.jpg"],
  ]);
  const older = await json(app, "/iiif/presentation/2/book");
  expect(older.sequences[0].canvases.map(({ label }: Json) => label)).toEqual(["1r", "a.jpg", "b.jpg"]);
  await laid.write("book/mets.xml", metsOf([{ image: "b.jpg" }]));
  expect(await labels(app)).toEqual(["b.jpg", "a.jpg", "c.jpg"]);
  await laid.remove("book/mets.xml");
  expect(await labels(app)).toEqual(["a.jpg", "b.jpg", "c.jpg"]);
});

test("counts less than what the operator describes", async () => {
  const pages = ["c", "b", "a"].map((name) => ({ image: `${name}.jpg`, label: `page ${name}` }));
  await laid.write("book/x_mets.xml", metsOf(pages));
  await laid.write(
    "book/manifest.yaml",
    "order: [b.jpg]\ncanvases: { a: Anfang, c.jpg: { summary: Nothing on it } }\n",
  );
  expect(await labels(await served(laid.yaml()))).toEqual(["page b", "Anfang", "page c"]);
});

test("names the texts of pages, whatever their own names are, which searches find in its order", async () => {
  await laid.write("book/OCR-D-GT-PAGE/FILE_0001_FULLTEXT.xml", alto("erste Zitrone"));
  await laid.write("book/FILE_0002_FULLTEXT.xml", alto("zweite Zitrone"));
  await laid.write("book/b.txt", "dritte Zitrone");
  await laid.write(
    "book/mets.xml",
    metsOf([
      { image: "OCR-D-IMG/c.tif", text: "OCR-D-GT-PAGE/FILE_0001_FULLTEXT.xml" },
      { image: "a.jpg", text: "FILE_0002_FULLTEXT.xml" },
      { image: "b.jpg", text: "missing.xml" },
    ]),
  );
  const app = await served(laid.yaml());
  const text = async (number: number) => (await app.get(`${root}/book/canvas/${number}/text`)).text();
  expect([await text(3), await text(1), await text(2)]).toEqual([
    "erste Zitrone\n",
    "zweite Zitrone\n",
    "dritte Zitrone\n",
  ]);
  const { items } = await json(app, "/iiif/search/2/presentation/3/book?q=zitrone");
  expect(items.map(({ target }: Json) => Number(/canvas\/(\d+)/.exec(target)?.[1]))).toEqual([3, 1, 2]);
  // Folders that it names are no folders for readers.
  expect((await json(app, root)).items).toHaveLength(1);
});

test("gives no page a text that it names for several, since others may not read all of them", async () => {
  await laid.write("book/all.xml", alto("erste Zitrone"));
  await laid.write("book/c_text.xml", alto("dritte Zitrone"));
  await laid.write(
    "book/mets.xml",
    metsOf([
      { image: "a.jpg", text: "all.xml" },
      // Its image is in another folder.
      { image: "x.jpg", text: "all.xml" },
      { image: "c.jpg", text: "c_text.xml" },
      { image: "c.jpg", text: "c_text.xml" },
    ]),
  );
  const { items } = await json(await served(laid.yaml()), `${root}/book`);
  expect(items.map(({ seeAlso = [] }: Json) => seeAlso.length)).toEqual([0, 1, 0]);
});

test.each([
  ["damaged", metsOf([{ image: "c.jpg" }]).slice(0, 400)],
  ["of another root", "<tei/>"],
  ["without pages", metsOf([])],
  ["of other images", metsOf([{ image: "x.jpg", label: "1r" }])],
  [
    "with entities that grow",
    `<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><mets>&b;</mets>`,
  ],
])("that is %s changes nothing", async (_, text) => {
  await laid.write("book/mets.xml", text);
  expect(await labels(await served(laid.yaml()))).toEqual(["a.jpg", "b.jpg", "c.jpg"]);
});
