// Manifest files next to images: what they add, what they replace, and what happens to invalid ones.

import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

let laid: Laid;
let lines: { message: string; fields: Json }[];
let log: Log;
const base = "http://images.test";
const at = (id: string) => `${base}/iiif/presentation/3${id && `/${id}`}`;

beforeEach(async () => {
  laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-gray.jpg");
  await laid.put("book/2.jpg", "jpg-orient-6.jpg");
  lines = [];
  const note = (message: string, fields: Json) =>
    message.startsWith("a manifest file") && lines.push({ message, fields });
  log = { ...silentLog, warn: note, error: note };
});

afterEach(() => laid.drop());

const book = "/iiif/presentation/3/book";
const open = (more = "", options?: string) => served(laid.yaml(options) + more, {}, { log });

test("manifest.yaml adds texts in several languages, rights and labels, and orders and hides images", async () => {
  await laid.write(
    "book/manifest.yaml",
    `label: { en: Two pages, de: Zwei Seiten }
rights: http://creativecommons.org/publicdomain/mark/1.0/
metadata: { Author: Anna }
behavior: paged
order: [2]
canvases: { 1: Verso, 2.jpg: { label: { en: Recto } } }
`,
  );
  const app = await open();
  const documents = await walk(app, "/iiif/presentation/3", { base });
  const manifest = documents.get(at("book"));
  expect(manifest).toMatchObject({
    label: { en: ["Two pages"], de: ["Zwei Seiten"] },
    rights: "http://creativecommons.org/publicdomain/mark/1.0/",
    metadata: [{ value: { none: ["Anna"] } }],
    behavior: ["paged"],
  });
  expect(manifest.items.map(({ id, label }: Json) => [id, label])).toEqual([
    [`${at("book")}/canvas/2`, { en: ["Recto"] }],
    [`${at("book")}/canvas/1`, { none: ["Verso"] }],
  ]);
  expect(documents.get(at("")).items[0].label).toEqual({ en: ["Two pages"], de: ["Zwei Seiten"] });
  expect(lines).toEqual([]);
});

test("a description of a collection names its folders and its images", async () => {
  await laid.put("shelf/a/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/b/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/c/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/loose.jpg", "jpg-gray.jpg");
  await laid.write(
    "shelf/manifest.yml",
    `label: Shelf
order: [b]
items: { a: { label: First }, c: { hide: true } }
images: { label: Loose leaves }
`,
  );
  const documents = await walk(await open(), "/iiif/presentation/3", { base, renames: true });
  const shelf = documents.get(at("shelf"));
  expect(shelf.label).toEqual({ none: ["Shelf"] });
  expect(shelf.items.map(({ id, label }: Json) => [id, label.none[0]])).toEqual([
    [at("shelf/b"), "b"],
    [at("shelf/a"), "First"],
    [at("shelf/_images"), "Loose leaves"],
  ]);
  expect(lines).toEqual([]);
});

test("a collection shows a folder by the folder's own description, else by that of its parent", async () => {
  await laid.put("shelf/a/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/a/2.jpg", "jpg-orient-6.jpg");
  await laid.put("shelf/b/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/b/2.jpg", "jpg-orient-6.jpg");
  await laid.write(
    "shelf/a/manifest.yaml",
    "label: Own name\nnavDate: 1700\ncanvases: { 1.jpg: { hide: true } }\n",
  );
  await laid.write("shelf/b/manifest.yaml", "label: Own name\nthumbnail: 2.jpg\n");
  await laid.write("shelf/manifest.yaml", "items: { b: { label: { de: Anders }, navDate: 1800 } }\n");
  const documents = await walk(await open(), "/iiif/presentation/3", { base, renames: true });
  const shown = documents
    .get(at("shelf"))
    .items.map(({ label, navDate, thumbnail }: Json) => [
      label,
      navDate,
      /[12]\.jpg/.exec(thumbnail[0].id)?.[0],
    ]);
  expect(shown).toEqual([
    [{ none: ["Own name"] }, "1700-01-01T00:00:00Z", "2.jpg"],
    [{ de: ["Anders"] }, "1800-01-01T00:00:00Z", "2.jpg"],
  ]);
  expect(lines).toEqual([]);
});

