// Manifests and collections of real folders over HTTP.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectedRows } from "../../../host.ts";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

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
  test("is a manifest with one canvas for each image in natural order, with upright sizes", async () => {
    const manifest = await json(await served(laid.yaml()), "/iiif/presentation/3/book");
    expect(manifest).toMatchObject({ id: at("book"), type: "Manifest", label: { none: ["book"] } });
    expect(labels(manifest)).toEqual(["Page 1.png", "page 2.jpg", "page 10.jpg"]);
    expect(manifest.items.map(({ width, height }: Json) => ({ width, height }))).toEqual(
      ["png-rgb8-interlaced.png", "jpg-orient-6.jpg", "jpg-gray.jpg"].map(sizeOf),
    );
    expect(manifest.items[1].items[0].items[0].body.service[0].id).toBe(`${base}/iiif/3/book%2Fpage%202.jpg`);
  });

  test("shows an unreadable image as an empty canvas that says why", async () => {
    const { items } = await json(await served(laid.yaml()), "/iiif/presentation/3/broken");
    expect(items.map((canvas: Json) => canvas.items.length)).toEqual([1, 0]);
    expect(items[1].summary.en[0]).toMatch(/not a JPEG, PNG/);
  });

  test.each(["bad-empty.jpg", "bad-svg.jpg", "bad-text.jpg"])(
    "has no document of %s alone, with the reason and status of its image information",
    async (name) => {
      const own = await layFolder();
      await own.put(`unread/${name}`, name);
      const app = await served(own.yaml());
      const info = await app.get(`/iiif/3/unread%2F${name}/info.json`);
      const { detail } = (await info.json()) as Json;
      expect(info.status).toBe(501);
      for (const address of [`3/unread/${name}`, `2/unread/${name}`, `3/unread/${name}/canvas/1`]) {
        const response = await app.get(`/iiif/presentation/${address}`);
        expect(response.status).toBe(501);
        expect(await response.json()).toMatchObject({ code: "unsupported_format", detail });
      }
      await own.drop();
    },
  );
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
    const shelf = await json(await served(laid.yaml()), "/iiif/presentation/3/shelf");
    expect(shelf.partOf).toEqual([{ id: at(""), type: "Collection" }]);
    expect(shelf.items.map(({ id, type }: Json) => [type, id])).toEqual([
      ["Manifest", at("shelf/inner")],
      ["Manifest", at("shelf/_images")],
    ]);
  });

  test("of a flat folder at the root contains one manifest", async () => {
    const flat = await layFolder();
    await flat.put("1.jpg", "jpg-gray.jpg");
    const app = await served(flat.yaml());
    const root = await json(app, "/iiif/presentation/3");
    expect(root).toMatchObject({ type: "Collection", items: [{ id: at("_images"), type: "Manifest" }] });
    expect(labels(await json(app, "/iiif/presentation/3/_images"))).toEqual(["1.jpg"]);
    await flat.drop();
  });
});

describe.skipIf(process.platform === "win32")("a name that no identifier may have", () => {
  test("is omitted from documents, and everything else is served", async () => {
    const odd = await layFolder();
    for (const path of ["shelf/a\\b/1.jpg", "shelf/c/1.jpg", "shelf/c/2\\3.jpg", "c: old/1.jpg"])
      await odd.put(path, "jpg-gray.jpg");
    const documents = await walk(await served(odd.yaml()), "/iiif/presentation/3", { base });
    expect([...documents.keys()]).toEqual([at(""), at("shelf"), at("shelf/c")]);
    expect(labels(documents.get(at("shelf/c")))).toEqual(["1.jpg"]);
    await odd.drop();
  });
});

describe("an image", () => {
  test("is a manifest of one canvas", async () => {
    const manifest = await json(await served(laid.yaml()), "/iiif/presentation/3/book/page%202.jpg");
    expect(manifest.id).toBe(at("book/page%202.jpg"));
    expect(labels(manifest)).toEqual(["page 2.jpg"]);
    expect(manifest.items[0]).toMatchObject(sizeOf("jpg-orient-6.jpg"));
  });

  test("of several pages has a canvas for each page, as in the manifest of its folder", async () => {
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
    expect(labels(await json(app, "/iiif/presentation/3/_images"))).toEqual(
      [1, 2, 3].map((page) => `single.tif, p. ${page}`),
    );
    expect(labels(await json(app, "/iiif/presentation/3/single.tif%3B2"))).toEqual(["single.tif;2"]);
  });

  test("of the bundled sample has a manifest too", async () => {
    const app = await served("sources: []");
    const root = await walk(app, "/iiif/presentation/3", { base });
    expect([...root.keys()]).toEqual([at(""), at("_images")]);
    expect(labels(await json(app, "/iiif/presentation/3/sample"))).toEqual(["sample"]);
  });
});

