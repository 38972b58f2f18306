// Manifests and collections of real folders over HTTP.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectedRows } from "../host.ts";
import { served } from "../served.ts";
import { type Laid, layFolder } from "./presentation-folder.ts";
import { type Json, json, walk } from "./presentation-walk.ts";

let laid: Laid;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/page 10.jpg", "jpg-gray.jpg");
  await laid.put("book/page 2.jpg", "jpg-orient-6.jpg");
  await laid.put("book/Page 1.png", "png-rgb8-interlaced.png");
  await laid.write("book/notes.txt", "notes");
  await laid.write("book/.hidden.jpg", "");
  await laid.write("book/Thumbs.db", "");
  await laid.put("shelf/inner/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/loose.jpg", "jpg-gray.jpg");
  await laid.put("taken/_images/canvas/1/a.jpg", "jpg-gray.jpg");
  await laid.put("taken/loose.jpg", "jpg-gray.jpg");
  await laid.put("100% ü?/a#b.png", "png-gray16.png");
  await laid.put("single.tif", "tif-multipage-3sizes.tif");
  await laid.put("broken/1.png", "png-gray16.png");
  await laid.put("broken/2.png", "bad-text.jpg");
});

afterAll(() => laid.drop());

const labels = (document: Json) => document.items.map(({ label }: Json) => label.none[0]);
const base = "http://images.test";
const at = (id: string) => `${base}/iiif/presentation/3${id && `/${id}`}`;

/** Upright width and height, as other decoders see the fixture. */
function sizeOf(fixture: string) {
  const row = expectedRows().find(({ file }) => file === fixture);
  return { width: Number(row?.owidth), height: Number(row?.oheight) };
}

describe("a folder of images", () => {
  test("is a manifest of one canvas for each image in natural order, with upright sizes", async () => {
    const manifest = await json(await served(laid.yaml()), "/iiif/presentation/3/book");
    expect(manifest).toMatchObject({ id: at("book"), type: "Manifest", label: { none: ["book"] } });
    expect(labels(manifest)).toEqual(["Page 1.png", "page 2.jpg", "page 10.jpg"]);
    expect(manifest.items.map(({ width, height }: Json) => ({ width, height }))).toEqual(
      ["png-rgb8-interlaced.png", "jpg-orient-6.jpg", "jpg-gray.jpg"].map(sizeOf),
    );
    expect(manifest.items[1].items[0].items[0].body.service[0].id).toBe(`${base}/iiif/3/book%2Fpage%202.jpg`);
  });

  test("shows an image that cannot be read as an empty canvas that says why", async () => {
    const { items } = await json(await served(laid.yaml()), "/iiif/presentation/3/broken");
    expect(items.map((canvas: Json) => canvas.items.length)).toEqual([1, 0]);
    expect(items[1].summary.en[0]).toMatch(/not a JPEG, PNG/);
  });
});

describe("a collection", () => {
  test("of the root lists the folders of the top and the manifest of its images", async () => {
    const root = await json(await served(laid.yaml()), "/iiif/presentation/3");
    expect(root).toMatchObject({ id: at(""), type: "Collection", label: { none: ["files"] } });
    expect(root.items.map(({ id, type }: Json) => [type, id])).toEqual([
      ["Manifest", at("100%25%20%C3%BC%3F")],
      ["Manifest", at("book")],
      ["Manifest", at("broken")],
      ["Collection", at("shelf")],
      ["Collection", at("taken")],
      ["Manifest", at("_images")],
    ]);
  });

  test("of folders and images lists its folders and one manifest of its images", async () => {
    const shelf = await json(await served(laid.yaml()), "/iiif/presentation/3/shelf/");
    expect(shelf.partOf).toEqual([{ id: at(""), type: "Collection" }]);
    expect(shelf.items.map(({ id, type }: Json) => [type, id])).toEqual([
      ["Manifest", at("shelf/inner")],
      ["Manifest", at("shelf/_images")],
    ]);
  });

  test("of a flat folder at the root holds one manifest", async () => {
    const flat = await layFolder();
    await flat.put("1.jpg", "jpg-gray.jpg");
    const app = await served(flat.yaml());
    const root = await json(app, "/iiif/presentation/3");
    expect(root).toMatchObject({ type: "Collection", items: [{ id: at("_images"), type: "Manifest" }] });
    expect(labels(await json(app, "/iiif/presentation/3/_images"))).toEqual(["1.jpg"]);
    await flat.drop();
  });
});

