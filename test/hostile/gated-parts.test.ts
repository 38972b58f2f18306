// Text about gated images in parts of documents that do not name an image, or not as rules name it: ranges,
// annotations without types, contents that only the older version has, canvases under another spelling.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { served } from "../served.ts";
import { authSection, type Gated, gated } from "../server/api/access/gated.ts";
import { startWebhook } from "../server/hooks/webhook-service.ts";

const context3 = "http://iiif.io/api/presentation/3/context.json";
const context2 = "http://iiif.io/api/presentation/2/context.json";
const doc = (id: string, version = 3) => `/iiif/presentation/${version}/${id}`;

let folder: string;
const write = (path: string, document: object) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(document));
};
const picture = async (path: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const create = { width: 60, height: 40, channels: 3, background: "#123456" } as const;
  await sharp({ create }).png().toFile(join(folder, path));
};

const note = (value: string, target: unknown) => ({
  type: "Annotation",
  motivation: "supplementing",
  body: { type: "TextualBody", value },
  target,
});
const page = (...items: object[]) => ({ "@context": context3, type: "AnnotationPage", items });
const addressOf = (image: string) => `/iiif/3/${encodeURIComponent(image)}/full/max/0/default.jpg`;
const painting = (image: string) => ({
  type: "Annotation",
  motivation: "painting",
  body: { id: addressOf(image), type: "Image" },
});
const canvas = (id: string, image: string, more: object = {}) => ({
  id,
  type: "Canvas",
  width: 60,
  height: 40,
  items: [{ type: "AnnotationPage", items: [painting(image)] }],
  ...more,
});
const manifest = (items: object[], more: object = {}) => ({
  "@context": context3,
  type: "Manifest",
  label: { en: ["Stored"] },
  items,
  ...more,
});
const canvas2 = (id: string, image: string, more: object = {}) => ({
  "@id": id,
  "@type": "sc:Canvas",
  label: id,
  width: 60,
  height: 40,
  images: [
    {
      "@type": "oa:Annotation",
      motivation: "sc:painting",
      resource: { "@id": addressOf(image), "@type": "dctypes:Image" },
      on: id,
    },
  ],
  ...more,
});
const list2 = (chars: string, on: string) => ({
  "@type": "sc:AnnotationList",
  resources: [{ "@type": "oa:Annotation", resource: { "@type": "cnt:ContentAsText", chars }, on }],
});

let site: Gated;
let granted: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-parts-"));
  for (const name of ["staff/a.png", "open/1.png", "mixed/1.png", "mixed/2.png"]) await picture(name);
  const range = (number: number, canvasId: unknown, text: string) => ({
    id: `range/${number}`,
    type: "Range",
    label: { en: [`Chapter ${number}`] },
    items: [canvasId],
    annotations: [page(note(text, `range/${number}`))],
    seeAlso: [{ id: `https://texts.example.org/${text}.xml`, type: "Dataset" }],
    summary: { en: [`${text}-summary`] },
  });
  write(
    "chapters/manifest.json",
    manifest([canvas("c1", "staff/a.png"), canvas("c2", "open/1.png")], {
      structures: [
        {
          ...range(3, { id: "c2", type: "Canvas" }, "open-outer"),
          items: [
            { id: "c2", type: "Canvas" },
            range(1, { id: "c1#xywh=0,0,5,5", type: "Canvas" }, "word-range"),
          ],
        },
        range(2, { type: "SpecificResource", source: { id: "c2", type: "Canvas" } }, "open-range"),
      ],
    }),
  );
  write(
    "notes/manifest.json",
    page(
      note("word-about-range", doc("chapters/range/1")),
      note("open-about-range", doc("chapters/range/2")),
      note("word-spelled", doc("mixed/canvas/2")),
      note("open-spelled", doc("mixed/canvas/1")),
    ),
  );
  write(
    "untyped/manifest.json",
    manifest([
      canvas("c1", "staff/a.png", {
        annotations: [
          { items: [{ motivation: "supplementing", body: { value: "word-untyped" }, target: "c1" }] },
        ],
      }),
      canvas("c2", "staff/a.png", {
        items: [
          {
            items: [painting("staff/a.png"), { motivation: "supplementing", body: { value: "word-beside" } }],
          },
        ],
      }),
      canvas("c3", "open/1.png", {
        annotations: [
          { items: [{ motivation: "commenting", body: { value: "open-untyped" }, target: "c3" }] },
        ],
      }),
    ]),
  );
  write("orders/manifest.json", {
    "@context": context2,
    "@type": "sc:Manifest",
    label: "Two orders",
    sequences: [
      { "@type": "sc:Sequence", canvases: [canvas2("c1", "open/1.png", { description: "open-order" })] },
      {
        "@type": "sc:Sequence",
        "@id": "other",
        canvases: [canvas2("c2", "staff/a.png", { otherContent: [list2("word-order", "c2")] })],
      },
    ],
  });
  write("whole/manifest.json", {
    "@context": context2,
    "@type": "sc:Collection",
    label: "Whole manifests",
    description: "open-whole",
    manifests: [
      {
        "@id": "https://archive.example.org/book",
        "@type": "sc:Manifest",
        label: "A book",
        sequences: [
          {
            canvases: [
              canvas2("https://archive.example.org/leaf", "staff/a.png", {
                otherContent: [list2("word-whole", "https://archive.example.org/leaf")],
              }),
            ],
          },
        ],
      },
    ],
  });
  const rules = `${authSection}    - { match: staff/*, profile: staff }
    - { match: mixed/2.png, profile: staff }
`;
  site = await gated({
    folder,
    auth: rules,
    more: `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)}, prefix: main/ }]\n`,
  });
  granted = { Cookie: await site.cookie("staff") };
});
afterAll(() => site.close());

