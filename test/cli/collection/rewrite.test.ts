// Addresses in exported documents that name parts of other documents.

import { expect, test } from "vitest";
import { type RewriteOptions, rewriteDocument } from "../../../src/cli/collection/export/rewrite.ts";

const from = "http://images.test";
const at = (id: string) => `${from}/iiif/presentation/3/${id}`;
const canvas = at("book%2C%201/canvas/1");
const page = at("book%2C%201/canvas/1/annotations/1");

const options: RewriteOptions = {
  from,
  to: "https://static.example/scans",
  version: 3,
  images: new Map(),
  hasDocument: (id) => ["book, 1", "book, 1/canvas/1/annotations/1"].includes(id),
};

// biome-ignore lint/suspicious/noExplicitAny: documents are read by any path.
const rewritten = (document: object): any => rewriteDocument({ ...document }, options).document;

test("annotations in a document of their own target the canvases of the exported manifest", () => {
  const body = { id: "https://elsewhere.example/1.jpg", type: "Image" };
  const painting = { type: "Annotation", motivation: "painting", body };
  const manifest = rewritten({
    id: at("book%2C%201"),
    type: "Manifest",
    items: [
      {
        id: canvas,
        type: "Canvas",
        items: [{ type: "AnnotationPage", items: [painting] }],
        annotations: [{ id: page, type: "AnnotationPage" }],
      },
    ],
  });
  const [{ id, annotations }] = manifest.items;
  const notes = rewritten({
    id: page,
    type: "AnnotationPage",
    items: [
      { type: "Annotation", target: `${canvas}#xywh=1,2,3,4` },
      { type: "Annotation", target: { type: "SpecificResource", source: canvas } },
      { type: "Annotation", target: at("other/canvas/1") },
    ],
  });
  expect(notes.id).toBe(annotations[0].id);
  expect(notes.items.map(({ target }: { target: unknown }) => target)).toEqual([
    `${id}#xywh=1,2,3,4`,
    { type: "SpecificResource", source: id },
    undefined,
  ]);
});

test("a collection at the root names no folder that is not exported", () => {
  const { items } = rewriteDocument(
    {
      id: `${from}/iiif/presentation/3/`,
      type: "Collection",
      items: [
        { id: at("gated"), type: "Collection" },
        { id: at("terms"), type: "Manifest" },
        { id: at("book%2C%201"), type: "Manifest" },
      ],
    },
    { ...options, hasDocument: (id) => ["", "book, 1"].includes(id) },
  ).document;
  expect(items).toEqual([
    { id: "https://static.example/scans/manifests/book~2c~201.json", type: "Manifest" },
  ]);
});