describe("an image", () => {
  test("is a manifest of one canvas", async () => {
    const manifest = await json(await served(laid.yaml()), "/iiif/presentation/3/book/page%202.jpg");
    expect(manifest.id).toBe(at("book/page%202.jpg"));
    expect(labels(manifest)).toEqual(["page 2.jpg"]);
    expect(manifest.items[0]).toMatchObject(sizeOf("jpg-orient-6.jpg"));
  });

  test("of several pages has a canvas for each of them, and one in the manifest of its folder", async () => {
    const app = await served(laid.yaml());
    const { items } = await json(app, "/iiif/presentation/3/single.tif");
    expect(items.map((canvas: Json) => canvas.items[0].items[0].body.service[0].id)).toEqual(
      [1, 2, 3].map((page) => `${base}/iiif/3/single.tif;${page}`),
    );
    for (const canvas of items) {
      const [{ id }] = canvas.items[0].items[0].body.service;
      const info = await json(app, `${id.slice(base.length)}/info.json`);
      expect([canvas.width, canvas.height]).toEqual([info.width, info.height]);
    }
    expect(labels(await json(app, "/iiif/presentation/3/_images"))).toEqual(["single.tif"]);
    expect(labels(await json(app, "/iiif/presentation/3/single.tif;2"))).toEqual(["single.tif;2"]);
  });

  test("of the bundled sample has a manifest too", async () => {
    const app = await served("sources: []");
    const root = await walk(app, "/iiif/presentation/3", { base });
    expect([...root.keys()]).toEqual([at(""), at("_images")]);
    expect(labels(await json(app, "/iiif/presentation/3/sample"))).toEqual(["sample"]);
  });
});

test("every id in every document answers with what it stands for", async () => {
  const documents = await walk(await served(laid.yaml()), "/iiif/presentation/3", { base });
  expect([...documents.keys()].sort()).toEqual(
    [
      "",
      "100%25%20%C3%BC%3F",
      "_images",
      "book",
      "broken",
      "shelf",
      "shelf/_images",
      "shelf/inner",
      "taken",
      "taken/_images",
      "taken/_images/canvas",
      "taken/_images/canvas/1",
    ]
      .map(at)
      .sort(),
  );
});

test("ids are those of the public address, behind a proxy with a prefix as well", async () => {
  const init = {
    headers: {
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "www.example.org",
      "X-Forwarded-Prefix": "/scans",
    },
  };
  const documents = await walk(await served(laid.yaml()), "/iiif/presentation/3", {
    base: "https://www.example.org/scans",
    init,
  });
  expect(documents.size).toBe(12);
});

test.each([
  ["/iiif/presentation/3/nothing", "no_such_manifest"],
  ["/iiif/presentation/3/book/notes.txt", "no_such_manifest"],
  ["/iiif/presentation/3/book/.hidden.jpg", "no_such_manifest"],
  ["/iiif/presentation/3/book/_images", "no_such_manifest"],
  ["/iiif/presentation/3/book/canvas/4", "no_such_manifest"],
  ["/iiif/presentation/3/book/_part/1", "no_such_manifest"],
  ["/iiif/presentation/3/a%5Cb", "identifier_refused"],
  ["/iiif/presentation/3/a/../b", "identifier_refused"],
])("%s is 404 with a reason (%s)", async (target, code) => {
  const response = await (await served(laid.yaml())).get(target);
  expect(response.status).toBe(404);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(await response.json()).toMatchObject({ code, status: 404 });
});