const text = async (target: string, headers: Record<string, string> = {}) =>
  (await site.app.get(target, { headers })).text();

describe("text about gated images", () => {
  test.each([
    ["in a chapter of gated pages", doc("chapters"), '"value":"word-range"'],
    ["at the address of such a chapter", doc("chapters/range/1"), '"value":"word-range"'],
    ["linked from such a chapter", doc("chapters"), "word-range.xml"],
    ["linked from such a chapter, in version 2.1", doc("chapters", 2), "word-range.xml"],
    ["about such a chapter, in another document", doc("notes"), "word-about-range"],
    ["about a canvas spelled without the prefix of its source", doc("notes"), '"word-spelled"'],
    ["in annotations that name no type", doc("untyped"), "word-untyped"],
    ["in annotations without a type next to an image", doc("untyped"), "word-beside"],
    ["in a second order of canvases, which only 2.1 has", doc("orders", 2), "word-order"],
    ["in a manifest within a collection, which only 2.1 has", doc("whole", 2), "word-whole"],
  ])("%s is for readers with access alone", async (_, target, word) => {
    expect(await text(target)).not.toContain(word);
    expect(await text(target, granted)).toContain(word);
    expect(await text(target)).not.toContain(word);
  });

  test.each([
    [doc("chapters"), "open-outer-summary"],
    [doc("chapters"), '"value":"open-range"'],
    [doc("chapters"), "word-range-summary"],
    [doc("notes"), "open-about-range"],
    [doc("notes"), "open-spelled"],
    [doc("untyped"), "open-untyped"],
    [doc("untyped"), "staff%2Fa.png/full/max"],
    [doc("orders", 2), "open-order"],
    [doc("whole", 2), "open-whole"],
  ])("leaves in %s for everybody: %s", async (target, word) => {
    expect(await text(target)).toContain(word);
  });

  test("does not keep readers from canvases spelled without the prefix", async () => {
    for (const target of [doc("mixed/canvas/1"), doc("main/mixed/canvas/1"), doc("mixed/canvas/1", 2)])
      expect((await site.app.get(target)).status).toBe(200);
  });
});

