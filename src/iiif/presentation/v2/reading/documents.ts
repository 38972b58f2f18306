// Converts external documents of Presentation API 2.1 to 3.0.

import { type Fault, type FaultPath, inside, noteUnexpected } from "../../description/faults.ts";
import { idOf, isThere, objectOf, objectsOf, present, textsOf } from "../../json.ts";
import type { Resource } from "../../model.ts";
import { annotation3, painting3 } from "./annotations.ts";
import { listOf, number3, properties3, reference3, texts3, typeOf } from "./properties.ts";
import { canvas3, structures3 } from "./ranges.ts";

/** True if a document is one of version 2 or of its predecessor, whose types have another name. */
export function isVersion2(document: Resource): boolean {
  return (
    "@type" in document || textsOf(document["@context"]).some((each) => /\/presentation\/2\//.test(each))
  );
}

/** Readers by document type. */
const readers: Readonly<Record<string, (document: Resource) => Resource>> = {
  Manifest: manifest3,
  Collection: collection3,
  AnnotationList: annotationPage3,
};

/** Returns why a document of version 2 cannot be read; empty if it can. */
export function faultsOfVersion2(document: Resource): readonly Fault[] {
  const at: FaultPath = { path: [], faults: [] };
  const type = typeOf(document);
  if (type === undefined || !(type in readers)) {
    noteUnexpected(inside(at, "@type"), "sc:Manifest, sc:Collection or sc:AnnotationList", document["@type"]);
    return at.faults;
  }
  if (type === "AnnotationList") {
    if (!Array.isArray(document.resources))
      noteUnexpected(inside(at, "resources"), "a list", document.resources);
    return at.faults;
  }
  if (texts3(document.label) === undefined) noteUnexpected(inside(at, "label"), "a text", document.label);
  if (type === "Manifest") canvasFaults(document, at);
  return at.faults;
}

function canvasFaults({ sequences }: Resource, at: FaultPath): void {
  const [sequence] = objectsOf(sequences);
  const path = inside(inside(inside(at, "sequences"), 0), "canvases");
  const canvases = sequence?.canvases;
  if (!Array.isArray(canvases) || canvases.length === 0)
    return void noteUnexpected(
      sequence ? path : inside(at, "sequences"),
      "one canvas at least",
      sequence && canvases,
    );
  for (const [index, canvas] of canvases.entries()) {
    const here = inside(path, index);
    if (idOf(objectOf(canvas)) === undefined)
      noteUnexpected(inside(here, "@id"), "the address of the canvas", objectOf(canvas)?.["@id"]);
    for (const side of ["width", "height"])
      if (number3(objectOf(canvas)?.[side]) === undefined)
        noteUnexpected(inside(here, side), "a number of pixels", objectOf(canvas)?.[side]);
  }
}

/** Converts a faultless document of version 2 to 3.0, without a context. */
export function version3(document: Resource): Resource {
  return (readers[typeOf(document) ?? ""] ?? annotationPage3)(document);
}

function head3(resource: Resource, type: string): Resource {
  return present({ id: idOf(resource), type, ...properties3(resource, type) });
}

function manifest3(manifest: Resource): Resource {
  const [sequence = {}, ...others] = objectsOf(manifest.sequences);
  const own = head3(manifest, "Manifest");
  // Properties of the one sequence apply to the manifest.
  const { rendering = [], viewingDirection, behavior, start } = sequence3(sequence);
  return present({
    viewingDirection,
    behavior,
    start,
    ...own,
    rendering: [...objectsOf(own.rendering), ...objectsOf(rendering)],
    items: objectsOf(sequence.canvases).map(canvasOf3),
    structures: [...structures3(manifest.structures), ...others.map(order3).filter(isThere)],
  });
}

function sequence3(sequence: Resource): Resource {
  const start = idOf(sequence.startCanvas);
  return { ...properties3(sequence, "Manifest"), start: start === undefined ? undefined : canvas3(start) };
}

/** Returns another order of the canvases. */
function order3(sequence: Resource): Resource | undefined {
  const items = listOf(sequence.canvases).map(idOf).filter(isThere).map(canvas3);
  const id = idOf(sequence);
  if (items.length === 0 || id === undefined) return undefined;
  const { label, viewingDirection } = properties3(sequence, "Range");
  return present({ id, type: "Range", label, behavior: ["sequence"], viewingDirection, items });
}

function canvasOf3(canvas: Resource): Resource {
  const id = idOf(canvas) as string;
  const paintings = objectsOf(canvas.images)
    .map((annotation) => painting3(annotation, id))
    .filter(isThere);
  return {
    ...head3(canvas, "Canvas"),
    height: number3(canvas.height),
    width: number3(canvas.width),
    items: paintings.length > 0 ? [{ type: "AnnotationPage", items: paintings }] : [],
    ...present({ annotations: listOf(canvas.otherContent).map(listed3).filter(isThere) }),
  };
}

/** Returns a canvas's list of annotations, which may be embedded or referenced. */
function listed3(list: unknown): Resource | undefined {
  const resources = objectOf(list)?.resources;
  if (Array.isArray(resources)) return annotationPage3(list as Resource);
  return reference3(list, "AnnotationPage");
}

function annotationPage3(list: Resource): Resource {
  const link = (value: unknown) => idOf(value);
  return {
    ...head3(list, "AnnotationPage"),
    ...present({ next: link(list.next), prev: link(list.prev), startIndex: list.startIndex }),
    items: objectsOf(list.resources).map(annotation3),
  };
}

function collection3(collection: Resource): Resource {
  const members = (list: unknown, usual: string) =>
    listOf(list)
      .map((member) => member3(member, usual))
      .filter(isThere);
  return {
    ...head3(collection, "Collection"),
    items: [
      ...members(collection.collections, "Collection"),
      ...members(collection.manifests, "Manifest"),
      ...members(collection.members, "Manifest"),
    ],
  };
}

/** Returns a member by its address; a collection within a collection keeps its contents. */
function member3(member: unknown, usual: string): Resource | undefined {
  const id = idOf(member);
  if (id === undefined) return undefined;
  const resource = objectOf(member) ?? {};
  const type = typeOf(member) ?? usual;
  const label = texts3(resource.label) ?? { none: [id] };
  const isWhole = ["collections", "manifests", "members"].some((key) => Array.isArray(resource[key]));
  if (type === "Collection" && isWhole) return { label, ...collection3(resource) };
  const { thumbnail, navDate } = properties3(resource, type);
  return present({ id, type, label, thumbnail, navDate });
}
