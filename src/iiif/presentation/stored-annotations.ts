// Annotations that an operator stored as files (Web Annotation Data Model, sections 3 and 4; Presentation API
// 3.0, section 5.5; 2.1, section 5.5), brought to the canvases of a manifest: their targets are names of
// images, or addresses of canvases and images on any host.

import { pixelRegion } from "../content-state/region.ts";
import { fragmentRegion } from "../content-state/selectors.ts";
import { makeAbsolute } from "./addresses.ts";
import { annotationsByTarget, annotationsIn, type IdOfTarget } from "./attached.ts";
import { boxAddress, type TargetCanvas } from "./canvas-box.ts";
import { withContext } from "./context.ts";
import { type Fault, type FaultPath, fault, inside, noteUnexpected, quote } from "./description/faults.ts";
import { canvasNamesOf } from "./description/names.ts";
import { idOf, objectOf, objectsOf, oneOrMany, textOf, textsOf } from "./json.ts";
import type { CanvasFacts, Resource } from "./model.ts";
import { ownNames } from "./own-addresses.ts";
import { safeDocument } from "./safe-document.ts";
import { faultsOfStored, readStored } from "./stored.ts";

/** A canvas that annotations may be about. */
export interface AnnotatedCanvas extends TargetCanvas, Pick<CanvasFacts, "identifier" | "label" | "page"> {}

/** Where stored annotations belong. */
export interface AnnotationScope {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Address that relative ids in the file are below. */
  readonly address: string;
  /** Canvases of the manifest, in order. */
  readonly canvases: readonly AnnotatedCanvas[];
  /** Paths of the Image API, each with / at both ends. */
  readonly imagePrefixes: readonly string[];
  /**
   * Returns what an address of this service on any host names: the number of a canvas from 1, or 0 for the
   * manifest itself.
   */
  readonly find: (address: string) => { readonly number: number; readonly id: string } | undefined;
  /** Number of the canvas of the image that the file is next to, for annotations without a target. */
  readonly own?: number;
}

/** Stored annotations at the canvases that they are about. */
export interface StoredAnnotations {
  /** Texts by language, if the file has them. */
  readonly label?: Resource;
  /** By the number of their canvas from 1; 0 for the manifest. One with several targets is with each. */
  readonly byNumber: ReadonlyMap<number, readonly Resource[]>;
  /** What cannot be attached, and other mistakes, by path in the file. */
  readonly faults: readonly Fault[];
}

/** Maximum number of annotations in a file. */
const maxAnnotations = 100_000;
/** Maximum number of targets of an annotation. */
const maxTargets = 100;

/**
 * Returns the annotations of a parsed file: a page of them in the form of 3.0, of the Web Annotation Data
 * Model or of 2.1, a collection with its pages, a single one, or a list as Annotorious writes it. Targets are
 * in the form that most viewers read, with boxes as fragments in whole numbers; scripts are taken out.
 */
export function storedAnnotations(file: unknown, scope: AnnotationScope): StoredAnnotations {
  const { value, faults: unsafe } = safeDocument(Array.isArray(file) ? pageOf(file) : file);
  const at: FaultPath = { path: [], faults: [...unsafe] };
  const byNumber = new Map<number, Resource[]>();
  const document = objectOf(value);
  if (!document) noteUnexpected(at, "a page of annotations", value);
  const wrong = document ? faultsOfStored(withType(document)) : [];
  at.faults.push(...wrong);
  // An item that is no annotation is left out.
  const isUseless = wrong.some(({ path }) => path[0] !== "items" || path.length === 1);
  if (!document || isUseless) return { byNumber, faults: at.faults };
  const { whole } = readStored(withType(document));
  const all = annotationsIn(whole);
  if (all.length > maxAnnotations)
    fault(at, `expected at most ${maxAnnotations} annotations in a file, received ${all.length}; split it`);
  const attach = attachTo(scope);
  const list = "resources" in document ? "resources" : "items";
  for (const [index, annotation] of all.slice(0, maxAnnotations).entries()) {
    if (annotation.type !== "Annotation") continue;
    for (const [number, own] of attach(annotation, inside(inside(at, list), index))) {
      const others = byNumber.get(number);
      if (others) others.push(own);
      else byNumber.set(number, [own]);
    }
  }
  const label = objectOf(whole.label);
  return { ...(label && { label }), byNumber, faults: at.faults };
}