test("every id in every document responds with the thing it identifies", async () => {
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

describe("a response", () => {
  const target = "/iiif/presentation/3/book";
  const profile = (version: number) =>
    `application/ld+json;profile="http://iiif.io/api/presentation/${version}/context.json"`;

  test.each([
    [3, undefined, profile(3)],
    [3, "*/*", profile(3)],
    [3, "application/json", "application/json"],
    [3, profile(3), profile(3)],
    [2, undefined, "application/json"],
    [2, "application/ld+json", profile(2)],
  ])("of version %i to Accept: %s is %s", async (version, accept, type) => {
    const app = await served(laid.yaml());
    const { headers } = await app.get(`/iiif/presentation/${version}/book`, {
      headers: accept === undefined ? {} : { Accept: accept },
    });
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Vary")).toMatch(/^Accept\b/);
    expect(headers.get("Link")?.includes("json-ld#context") ?? false).toBe(type === "application/json");
  });

  test.each([
    ["revalidate: 1m", 60],
    ["revalidate: 2h", 3600],
  ])(
    "may be cached no longer than folders count as unchanged (%s) and image information (1h)",
    async (options, seconds) => {
      const { headers } = await (await served(laid.yaml(options))).get(target);
      expect(headers.get("Cache-Control")).toBe(`public, max-age=${seconds}`);
    },
  );

  test("may be cached and read by pages of all origins, and is not sent again while it is unchanged", async () => {
    const app = await served(laid.yaml());
    const first = await app.get(target);
    expect(first.headers.get("Cache-Control")).toBe("public, max-age=0");
    expect(first.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(Number(first.headers.get("Content-Length"))).toBe((await first.arrayBuffer()).byteLength);
    const etag = first.headers.get("ETag") as string;
    const again = await app.get(target, { headers: { "If-None-Match": etag } });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
    const asJson = await app.get(target, { headers: { Accept: "application/json", "If-None-Match": etag } });
    expect(asJson.status).toBe(200);
    const head = await app.get(target, { method: "HEAD" });
    expect([head.headers.get("ETag"), await head.text()]).toEqual([etag, ""]);
    expect(head.headers.get("Content-Length")).toBe(first.headers.get("Content-Length"));
    const options = await app.get(target, { method: "OPTIONS" });
    expect([options.status, options.headers.get("Access-Control-Allow-Methods")]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
    expect((await app.get(target, { method: "POST" })).status).toBe(405);
  });

  test("has another tag under another public address", async () => {
    const app = await served(laid.yaml());
    const tags = await Promise.all(
      ["a.test", "b.test"].map(async (host) =>
        (await app.get(target, { host, headers: { Host: host } })).headers.get("ETag"),
      ),
    );
    expect(new Set(tags).size).toBe(2);
  });
});

test("does not exist if presentation is switched off, while images do", async () => {
  const app = await served(`${laid.yaml()}presentation: { enabled: false }`);
  const response = await app.get("/iiif/presentation/3/book");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "no_such_page" });
  expect((await app.get("/iiif/3/book%2Fpage%202.jpg/info.json")).status).toBe(200);
});

describe("changes of a folder", () => {
  test("are seen: new, replaced and removed files", async () => {
    const own = await layFolder();
    await own.put("book/1.jpg", "jpg-gray.jpg");
    await own.put("book/3.jpg", "jpg-gray.jpg");
    const app = await served(own.yaml());
    const seen = async () =>
      (await json(app, "/iiif/presentation/3/book")).items.map(({ label, width }: Json) => [
        label.none[0],
        width,
      ]);
    expect(await seen()).toEqual([
      ["1.jpg", 600],
      ["3.jpg", 600],
    ]);
    await own.put("book/2.jpg", "jpg-gray.jpg");
    await own.put("book/3.jpg", "jpg-orient-6.jpg");
    await own.remove("book/1.jpg");
    expect(await seen()).toEqual([
      ["2.jpg", 600],
      ["3.jpg", sizeOf("jpg-orient-6.jpg").width],
    ]);
    await own.drop();
  });

  test("count once `revalidate` is over, not before", async () => {
    const own = await layFolder();
    await own.put("book/1.jpg", "jpg-gray.jpg");
    const app = await served(own.yaml("revalidate: 1h"));
    const tagOf = async () => (await app.get("/iiif/presentation/3/book")).headers.get("ETag");
    const tag = await tagOf();
    await own.put("book/2.jpg", "jpg-gray.jpg");
    expect(await tagOf()).toBe(tag);
    await own.drop();
  });
});
