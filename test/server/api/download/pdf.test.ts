// A manifest as one PDF: what it contains, who gets it, and how it is sent.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { hasProgram, outputOf } from "../../../programs.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";
import { type Json, json } from "../presentation/walk.ts";

const root = "/iiif/presentation/3";
const base = "http://images.test";
const pdf = (id: string) => `/iiif/download/pdf/${id}`;

const hocr = (word: string) =>
  `<!DOCTYPE html><html lang="de"><body><div class="ocr_page" title="bbox 0 0 600 400"><span class="ocr_line" title="bbox 10 20 210 40"><span class="ocrx_word" title="bbox 10 20 110 40">${word}</span> <span class="ocrx_word" title="bbox 120 20 210 40">Seite</span></span></div></body></html>`;

let scratch = "";
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "smalti-download-"));
});
afterAll(() => rmSync(scratch, { recursive: true }));

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

async function save(response: Response): Promise<string> {
  expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
  const path = join(scratch, "item.pdf");
  writeFileSync(path, await bytesOf(response));
  return path;
}

const said = (...call: Parameters<typeof outputOf>) => new TextDecoder().decode(outputOf(...call));

/** The images in a PDF file, as they are stored in it. */
function imagesIn(path: string): Uint8Array[] {
  const folder = mkdtempSync(join(scratch, "images-"));
  outputOf("pdfimages", ["-all", path, join(folder, "i")]);
  return readdirSync(folder)
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(folder, name))));
}

const textsIn = (path: string) =>
  said("pdftotext", [path, "-"])
    .split("\f")
    .slice(0, -1)
    .map((text) => text.trim());

const sizesOf = async (images: readonly Uint8Array[]) =>
  Promise.all(
    images.map(async (image) => {
      const { format, width, height } = await sharp(image).metadata();
      return `${format} ${width}x${height}`;
    }),
  );