const pageOf = (items: readonly unknown[]): Resource => ({ type: "AnnotationPage", items });

/** Returns a document with a single type, which the Web Annotation Data Model does not require. */
function withType(document: Resource): Resource {
  const type = textsOf(document.type).find((each) => each.startsWith("Annotation"));
  return type === undefined ? document : { ...document, type };
}

type Attached = readonly (readonly [number: number, annotation: Resource])[];

/** Returns a function that returns an annotation for each canvas that it is about. */
function attachTo(scope: AnnotationScope): (annotation: Resource, at: FaultPath) => Attached {
  const { base, address, canvases, own } = scope;
  const numberOf = canvasNumbers(scope);
  const canvasAt = new Map(canvases.map((canvas) => [canvas.id, canvas]));
  return (annotation, at) => {
    const { target = annotation.on, on: _, ...members } = annotation;
    const ownId = own === undefined ? undefined : canvases[own - 1]?.id;
    const whole = target === undefined || target === "" ? ownId : target;
    const path = inside(at, "target");
    if (countOf(whole) > maxTargets) {
      fault(path, `expected at most ${maxTargets} targets of an annotation`);
      return [];
    }
    const numbers = new Map<string, number>();
    const idOfTarget: IdOfTarget = (target) => {
      const found = numberOf(target, path);
      if (found) numbers.set(found.id, found.number);
      return found?.id;
    };
    const before = at.faults.length;
    const { byTarget } = annotationsByTarget([{ ...members, target: whole }], idOfTarget);
    if (byTarget.size === 0 && at.faults.length === before)
      noteUnexpected(path, "the name of an image, or the address of a canvas", nameOfTarget(whole));
    return [...byTarget].flatMap(([id, list]) =>
      list.map(({ narrowed }) => {
        const plain = { ...narrowed, target: plainTarget(narrowed.target, canvasAt.get(id)) };
        return [numbers.get(id) ?? 0, makeAbsolute(plainForm(plain), { base, document: address })] as const;
      }),
    );
  };
}

/** Returns the number of the targets in a target, nested ones included. */
function countOf(target: unknown): number {
  if (Array.isArray(target)) return target.reduce((sum: number, each) => sum + countOf(each), 0);
  const items = objectOf(target)?.items;
  return items === undefined ? 1 : countOf(items);
}

const nameOfTarget = (target: unknown): unknown => {
  const first = Array.isArray(target) ? target[0] : target;
  const { source, id } = objectOf(first) ?? {};
  return textOf(source) ?? textOf(id) ?? first;
};

type FindCanvas = (
  address: string,
  at: FaultPath,
) => { readonly number: number; readonly id: string } | undefined;

