// Takes out of a document the text about what a reader may not see: annotations with their bodies, and links
// to data (`seeAlso`). Titles, metadata and images stay, unless those of a part are withheld as a whole.

import { changedItems, changedMembers } from "./changed.ts";
import { idOf, isThere, objectOf, objectsOf, textOf, textsOf } from "./json.ts";
import type { Resource } from "./model.ts";

/** What may be read about the thing at an address. */
export type Right =
  /** The text about it. */
  | "text"
  /** As far as rules say; for a document whose images are asked about one by one. */
  | "rule"
  /** More than its title. */
  | "description";

/**
 * True if a reader may read that about the thing at an address. `within`: address of the document that a
 * canvas is part of, if its own address need not say so.
 */
export type MayRead = (right: Right, address: string, within?: string) => boolean;

/** Returns the readable part of a document; undefined if nothing is left of annotations. */
export function withhold(document: Resource, mayRead: MayRead): Resource | undefined {
  const top: Scope = { mayReadText: () => true, mayRead };
  return member(document, top) as Resource | undefined;
}

interface Scope {
  readonly mayReadText: () => boolean;
  readonly mayRead: MayRead;
  /** Returns the images on a canvas of the manifest around, by its address. */
  readonly imagesAt?: ImagesAt;
  /** What a member holds according to its name, whatever type its contents name. */
  readonly holds?: Held | undefined;
}

type ImagesAt = (canvas: string) => readonly string[] | undefined;

/** Annotations, or lists of them. */
type Held = "notes" | "lists";

/** Returns the readable part of a value; undefined if nothing is left. */
function member(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return changedItems(value, (item) => member(item, scope));
  const resource = objectOf(value);
  return resource ? readable(resource, scope) : value;
}

function readable(resource: Resource, scope: Scope): Resource | undefined {
  const types = typesOf(resource);
  const named = types.map((type) => forms.get(type)).find(isThere);
  const isNote = types.includes("Annotation") || (scope.holds === "notes" && named === undefined);
  if (isNote && !isPicture(resource)) return mayReadNote(resource, scope) ? resource : undefined;
  if (isText(resource, types)) return scope.mayReadText() ? resource : undefined;
  const form = named ?? (scope.holds === "lists" ? "notes" : undefined);
  const shown = shownImagesOf(resource, form, scope);
  const inner = scopeOf(resource, form, shown, scope);
  const isTitleOnly = !mayDescribe(resource, form, shown, scope.mayRead);
  return changedMembers(resource, (name, held) => {
    if (isTitleOnly && !titleMembers.has(name)) return undefined;
    if (name === "seeAlso" && !inner.mayReadText()) return undefined;
    const holds = contentOfMember(form, name);
    const left = member(held, holds ? { ...inner, holds } : inner);
    return name === "annotations" ? pagesWithItems(left) : left;
  });
}

type Form = "part" | "canvas" | "range" | "notes";

/** How the contents of a resource are read, by its type. */
const forms: ReadonlyMap<string, Form> = new Map([
  ["Manifest", "part"],
  ["Collection", "part"],
  ["Canvas", "canvas"],
  ["Range", "range"],
  ["AnnotationPage", "notes"],
  ["AnnotationList", "notes"],
  ["AnnotationCollection", "notes"],
  ["Layer", "notes"],
]);

/** Members of a list of annotations that hold them, and those that hold further lists. */
const membersOfLists: ReadonlyMap<string, Held> = new Map([
  ["items", "notes"],
  ["resources", "notes"],
  ["first", "lists"],
  ["last", "lists"],
]);

/** Members of anything that hold lists of annotations. */
const listMembers: ReadonlySet<string> = new Set(["annotations", "otherContent"]);

function contentOfMember(form: Form | undefined, name: string): Held | undefined {
  if (form === "notes") return membersOfLists.get(name);
  return listMembers.has(name) || (form === "canvas" && name === "items") ? "lists" : undefined;
}

/** What a part of a manifest shows. */
interface Shown {
  readonly images: readonly string[];
  /** Canvases that are not in the manifest around. */
  readonly canvases: readonly string[];
}

function shownImagesOf(resource: Resource, form: Form | undefined, { imagesAt }: Scope): Shown {
  if (form === "canvas") return { images: imagesOf(resource), canvases: [] };
  if (form !== "range") return { images: [], canvases: [] };
  const canvases = canvasesOfRange(resource);
  return {
    images: [...new Set(canvases.flatMap((canvas) => imagesAt?.(canvas) ?? []))],
    canvases: canvases.filter((canvas) => imagesAt?.(canvas) === undefined),
  };
}

function scopeOf(
  resource: Resource,
  form: Form | undefined,
  { images, canvases }: Shown,
  { mayReadText, mayRead, imagesAt }: Scope,
): Scope {
  if (form === undefined || form === "notes") return { mayReadText, mayRead, ...(imagesAt && { imagesAt }) };
  // A range is part of its manifest.
  const id = form === "range" ? undefined : idOf(resource);
  const mayReadOwn = () => [
    ...(id === undefined ? [] : [mayRead(images.length > 0 ? "rule" : "text", id)]),
    ...[...images, ...canvases].map((address) => mayRead("text", address)),
  ];
  const around = form === "part" ? imagesByCanvas(resource) : imagesAt;
  return {
    mayRead,
    mayReadText: () => every([mayReadText(), ...mayReadOwn()]),
    ...(around && { imagesAt: around }),
  };
}

