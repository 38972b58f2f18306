// The text of pages: what canvases say about it, the documents at its addresses, and who gets them.

import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json } from "./walk.ts";

const root = "/iiif/presentation/3";
const base = "http://images.test";

/** An ALTO file of 1200 x 800 pixels, twice the size of jpg-gray.jpg, with one line of two words. */
const alto = (first: string, second: string, pages = 1) =>
  `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout>${Array.from(
    { length: pages },
    (
      _,
      at,
    ) => `<Page WIDTH="1200" HEIGHT="800"><PrintSpace><TextBlock><TextLine HPOS="100" VPOS="200" WIDTH="300" HEIGHT="40">
<String CONTENT="${first}${pages > 1 ? at + 1 : ""}" HPOS="100" VPOS="200" WIDTH="140" HEIGHT="40"/><SP/><String CONTENT="${second}" HPOS="260" VPOS="200" WIDTH="140" HEIGHT="40"/>
</TextLine></TextBlock></PrintSpace></Page>`,
  ).join("")}</Layout></alto>`;

const hocr = (word: string) =>
  `<!DOCTYPE html><html lang="de"><body><div class="ocr_page" title="bbox 0 0 600 400"><span class="ocr_line" title="bbox 10 20 110 40"><span class="ocrx_word" title="bbox 10 20 110 40">${word}</span></span></div></body></html>`;

const textsOf = (page: Json) =>
  page.items.map(({ body, target }: Json) => [body.value, target.split("#")[1]]);