/** Returns a function that finds canvases by addresses without fragments, and by the names of images. */
function canvasNumbers({ base, canvases, imagePrefixes, find }: AnnotationScope): FindCanvas {
  const findNames = canvasNamesOf(canvases);
  const byIdentifier = new Map(canvases.map(({ identifier }, at) => [identifier, at]));
  const byId = new Map(canvases.map(({ id }, at) => [id, at]));
  const at0 = (at: number | undefined) => {
    const id = at === undefined ? undefined : canvases[at]?.id;
    return at === undefined || id === undefined ? undefined : { number: at + 1, id };
  };
  const byFile = new Map<string, number | undefined>();
  for (const [at, { identifier }] of canvases.entries()) {
    const name = identifier.slice(identifier.lastIndexOf("/") + 1);
    byFile.set(name, byFile.has(name) ? undefined : at);
  }
  const known = new Map<string, ReturnType<FindCanvas>>();
  const look: FindCanvas = (address, at) => {
    if (byId.has(address)) return at0(byId.get(address));
    const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(address);
    if (!isAddress) return byName(address, at);
    const own = find(address.startsWith("/") ? base + address : address);
    if (own) return own;
    const { image } = ownNames(address, imagePrefixes);
    const byImage = image === undefined ? undefined : byIdentifier.get(image);
    return at0(byImage ?? fileIn(address, byFile));
  };
  const byName = (name: string, at: FaultPath) => {
    const indexes = findNames(
      { name: decodeText(name).replace(/^(?:\.?\/)+/, ""), path: at.path },
      at.faults,
    );
    if (indexes && indexes.length > 1)
      return fault(
        at,
        `${quote(name)} is a file with several pages; expected one, such as ${quote(`${name};2`)}`,
      );
    return at0(indexes?.[0]);
  };
  return (address, at) => {
    if (!known.has(address)) known.set(address, look(address, at));
    return known.get(address);
  };
}

/** Returns the index of the image whose whole file name is in the path of an address. */
function fileIn(address: string, byFile: ReadonlyMap<string, number | undefined>): number | undefined {
  const segments = address
    .replace(/[?#].*$/s, "")
    .split("/")
    .slice(0, 64)
    .map((segment) => decodeText(segment).split("/").at(-1) ?? "");
  const name = segments.findLast((segment) => segment.includes(".") && byFile.has(segment));
  return name === undefined ? undefined : byFile.get(name);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a target with its box as a fragment of the address of its canvas, which all viewers read. */
function plainTarget(target: unknown, canvas: AnnotatedCanvas | undefined): unknown {
  if (!canvas) return target;
  if (Array.isArray(target)) return target.map((each) => plainTarget(each, canvas));
  const { id, type, source = type === "Canvas" ? id : undefined, selector } = objectOf(target) ?? {};
  const address = textOf(target) ?? idOf(source);
  if (address === undefined) return target;
  const [only, ...more] = objectsOf(selector);
  if (only && (more.length > 0 || only.type !== "FragmentSelector")) return target;
  const fragment = only ? textOf(only.value)?.replace(/^#/, "") : address.slice(canvas.id.length + 1);
  if (!fragment) return canvas.id;
  const region = fragmentRegion(fragment);
  const box = region && pixelRegion(region, canvas);
  if (box) return boxAddress(canvas, [box.x, box.y, box.w, box.h]);
  // Fragments of other kinds, such as times, stay.
  return /(?:^|&)xywh=/.test(fragment) ? canvas.id : `${canvas.id}#${fragment}`;
}

/**
 * Returns an annotation with members that viewers rely on: a motivation without a prefix, and its text as a
 * body. Only the page around it has a context.
 */
function plainForm({ "@context": _, bodyValue, ...annotation }: Resource): Resource {
  const { motivation, body = textOf(bodyValue) && textBody(String(bodyValue)) } = annotation;
  const words = textsOf(motivation).map((word) => word.replace(/^(?:oa|sc):/, ""));
  const [purpose] = objectsOf(body).flatMap((each) => textsOf(each.purpose));
  return {
    ...annotation,
    type: "Annotation",
    motivation: oneOrMany(words) ?? purpose ?? "commenting",
    ...(body !== undefined && { body }),
  };
}

const textBody = (value: string): Resource => ({ type: "TextualBody", value, format: "text/plain" });

/**
 * Returns the page of the stored annotations about one canvas at an address of its own, in 3.0. Annotations
 * without an id are numbered.
 */
export function storedAnnotationsPage(
  annotations: readonly Resource[],
  address: string,
  label?: Resource,
): Resource {
  const items = annotations.map((annotation, at) => ({ id: `${address}#${at + 1}`, ...annotation }));
  return withContext({ id: address, type: "AnnotationPage", ...(label && { label }), items }, false);
}
