// Stored documents of Presentation API 4.0: named, served as 3.0 if that can express them, else refused.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Log } from "../../../../src/base/telemetry/log.ts";
import { problemsOf2 } from "../../../iiif/presentation/rules-2.ts";
import { problemsOf3 } from "../../../iiif/presentation/rules-3.ts";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json } from "./walk.ts";

const base = "http://images.test";
const root = "/iiif/presentation/3";
const context3 = "http://iiif.io/api/presentation/3/context.json";
const context4 = "http://iiif.io/api/presentation/4/context.json";

let laid: Laid;
let faults: unknown[];

beforeEach(async () => {
  laid = await layFolder();
  faults = [];
});
afterEach(() => laid.drop());

const log: Log = {
  info() {},
  warn: (_, fields) => void (fields?.fault !== undefined && faults.push(fields.fault)),
  error() {},
} as Partial<Log> as Log;

const canvasId = "https://old.example/canvas/1";

/** A manifest of a picture in the form of 4.0 (draft, sections 3.1 to 3.4). */
const book = (members: object = {}, canvas: object = {}, annotation: object = {}) => ({
  "@context": context4 as unknown,
  id: "https://old.example/book",
  type: "Manifest",
  label: { en: ["Book"] },
  items: [
    {
      id: canvasId,
      type: "Canvas",
      width: 30,
      height: 40,
      items: [
        {
          id: "https://old.example/page/1",
          type: "AnnotationPage",
          items: [
            {
              id: "https://old.example/annotation/1",
              type: "Annotation",
              motivation: ["painting"],
              body: {
                id: `${base}/iiif/3/1.jpg/full/max/0/default.jpg`,
                type: "Image",
                format: "image/jpeg",
              },
              target: { id: canvasId, type: "Canvas" },
              ...annotation,
            },
          ],
        },
      ],
      ...canvas,
    },
  ],
  ...members,
});

const open = async (document: unknown, path = "book/manifest.json") => {
  await laid.write(path, JSON.stringify(document));
  return served(laid.yaml(), {}, { log });
};

/** All contexts in a document, at any depth. */
function contextsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(contextsIn);
  if (typeof value !== "object" || value === null) return [];
  return [...[value["@context"] ?? []].flat(), ...Object.values(value).flatMap(contextsIn)];
}

describe("a stored document of 4.0 that 3.0 can express", () => {
  test("is one of 3.0 in both versions, and the log names its version", async () => {
    const app = await open(book());
    const document = await json(app, `${root}/book`);
    expect(document["@context"]).toBe(context3);
    const [annotation] = document.items[0].items[0].items;
    expect([annotation.motivation, annotation.target]).toEqual(["painting", canvasId]);
    expect(problemsOf3(document)).toEqual([]);
    expect(problemsOf2(await json(app, "/iiif/presentation/2/book"))).toEqual([]);
    expect(faults).toEqual([expect.stringContaining("Presentation API 4.0")]);
    const response = await app.get(`${root}/book`);
    expect(response.headers.get("X-Ignored-Manifest-File")).toBe("manifest.json, line 1");
  });

  test.each<[string, Json]>([
    ["a list of contexts", book({ "@context": ["https://example.org/context.json", context4] })],
    ["contexts of both versions", book({ "@context": [context4, context3] })],
    ["contexts of both versions, the older first", book({ "@context": [context3, context4] })],
    ["a context in a part of it", { ...book({}, { "@context": context4 }), "@context": context3 }],
    ["contexts at all levels", book({}, { "@context": [context4] }, { "@context": context4 })],
    [
      "a context with the minor version",
      book({ "@context": "http://iiif.io/api/presentation/4.0/context.json" }),
    ],
    [
      "the context of a draft",
      book({ "@context": "https://preview.iiif.io/api/prezi-4/presentation/4.0.0-beta/context.json" }),
    ],
    ["a context with a fragment", book({ "@context": `${context4}#` })],
    ["a context with https", book({ "@context": context4.replace("http:", "https:") })],
  ])("has no context of 4.0 any more: %s", async (_, stored) => {
    const app = await open(stored);
    const contexts = contextsIn(await json(app, `${root}/book`));
    expect(contexts.at(-1)).toBe(context3);
    expect(contexts.filter((each) => each.includes("/presentation/"))).toEqual([context3]);
    expect(contextsIn(await json(app, "/iiif/presentation/2/book")).join()).not.toMatch(/presentation\/[34]/);
    expect(faults).toEqual([expect.stringContaining("Presentation API 4.0")]);
  });

  test("has the names of 3.0 for what 4.0 calls otherwise, and the context of places", async () => {
    const point = { type: "FeatureCollection", features: [] };
    const body = {
      type: "List",
      items: [{ id: "https://old.example/a.mp3", type: "Audio", format: "audio/mpeg" }],
    };
    const app = await open(book({ navPlace: point }, { duration: 10 }, { body }));
    const document = await json(app, `${root}/book`);
    expect(document["@context"]).toEqual(["http://iiif.io/api/extension/navplace/context.json", context3]);
    expect(document.items[0].items[0].items[0].body.type).toBe("Sound");
  });

  test("is without what only informs, which the log names", async () => {
    const app = await open(book({}, { interactionMode: ["locked"] }));
    expect((await json(app, `${root}/book`)).items[0].interactionMode).toBeUndefined();
    expect(faults).toEqual([expect.stringContaining("without interactionMode")]);
  });

  test("may be a collection or a page of annotations", async () => {
    const member = { id: "https://old.example/m", type: "Manifest", label: { en: ["M"] } };
    await laid.write(
      "notes/manifest.json",
      JSON.stringify({ "@context": context4, type: "AnnotationPage", items: [] }),
    );
    const app = await open({
      "@context": context4,
      type: "Collection",
      label: { en: ["C"] },
      items: [member],
    });
    expect((await json(app, `${root}/book`))["@context"]).toBe(context3);
    expect((await json(app, `${root}/notes`))["@context"]).toBe(context3);
  });
});