describe("a folder of images with texts", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    for (const page of [1, 2, 3, 4]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
  });
  afterEach(() => laid.drop());
  const open = async () => {
    app = await served(laid.yaml());
    return json(app, `${root}/book`);
  };
  const lines = async (number: number) => textsOf(await json(app, `${root}/book/canvas/${number}/lines`));

  test("has lines in pixels of the canvas, from a file next to the image, with its whole name, or in a folder", async () => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    await laid.write("book/2.jpg.xml", alto("Second", "page"));
    await laid.write("book/hocr/3.hocr", hocr("Drittens"));
    const { items } = await open();
    expect(items.map(({ annotations = [] }: Json) => annotations.map(({ id }: Json) => id))).toEqual([
      [`${base}${root}/book/canvas/1/lines`],
      [`${base}${root}/book/canvas/2/lines`],
      [`${base}${root}/book/canvas/3/lines`],
      [],
    ]);
    // Half of the numbers in the file.
    expect(await lines(1)).toEqual([["Guten Tag", "xywh=50,100,150,20"]]);
    expect(await lines(2)).toEqual([["Second page", "xywh=50,100,150,20"]]);
    expect(await lines(3)).toEqual([["Drittens", "xywh=10,20,100,20"]]);
    const words = await json(app, `${root}/book/canvas/1/words`);
    expect(textsOf(words)).toEqual([
      ["Guten", "xywh=50,100,70,20"],
      ["Tag", "xywh=130,100,70,20"],
    ]);
    expect(words.items[0]).toMatchObject({ motivation: "supplementing", textGranularity: "word" });
    // Folders of texts are parts of the book, and no folders of their own.
    expect((await json(app, root)).items.map(({ id }: Json) => id)).toEqual([`${base}${root}/book`]);
    expect((await app.get(`${root}/book/canvas/4/lines`)).status).toBe(404);
  });

  test("sends the plain text, and the file as it is, in which nothing runs", async () => {
    const file = alto("Guten", "Tag").replace("<Layout>", "<script>alert(1)</script><Layout>");
    await laid.write("book/1.xml", file);
    await laid.write("book/2.txt", "Only text,\n\nwithout boxes");
    const { items } = await open();
    const [first, second] = items;
    expect(first.rendering[0]).toMatchObject({ type: "Text", format: "text/plain" });
    const text = await app.get(first.rendering[0].id.slice(base.length));
    expect([text.headers.get("Content-Type"), await text.text()]).toEqual([
      "text/plain; charset=utf-8",
      "Guten Tag\n",
    ]);
    const ocr = await app.get(first.seeAlso[0].id.slice(base.length));
    expect(await ocr.text()).toBe(file);
    for (const { headers } of [text, ocr]) {
      expect(headers.get("Content-Security-Policy")).toMatch(/^sandbox;/);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
    expect(second.seeAlso).toBeUndefined();
    expect((await app.get(`${root}/book/canvas/2/ocr`)).status).toBe(404);
    const whole = await json(app, `${root}/book/canvas/2/lines`);
    expect(whole.items).toMatchObject([{ target: `${base}${root}/book/canvas/2` }]);
  });

  test("shows a changed text, and says which file is damaged", async () => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    await open();
    expect(await lines(1)).toHaveLength(1);
    await laid.write("book/1.xml", alto("Guten", "Abend, Freunde"));
    expect(await lines(1)).toEqual([["Guten Abend, Freunde", "xywh=50,100,150,20"]]);
    await laid.write("book/1.xml", alto("Guten", "Tag").slice(0, 300));
    const response = await app.get(`${root}/book/canvas/1/lines`);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: "text_damaged",
      detail: expect.stringContaining("1.xml"),
    });
    const nested = `<alto>${"<a>".repeat(300)}${"</a>".repeat(300)}</alto>`;
    await laid.write("book/1.xml", nested);
    const responses = await Promise.all(
      ["lines", "text", "ocr"].map((piece) => app.get(`${root}/book/canvas/1/${piece}`)),
    );
    for (const each of responses)
      expect([each.status, await each.json()]).toMatchObject([400, { code: "text_too_large" }]);
  });

  test("has the text of another file if one is too large, which is not read", async () => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    truncateSync(join(laid.root, "book/1.xml"), 100 * 2 ** 20 + 1);
    await open();
    const refused = await app.get(`${root}/book/canvas/1/lines`);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: "text_too_large", detail: expect.stringContaining("1.xml") },
    ]);
    // So is the file itself.
    const own = await app.get(`${root}/book/canvas/1/ocr`);
    expect([own.status, await own.json()]).toMatchObject([
      400,
      { code: "text_too_large", detail: expect.stringContaining("1.xml") },
    ]);
    await laid.write("book/1.txt", "Guten Abend");
    expect(await (await app.get(`${root}/book/canvas/1/text`)).text()).toBe("Guten Abend\n");
  });

  // Names of files as libraries and their programs write them.
  test.each([
    ["0001.jpg", "0001.xml"],
    ["0002364_18110127_0001.jpg", "0002364_18110127_0001.xml"],
    ["img_0005.jpg", "img_0005.jpg.xml"],
    ["text00001-small.jpg", "text00001-small.jpg.xml"],
    ["page.jpg", "page.jpg.alto.xml"],
    ["page.jpg", "page_alto.xml"],
    ["page.jpg", "page.alto.XML"],
    ["X0000001.jpg", "ocr/X0000001.xml"],
    ["0001.jpg", "ALTO/0001.xml"],
    ["0001.jpg", "alto/0001.jpg.xml"],
    ["0001.jpg", "alto/0001.alto.xml"],
    ["0001.jpg", "OCR/0001.xml"],
    ["0001.jpg", "fulltext/0001.xml"],
    ["0001.jpg", "Fulltext/0001.XML"],
    ["0001.jpg", "text/0001.xml"],
    ["Page1.JPG", "page1.xml"],
    ["Page1.JPG", "ALTO/PAGE1.jpg.xml"],
    ["page1.jpg", "PAGE1.XML"],
    ["u\u0308ber.jpg", "\u00fcber.xml"],
  ])("finds the text of %s in %s", async (image, text) => {
    await laid.put(`names/${image}`, "jpg-gray.jpg");
    await laid.write(`names/${text}`, alto("Guten", "Tag"));
    // Other XML that such folders have, and a page without a text.
    for (const name of ["mets.xml", "metadata.xml"]) await laid.write(`names/${name}`, "<mets/>");
    await laid.put("names/zzz.jpg", "jpg-gray.jpg");
    app = await served(laid.yaml());
    const { items } = await json(app, `${root}/names`);
    expect(items.map(({ rendering = [] }: Json) => rendering.length)).toEqual([1, 0]);
    expect(await (await app.get(`${root}/names/canvas/1/text`)).text()).toBe("Guten Tag\n");
  });

  test.each([
    ["page", "page/0001.xml"],
    ["page", "PAGE/0001.xml"],
    ["page", "0001.page.xml"],
  ])("finds a text in PAGE in the folder or file %s: %s", async (_, text) => {
    await laid.put("names/0001.jpg", "jpg-gray.jpg");
    await laid.write(
      `names/${text}`,
      `<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page imageWidth="600" imageHeight="400"><TextRegion id="r"><Coords points="0,0 9,0 9,9 0,9"/><TextLine id="l"><Coords points="10,20 110,20 110,40 10,40"/><TextEquiv><Unicode>Zeile</Unicode></TextEquiv></TextLine></TextRegion></Page></PcGts>`,
    );
    app = await served(laid.yaml());
    expect(textsOf(await json(app, `${root}/names/canvas/1/lines`))).toEqual([
      ["Zeile", "xywh=10,20,100,20"],
    ]);
  });

  test.each(["hocr/0001.hocr", "HOCR/0001.HOCR", "0001.hocr.html", "0001_hocr.html", "ocr/0001.hocr.htm"])(
    "finds a text in hOCR: %s",
    async (text) => {
      await laid.put("names/0001.jpg", "jpg-gray.jpg");
      await laid.write(`names/${text}`, hocr("Zeile"));
      app = await served(laid.yaml());
      expect(textsOf(await json(app, `${root}/names/canvas/1/lines`))).toEqual([
        ["Zeile", "xywh=10,20,100,20"],
      ]);
    },
  );

  test("gives no image the text of another whose name differs in case alone", async () => {
    for (const name of ["Page1.JPG", "page1.jpg", "A.jpg", "a.png"])
      await laid.put(`names/${name}`, name.endsWith("png") ? "png-exif-orient-6.png" : "jpg-gray.jpg");
    await laid.write("names/page1.xml", alto("Guten", "Tag"));
    await laid.write("names/ocr/a.txt", "Guten Abend");
    app = await served(laid.yaml());
    const { items } = await json(app, `${root}/names`);
    const texts = items.map(({ label, rendering = [] }: Json) => [label.none[0], rendering.length]);
    expect(Object.fromEntries(texts)).toEqual({ "A.jpg": 0, "a.png": 1, "Page1.JPG": 0, "page1.jpg": 1 });
  });

  test.each([
    ["the configuration", "presentation: { texts: false }\n", undefined],
    ["the manifest file of the folder", "", "texts: false\nlabel: Without\n"],
  ])("has no texts if %s turns them off", async (_, options, manifestFile) => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    if (manifestFile) await laid.write("book/manifest.yaml", manifestFile);
    app = await served(laid.yaml() + options);
    for (const document of ["book", "book/1.jpg"]) {
      const whole = await json(app, `${root}/${document}`);
      expect([whole.service, whole.items[0].rendering, whole.items[0].annotations]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      for (const piece of ["lines", "words", "text", "ocr"])
        expect((await app.get(`${root}/${document}/canvas/1/${piece}`)).status).toBe(404);
    }
    expect((await app.get("/iiif/search/2/presentation/3/book?q=guten")).status).toBe(404);
    // Only where the file says so.
    await laid.put("other/1.jpg", "jpg-gray.jpg");
    await laid.write("other/1.xml", alto("Guten", "Tag"));
    expect((await app.get(`${root}/other/canvas/1/text`)).status).toBe(options ? 404 : 200);
    // The folder of texts is still none for readers.
    await laid.write("other/ocr/2.txt", "Text");
    expect((await json(app, root)).items).toHaveLength(2);
  });

  test("says so if the key that turns texts off has another value", async () => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    await laid.write("book/manifest.yaml", "texts: maybe\n");
    app = await served(laid.yaml());
    const response = await app.get(`${root}/book`);
    expect(response.headers.get("X-Ignored-Manifest-File")).toBe("manifest.yaml, line 1");
    expect((await response.json()).items[0].rendering).toHaveLength(1);
  });

  test("does not take other XML for text", async () => {
    await laid.write("book/1.xml", '<mets xmlns="http://www.loc.gov/METS/"><fileSec/></mets>');
    await open();
    expect(await lines(1)).toEqual([]);
    for (const piece of ["text", "ocr"])
      expect((await app.get(`${root}/book/canvas/1/${piece}`)).status).toBe(404);
  });

  test("has the pages of a file with several, from one file of as many pages or a folder of its name", async () => {
    await laid.put("sheets/a.tif", "tif-multipage-3sizes.tif");
    await laid.write("sheets/a.xml", alto("Page", "a", 3));
    await laid.put("sheets/b.tif", "tif-multipage-3sizes.tif");
    for (const page of [1, 2, 3]) await laid.write(`sheets/b/000${page}.xml`, alto(`File${page}`, "b"));
    app = await served(laid.yaml());
    const texts: string[] = [];
    for (let number = 1; number <= 6; number++)
      texts.push(await (await app.get(`${root}/sheets/canvas/${number}/text`)).text());
    expect(texts).toEqual(["Page1 a\n", "Page2 a\n", "Page3 a\n", "File1 b\n", "File2 b\n", "File3 b\n"]);
    // Readers of one page need not be readers of the others.
    expect((await app.get(`${root}/sheets/canvas/1/ocr`)).status).toBe(404);
    expect((await app.get(`${root}/sheets/canvas/4/ocr`)).status).toBe(200);
    const { items: sheets } = await json(app, `${root}/sheets`);
    expect(sheets.map(({ seeAlso }: Json) => seeAlso?.length)).toEqual([
      undefined,
      undefined,
      undefined,
      1,
      1,
      1,
    ]);
    // So has the manifest of the image alone.
    const { items } = await json(app, `${root}/sheets/b.tif`);
    const address = items[1].rendering[0].id.slice(base.length);
    expect(await (await app.get(address)).text()).toBe("File2 b\n");
  });

  test.each([
    [
      "a METS file and two forms of each page",
      ["mets.xml", "p_1.xml", "p_1.txt", "p_2.xml", "p_2.txt"],
      ["1", "2", undefined],
    ],
    ["no file for a blank page", ["0001.xml", "0003.xml"], ["0001", undefined, "0003"]],
    ["numbers from 0", ["0.xml", "1.xml", "2.xml"], [undefined, undefined, undefined]],
    ["two files of one number", ["1r.xml", "1v.xml", "2r.xml"], [undefined, undefined, undefined]],
  ])("gives each page of a file the text of its number: %s", async (_, files, expected) => {
    await laid.put("sheets/b.tif", "tif-multipage-3sizes.tif");
    for (const name of files)
      await laid.write(
        `sheets/b/${name}`,
        alto("of", name.replace(/^p_|\..*$/g, "")).replace(/^.*$/s, (text) =>
          name === "mets.xml" ? "<mets/>" : text,
        ),
      );
    app = await served(laid.yaml());
    for (const [at, number] of expected.entries()) {
      const response = await app.get(`${root}/sheets/canvas/${at + 1}/text`);
      expect([response.status, response.status === 200 && (await response.text())]).toEqual(
        number === undefined ? [404, false] : [200, `of ${number}\n`],
      );
    }
  });

  test("has no texts if a hook may show another file under the name of an image", async () => {
    await laid.put("other/1.jpg", "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("not", "redacted"));
    const hook = join(laid.root, "hook.mjs");
    writeFileSync(
      hook,
      "export const resolve = ({ identifier }) => ({ key: identifier.replace('book/', 'other/') });",
    );
    const engine = `hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }`;
    app = await served(`${laid.yaml()}${engine}\npresentation: { derive: always }\n`);
    const { items, service } = await json(app, `${root}/book`);
    expect(items.length).toBeGreaterThan(0);
    expect([service, items[0].rendering]).toEqual([undefined, undefined]);
    expect((await app.get(`${root}/book/canvas/1/text`)).status).toBe(404);
    expect((await app.get("/iiif/search/2/presentation/3/book?q=redacted")).status).toBe(404);
  });

  // A mark of 30 x 40 pixels at the left top of the stored image, as EXIF turns it.
  const turned: readonly (readonly [orientation: number, box: string])[] = [
    [1, "10,20,30,40"],
    [2, "10,20,30,40"],
    [3, "10,20,30,40"],
    [4, "10,20,30,40"],
    [5, "20,10,40,30"],
    [6, "240,10,40,30"],
    [7, "240,160,40,30"],
    [8, "20,160,40,30"],
  ];
  test.each(turned)(
    "turns the boxes of an image of EXIF orientation %i with it",
    async (orientation, box) => {
      const altoOf = (width: number, height: number) =>
        `<alto><Layout><Page WIDTH="${width}" HEIGHT="${height}"><PrintSpace><TextLine>
      <String CONTENT="Marke" HPOS="10" VPOS="20" WIDTH="30" HEIGHT="40"/></TextLine></PrintSpace></Page></Layout></alto>`;
      const storedText = orientation > 4 ? altoOf(200, 300) : altoOf(300, 200);
      for (const name of ["stored", "upright"]) {
        await laid.put(`turned/${name}.jpg`, `jpg-orient-${orientation}.jpg`);
        await laid.write(`turned/${name}.xml`, name === "stored" ? storedText : altoOf(300, 200));
      }
      app = await served(laid.yaml());
      for (const document of ["turned", "turned/stored.jpg"]) {
        const { items } = await json(app, `${root}/${document}/canvas/1/lines`);
        const found = await json(app, `/iiif/search/2/presentation/3/${document}?q=marke`);
        for (const { target } of [items[0], found.items[0]])
          expect(target).toBe(`${base}${root}/${document}/canvas/1#xywh=${box}`);
      }
      expect(textsOf(await json(app, `${root}/turned/canvas/2/lines`))).toEqual([
        ["Marke", "xywh=10,20,30,40"],
      ]);
    },
  );

  test("has the same in version 2.1", async () => {
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    await open();
    const { sequences } = await json(app, "/iiif/presentation/2/book");
    const [canvas] = sequences[0].canvases;
    expect(JSON.stringify(canvas.rendering)).toContain("text/plain");
    const [{ "@id": list }] = canvas.otherContent;
    const { resources } = await json(app, list.slice(base.length));
    expect(resources).toMatchObject([
      {
        motivation: "sc:painting",
        on: `${canvas["@id"]}#xywh=50,100,150,20`,
        resource: { chars: "Guten Tag" },
      },
    ]);
  });
});

