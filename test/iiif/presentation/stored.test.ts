import { describe, expect, test } from "vitest";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import {
  faultsOfStored,
  isWhole,
  readStored,
  storedDocuments,
} from "../../../src/iiif/presentation/stored.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import { seeded } from "../../seeded.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";
import { problemsOf3 } from "./rules-3.ts";

const root = `${base}/iiif/presentation/3`;
const served = (document: object, id = "a/b"): Read =>
  storedDocuments(readStored(document as Read), id, base);
const stored = (document: object, id = "a/b"): Read => served(document, id).document;

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
  test("is distinguished from a description by its type or context", () => {
    expect([{ type: "Manifest" }, { "@type": "sc:Manifest" }, { "@context": "x" }].map(isWhole)).toEqual([
      true,
      true,
      true,
    ]);
    expect([{ label: "x" }, {}, null, [], "type"].map(isWhole)).toEqual([false, false, false, false, false]);
  });

  test("is served under its address, with generated ids for canvases and painting annotations that lack them", () => {
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

  test("preserves ids below itself, on the service, and elsewhere", () => {
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

  test("has the address where it is served wherever it names itself", () => {
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

  test("that this service derived is served unchanged under that identifier", () => {
    const derived = manifestOf({ id: "a/b", label: "b", canvases: [image("a/b/1.jpg")] }, context);
    expect(stored(derived)).toEqual(derived);
  });
});

describe("validation of a stored document", () => {
  const faults = (document: object) =>
    faultsOfStored(document as Read).map(({ path, message }) => `${path.join(".")}: ${message}`);

  test("finds nothing wrong in manifests and collections", () => {
    expect(faults(manifest(canvas()))).toEqual([]);
    expect(faults({ type: "Collection", label: { none: ["x"] }, items: [] })).toEqual([]);
  });

  test.each<[object, string]>([
    [
      { type: "Canvas", label: { none: ["x"] }, items: [] },
      'type: expected Manifest, Collection, AnnotationPage, AnnotationCollection or Annotation, received "Canvas"',
    ],
    [
      { type: "Manifest", items: [canvas()] },
      "label: expected texts by language, such as none: [text], received nothing",
    ],
    [manifest(), "items: expected one canvas at least, received an empty list"],
    [manifest(canvas(), { type: "Manifest" }), 'items.1.type: expected Canvas, received "Manifest"'],
    [{ ...manifest(), items: "x" }, 'items: expected a list, received "x"'],
  ])("reports %j with its position", (document, fault) => expect(faults(document)).toEqual([fault]));

  test("finds nothing wrong in annotation pages, annotation collections and annotations", () => {
    expect(faults({ type: "AnnotationPage", items: [] })).toEqual([]);
    expect(faults({ type: "AnnotationCollection", first: "1" })).toEqual([]);
    expect(faults({ type: "Annotation", target: "https://example.net/c" })).toEqual([]);
  });

  test.each<[object, string]>([
    [{ type: "AnnotationPage" }, "items: expected a list, received nothing"],
    [{ type: "AnnotationPage", items: [canvas()] }, 'items.0.type: expected Annotation, received "Canvas"'],
    [{ type: "Annotation", body: {} }, "target: expected what it is about, received nothing"],
    [
      { "@type": "sc:Sequence" },
      '@type: expected sc:Manifest, sc:Collection or sc:AnnotationList, received "sc:Sequence"',
    ],
    [
      { "@context": "http://iiif.io/api/presentation/2/context.json" },
      "@type: expected sc:Manifest, sc:Collection or sc:AnnotationList, received nothing",
    ],
    [{ "@type": "sc:Collection" }, "label: expected a text, received nothing"],
    [{ "@type": "sc:Manifest", label: "x" }, "sequences: expected one canvas at least, received nothing"],
    [
      { "@type": "sc:Manifest", label: "x", sequences: [{ canvases: [] }] },
      "sequences.0.canvases: expected one canvas at least, received an empty list",
    ],
    [
      {
        "@type": "sc:Manifest",
        label: "x",
        sequences: [{ canvases: [{ "@id": "c", width: 5, height: "x" }] }],
      },
      'sequences.0.canvases.0.height: expected a number of pixels, received "x"',
    ],
    [
      { "@type": "sc:Manifest", label: "x", sequences: [{ canvases: [{ width: 5, height: 5 }] }] },
      "sequences.0.canvases.0.@id: expected the address of the canvas, received nothing",
    ],
    [{ "@type": "sc:AnnotationList" }, "resources: expected a list, received nothing"],
  ])("reports %j with its position too", (document, fault) => expect(faults(document)).toEqual([fault]));

  test("reports any other shape, or the document is served", () => {
    const number = seeded(34);
    const values = [null, 7, "x", [], {}, [null], [7], ["x"], [[]], [{}], [canvas()], { "@id": "x" }];
    const types = ["sc:Manifest", "sc:Collection", "sc:AnnotationList"];
    const outcomes = { named: 0, served: 0, wrong: 0 };
    const any = () => values[number(values.length)];
    for (let n = 0; n < 1000; n++) {
      const image = { resource: any(), on: any(), motivation: any() };
      const canvas2 = {
        "@id": "c",
        width: 5,
        height: 5,
        images: number(2) ? [image] : any(),
        otherContent: any(),
      };
      const document = {
        "@type": types[number(3)],
        label: number(9) === 0 ? any() : "x",
        sequences:
          number(9) === 0 ? any() : [{ canvases: [{ ...canvas2, label: any() }], startCanvas: any() }, any()],
        resources: [image, { ...image, resource: { "@type": "oa:Choice", default: any(), item: any() } }],
        structures: [{ "@id": "r", ranges: any(), canvases: any(), members: any(), within: any() }, any()],
        members: any(),
        ...Object.fromEntries(
          "collections logo related within service metadata license thumbnail"
            .split(" ")
            .map((key) => [key, any()]),
        ),
      };
      if (faultsOfStored(document).length > 0) outcomes.named++;
      else {
        const { document: document3, document2 } = served(document);
        version2(document3, base);
        outcomes.served++;
        if (document3.id !== `${root}/a/b` || document2["@id"] !== `${base}/iiif/presentation/2/a/b`)
          outcomes.wrong++;
      }
    }
    expect(outcomes.wrong).toBe(0);
    expect(Math.min(outcomes.named, outcomes.served)).toBeGreaterThan(50);
  });
});

describe("a stored page of annotations", () => {
  const page = {
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: "https://old.example.org/page",
    type: "AnnotationPage",
    partOf: [{ id: "/iiif/presentation/3/notes", type: "AnnotationCollection" }],
    next: "/iiif/presentation/3/notes/2",
    items: [
      {
        id: "https://old.example.org/page",
        type: "Annotation",
        motivation: "commenting",
        body: { type: "TextualBody", value: "Here", format: "text/plain" },
        target: "/iiif/presentation/3/book/canvas/1#xywh=0,0,5,5",
      },
      {
        type: "Annotation",
        motivation: "commenting",
        body: { type: "TextualBody", value: "There", format: "text/plain" },
        target: { type: "SpecificResource", source: "/iiif/presentation/3/book/canvas/2" },
      },
    ],
  };

  test("has absolute ids, and an id for each annotation", () => {
    const document = stored(page);
    expectValid(document);
    expect(document).toMatchObject({
      id: `${root}/a/b`,
      partOf: [{ id: `${root}/notes` }],
      next: `${root}/notes/2`,
      items: [
        { id: `${root}/a/b`, target: `${root}/book/canvas/1#xywh=0,0,5,5` },
        { id: `${root}/a/b#2`, target: { source: `${root}/book/canvas/2` } },
      ],
    });
  });

  test("is a list in 2.1, and its collection a layer", () => {
    expect(version2(stored(page), base)).toMatchObject({
      "@id": `${base}/iiif/presentation/2/a/b`,
      "@type": "sc:AnnotationList",
      within: `${base}/iiif/presentation/2/notes`,
      resources: [{ on: `${base}/iiif/presentation/2/book/canvas/1#xywh=0,0,5,5` }, {}],
    });
    const collection = stored({
      type: "AnnotationCollection",
      label: { none: ["All"] },
      first: "1",
      last: "2",
    });
    expect(collection).toMatchObject({ id: `${root}/a/b`, first: `${root}/a/b/1`, last: `${root}/a/b/2` });
    expect(problemsOf3(collection)).toEqual([]);
    expect(version2(collection, base)).toMatchObject({ "@type": "sc:Layer" });
  });
});