/** All are asked before, so that a caller that collects what is asked for misses nothing. */
const every = (results: readonly boolean[]) => results.every(Boolean);

function mayDescribe(
  resource: Resource,
  form: Form | undefined,
  { images }: Shown,
  mayRead: MayRead,
): boolean {
  if (form === undefined || form === "notes") return true;
  const id = form === "range" ? undefined : idOf(resource);
  return every(
    [...(id === undefined ? [] : [id]), ...images].map((address) => mayRead("description", address)),
  );
}

/** What is left of a part of which only the title may be read. */
const titleMembers: ReadonlySet<string> = new Set(
  "@context @id @type id type label width height duration items thumbnail partOf service behavior".split(" "),
);

/** Pages of annotations of which nothing is left are left out; references to others stay. */
function pagesWithItems(pages: unknown): unknown {
  if (!Array.isArray(pages)) return pages;
  const left = pages.filter(
    (page) => objectOf(page)?.items === undefined || objectsOf(page.items).length > 0,
  );
  if (left.length === 0) return undefined;
  return left.length === pages.length ? pages : left;
}

/** Types without the prefixes of version 2. */
const typesOf = ({ type, "@type": older }: Resource): readonly string[] =>
  type === undefined && older === undefined
    ? []
    : [...textsOf(type), ...textsOf(older)].map((name) => name.replace(/^\w+:/, ""));

const textTypes: ReadonlySet<string> = new Set(["TextualBody", "ContentAsText"]);

/** True for text in the document itself. */
const isText = (resource: Resource, types = typesOf(resource)): boolean => {
  // An outline on a canvas is written as text too.
  if (types.includes("SvgSelector")) return false;
  return typeof resource.chars === "string" || types.some((type) => textTypes.has(type));
};

/** True for an annotation that paints a canvas with something that is not text. */
function isPicture(annotation: Resource): boolean {
  const motivations = textsOf(annotation.motivation).map((word) => word.replace(/^\w+:/, ""));
  return (
    motivations.includes("painting") &&
    annotation.bodyValue === undefined &&
    ![annotation.body, annotation.resource].some(holdsText)
  );
}

function holdsText(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsText);
  const resource = objectOf(value);
  if (!resource) return false;
  const { items, source, full, item, default: usual, value: text, selector: _ } = resource;
  return isText(resource) || textOf(text) !== undefined || [items, source, full, item, usual].some(holdsText);
}

/** True if the text of an annotation may be read: where it is, and about all that it targets. */
function mayReadNote({ target, on }: Resource, { mayReadText, mayRead }: Scope): boolean {
  const targets = [target, on].flat().flatMap(targetsOf);
  return every([mayReadText(), ...targets.map(([address, within]) => mayRead("text", address, within))]);
}

type Target = readonly [address: string, within?: string];

/** Returns the addresses that a target names, without fragments. */
function targetsOf(target: unknown): readonly Target[] {
  const text = textOf(target);
  if (text !== undefined) return [[removeFragment(text)]];
  const resource = objectOf(target);
  if (!resource) return [];
  const nested = [resource.source, resource.full, resource.items].flat().flatMap(targetsOf);
  if (nested.length > 0) return nested;
  const id = idOf(resource);
  if (id === undefined) return [];
  const [within] = [resource.partOf, resource.within].flat().map(idOf).filter(isThere);
  return [within === undefined ? [removeFragment(id)] : [removeFragment(id), removeFragment(within)]];
}

const removeFragment = (address: string) => address.replace(/#.*$/s, "");

/** Returns the addresses of the images that paint a canvas of 2.1 or 3.0, and of their services. */
export function imagesOf(canvas: Resource): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    const body = objectOf(value);
    if (!body) return;
    const id = idOf(body);
    if (id !== undefined) found.add(removeFragment(id));
    for (const inner of [body.service, body.items, body.source, body.full, body.item, body.default])
      look(inner);
  };
  for (const page of objectsOf(canvas.items)) for (const { body } of objectsOf(page.items)) look(body);
  for (const { resource } of objectsOf(canvas.images)) look(resource);
  return [...found];
}

/** Returns a function from the addresses of the canvases of a manifest to the images on them. */
function imagesByCanvas({ items, sequences }: Resource): ImagesAt {
  let canvases: ReadonlyMap<string | undefined, Resource> | undefined;
  const all = () => [
    ...objectsOf(items),
    ...objectsOf(sequences).flatMap((each) => objectsOf(each.canvases)),
  ];
  return (address) => {
    canvases ??= new Map(all().map((canvas) => [idOf(canvas), canvas]));
    const canvas = canvases.get(address);
    return canvas && imagesOf(canvas);
  };
}

/** Returns the addresses of the canvases of a range and of the ranges in it, without fragments. */
export function canvasesOfRange({ items, canvases, members }: Resource): readonly string[] {
  return [items, canvases, members].flat().flatMap((item) => {
    const held = objectOf(item);
    if (held && typesOf(held).includes("Range")) return canvasesOfRange(held);
    const id = idOf(held?.source ?? item);
    return id === undefined ? [] : [removeFragment(id)];
  });
}