test("a whole manifest.json takes the place of the derived document, at its own address", async () => {
  const canvas = {
    type: "Canvas",
    width: 100,
    height: 100,
    items: [
      {
        type: "AnnotationPage",
        items: [
          {
            type: "Annotation",
            motivation: "painting",
            body: { id: "/iiif/3/book%2F1.jpg/full/max/0/default.jpg", type: "Image", format: "image/jpeg" },
          },
        ],
      },
    ],
  };
  const stored = {
    id: "https://old.example/m",
    type: "Manifest",
    label: { en: ["Stored"] },
    items: [canvas],
  };
  await laid.write("book/manifest.json", JSON.stringify(stored));
  const documents = await walk(await open(), "/iiif/presentation/3", { base });
  const manifest = documents.get(at("book"));
  expect(manifest).toMatchObject({ id: at("book"), label: { en: ["Stored"] } });
  expect(manifest.items).toHaveLength(1);
  expect(manifest.items[0].items[0].items[0].body.id).toBe(
    `${base}/iiif/3/book%2F1.jpg/full/max/0/default.jpg`,
  );
});

test("a collection shows a folder with a whole document by the thumbnail that this one has", async () => {
  const stored = {
    type: "Manifest",
    label: { en: ["Stored"] },
    thumbnail: [{ id: "/iiif/3/book%2F2.jpg/full/90,/0/default.jpg", type: "Image", format: "image/jpeg" }],
    items: [{ type: "Canvas", width: 10, height: 10, items: [] }],
  };
  await laid.write("book/manifest.json", JSON.stringify(stored));
  const documents = await walk(await open(), "/iiif/presentation/3", { base });
  const [member] = documents.get(at("")).items;
  expect(member.thumbnail).toEqual(documents.get(at("book")).thumbnail);
  expect(member.thumbnail[0].id).toBe(`${base}/iiif/3/book%2F2.jpg/full/90,/0/default.jpg`);
});

test("a stored page of annotations is served at its address in both versions, and no collection lists it", async () => {
  const page = {
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: "https://old.example/page",
    type: "AnnotationPage",
    items: [
      {
        id: "https://old.example/1",
        type: "Annotation",
        motivation: "commenting",
        body: { type: "TextualBody", value: "Here", format: "text/plain" },
        target: "/iiif/presentation/3/book/canvas/1",
      },
    ],
  };
  await laid.write("notes/manifest.json", JSON.stringify(page));
  await laid.write("manifest.json", JSON.stringify(page));
  const app = await open();
  expect(await json(app, "/iiif/presentation/3/notes")).toEqual({
    ...page,
    id: at("notes"),
    items: [{ ...page.items[0], target: `${at("book")}/canvas/1` }],
  });
  const older = await json(app, "/iiif/presentation/2/notes");
  expect(older).toMatchObject({ "@type": "sc:AnnotationList", resources: [{}] });
  // At the top of a source it is not used, which the log says.
  const top = await json(app, "/iiif/presentation/3");
  expect(top).toMatchObject({ type: "Collection", items: [{ id: at("book") }] });
  expect(top.items).toHaveLength(1);
  expect(lines.map(({ fields }) => fields.fault)).toEqual([expect.stringContaining("top of a source")]);
});

test("a stored manifest of 2.1 is served in 3.0, and in 2.1 as it is written", async () => {
  const stored = {
    "@context": "http://iiif.io/api/presentation/2/context.json",
    "@id": "https://old.example/m",
    "@type": "sc:Manifest",
    label: "Stored",
    description: "In 2.1",
    sequences: [
      {
        "@type": "sc:Sequence",
        canvases: [
          {
            "@id": "https://old.example/c",
            "@type": "sc:Canvas",
            label: "1",
            width: 5,
            height: 5,
            images: [],
          },
        ],
      },
    ],
  };
  await laid.write("book/manifest.json", JSON.stringify(stored));
  const app = await open();
  expect(await json(app, "/iiif/presentation/2/book")).toEqual({
    ...stored,
    "@id": `${base}/iiif/presentation/2/book`,
  });
  expect(await json(app, "/iiif/presentation/3/book")).toMatchObject({
    id: at("book"),
    type: "Manifest",
    summary: { none: ["In 2.1"] },
    items: [{ id: "https://old.example/c", type: "Canvas" }],
  });
  expect((await json(app, "/iiif/presentation/3")).items).toMatchObject([
    { type: "Manifest", label: { none: ["Stored"] } },
  ]);
  expect(lines).toEqual([]);
});