/** A canvas of a stored manifest, of 300 x 200, half the size of jpg-gray.jpg, that shows an image. */
const storedCanvas = (id: string, body: unknown, more: object = {}, target?: string) => ({
  id: `https://old.example/${id}`,
  type: "Canvas",
  width: 300,
  height: 200,
  items: [
    {
      type: "AnnotationPage",
      items: [{ type: "Annotation", motivation: "painting", body, ...(target && { target }) }],
    },
  ],
  ...more,
});
const imageBody = (identifier: string, region = "full") => ({
  id: `https://former.example/iiif/3/${encodeURIComponent(identifier)}/${region}/max/0/default.jpg`,
  type: "Image",
});
const storedManifest = (items: readonly object[], more: object = {}) =>
  JSON.stringify({ type: "Manifest", label: { none: ["Book"] }, ...more, items });

describe("a manifest that an operator stored", () => {
  let laid: Laid;
  beforeEach(async () => {
    laid = await layFolder();
    for (const page of [1, 2]) {
      await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
      await laid.write(`book/${page}.xml`, alto(`Seite${page}`, "gemeinsam"));
    }
    await laid.put("other/plate.jpg", "jpg-gray.jpg");
    await laid.write("other/ocr/plate.xml", alto("Tafel", "gemeinsam"));
  });
  afterEach(() => laid.drop());

  test("has the texts of the images that fill its canvases, whose ids stay, and a search in them", async () => {
    await laid.write(
      "book/manifest.json",
      storedManifest([
        storedCanvas("b", imageBody("book/2.jpg")),
        storedCanvas("plate", {
          type: "Choice",
          items: [imageBody("other/plate.jpg"), imageBody("book/1.jpg")],
        }),
        storedCanvas("elsewhere", { id: "https://elsewhere.example/1.jpg", type: "Image" }),
        storedCanvas("part", imageBody("book/1.jpg", "0,0,100,100")),
        storedCanvas("beside", imageBody("book/1.jpg"), {}, "https://old.example/beside#xywh=0,0,10,10"),
      ]),
    );
    const app = await served(laid.yaml());
    const { items, service } = await json(app, `${root}/book`);
    expect(items.map(({ id }: Json) => id.split("/").at(-1))).toEqual([
      "b",
      "plate",
      "elsewhere",
      "part",
      "beside",
    ]);
    expect(items.map(({ seeAlso = [] }: Json) => seeAlso.map(({ id }: Json) => id))).toEqual([
      [`${base}${root}/book/canvas/1/ocr`],
      [`${base}${root}/book/canvas/2/ocr`],
      [],
      [],
      [],
    ]);
    // A quarter of the numbers in the file.
    const lines = await json(app, items[0].annotations[0].id.slice(base.length));
    expect(lines.items).toMatchObject([
      { target: "https://old.example/b#xywh=25,50,75,10", body: { value: "Seite2 gemeinsam" } },
    ]);
    expect(service[0].type).toBe("SearchService2");
    const found = await json(app, `${service[0].id.slice(base.length)}?q=gemeinsam`);
    expect(found.items.map(({ target }: Json) => target)).toEqual([
      "https://old.example/b#xywh=65,50,35,10",
      "https://old.example/plate#xywh=65,50,35,10",
    ]);
    const older = await json(app, "/iiif/presentation/2/book");
    expect(JSON.stringify(older.service)).toContain("/iiif/search/1/presentation/2/book");
    expect(older.sequences[0].canvases[0].otherContent).toHaveLength(1);
  });

  test("keeps the texts and the search that its operator named, and has none twice", async () => {
    const own = {
      seeAlso: [{ id: "https://ocr.example/1.xml", type: "Dataset", format: "application/alto+xml" }],
      rendering: [
        { id: "https://ocr.example/1.txt", type: "Text", format: "text/plain", label: { none: ["x"] } },
      ],
    };
    const derived = {
      annotations: [{ id: "/iiif/presentation/3/book/canvas/2/lines", type: "AnnotationPage" }],
    };
    const service = [{ id: "https://search.example/", type: "SearchService2" }];
    await laid.write(
      "book/manifest.json",
      storedManifest(
        [
          storedCanvas("a", imageBody("book/1.jpg"), own),
          storedCanvas("b", imageBody("book/2.jpg"), derived),
        ],
        { service },
      ),
    );
    const app = await served(laid.yaml());
    const manifest = await json(app, `${root}/book`);
    expect(manifest.service).toEqual(service);
    const [first, second] = manifest.items;
    expect([first.seeAlso, first.rendering]).toEqual([own.seeAlso, own.rendering]);
    expect(first.annotations).toHaveLength(1);
    expect(second.annotations.map(({ id }: Json) => id)).toEqual([`${base}${root}/book/canvas/2/lines`]);
    expect(second.seeAlso).toHaveLength(1);
  });

  test("has none if texts are turned off, and follows changes of other folders", async () => {
    await laid.write("book/manifest.json", storedManifest([storedCanvas("p", imageBody("other/plate.jpg"))]));
    const off = await served(`${laid.yaml()}presentation: { texts: false }\n`);
    expect((await json(off, `${root}/book`)).items[0].seeAlso).toBeUndefined();
    const app = await served(laid.yaml());
    expect((await json(app, `${root}/book`)).items[0].seeAlso).toHaveLength(1);
    await laid.remove("other/ocr");
    expect((await json(app, `${root}/book`)).items[0].seeAlso).toBeUndefined();
  });

  test("has the texts of gated images for their readers alone", async () => {
    const folder = await pictures();
    mkdirSync(join(folder, "book"));
    for (const name of ["private/a", "public"])
      writeFileSync(
        join(folder, `${name}.xml`),
        alto(name === "public" ? "Offen" : "Geheimnis", "gemeinsam"),
      );
    writeFileSync(
      join(folder, "book/manifest.json"),
      storedManifest([
        storedCanvas("a", imageBody("private/a.png")),
        storedCanvas("b", imageBody("public.png")),
      ]),
    );
    const site = await gated({ folder });
    const headers = { Cookie: await site.cookie("staff") };
    const search = (word: string, init?: object) =>
      site.app.get(`/iiif/search/2/presentation/3/book?q=${word}`, init);
    // Readers first, so that nothing that was made for them is sent to others.
    for (const init of [{ headers }, undefined, { headers }, undefined]) {
      const counts = [];
      for (const word of ["geheimnis", "gemeinsam"])
        counts.push((await (await search(word, init)).json()).items.length);
      expect(counts).toEqual(init ? [1, 2] : [0, 1]);
      const { items } = await json(site.app, `${root}/book`, init);
      expect(items.map(({ rendering = [] }: Json) => rendering.length)).toEqual(init ? [1, 1] : [0, 1]);
      for (const piece of ["lines", "words", "text", "ocr"]) {
        const response = await site.app.get(`${root}/book/canvas/1/${piece}`, init);
        expect([response.status, (await response.text()).includes("Geheimnis")]).toEqual(
          init ? [200, true] : [401, false],
        );
      }
      const complete = await site.app.get("/iiif/autocomplete/2/presentation/3/book?q=ge", init);
      expect((await complete.json()).items.map(({ value }: Json) => value).sort()).toEqual(
        init ? ["Geheimnis", "gemeinsam"] : ["gemeinsam"],
      );
    }
    await site.close();
  });
});

