// Annotations that an operator stored as files (Web Annotation Data Model, sections 3 and 4; Presentation API
// 3.0, section 5.5; 2.1, section 5.5), brought to the canvases of a manifest: their targets are names of
// images, or addresses of canvases and images on any host.

import { pixelRegion } from "../content-state/region.ts";
import { fragmentRegion } from "../content-state/selectors.ts";
import { makeAbsolute } from "./addresses.ts";
import {
  annotationsByTarget,
  annotationsIn,
  type IdOfTarget,
  narrowTarget,
  type TargetedAnnotation,
} from "./attached.ts";
import { boxAddress, type TargetCanvas } from "./canvas-box.ts";
import { type Fault, type FaultPath, fault, inside, noteUnexpected, quote } from "./description/faults.ts";
import { canvasNamesOf } from "./description/names.ts";
import { inertText } from "./inert-text.ts";
import { idOf, objectOf, objectsOf, oneOrMany, textOf, textsOf } from "./json.ts";
import type { CanvasFacts, Resource } from "./model.ts";
import { ownNames } from "./own-addresses.ts";
import { safeDocument } from "./safe-document.ts";
import { safeHtml } from "./safe-html.ts";
import { faultsOfStored, isOfAnnotations, readStored } from "./stored.ts";

/** A canvas that annotations may be about, by the names of its image. */
export interface AnnotatedCanvas extends Pick<CanvasFacts, "identifier" | "label" | "page"> {
  /** In the form of version 3. */
  readonly id: string;
}

/** Where stored annotations belong. */
export interface AnnotationScope {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
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
  readonly own?: number | undefined;
}

/** Annotations of a file, in the form of 3.0. */
export interface StoredAnnotations {
  /** Texts by language, if the file has them. */
  readonly label?: Resource;
  readonly annotations: readonly {
    readonly annotation: Resource;
    /** Path in the file. */
    readonly path: FaultPath["path"];
  }[];
  /** Mistakes, by path in the file. */
  readonly faults: readonly Fault[];
  /** True if the mistakes leave nothing of the file. */
  readonly isUseless: boolean;
}

/** Annotations at the canvases that they are about. */
export interface SortedAnnotations {
  /**
   * By the number of their canvas from 1; 0 for the manifest. One with several targets is with each: whole,
   * with all of them, and narrowed to that one.
   */
  readonly byNumber: ReadonlyMap<number, readonly TargetedAnnotation[]>;
  /** What cannot be attached, by path in the file. */
  readonly faults: readonly Fault[];
}

/** Maximum number of annotations in a file. */
const maxAnnotations = 100_000;
/** Maximum number of annotations of a file that are served about one canvas: viewers read all of them. */
const maxOfCanvas = 10_000;
/** Maximum number of targets of an annotation. */
const maxTargets = 100;

/**
 * Reads a parsed file: a page of annotations in the form of 3.0, of the Web Annotation Data Model or of 2.1,
 * a collection with its pages, a single one, or a list as Annotorious writes it. What is no annotation is
 * left out, and so are scripts.
 */
export function readStoredAnnotations(file: unknown): StoredAnnotations {
  const { value, faults: unsafe } = safeDocument(pageAround(file));
  const at: FaultPath = { path: [], faults: [...unsafe] };
  const document = withSingleType(objectOf(value));
  if (!document) noteUnexpected(at, "a page of annotations", value);
  const wrong = document ? faultsOfStored(document) : [];
  at.faults.push(...wrong);
  // An item that is no annotation is left out.
  const isSound = document && wrong.every(({ path }) => path.length > 1 && path[0] === "items");
  const whole = isSound ? readStored(document).whole : {};
  if (isSound && !isOfAnnotations(whole)) noteUnexpected(inside(at, "type"), "AnnotationPage", whole.type);
  if (!isSound || !isOfAnnotations(whole)) return { annotations: [], faults: at.faults, isUseless: true };
  const list = "resources" in document ? "resources" : "items";
  const all = annotationsIn(whole).map((annotation, index) => ({ annotation, path: [list, index] }));
  if (all.length > maxAnnotations)
    fault(at, `expected at most ${maxAnnotations} annotations in a file, received ${all.length}; split it`);
  const label = objectOf(whole.label);
  const annotations = all
    .slice(0, maxAnnotations)
    .filter(({ annotation }) => annotation.type === "Annotation");
  noteCrowded(annotations, at);
  return { ...(label && { label }), annotations, faults: at.faults, isUseless: false };
}

