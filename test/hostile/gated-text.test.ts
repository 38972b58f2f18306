// Text about gated images: annotations, OCR and links to data are for readers with access, whichever document
// or page holds them, and wherever it lies (docs/concepts/authorization.md, "Texts and documents").

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { served } from "../served.ts";
import { authSection, type Gated, gated } from "../server/api/access/gated.ts";
import type { Json } from "../server/api/presentation/walk.ts";

const origin = "https://images.example.org";
const doc = (id: string) => `/iiif/presentation/3/${id}`;

let folder: string;
const write = (path: string, text: unknown) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof text === "string" ? text : JSON.stringify(text));
};
const picture = async (path: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  await sharp({ create: { width: 60, height: 40, channels: 3, background: "#123456" } })
    .png()
    .toFile(join(folder, path));
};

const note = (value: string, target: unknown, more: object = {}) => ({
  type: "Annotation",
  motivation: "supplementing",
  body: { type: "TextualBody", value },
  target,
  ...more,
});
const page = (...items: object[]) => ({
  "@context": "http://iiif.io/api/presentation/3/context.json",
  type: "AnnotationPage",
  items,
});
/** A canvas that shows an image of this service. */
const showing = (image: string, more: object = {}) => ({
  type: "Canvas",
  width: 60,
  height: 40,
  items: [
    {
      type: "AnnotationPage",
      items: [
        {
          type: "Annotation",
          motivation: "painting",
          body: {
            id: `/iiif/3/${encodeURIComponent(image)}/full/max/0/default.jpg`,
            type: "Image",
            service: [
              { id: `/iiif/3/${encodeURIComponent(image)}`, type: "ImageService3", profile: "level2" },
            ],
          },
        },
      ],
    },
  ],
  ...more,
});
const manifest = (...items: object[]) => ({
  "@context": "http://iiif.io/api/presentation/3/context.json",
  type: "Manifest",
  label: { en: ["Stored"] },
  items,
});

const rules = `${authSection}    - { match: staff/*, profile: staff }
    - { match: mixed/2.png, profile: staff }
    - { match: exact, profile: staff }
`;

let site: Gated;
let granted: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-text-"));
  for (const name of ["staff/book/a.png", "staff/book/b.png", "mixed/1.png", "mixed/2.png", "open/1.png"])
    await picture(name);
  write("staff/ocr/manifest.json", page(note("word-ocr", `${doc("staff/book")}/canvas/1`)));
  write("staff/untargeted/manifest.json", page(note("word-untargeted", "https://elsewhere.example.org/c")));
  write("staff/one/manifest.json", {
    ...note("word-one", "https://elsewhere.example.org/c"),
    "@context": "http://iiif.io/api/presentation/3/context.json",
  });
  write("staff/layer/manifest.json", {
    "@context": "http://iiif.io/api/presentation/3/context.json",
    type: "AnnotationCollection",
    label: { en: ["word-layer"] },
    first: { ...page(note("word-layer", "https://elsewhere.example.org/c")), id: "page" },
  });
  write("staff/list/manifest.json", {
    "@context": "http://iiif.io/api/presentation/2/context.json",
    "@type": "sc:AnnotationList",
    resources: [
      {
        "@type": "oa:Annotation",
        motivation: "sc:painting",
        resource: { "@type": "cnt:ContentAsText", chars: "word-list" },
        on: `${doc("staff/book").replace("/3/", "/2/")}/canvas/1`,
      },
    ],
  });
  write(
    "staff/book/manifest.yaml",
    `label: The book
metadata: { Author: open-author }
canvases:
  a.png:
    seeAlso: { id: "https://texts.example.org/word-alto.xml", format: text/xml }
    annotations:
      - { id: "inline", type: AnnotationPage, items: [{ type: Annotation, motivation: commenting, body: { type: TextualBody, value: word-inline }, target: x }] }
`,
  );
  // Below no rule, but about gated images.
  write(
    "notes/manifest.json",
    page(
      note("word-canvas", `${doc("staff/book")}/canvas/1#xywh=1,1,5,5`),
      note("word-host", `https://other.example.org${doc("staff/book")}/canvas/1`),
      note("word-prefix", `http://localhost:8080/sub${doc("staff/book")}/canvas/2`),
      note("word-two", `/iiif/presentation/2/staff/book/canvas/1`),
      note("word-image", "/iiif/3/staff%2Fbook%2Fa.png"),
      note("word-derivative", "/iiif/2/staff%2Fbook%2Fa.png/full/full/0/default.jpg"),
      note("word-specific", {
        type: "SpecificResource",
        source: { id: `${doc("staff/book")}/canvas/1`, type: "Canvas" },
        selector: { type: "PointSelector", x: 1, y: 1 },
      }),
      note("word-list-of-targets", [`${doc("open")}/canvas/1`, `${doc("staff/book")}/canvas/1`]),
      note("word-mixed", `${doc("mixed")}/canvas/2`),
      note("word-exact", `${doc("exact")}`),
      note("word-own-canvas", `${doc("stored")}/leaf-1`),
      note("word-foreign-canvas", {
        id: "https://archive.example.org/leaf/2",
        type: "Canvas",
        partOf: [{ id: doc("stored"), type: "Manifest" }],
      }),
      note("open-mixed", `${doc("mixed")}/canvas/1`),
      note("open-open", `${doc("open")}/canvas/1`),
    ),
  );
  write("allgated/manifest.json", page(note("word-allgated", `${doc("staff/book")}/canvas/1`)));
  write(
    "stored/manifest.json",
    manifest(
      showing("staff/book/a.png", {
        id: "leaf-1",
        seeAlso: [{ id: "https://texts.example.org/word-stored-alto.xml", type: "Dataset" }],
        annotations: [page(note("word-stored", "leaf-1"))],
      }),
      showing("mixed/2.png", {
        id: "https://archive.example.org/leaf/2",
        annotations: [page({ ...note("word-mixed-stored", "x"), motivation: "painting" })],
      }),
      showing("open/1.png", { id: "leaf-3", annotations: [page(note("open-stored", "leaf-3"))] }),
    ),
  );
  site = await gated({
    folder,
    auth: rules,
    more: "mcp: { enabled: true }\npresentation: { allowed_origins: [] }\n",
  });
  granted = { Cookie: await site.cookie("staff") };
});
afterAll(() => site.close());