describe("the addresses of a text", () => {
  test("lead to it if a hook has changed the manifest", async () => {
    const laid = await layFolder();
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("Guten", "Tag"));
    const hook = join(laid.root, "hook.mjs");
    writeFileSync(hook, "export const presentation = () => ({ label: 'By the hook' });");
    const app = await served(`${laid.yaml()}hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }\n`);
    const { label, items } = await json(app, `${root}/book`);
    expect(label).toEqual({ none: ["By the hook"] });
    const [{ annotations, rendering, seeAlso }] = items;
    for (const { id } of [...annotations, ...rendering, ...seeAlso])
      expect(await (await app.get(id.slice(base.length))).text()).toContain("Guten");
    await laid.drop();
  });

  test("lead to it if other texts of the manifest are withheld", async () => {
    const folder = await pictures();
    writeFileSync(join(folder, "public.xml"), alto("Guten", "Tag"));
    writeFileSync(
      join(folder, "manifest.yaml"),
      "images: { canvases: { terms.png: { seeAlso: { id: https://a.example/secret, type: Dataset, format: text/plain } } } }\n",
    );
    const site = await gated({ folder });
    const manifest = await json(site.app, `${root}/_images`);
    const Cookie = await site.cookie("terms");
    const whole = await json(site.app, `${root}/_images`, { headers: { Cookie } });
    expect(JSON.stringify(whole)).toContain("https://a.example/secret");
    expect(JSON.stringify(manifest)).not.toContain("https://a.example/secret");
    const shown = manifest.items.find(({ rendering }: Json) => rendering);
    const { pathname } = new URL(shown.rendering[0].id);
    expect(await (await site.app.get(pathname)).text()).toBe("Guten Tag\n");
    await site.close();
  });
});