describe.runIf(hasProgram("pdfinfo") && hasProgram("qpdf"))("the PDF of a folder", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    await laid.put("book/2.jpg", "jpg-progressive.jpg");
    await laid.write("book/1.hocr", hocr("Erste"));
    await laid.write("book/2.hocr", hocr("Zweite"));
  });
  afterEach(() => laid.drop());
  const open = async (more = "") => {
    app = await served(laid.yaml() + more);
  };

  test("is named by the manifest, and has the files of its JPEGs, their texts, labels and facts", async () => {
    await laid.put("book/3.png", "base.png");
    await laid.write(
      "book/manifest.yaml",
      `label: { de: [Ein Büchlein] }
requiredStatement: { label: Quelle, value: "Eine <b>Bibliothek" }
rights: http://creativecommons.org/publicdomain/zero/1.0/
viewingDirection: right-to-left
canvases: { "1.jpg": i, "2.jpg": ii, "3.png": "Übersicht" }
structures: [{ label: Anfang, items: [1.jpg] }, { label: Ende, items: [3.png] }]
`,
    );
    await open();
    const { rendering } = await json(app, `${root}/book`);
    const named = { type: "Text", label: { en: ["PDF (3 pages)"] }, format: "application/pdf" };
    expect(rendering).toEqual([{ id: base + pdf("book"), ...named }]);
    const response = await app.get(pdf("book"));
    expect(response.headers.get("Content-Type")).toBe("application/pdf");
    expect(response.headers.get("Content-Disposition")).toBe(
      `attachment; filename="Ein Buchlein.pdf"; filename*=UTF-8''Ein%20B%C3%BCchlein.pdf`,
    );
    // The third page is rendered, so nobody knows the length before.
    expect(response.headers.get("Accept-Ranges")).toBe("none");
    expect(response.headers.get("Content-Length")).toBeNull();
    const path = await save(response);
    expect(said("qpdf", ["--check", path])).toContain("No syntax or stream encoding errors found");
    const images = imagesIn(path);
    expect(images[0]).toEqual(fixture("jpg-gray.jpg"));
    expect(images[1]).toEqual(fixture("jpg-progressive.jpg"));
    const rendered = await bytesOf(await app.get("/iiif/3/book%2F3.png/full/max/0/default.jpg"));
    expect(images[2]).toEqual(rendered);
    expect(textsIn(path)).toEqual(["Erste Seite", "Zweite Seite", ""]);
    const { pagelabels, outlines } = JSON.parse(said("qpdf", ["--json", path]));
    expect(pagelabels.map(({ label }: Json) => label["/P"])).toEqual(["u:i", "u:ii", "u:Übersicht"]);
    expect(outlines).toMatchObject([
      { title: "Anfang", destpageposfrom1: 1 },
      { title: "Ende", destpageposfrom1: 3 },
    ]);
    const meta = said("pdfinfo", ["-meta", path]);
    for (const fact of [">Ein Büchlein<", "Eine", `${base}${root}/book`, "publicdomain/zero/1.0"])
      expect(meta).toContain(fact);
    expect(said("qpdf", ["--json", path])).toContain('"/R2L"');
  });

  test("has a length, and any part of it can be fetched, if all of its images pass through", async () => {
    await open();
    const whole = await app.get(pdf("book"));
    const bytes = await bytesOf(whole);
    const etag = whole.headers.get("ETag") as string;
    expect(whole.headers.get("Content-Length")).toBe(String(bytes.length));
    expect(whole.headers.get("Accept-Ranges")).toBe("bytes");
    const head = await app.get(pdf("book"), { method: "HEAD" });
    expect(head.headers.get("Content-Length")).toBe(String(bytes.length));
    expect((await bytesOf(head)).length).toBe(0);
    for (const [first, last] of [
      [0, 0],
      [1000, 70_000],
      [bytes.length - 300, bytes.length - 1],
    ] as const) {
      const headers = { Range: `bytes=${first}-${last}`, "If-Range": etag };
      const part = await app.get(pdf("book"), { headers });
      expect(part.status).toBe(206);
      expect(part.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${bytes.length}`);
      expect(await bytesOf(part)).toEqual(bytes.subarray(first, last + 1));
    }
    const beyond = await app.get(pdf("book"), { headers: { Range: `bytes=${bytes.length}-` } });
    expect(beyond.status).toBe(416);
    const other = await app.get(pdf("book"), { headers: { Range: "bytes=1-2", "If-Range": '"other"' } });
    expect(other.status).toBe(200);
    expect(await bytesOf(other)).toEqual(bytes);
  });

  test("is another one once an image, a text or a label is another", async () => {
    await open();
    const tagNow = async () => (await app.get(pdf("book"), { method: "HEAD" })).headers.get("ETag") as string;
    const tags = [await tagNow()];
    expect(await tagNow()).toBe(tags[0]);
    const held = await app.get(pdf("book"), { headers: { "If-None-Match": tags[0] as string } });
    expect(held.status).toBe(304);
    await laid.write("book/2.hocr", hocr("Andere"));
    tags.push(await tagNow());
    await laid.put("book/1.jpg", "jpg-baseline-420.jpg");
    tags.push(await tagNow());
    await laid.write("book/manifest.yaml", "label: Another");
    tags.push(await tagNow());
    expect(new Set(tags).size).toBe(4);
  });

  test("leaves EXIF, XMP, IPTC and comments out of JPEG files, unless derivatives preserve metadata", async () => {
    await laid.put("photo/1.jpg", "jpg-exif-xmp-iptc-gps.jpg");
    await open();
    const [stripped] = imagesIn(await save(await app.get(pdf("photo"))));
    const source = fixture("jpg-exif-xmp-iptc-gps.jpg");
    const found = await sharp(stripped).metadata();
    expect([found.exif, found.xmp, found.iptc]).toEqual([undefined, undefined, undefined]);
    const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
    expect((await pixels(stripped!)).equals(await pixels(source))).toBe(true);
    expect(stripped!.length).toBeLessThan(source.length);
    // Another image behind the image, with metadata of its own.
    const both = Buffer.concat([fixture("jpg-gray.jpg"), source]);
    writeFileSync(join(laid.root, "photo/2.jpg"), both);
    await open();
    const bytes = await bytesOf(await app.get(pdf("photo")));
    for (const secret of ["Exif", "8BIM"]) {
      expect(both.includes(secret), secret).toBe(true);
      expect(Buffer.from(bytes).includes(secret), secret).toBe(false);
    }
    const from = bytes.length - both.length;
    const rest = await app.get(pdf("photo"), { headers: { Range: `bytes=${from}-` } });
    expect([rest.status, await bytesOf(rest)]).toEqual([206, bytes.subarray(from)]);
    rmSync(join(laid.root, "photo/2.jpg"));
    await open("image: { metadata: preserve }");
    expect(imagesIn(await save(await app.get(pdf("photo"))))).toEqual([source]);
  });

  test("renders what not all programs read, and what is larger than derivatives may be", async () => {
    for (const [at, name] of ["jpg-cmyk-adobe.jpg", "jpg-arithmetic.jpg", "gif-static.gif"].entries())
      await laid.put(`mixed/${at}.${name.slice(-3)}`, name);
    await open();
    const images = imagesIn(await save(await app.get(pdf("mixed"))));
    for (const image of images) {
      const { format, space } = await sharp(image).metadata();
      expect([format, ["srgb", "b-w"].includes(space as string)]).toEqual(["jpeg", true]);
    }
    expect(images).toHaveLength(3);
    // Only its bytes say that it is arithmetic-coded.
    const head = await app.get(pdf("mixed/1.jpg"), { method: "HEAD" });
    expect([head.headers.get("Accept-Ranges"), head.headers.get("Content-Length")]).toEqual(["none", null]);
    expect(head.headers.get("Access-Control-Expose-Headers")).toMatch(/ETag.*, Accept-Ranges.*Content-Range/);
    await open("image: { max_output_width: 300 }");
    expect(await sizesOf(imagesIn(await save(await app.get(pdf("book")))))).toEqual(
      Array(2).fill("jpeg 300x200"),
    );
    await laid.put("large/1.png", "base.png");
    await open("presentation: { download: { page_size: 256 } }");
    expect(await sizesOf(imagesIn(await save(await app.get(pdf("large")))))).toEqual(["jpeg 256x171"]);
  });

  test("renders all pages if their masters are too large for one file", async () => {
    await laid.put("large/1.jpg", "jpg-wide-5000x12.jpg");
    await open("presentation: { download: { max_size: 1KiB } }");
    expect(await sizesOf(imagesIn(await save(await app.get(pdf("large")))))).toEqual(["jpeg 2500x6"]);
  });

  test("has JPEG 2000 files as they are if all programs read them", async () => {
    const names = ["jp2-gray.jp2", "jp2-reversible.jp2", "jp2-tiled-128.jp2", "jp2-icc-displayp3.jp2"];
    for (const [at, name] of names.entries()) await laid.put(`maps/${at}.jp2`, name);
    for (const [at, name] of ["jp2-palette.jp2", "jp2-rgb16.jp2", "jp2-rgba8.jp2"].entries())
      await laid.put(`maps/${at + 4}.jp2`, name);
    await laid.put("maps/7.jph", "htj2k-lossless.jph");
    await open("image: { metadata: preserve }");
    const path = await save(await app.get(pdf("maps")));
    expect(said("qpdf", ["--check", path])).toContain("No syntax or stream encoding errors found");
    const images = imagesIn(path);
    expect(images.slice(0, 4)).toEqual(names.map(fixture));
    expect((await sizesOf(images.slice(4))).map((size) => size.split(" ")[0])).toEqual(Array(4).fill("jpeg"));
    const drawn = outputOf("pdftocairo", ["-r", "300", "-l", "1", "-png", "-singlefile", path, "-"]);
    const ours = await bytesOf(await app.get("/iiif/3/maps%2F0.jp2/full/max/0/default.png"));
    const [one, other] = await Promise.all(
      [drawn, ours].map((bytes) => sharp(bytes).toColourspace("b-w").removeAlpha().raw().toBuffer()),
    );
    expect(one!.length).toBe(other!.length);
    expect(one!.every((sample, at) => Math.abs(sample - other![at]!) <= 1)).toBe(true);
  });

  test("has the images of a scanned PDF as that has them", async () => {
    await open();
    const first = await app.get(pdf("book"));
    writeFileSync(join(laid.root, "scans.pdf"), await bytesOf(first));
    const { items } = await json(app, `${root}/scans.pdf`);
    expect(items).toHaveLength(2);
    const path = await save(await app.get(pdf("scans.pdf")));
    expect(imagesIn(path)).toEqual([fixture("jpg-gray.jpg"), fixture("jpg-progressive.jpg")]);
  });

  test("has a page that says so for an image that cannot be read", async () => {
    await laid.put("book/3.jpg", "bad-text.jpg");
    await open();
    const path = await save(await app.get(pdf("book")));
    const texts = textsIn(path);
    expect(texts).toHaveLength(3);
    expect(texts[2]).toMatch(/3\.jpg.*could not be read|Expected/s);
  });

  test("breaks off if an image is replaced while it is sent", async () => {
    // A page and a part are made ahead of the client, so that only a later page is surely unread.
    for (const page of [4, 5, 6, 7, 8]) await laid.put(`book/${page}.jpg`, "jpg-progressive.jpg");
    // The facts of a file that has not changed for a while are remembered.
    utimesSync(join(laid.root, "book/8.jpg"), 1, 1);
    await open();
    const response = await app.get(pdf("book"));
    const reader = response.body!.getReader();
    await reader.read();
    await laid.put("book/8.jpg", "jpg-baseline-420.jpg");
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow();
  });

  test("is not offered for more pages than are allowed, or if it is turned off", async () => {
    await open("presentation: { download: { max_pages: 1 } }");
    expect((await json(app, `${root}/book`)).rendering).toBeUndefined();
    const response = await app.get(pdf("book"));
    expect([response.status, ((await response.json()) as Json).code]).toEqual([404, "no_such_download"]);
    await open("presentation: { download: { pdf: off } }");
    expect((await json(app, `${root}/book`)).rendering).toBeUndefined();
    expect((await app.get(pdf("book"))).status).toBe(404);
  });

  test("exists for one image, for files with pages and in version 2.1, and not for what is no manifest", async () => {
    await open();
    const one = await json(app, `${root}/book/1.jpg`);
    expect(one.rendering[0]).toMatchObject({ id: base + pdf("book/1.jpg"), label: { en: ["PDF (1 page)"] } });
    expect(imagesIn(await save(await app.get(pdf("book/1.jpg"))))).toEqual([fixture("jpg-gray.jpg")]);
    const older = await json(app, "/iiif/presentation/2/book");
    expect(older.rendering).toMatchObject({ "@id": base + pdf("book"), format: "application/pdf" });
    for (const none of ["", "nothing", "book/canvas/1", "book/4.jpg"])
      expect((await app.get(pdf(none))).status, none).toBe(404);
    expect((await app.get(pdf("book%2F1.jpg"))).status).toBe(200);
    expect((await app.get(pdf("../book"))).status).toBe(404);
  });

  test("is offered for a stored manifest if images of this service fill its canvases", async () => {
    const canvas = (id: string, image: string) => ({
      ...{ id: `/canvas/${id}`, type: "Canvas", width: 600, height: 400, label: { en: [id] } },
      items: [
        {
          type: "AnnotationPage",
          items: [{ type: "Annotation", motivation: "painting", body: { id: image, type: "Image" } }],
        },
      ],
    });
    const own = "/iiif/3/book%2F2.jpg/full/max/0/default.jpg";
    const stored = (...items: Json[]) =>
      JSON.stringify({
        type: "Manifest",
        label: { en: ["Stored"] },
        rendering: [{ id: "https://example.org/a.pdf", type: "Text" }],
        items,
      });
    await laid.write("own/manifest.json", stored(canvas("a", own), canvas("b", own)));
    await laid.write(
      "other/manifest.json",
      stored(canvas("a", own), canvas("b", "https://example.org/b.jpg")),
    );
    await open();
    const { rendering } = await json(app, `${root}/own`);
    expect(rendering.map(({ id }: Json) => id)).toEqual(["https://example.org/a.pdf", base + pdf("own")]);
    expect(imagesIn(await save(await app.get(pdf("own"))))).toEqual(
      Array(2).fill(fixture("jpg-progressive.jpg")),
    );
    expect((await json(app, `${root}/other`)).rendering).toHaveLength(1);
    expect((await app.get(pdf("other"))).status).toBe(404);
  });
});

describe.runIf(hasProgram("pdfinfo"))("the PDF of gated images", () => {
  let folder: string;
  let site: Gated;
  beforeAll(async () => {
    folder = await pictures();
    site = await gated({ folder });
  });
  afterAll(async () => {
    await site.close();
  });
  const get = (id: string, headers: Record<string, string> = {}) => site.app.get(pdf(id), { headers });

  test("is refused as they are, and given to readers with access, whose copies nobody else may cache", async () => {
    const denied = await get("private");
    expect(denied.status).toBe(401);
    expect(((await denied.json()) as Json).code).toBe("access_denied");
    const Cookie = await site.cookie("staff");
    const granted = await get("private", { Cookie });
    expect(granted.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(granted.headers.get("Vary")).toMatch(/Cookie/);
    expect(imagesIn(await save(granted))).toHaveLength(2);
    const held = granted.headers.get("ETag") as string;
    expect((await get("private", { "If-None-Match": held })).status).toBe(401);
  });

  test("is refused if only pages without an image are left", async () => {
    const canvas = (id: string, items: Json[]) => ({ id, type: "Canvas", width: 9, height: 9, items });
    const body = { id: "/iiif/3/private%2Fa.png/full/max/0/default.jpg", type: "Image" };
    const annotation = { type: "Annotation", motivation: "painting", body };
    const items = [canvas("/1", []), canvas("/2", [{ type: "AnnotationPage", items: [annotation] }])];
    mkdirSync(join(folder, "mixed"));
    const stored = { type: "Manifest", label: { en: ["Mixed"] }, items };
    writeFileSync(join(folder, "mixed/manifest.json"), JSON.stringify(stored));
    expect((await get("mixed")).status).toBe(401);
    const granted = await get("mixed", { Cookie: await site.cookie("staff") });
    expect(imagesIn(await save(granted))).toHaveLength(1);
  });

  test("has the pages that its reader may see, and substitutes at their size", async () => {
    const images = async (headers: Record<string, string>) =>
      sizesOf(imagesIn(await save(await get("_images", headers))));
    // In the order of their names: blue, proxied, public, room, terms.
    const blue = "jpeg 40x20";
    const [large, small] = ["jpeg 800x600", "jpeg 100x75"];
    expect(await images({})).toEqual([blue, large, small]);
    expect(await images({ "X-Reader": "bob" })).toEqual([blue, large, large, small].slice(0, 4));
    const Cookie = await site.cookie("terms");
    expect(await images({ Cookie })).toEqual([blue, large, large]);
  });
});