const text = async (target: string, headers: Record<string, string> = {}) =>
  (await site.app.get(target, { headers })).text();

describe("text about gated images", () => {
  test.each([
    ["a page of annotations below a rule", doc("staff/ocr"), "word-ocr"],
    ["the same in version 2.1", "/iiif/presentation/2/staff/ocr", "word-ocr"],
    ["a page whose targets are on another site", doc("staff/untargeted"), "word-untargeted"],
    ["a single annotation", doc("staff/one"), "word-one"],
    ["a collection of annotations", doc("staff/layer"), '"value":"word-layer"'],
    ["a list of 2.1", "/iiif/presentation/2/staff/list", "word-list"],
    ["a list of 2.1, converted to 3.0", doc("staff/list"), "word-list"],
    ["annotations inside a derived manifest", doc("staff/book"), "word-inline"],
    ["annotations inside a canvas", `${doc("staff/book")}/canvas/1`, "word-inline"],
    ["a link to data about a canvas", doc("staff/book"), "word-alto"],
    ["a public page of annotations about a gated canvas", doc("notes"), "word-canvas"],
    ["a target written for another host", doc("notes"), "word-host"],
    ["a target written for another path", doc("notes"), "word-prefix"],
    ["a target of version 2", doc("notes"), "word-two"],
    ["an image as the target", doc("notes"), "word-image"],
    ["a derivative as the target", doc("notes"), "word-derivative"],
    ["a part of a canvas as the target", doc("notes"), "word-specific"],
    ["several targets, one of them gated", doc("notes"), "word-list-of-targets"],
    ["a canvas whose image has a rule of its own", doc("notes"), "word-mixed"],
    ["a document with a rule of its own", doc("notes"), "word-exact"],
    ["a canvas with an address of its own", doc("notes"), "word-own-canvas"],
    ["a canvas with an address on another site", doc("notes"), "word-foreign-canvas"],
    ["a public page of nothing but gated text", doc("allgated"), "word-allgated"],
    ["annotations in a stored manifest elsewhere", doc("stored"), "word-stored"],
    ["the same in version 2.1", "/iiif/presentation/2/stored", "word-stored"],
    ["text that claims to paint a canvas", doc("stored"), "word-mixed-stored"],
    ["a link to data in a stored manifest elsewhere", doc("stored"), "word-stored-alto"],
  ])("%s is for readers with access alone", async (_, target, word) => {
    for (const headers of [{}, { Accept: "application/json" }, { "Accept-Encoding": "identity" }])
      expect(await text(target, headers)).not.toContain(word);
    expect(await text(target, granted)).toContain(word);
    // Also after a reader with access has asked.
    expect(await text(target)).not.toContain(word);
  });

  test.each([
    [doc("notes"), "open-open"],
    [doc("notes"), "open-mixed"],
    [doc("stored"), "open-stored"],
    [doc("staff/book"), "open-author"],
  ])("in %s leaves %s for everybody", async (target, word) => {
    expect(await text(target)).toContain(word);
  });
});