describe("the text of a gated page", () => {
  test("is not in what readers of the other pages get", async () => {
    const laid = await layFolder();
    await laid.put("sheets/a.tif", "tif-multipage-3sizes.tif");
    await laid.write("sheets/a.xml", alto("Page", "a", 3));
    const hook = join(laid.root, "hook.mjs");
    writeFileSync(
      hook,
      "export const authorize = ({ identifier, page }) => ({ allow: !identifier.endsWith(';2') && page !== 2 });",
    );
    const app = await served(`${laid.yaml()}hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }\n`);
    for (const document of ["sheets", "sheets/a.tif"])
      for (const piece of ["lines", "words", "text", "ocr"])
        for (const number of [1, 2, 3]) {
          const response = await app.get(`${root}/${document}/canvas/${number}/${piece}`);
          expect(await response.text()).not.toContain("Page2");
          if (number === 2) expect([document, piece, response.status]).toEqual([document, piece, 401]);
        }
    expect(await (await app.get(`${root}/sheets/canvas/3/text`)).text()).toBe("Page3 a\n");
    await laid.drop();
  });
});

describe("the text of a gated image", () => {
  let site: Gated;
  const secret = "Geheimnis";
  const pieces = ["lines", "words", "text", "ocr"];
  beforeAll(async () => {
    const folder = await pictures();
    for (const name of ["private/a", "terms", "public"])
      writeFileSync(join(folder, `${name}.xml`), alto(secret, "x"));
    site = await gated({ folder });
  });
  afterAll(() => site.close());

  /** All addresses of the text of an image, in the manifest of its folder and in its own. */
  async function addresses(folder: string, image: string): Promise<readonly string[]> {
    const { items } = await json(site.app, `${root}/${folder}`);
    const number = items.findIndex(({ label }: Json) => label.none[0] === image.split("/").at(-1)) + 1;
    const documents = [`${folder}/canvas/${number}`, `${image}/canvas/1`];
    return [2, 3].flatMap((version) =>
      documents.flatMap((document) =>
        pieces.map((piece) => `/iiif/presentation/${version}/${document}/${piece}`),
      ),
    );
  }

  test.each([
    ["private", "private/a.png", "staff"],
    ["_images", "terms.png", "terms"],
  ])("in %s is for readers of the whole image %s alone", async (folder, image, profile) => {
    const Cookie = await site.cookie(profile);
    const all = await addresses(folder, image);
    expect(all).toHaveLength(16);
    for (const path of all) {
      const denied = await site.app.get(path);
      expect([path, denied.status]).toEqual([path, 401]);
      expect(await denied.text()).not.toContain(secret);
      expect(denied.headers.get("Cache-Control")).toContain("private");
      const granted = await site.app.get(path, { headers: { Cookie } });
      expect([path, granted.status]).toEqual([path, 200]);
      expect(await granted.text()).toContain(secret);
      expect(granted.headers.get("Cache-Control")).toContain("private");
    }
    for (const id of [folder, image]) {
      const manifest = await (await site.app.get(`${root}/${id}`)).text();
      const own = manifest
        .split('"type":"Canvas"')
        .filter((part) => part.includes(encodeURIComponent(image)));
      expect(own.length).toBeGreaterThan(0);
      for (const part of own) expect(part).not.toMatch(/\/canvas\/\d+\/(?:lines|words|text|ocr)"/);
    }
  });

  test("of a public image next to it is for all", async () => {
    const all = await addresses("_images", "public.png");
    for (const path of all) expect([path, (await site.app.get(path)).status]).toEqual([path, 200]);
  });
});