test.each([
  ["manifest.json", '{"type": "Canvas", "items": []}', "type: expected Manifest, Collection"],
  [
    "manifest.json",
    '{"type": "Manifest",\n"label": {"en": ["x"]}, "items": []}',
    "line 2, items: expected one canvas",
  ],
  ["manifest.json", '{"@type": "sc:Manifest", "label": "x"}', "sequences: expected one canvas"],
  ["manifest.json", '{"type": "AnnotationPage"', "line 1, "],
  ["manifest.json", '[{"type": "Annotation"}]', "expected a document"],
  ["manifest.json", "null", "expected a document"],
  ["manifest.json", "", "expected a document"],
  ["manifest.yaml", "label: [", "line "],
])(
  "alone in a folder, %s with %s results in an error that says why, not in an empty collection",
  async (name, text, why) => {
    await laid.write(`alone/${name}`, text);
    const app = await open();
    for (const version of [3, 2]) {
      const response = await app.get(`/iiif/presentation/${version}/alone`);
      expect(response.status).toBe(500);
      expect(response.headers.get("Content-Type")).toContain("application/problem+json");
      expect(await response.json()).toMatchObject({
        code: "unusable_manifest_file",
        detail: expect.stringContaining(why),
      });
    }
    expect(lines).toHaveLength(1);
    // Everything else is unchanged.
    expect((await json(app, "/iiif/presentation/3/book")).items).toHaveLength(2);
    expect((await app.get("/iiif/presentation/3")).status).toBe(200);
  },
);

