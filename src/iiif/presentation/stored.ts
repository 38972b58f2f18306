// Whole documents that an operator stored or a hook returned: those of Presentation API 3.0 are used
// unchanged, at the address where they are served, and those of 2.1 in both versions.

import { makeAbsolute, type Origin } from "./addresses.ts";
import { addContexts, withContext2 } from "./context.ts";
import { type Fault, type FaultPath, inside, noteUnexpected } from "./description/faults.ts";
import { idOf, objectOf, objectsOf, textOf } from "./json.ts";
import type { Resource } from "./model.ts";
import { documentAddress, pieceAddress } from "./mounts.ts";
import { faultsOfVersion2, isVersion2, version3 } from "./v2/reading/documents.ts";

/** Required members of a type of document. */
interface StoredForm {
  /** Types of its items; absent if it has none. */
  readonly items?: readonly string[];
  readonly fewest?: 1;
  readonly required?: "label" | "target";
}

/** Types of documents with their own addresses, the usual ones first. */
const forms: Readonly<Record<string, StoredForm>> = {
  Manifest: { items: ["Canvas"], fewest: 1, required: "label" },
  Collection: { items: ["Manifest", "Collection"], required: "label" },
  AnnotationPage: { items: ["Annotation"] },
  AnnotationCollection: {},
  Annotation: { required: "target" },
};

/** A whole document as stored. */
export interface StoredDocument {
  /** In the form of 3.0. */
  readonly whole: Resource;
  /** The document as written, if it has the form of 2.1. */
  readonly whole2?: Resource;
}

/** True if a value is intended as a whole document; any other describes a derived one. */
export function isWhole(value: unknown): value is Resource {
  const object = objectOf(value);
  return object !== undefined && ["type", "@type", "@context"].some((key) => key in object);
}

/** True if a whole document consists of annotations, which no collection lists. */
export function isOfAnnotations({ type }: Resource): boolean {
  return textOf(type)?.startsWith("Annotation") === true;
}

/** Returns why a whole document is unusable; empty if it is usable. */
export function faultsOfStored(document: Resource): readonly Fault[] {
  if (isVersion2(document)) return faultsOfVersion2(document);
  const at: FaultPath = { path: [], faults: [] };
  const { type, label, items, target } = document;
  const form = Object.hasOwn(forms, String(type)) ? forms[String(type)] : undefined;
  if (form === undefined) {
    const known = Object.keys(forms);
    noteUnexpected(inside(at, "type"), `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`, type);
    return at.faults;
  }
  if (form.required === "label" && objectOf(label) === undefined)
    noteUnexpected(inside(at, "label"), "texts by language, such as none: [text]", label);
  if (form.required === "target" && (target === undefined || target === null))
    noteUnexpected(inside(at, "target"), "what it is about", target);
  if (form.items) itemFaults(items, form.items, form.fewest, inside(at, "items"));
  return at.faults;
}

function itemFaults(items: unknown, types: readonly string[], fewest: 1 | undefined, at: FaultPath): void {
  if (!Array.isArray(items) || (fewest && items.length === 0)) {
    noteUnexpected(at, Array.isArray(items) ? "one canvas at least" : "a list", items);
    return;
  }
  for (const [index, item] of items.entries()) {
    const found = textOf(objectOf(item)?.type);
    if (found === undefined || !types.includes(found))
      noteUnexpected(inside(inside(at, index), "type"), types.join(" or "), objectOf(item)?.type);
  }
}

/** Returns a complete document without faults, in 3.0 and possibly in 2.1. */
export function readStored(document: Resource): StoredDocument {
  return isVersion2(document) ? { whole: version3(document), whole2: document } : { whole: document };
}

/**
 * Returns a whole document as served under an identifier. Its id becomes the address where it is served; ids
 * that begin with / are paths of this service, and other relative ones are below the document, so that
 * `canvas/1` can be requested. Canvases, and the parts that paint them, are numbered if they have no id.
 * `document2`: the same in the form of 2.1, if it is stored so.
 */
export function storedDocuments(
  { whole, whole2 }: StoredDocument,
  id: string,
  base: string,
): { readonly document: Resource; readonly document2?: Resource } {
  if (whole2 === undefined)
    return { document: storedDocument(whole, { base, document: documentAddress(base, id) }) };
  const [origin, origin2] = ([3, 2] as const).map(
    (version): Origin => ({ base, document: documentAddress(base, id, version), version }),
  ) as [Origin, Origin];
  const { "@context": context, "@id": _, ...members } = moveDocument(whole2, origin2);
  return {
    document: storedDocument(whole, origin),
    document2: withContext2({ "@context": context, "@id": origin2.document, ...members }),
  };
}

function storedDocument(stored: Resource, origin: Origin): Resource {
  const { document } = origin;
  const { "@context": contexts, id: _, ...members } = moveDocument(numberItems(stored, document), origin);
  return addContexts({ id: document, ...members }, contexts);
}

/** Returns a document with absolute addresses. */
function moveDocument(document: Resource, origin: Origin): Resource {
  const called = idOf(document);
  return makeAbsolute(document, { ...origin, ...(called !== undefined && called !== "" && { called }) });
}

/**
 * Returns a manifest whose canvases, annotation pages and annotations have ids, or an annotation page whose
 * annotations do.
 */
function numberItems(document: Resource, address: string): Resource {
  if (document.type === "AnnotationPage")
    return { ...document, items: nameAnnotations(document.items, `${address}#`) };
  if (document.type !== "Manifest") return document;
  return {
    ...document,
    items: objectsOf(document.items).map((canvas, index) => canvasOf(canvas, index + 1, address)),
  };
}

function canvasOf(canvas: Resource, number: number, address: string): Resource {
  const addressAt = (kind: "canvas" | "page" | "annotation") => pieceAddress(address, { kind, number });
  const id = idOf(canvas) ?? addressAt("canvas");
  // Only the first of each has an address of its own; others are fragments of it.
  const pages = objectsOf(canvas.items).map((page, first) => ({
    id: addressAt("page") + (first === 0 ? "" : `#${first + 1}`),
    ...page,
    items: objectsOf(page.items).map((annotation, inner) => ({
      id: addressAt("annotation") + (first + inner === 0 ? "" : `#${first + 1}-${inner + 1}`),
      target: id,
      ...annotation,
    })),
  }));
  const { annotations } = canvas;
  const noted = Array.isArray(annotations) && {
    annotations: annotations.map((page, nth) => {
      const held = objectOf(page);
      const own = `${addressAt("canvas")}#annotations-${nth + 1}`;
      return held && Array.isArray(held.items)
        ? { id: own, ...held, items: nameAnnotations(held.items, `${own}-`) }
        : page;
    }),
  };
  return { id, ...canvas, items: pages, ...noted };
}

/** Adds ids to annotations: those without are numbered after a prefix. */
function nameAnnotations(annotations: unknown, beginning: string): readonly Resource[] {
  return objectsOf(annotations).map((annotation, at) => ({ id: `${beginning}${at + 1}`, ...annotation }));
}
