import { describe, expect, test } from "vitest";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import { faultsOfStored, isWhole, storedDocument } from "../../../src/iiif/presentation/stored.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";

const root = `${base}/iiif/presentation/3`;
const stored = (document: object, id = "a/b"): Read => storedDocument(document as Read, id, base);

const picture = {
  id: "https://example.net/x.jpg",
  type: "Image",
  format: "image/jpeg",
  width: 10,
  height: 20,
};
const canvas = (more: object = {}, annotation: object = {}) => ({
  type: "Canvas",
  width: 10,
  height: 20,
  items: [
    {
      type: "AnnotationPage",
      items: [{ type: "Annotation", motivation: "painting", body: picture, ...annotation }],
    },
  ],
  ...more,
});
const manifest = (...items: object[]) => ({ type: "Manifest", label: { none: ["x"] }, items });

describe("a stored document", () => {
  test("is told from a description by its type or context", () => {
    expect([{ type: "Manifest" }, { "@type": "sc:Manifest" }, { "@context": "x" }].map(isWhole)).toEqual([
      true,
      true,
      true,
    ]);
    expect([{ label: "x" }, {}, null, [], "type"].map(isWhole)).toEqual([false, false, false, false, false]);
  });

  test("is served under its address, with ids for canvases and what paints them where it has none", () => {
    const document = stored(manifest(canvas(), canvas()));
    expectValid(document);
    expect(document).toMatchObject({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: `${root}/a/b`,
      items: [{ id: `${root}/a/b/canvas/1` }, { id: `${root}/a/b/canvas/2` }],
    });
    expect(pieceAt(document, `${root}/a/b/canvas/2/annotation`)).toMatchObject({
      target: `${root}/a/b/canvas/2`,
    });
  });

  test("has ids below itself, on the service, and elsewhere, as they are written", () => {
    const document = stored({
      ...manifest(
        canvas({ id: "canvas/1" }, { id: "notes/1", target: "canvas/1#xywh=0,0,5,5" }),
        canvas(
          { id: "/iiif/presentation/3/other/canvas/1" },
          { target: "/iiif/presentation/3/other/canvas/1" },
        ),
        canvas({ id: "https://example.net/c" }, { target: "https://example.net/c" }),
      ),
      start: { id: "canvas/1", type: "Canvas" },
      label: { id: ["Buku"] },
    });
    expectValid(document);
    expect(document.items.map(({ id }: Read) => id)).toEqual([
      `${root}/a/b/canvas/1`,
      `${root}/other/canvas/1`,
      "https://example.net/c",
    ]);
    expect(document.start.id).toBe(`${root}/a/b/canvas/1`);
    expect(document.items[0].items[0].items[0]).toMatchObject({
      id: `${root}/a/b/notes/1`,
      target: `${root}/a/b/canvas/1#xywh=0,0,5,5`,
    });
    expect(document.label).toEqual({ id: ["Buku"] });
  });

  test("calls itself by the address where it is served, wherever it names itself", () => {
    const own = "https://old.example.org/manifest";
    const document = stored({ id: own, ...manifest(canvas({ partOf: [{ id: own, type: "Manifest" }] })) });
    expect(document.id).toBe(`${root}/a/b`);
    expect(document.items[0].partOf[0].id).toBe(`${root}/a/b`);
  });

  test("keeps the contexts of extensions, its own last", () => {
    const own = "http://iiif.io/api/presentation/3/context.json";
    const more = "http://iiif.io/api/extension/navplace/context.json";
    expect(stored({ "@context": [more, own], ...manifest(canvas()) })["@context"]).toEqual([more, own]);
    expect(stored({ "@context": own, ...manifest(canvas()) })["@context"]).toBe(own);
  });

  test("that this service derived is served the same under that identifier", () => {
    const derived = manifestOf({ id: "a/b", label: "b", canvases: [image("a/b/1.jpg")] }, context);
    expect(stored(derived)).toEqual(derived);
  });
});

describe("what is wrong with a stored document", () => {
  const faults = (document: object) =>
    faultsOfStored(document as Read).map(({ path, message }) => `${path.join(".")}: ${message}`);

  test("is nothing with manifests and collections", () => {
    expect(faults(manifest(canvas()))).toEqual([]);
    expect(faults({ type: "Collection", label: { none: ["x"] }, items: [] })).toEqual([]);
  });

  test.each<[object, string]>([
    [
      { type: "Canvas", label: { none: ["x"] }, items: [] },
      'type: expected Manifest or Collection, received "Canvas"',
    ],
    [
      { type: "Manifest", items: [canvas()] },
      "label: expected texts by language, such as none: [text], received nothing",
    ],
    [manifest(), "items: expected one canvas at least, received an empty list"],
    [manifest(canvas(), { type: "Manifest" }), 'items.1.type: expected Canvas, received "Manifest"'],
    [{ ...manifest(), items: "x" }, 'items: expected a list, received "x"'],
  ])("in %j is named with its place", (document, fault) => expect(faults(document)).toEqual([fault]));

  test.each<[object]>([
    [{ "@type": "sc:Manifest" }],
    [{ "@context": "http://iiif.io/api/presentation/2/context.json" }],
  ])("is version 2 of %j", (document) => expect(faults(document)[0]).toContain("received one of version 2"));
});