describe("a wrong manifest file", () => {
  test.each([
    ["manifest.yaml", "label: x\nrights: [\n", /line \d+/],
    ["manifest.yaml", "label: x\nrigths: y\n", /line 2, rigths: .*rights/],
    ["manifest.yaml", "label: x\ncanvases:\n  3: Third\n", /line 3, canvases\.3: there is no image 3 here/],
    [
      "manifest.json",
      '{\n "type": "Manifest",\n "label": "x",\n "items": [{ "type": "Canvas" }]\n}',
      /line 3, label: expected texts by language/,
    ],
    ["manifest.json", '{ "label": ', /line 1|flow|expected/i],
    [
      "manifest.yaml",
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(9)}]\nc: [${"*b,".repeat(20)}]\n`,
      /aliases/,
    ],
    ["manifest.yaml", "label: x\nmetadata: &a [*a, *a]\n", /levels/],
    ["manifest.yaml", "a: &a { b: *a, c: *a }\n", /levels/],
    [
      "manifest.yaml",
      `label: &a ${"x".repeat(2 ** 19)}\nmetadata:\n${Array.from({ length: 99 }, (_, n) => `  k${n}: *a\n`).join("")}`,
      /aliases/,
    ],
    ["manifest.json", `{ "label": "x", "metadata": [${"1,".repeat(2 ** 20)}`, /expected JSON/],
    ["manifest.yaml", "[".repeat(100_000), /levels/],
    ["manifest.json", `${"[".repeat(500)}${"]".repeat(500)}`, /levels/],
    ["manifest.yaml", `label: ${"x".repeat(2 ** 20)}`, /at most 1 MiB/],
  ])(
    "(%s: %#) is said in the log, and the rest of it and of the folder is served",
    async (name, text, fault) => {
      await laid.write(`book/${name}`, text);
      const app = await open();
      const response = await app.get(book);
      expect(response.status).toBe(200);
      expect(((await response.json()) as Json).items).toHaveLength(2);
      for (const header of ["X-Ignored-Manifest-File", "X-Ignored-Sidecar"])
        expect(response.headers.get(header)).toMatch(new RegExp(`^${name}(, line \\d+)?$`));
      await app.get(book);
      expect(lines.map(({ fields }) => fields.fault)).toEqual([expect.stringMatching(fault)]);
      expect(lines[0]?.fields).toMatchObject({ source: "files", file: `book/${name}` });
    },
  );

  test("is reported if it is not in UTF-8; a byte order mark and Windows line ends do no harm", async () => {
    writeFileSync(`${laid.root}/book/manifest.yaml`, Buffer.from("label: K\u00f6ln\n", "latin1"));
    const app = await open();
    expect((await json(app, book)).label).toEqual({ none: ["book"] });
    expect(lines.map(({ fields }) => fields.fault)).toEqual([expect.stringMatching(/UTF-8/)]);
    await laid.write("book/manifest.yaml", "\ufefflabel: Köln\r\n");
    expect((await json(app, book)).label).toEqual({ none: ["Köln"] });
    expect(lines).toHaveLength(1);
  });

  test("is reported by the first of very many faults, found in one pass", async () => {
    const items = Array.from({ length: 2000 }, (_, n) => ({ type: "Canvs", id: `https://a.test/${n}` }));
    await laid.write(
      "book/manifest.json",
      JSON.stringify({ type: "Manifest", label: { en: ["x"] }, items }, null, 1),
    );
    const app = await open();
    expect((await app.get(book)).headers.get("X-Ignored-Manifest-File")).toBe("manifest.json, line 10");
    expect(lines).toHaveLength(50);
    expect(lines[49]?.fields.fault).toBe('line 206, items.49.type: expected Canvas, received "Canvs"');
  });

  test("counts once it is mended", async () => {
    await laid.write("book/manifest.yaml", "label: [\n");
    const app = await open();
    expect((await json(app, book)).label).toEqual({ none: ["book"] });
    await laid.write("book/manifest.yaml", "label: Mended\n");
    expect((await json(app, book)).label).toEqual({ none: ["Mended"] });
    await laid.remove("book/manifest.yaml");
    expect((await json(app, book)).label).toEqual({ none: ["book"] });
  });

  test("is never listed as an image", async () => {
    await laid.write("book/manifest.yaml", "label: x\n");
    expect((await (await open()).get(`${book}/manifest.yaml`)).status).toBe(404);
  });
});

test("images of servers that are not allowed are logged, those of allowed ones are not", async () => {
  const picture = (host: string) => ({ id: `https://${host}/a.jpg`, type: "Image" });
  const item = (host: string) => ({
    type: "Canvas",
    height: 1,
    width: 1,
    items: [
      {
        type: "AnnotationPage",
        items: [{ type: "Annotation", motivation: "painting", body: picture(host) }],
      },
    ],
  });
  const stored = {
    type: "Manifest",
    label: { en: ["x"] },
    items: [item("good.example"), item("other.example")],
  };
  await laid.write("book/manifest.json", JSON.stringify(stored));
  const app = await open("presentation: { allowed_origins: [https://good.example] }");
  await json(app, book);
  expect(lines.map(({ fields }) => fields.origin)).toEqual(["https://other.example"]);
});

test("the example of the documentation is a manifest file without faults", async () => {
  await laid.put("letters/page 1.tif", "tif-strip-none.tif");
  await laid.put("letters/page 2.tif", "tif-strip-none.tif");
  await laid.put("letters/test chart.jpg", "jpg-gray.jpg");
  const example = new URL("../../../../docs/examples/letters/manifest.yaml", import.meta.url);
  await laid.write("letters/manifest.yaml", readFileSync(example, "utf8"));
  const manifest = (await walk(await open(), "/iiif/presentation/3", { base })).get(at("letters"));
  expect(lines).toEqual([]);
  expect(manifest.items.map(({ label }: Json) => label)).toEqual([
    { none: ["page 2.tif"] },
    { en: ["Envelope"], de: ["Umschlag"] },
  ]);
  expect(manifest.structures[0].items).toHaveLength(2);
});