describe("a stored document that 3.0 cannot express", () => {
  const scene = book({ items: [{ id: "https://old.example/scene", type: "Scene", items: [] }] });
  const container = { type: "Canvas", id: "https://old.example/p", width: 1, height: 1, items: [] };

  test.each<[string, string, Json]>([
    ["a scene", "items.0.type", scene],
    ["a timeline", "items.0.type", book({ items: [{ id: "x", type: "Timeline", duration: 1, items: [] }] })],
    [
      "a placeholder container",
      "items.0.placeholderContainer",
      book({}, { placeholderContainer: container }),
    ],
    ["an accompanying container", "accompanyingContainer", book({ accompanyingContainer: container })],
    [
      "an activating annotation",
      "items.0.items.0.items.0.motivation",
      book({}, {}, { motivation: ["activating"] }),
    ],
    [
      "a quantity",
      "items.0.spatialScale",
      book({}, { spatialScale: { type: "Quantity", quantityValue: 1, unit: "m" } }),
    ],
    ["a scene in a document of 3.0", "items.0.type", { ...scene, "@context": context3 }],
    ["a scene in a document without a context", "items.0.type", { ...scene, "@context": undefined }],
    ["a camera", "items.0.items.0.items.0.body.type", book({}, {}, { body: { type: "PerspectiveCamera" } })],
    [
      "pages of a collection",
      "first",
      {
        "@context": context4,
        type: "Collection",
        label: { en: ["C"] },
        first: { id: "https://old.example/1", type: "CollectionPage" },
      },
    ],
    ["a background", "items.0.backgroundColor", book({}, { backgroundColor: "#ffffff" })],
  ])("is 501 with the name of its version: %s", async (_, path, stored) => {
    const app = await open(stored);
    for (const address of [`${root}/book`, "/iiif/presentation/2/book", `${root}/book/canvas/1`]) {
      const response = await app.get(address);
      expect(response.status).toBe(501);
      const problem = (await response.json()) as Json;
      expect(problem.code).toBe("unsupported_presentation_version");
      expect(problem.detail).toContain("Presentation API 4.0");
      expect(problem.detail).toContain(path);
    }
    expect(faults).toEqual([expect.stringContaining("Presentation API 4.0")]);
    // The others are listed as before.
    expect((await json(app, root)).items).toHaveLength(1);
  });

  test("is 501 although images are next to it, and the images are served", async () => {
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    const app = await open(scene);
    expect((await app.get(`${root}/book`)).status).toBe(501);
    expect((await app.get(`${root}/book/1.jpg`)).status).toBe(200);
  });

  test("does not hide the rest of a source at its top", async () => {
    await laid.put("1.jpg", "jpg-gray.jpg");
    await laid.put("other/1.jpg", "jpg-gray.jpg");
    const app = await open(scene, "manifest.json");
    expect((await json(app, root)).items.map(({ id }: Json) => id)).toEqual([
      `${base}${root}/other`,
      `${base}${root}/_images`,
    ]);
    expect((await app.get(`${root}/_images`)).status).toBe(501);
  });

  test("names later versions too", async () => {
    const app = await open(book({ "@context": "http://iiif.io/api/presentation/5/context.json" }));
    const response = await app.get(`${root}/book`);
    expect([response.status, ((await response.json()) as Json).detail]).toEqual([
      501,
      expect.stringContaining("5.0"),
    ]);
  });
});

test("a document of 3.0 with a member that 4.0 has for something else is served unchanged", async () => {
  const stored = { ...book({ position: "left", version: "2" }), "@context": context3 };
  const app = await open(stored);
  expect(await json(app, `${root}/book`)).toMatchObject({ position: "left", version: "2" });
  expect(faults).toEqual([]);
});