describe("a refused text", () => {
  test("is 401 with the services to log in, and is nothing that anybody else may keep", async () => {
    const held = (await site.app.get(doc("staff/ocr"), { headers: granted })).headers.get("ETag") as string;
    for (const headers of [{}, { "If-None-Match": held }, { "If-None-Match": "*" }]) {
      const response = await site.app.get(doc("staff/ocr"), { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(response.headers.get("Vary")).toMatch(/Cookie.*Authorization/);
      expect(response.headers.get("ETag")).toBeNull();
      const body = (await response.json()) as Json;
      expect(body).toMatchObject({ id: origin + doc("staff/ocr"), type: "AnnotationPage", items: [] });
      expect(body.service[0].service[0].id).toBe(`${origin}/iiif/auth/login/staff`);
    }
    expect((await site.app.get(doc("staff/ocr"), { method: "HEAD" })).status).toBe(401);
    expect((await site.app.get(doc("allgated"))).status).toBe(401);
    expect(
      (await site.app.get(doc("staff/ocr"), { headers: { Authorization: await site.bearer("staff") } }))
        .status,
    ).toBe(200);
    expect(
      (await site.app.get(doc("staff/ocr"), { headers: { Cookie: await site.cookie("terms") } })).status,
    ).toBe(401);
  });

  test("on a page says where to log in", async () => {
    const response = await site.app.get("/view/staff/ocr");
    expect(response.status).toBe(401);
    const html = await response.text();
    expect(html).toContain(`${origin}/iiif/auth/login/staff?return_to=%2Fview%2Fstaff%2Focr`);
    expect(html).toContain("<strong>Staff only</strong>");
    expect(html).not.toMatch(/[Tt]his picture/);
  });
});

describe("a hook that decides", () => {
  test("protects texts by the images that they are about, and by their own identifiers", async () => {
    const file = join(folder, "hook.mjs");
    writeFileSync(
      file,
      `export const authorize = ({ identifier }) =>
        identifier === "open/1.png" || identifier.startsWith("staff/") ? { allow: false, status: 403 } : undefined;`,
    );
    const sources = `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]`;
    const app = await served(`${sources}\nhook: { engine: js, js: { file: ${JSON.stringify(file)} } }`);
    try {
      const got = async (target: string) => {
        const response = await app.get(target);
        return `${response.status} ${await response.text()}`;
      };
      expect(await got(doc("staff/untargeted"))).toMatch(/^403 (?!.*word-)/s);
      const notes = await got(doc("notes"));
      expect(notes).toMatch(/^200 .*open-mixed/s);
      expect(notes).not.toMatch(/open-open|word-canvas|word-image|word-own-canvas/);
      // Nobody has a rule for these images.
      expect(notes).toMatch(/word-mixed/);
      const stored = await got(doc("stored"));
      expect(stored).not.toMatch(/open-stored|word-stored/);
      expect(stored).toMatch(/word-mixed-stored/);
    } finally {
      await app.service.close();
    }
  });

  test("and fails makes texts unavailable, and nothing public", async () => {
    const file = join(folder, "broken.mjs");
    writeFileSync(file, "export const authorize = () => { throw new Error('no'); };");
    const sources = `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]`;
    const app = await served(`${sources}\nhook: { engine: js, js: { file: ${JSON.stringify(file)} } }`);
    try {
      const response = await app.get(doc("staff/ocr"));
      expect(response.status).toBe(503);
      expect(await (await app.get(doc("stored"))).text()).not.toMatch(/word-|open-stored/);
    } finally {
      await app.service.close();
    }
  });
});

describe("a reader who sees a substitute", () => {
  let part: Gated;
  beforeAll(async () => {
    part = await gated({
      folder,
      auth: rules.replace("note: { en: [Ask the desk.] }", 'substitute: { max_size: "!20,20" }'),
    });
  });
  afterAll(() => part.app.service.close());

  test("sees the image in part, its title and its metadata, and none of its text", async () => {
    expect((await part.app.get("/iiif/3/staff%2Fbook%2Fa.png/full/max/0/default.png")).status).toBe(200);
    for (const target of [doc("staff/ocr"), doc("stored"), doc("staff/book"), doc("notes")]) {
      const response = await part.app.get(target);
      expect(await response.text()).not.toMatch(/word-(ocr|stored|inline|alto|canvas)/);
    }
    expect((await part.app.get(doc("staff/ocr"))).status).toBe(401);
    expect(await (await part.app.get(doc("staff/book"))).text()).toContain("open-author");
  });
});

describe("a profile that keeps documents", () => {
  let kept: Gated;
  let reader: Record<string, string>;
  beforeAll(async () => {
    kept = await gated({
      folder,
      auth: rules.replace("note: { en: [Ask the desk.] }", "documents: gated"),
      more: "mcp: { enabled: true }\ncontent_state: { enabled: true }",
    });
    reader = { Cookie: await kept.cookie("staff") };
  });
  afterAll(() => kept.app.service.close());

  test.each([
    ["a manifest", doc("staff/book")],
    ["a manifest of 2.1", "/iiif/presentation/2/staff/book"],
    ["a canvas", `${doc("staff/book")}/canvas/1`],
    ["the manifest of one image", doc("staff/book/a.png")],
    ["the page of a manifest", "/view/staff/book"],
    ["the page of a canvas", "/view/staff/book/canvas/1"],
  ])("shows the title of %s alone, with the way to log in", async (_, target) => {
    const response = await kept.app.get(target);
    const body = await response.text();
    expect(response.status).toBe(401);
    expect(body).not.toMatch(/open-author|word-|"width"/);
    expect(body).toMatch(/The book|a\.png/);
    expect(body).toMatch(/\/iiif\/auth\/(v1\/)?login\/staff/);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect((await kept.app.get(target, { headers: reader })).status).toBe(200);
  });

  test("offers the logins of both standards to viewers", async () => {
    const { service, ...title } = (await (await kept.app.get(doc("staff/book"))).json()) as Json;
    expect(title).toEqual({
      "@context": [
        "http://iiif.io/api/auth/2/context.json",
        "http://iiif.io/api/presentation/3/context.json",
      ],
      id: origin + doc("staff/book"),
      type: "Manifest",
      label: { none: ["The book"] },
      items: [],
    });
    expect(service.map((each: Json) => each.id ?? each["@id"])).toEqual([
      `${origin}/iiif/auth/probe/staff%2Fbook`,
      `${origin}/iiif/auth/v1/login/staff`,
    ]);
    const older = (await (await kept.app.get("/iiif/presentation/2/staff/book")).json()) as Json;
    expect(older.service).toMatchObject({
      "@context": "http://iiif.io/api/auth/1/context.json",
      "@id": `${origin}/iiif/auth/v1/login/staff`,
    });
    for (const [headers, status] of [
      [{}, 401],
      [reader, 200],
    ] as const) {
      const probe = await kept.app.get("/iiif/auth/probe/staff%2Fbook", { headers });
      expect(await probe.json()).toMatchObject({ type: "AuthProbeResult2", status });
    }
  });

  test("is not minted for others, since a state names its canvases", async () => {
    const mint = "/content-state/mint?target=staff/book&canvas=1";
    const response = await kept.app.get(mint);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: "access_denied" });
    expect((await kept.app.get(mint, { headers: reader })).status).toBe(200);
  });

  test("leaves of a canvas in a public manifest the title", async () => {
    write(
      "mixed/manifest.yaml",
      "canvases: { 2.png: { label: Leaf two, summary: word-summary, metadata: { Hand: word-hand } } }\n",
    );
    const app = await gated({
      folder,
      auth: rules.replace("note: { en: [Ask the desk.] }", "documents: gated"),
    });
    try {
      const anonymous = (await (await app.app.get(doc("mixed"))).json()) as Json;
      expect(anonymous.items[1].label).toEqual({ none: ["Leaf two"] });
      expect(JSON.stringify(anonymous)).not.toMatch(/word-/);
      const headers = { Cookie: await app.cookie("staff") };
      expect(await (await app.app.get(doc("mixed"), { headers })).text()).toMatch(/word-summary.*word-hand/s);
      for (const found of ["word-hand", "Leaf"]) {
        expect(await (await app.app.get(`/?q=${found}`)).text()).not.toContain("2.png");
        expect(await (await app.app.get(`/?q=${found}`, { headers })).text()).toContain("2.png");
      }
    } finally {
      await app.app.service.close();
    }
  });
});

test("a manifest file that cannot be used is quoted to readers with access alone", async () => {
  write("staff/broken/manifest.json", { type: "word-quoted" });
  const app = await gated({ folder, auth: rules });
  try {
    const response = await app.app.get(doc("staff/broken"));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("word-quoted");
    const headers = { Cookie: await app.cookie("staff") };
    expect(await (await app.app.get(doc("staff/broken"), { headers })).text()).toContain("word-quoted");
  } finally {
    await app.app.service.close();
  }
});