test("a file whose canvases are made on demand keeps its text for readers with access", async () => {
  const pages = 2001;
  mkdirSync(join(folder, "long"));
  mkdirSync(join(folder, "kept"));
  const raw = { width: 8, height: 8 * pages, channels: 1, pageHeight: 8 } as const;
  const file = await sharp(Buffer.alloc(64 * pages), { raw })
    .tiff({ compression: "none" })
    .toBuffer();
  for (const place of ["long", "kept"]) writeFileSync(join(folder, place, "many.tif"), file);
  const text = { id: "texts", type: "AnnotationPage", items: [note("word-many", "x")] };
  write("long/manifest.json", { label: "Long", metadata: { Hand: "open-hand" }, annotations: [text] });
  write("kept/manifest.json", { label: "Kept", metadata: { Hand: "word-hand" } });
  write(
    "about/manifest.json",
    page(note("word-last", `${doc("kept")}/canvas/${pages}`), note("open", doc("open"))),
  );
  const kept = authSection.replace(
    "  rules:",
    "    shut: { pattern: clickthrough, documents: gated, access_service: { backend: builtin } }\n  rules:",
  );
  const app = await gated({
    folder,
    auth: `${kept}    - { match: long/*, profile: staff }\n    - { match: kept/*, profile: shut }\n`,
  });
  try {
    const got = async (target: string, profile?: string) => {
      const headers = profile === undefined ? {} : { Cookie: await app.cookie(profile) };
      const response = await app.app.get(target, { headers });
      return { status: response.status, body: await response.text() };
    };
    const open = await got(doc("long"));
    expect(open.status).toBe(200);
    expect(open.body.includes("word-many")).toBe(false);
    expect(open.body.includes("open-hand")).toBe(true);
    expect(open.body.match(/"type":"Canvas"/g)).toHaveLength(pages);
    expect((await got(doc("long"), "staff")).body.includes("word-many")).toBe(true);
    for (const target of [
      doc("kept"),
      doc("kept/many.tif"),
      doc("kept/canvas/2001"),
      "/view/kept/canvas/2001",
    ]) {
      const { status, body } = await got(target);
      expect([target, status]).toEqual([target, 401]);
      expect(body).not.toMatch(/word-hand|"width"/);
      expect((await got(target, "shut")).status).toBe(200);
    }
    expect((await got(doc("about"))).body).not.toContain("word-last");
    expect((await got(doc("about"), "shut")).body).toContain("word-last");
  } finally {
    await app.app.service.close();
  }
});

test("a profile that keeps documents leaves of a chapter of gated pages the title", async () => {
  const kept = await gated({
    folder,
    auth: `${authSection.replace("note: { en: [Ask the desk.] }", "documents: gated")}    - { match: staff/*, profile: staff }\n`,
  });
  try {
    const anonymous = await (await kept.app.get(doc("chapters"))).text();
    expect(anonymous).not.toContain("word-range");
    expect(anonymous).toMatch(/Chapter 1.*open-range-summary/s);
    const headers = { Cookie: await kept.cookie("staff") };
    expect(await (await kept.app.get(doc("chapters"), { headers })).text()).toContain("word-range-summary");
  } finally {
    await kept.app.service.close();
  }
});

test("a hook is asked once about each image, however many texts are about it", async () => {
  const pages = Array.from({ length: 12 }, (_, at) =>
    canvas(`c${at}`, `open/${at}.png`, {
      annotations: [page(...Array.from({ length: 5 }, () => note("text", { source: `c${at}` })))],
      seeAlso: [{ id: "https://texts.example.org/a.xml", type: "Dataset" }],
    }),
  );
  write("asked/manifest.json", manifest(pages));
  const hook = await startWebhook();
  const sources = `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]`;
  const app = await served(
    `${sources}\nhook: { engine: webhook, webhook: { url: "${hook.url}", functions: [authorize] } }`,
  );
  try {
    expect((await app.get(doc("asked"))).status).toBe(200);
    const asked = hook.asked.map(({ input }) => String(input.identifier));
    const images = asked.filter((identifier) => identifier.startsWith("open/"));
    expect(images.length).toBe(12);
    expect(new Set(images).size).toBe(12);
    // Also about the manifest, and where canvases may be documents of their own.
    expect(asked.length).toBeLessThan(40);
  } finally {
    await app.service.close();
    await hook.close();
  }
});