/** Notes targets that more annotations name than are served about one canvas. */
function noteCrowded(annotations: StoredAnnotations["annotations"], at: FaultPath): void {
  const counts = new Map<unknown, number>();
  for (const { annotation } of annotations) {
    const { target = annotation.on } = annotation;
    const name = isNothing(target) ? "" : nameOfTarget(target);
    const bare = typeof name === "string" ? name.replace(/#.*$/s, "") : name;
    counts.set(bare, (counts.get(bare) ?? 0) + 1);
  }
  for (const count of counts.values()) {
    const text = crowdReason(count);
    if (text !== undefined) fault(at, text);
  }
}

/** Returns why a number of annotations of a file is not served about one canvas; undefined if it is. */
export const crowdReason = (count: number): string | undefined =>
  count > maxOfCanvas
    ? `expected at most ${maxOfCanvas} annotations of one canvas, received ${count}; divide them among files manifest.json in folders below`
    : undefined;

/** Returns a page around a list, or around a single annotation of 2.1; any other file as it is. */
function pageAround(file: unknown): unknown {
  const items = Array.isArray(file) ? file : [file];
  const isOld = items.some((item) => objectOf(item)?.["@type"] === "oa:Annotation");
  if (isOld) return { "@type": "sc:AnnotationList", resources: items };
  return Array.isArray(file) ? { type: "AnnotationPage", items } : file;
}

/**
 * Returns a document with a single type, and with a list of items with single types, which the Web Annotation
 * Data Model does not require.
 */
function withSingleType(document: Resource | undefined): Resource | undefined {
  if (!document || document.type === undefined) return document;
  const { items } = document;
  return {
    ...document,
    type: singleType(document.type),
    ...(items !== undefined && {
      items: [items].flat().map((item) => {
        const held = objectOf(item);
        return held && Array.isArray(held.type) ? { ...held, type: singleType(held.type) } : item;
      }),
    }),
  };
}

const singleType = (type: unknown) => textsOf(type).find((each) => each.startsWith("Annotation")) ?? type;

/** Finds out where the annotations of a file belong, some at a time: there may be many. */
export interface AnnotationSorter {
  /** Sorts further annotations. */
  add(some: StoredAnnotations["annotations"]): void;
  /** All that have been sorted. */
  readonly sorted: SortedAnnotations;
}

/** Returns what places the annotations of one file. */
export function createSorter(scope: AnnotationScope): AnnotationSorter {
  const faults: Fault[] = [];
  const byNumber = new Map<number, TargetedAnnotation[]>();
  const sortOne = sortIn(scope);
  return {
    add(some) {
      for (const { annotation, path } of some)
        for (const [number, own] of sortOne(annotation, { path: [...path, "target"], faults })) {
          const others = byNumber.get(number);
          if (others) others.push(own);
          else byNumber.set(number, [own]);
        }
    },
    sorted: { byNumber, faults },
  };
}

type Sorted = readonly (readonly [number: number, annotation: TargetedAnnotation])[];

/** Returns a function that returns an annotation for each canvas that it is about. */
function sortIn(scope: AnnotationScope): (annotation: Resource, at: FaultPath) => Sorted {
  const { canvases, own } = scope;
  const ownId = own === undefined ? undefined : canvases[own - 1]?.id;
  const numberOf = canvasNumbers(scope);
  return (annotation, at) => {
    const { target = annotation.on, on: _, ...members } = annotation;
    const whole = isNothing(target) ? ownId : typeof target === "number" ? String(target) : target;
    if (countOf(whole) > maxTargets) {
      fault(at, `expected at most ${maxTargets} targets of an annotation`);
      return [];
    }
    const numbers = new Map<string, number>();
    let isClear = true;
    const idOfTarget: IdOfTarget = (target) => {
      const found = numberOf(target, at);
      if (found) numbers.set(found.id, found.number);
      else isClear &&= isAddress(target);
      return found?.id;
    };
    const before = at.faults.length;
    const { byTarget } = annotationsByTarget([{ ...members, target: whole }], idOfTarget);
    if (byTarget.size === 0 && at.faults.length === before)
      noteUnexpected(at, "the name of an image, or the address of a canvas", nameOfTarget(whole));
    // Nobody knows who may read about the image of a name that is not here.
    if (!isClear) return [];
    const all = narrowTarget(whole, (target) => idOfTarget(target) ?? target);
    const shared = { ...members, target: all };
    return [...byTarget].flatMap(([id, list]) =>
      list.map(({ narrowed }) => [numbers.get(id) ?? 0, { annotation: shared, narrowed }] as const),
    );
  };
}

const isNothing = (target: unknown) => target === undefined || target === null || target === "";

/** True for an address of a server, and a path of this one. */
const isAddress = (text: string) => /^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(text);

/** Returns the number of the targets in a target, nested ones included. */
function countOf(target: unknown): number {
  if (Array.isArray(target)) return target.reduce((sum: number, each) => sum + countOf(each), 0);
  const items = objectOf(target)?.items;
  return items === undefined ? 1 : countOf(items);
}

const nameOfTarget = (target: unknown): unknown => {
  const first = Array.isArray(target) ? target[0] : target;
  const { source, id } = objectOf(first) ?? {};
  return idOf(source) ?? textOf(id) ?? first;
};

type FindCanvas = (
  address: string,
  at: FaultPath,
) => { readonly number: number; readonly id: string } | undefined;

/** Returns a function that finds canvases by addresses without fragments, and by the names of images. */
function canvasNumbers({ base, canvases, imagePrefixes, find, own: besides }: AnnotationScope): FindCanvas {
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
    // A fragment alone.
    if (address === "" && besides !== undefined) return at0(besides - 1);
    if (byId.has(address)) return at0(byId.get(address));
    if (!isAddress(address)) return byName(address, at);
    const own = find(address.startsWith("/") ? base + address : address);
    if (own) return own;
    const { image } = ownNames(address, imagePrefixes);
    const byImage = image === undefined ? undefined : byIdentifier.get(image);
    return at0(byImage ?? fileIn(address, byFile));
  };
  const byName = (written: string, at: FaultPath) => {
    const name = decodeText(written).replace(/^(?:\.?\/)+/, "");
    if (byIdentifier.has(name)) return at0(byIdentifier.get(name));
    const number = Number(/^(?:canvas\/)?([1-9]\d{0,8})$/.exec(name)?.[1]);
    // A file may have a number as its name.
    const misnamed: Fault[] = [];
    const indexes = findNames({ name, path: at.path }, misnamed);
    if (!indexes && canvases[number - 1]) return at0(number - 1);
    at.faults.push(...misnamed);
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

/** Where annotations are served. */
export interface AnnotationPageOrigin {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Address of the page, which relative ids in the file are below. */
  readonly address: string;
  /** The canvas that it is about, if its size is known. */
  readonly canvas?: TargetCanvas | undefined;
}

/**
 * Returns an annotation about one canvas in the form that most viewers read, with absolute ids: boxes are
 * fragments in whole numbers, and texts are inert or harmless HTML. `number` is its id if it has none.
 */
export function servedAnnotation(
  { annotation, narrowed }: TargetedAnnotation,
  number: number,
  { base, address, canvas }: AnnotationPageOrigin,
): TargetedAnnotation {
  const serve = (members: Resource) =>
    makeAbsolute({ ...members, target: plainTarget(members.target, canvas) }, { base, document: address });
  const whole: Resource = { id: `${address}#${number}`, ...serve(plainForm(annotation)) };
  return { annotation: whole, narrowed: { ...whole, ...serve({ target: narrowed.target }) } };
}

/** Returns a target with its box as a fragment of the address of its canvas, which all viewers read. */
function plainTarget(target: unknown, canvas: TargetCanvas | undefined): unknown {
  if (!canvas) return target;
  if (Array.isArray(target)) return target.map((each) => plainTarget(each, canvas));
  const { id, type, source = type === "Canvas" ? id : undefined, selector } = objectOf(target) ?? {};
  const address = textOf(target) ?? idOf(source);
  // Other targets of the same annotation.
  if (address === undefined || address.replace(/#.*$/s, "") !== canvas.id) return target;
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
  const text = textOf(bodyValue);
  const { motivation, body = text && { type: "TextualBody", value: text, format: "text/plain" } } =
    annotation;
  const words = textsOf(motivation).map((word) => word.replace(/^(?:oa|sc):/, ""));
  const [purpose] = objectsOf(body).flatMap((each) => textsOf(each.purpose));
  return {
    ...annotation,
    type: "Annotation",
    motivation: oneOrMany(words) ?? purpose ?? "commenting",
    ...(body !== undefined && { body: inertBody(body) }),
  };
}

/** Returns a body whose texts run nothing in viewers that take any text for HTML. */
function inertBody(body: unknown): unknown {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return body.map(inertBody);
  const resource = objectOf(body);
  if (!resource) return body;
  const { value, items, source, format } = resource;
  const isHtml = /^(?:text\/html|application\/xhtml)/i.test(String(format));
  return {
    ...resource,
    ...(typeof value === "string" && {
      value: isHtml || isMarkup(value) ? safeMarkup(value) : inertText(value),
    }),
    ...(items !== undefined && { items: inertBody(items) }),
    ...(objectOf(source) && { source: inertBody(source) }),
  };
}

/** True for a text that viewers take for HTML even if nothing says so (Presentation API 3.0, section 4.5). */
const isMarkup = (text: string) => /^\s*<.*>\s*$/s.test(text);

const safeMarkup = (text: string) => (isMarkup(text) ? safeHtml(text) : safeHtml(`<span>${text}</span>`));
