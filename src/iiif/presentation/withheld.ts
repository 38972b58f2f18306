// Takes out of a document the text about what a reader may not see: annotations with their bodies, and links
// to data (`seeAlso`). Titles, metadata and images stay, unless those of a part are withheld as a whole.

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
  /** True for the contents of a list of annotations, whatever type they name. */
  readonly holdsNotes?: boolean;
}

/** Returns the readable part of a value; undefined if nothing is left. */
function member(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item) => member(item, scope)).filter(isThere);
  const resource = objectOf(value);
  return resource ? readable(resource, scope) : value;
}

function readable(resource: Resource, scope: Scope): Resource | undefined {
  const types = typesOf(resource);
  const form = types.map((type) => forms.get(type)).find(isThere);
  const isNote = types.includes("Annotation") || (scope.holdsNotes && form === undefined);
  if (isNote && !isPicture(resource)) return mayReadNote(resource, scope) ? resource : undefined;
  if (isText(resource)) return scope.mayReadText() ? resource : undefined;
  const inner = scopeOf(resource, form, scope);
  const isTitleOnly = !mayDescribe(resource, form, scope.mayRead);
  const members = Object.entries(resource).flatMap(([name, held]) => {
    if (isTitleOnly && !titleMembers.has(name)) return [];
    if (name === "seeAlso" && !inner.mayReadText()) return [];
    const holdsNotes = form === "notes" && noteMembers.has(name);
    const left = member(held, { ...inner, holdsNotes });
    const shown = name === "annotations" ? pagesWithItems(left) : left;
    return shown === undefined ? [] : [[name, shown]];
  });
  return Object.fromEntries(members);
}

type Form = "part" | "canvas" | "notes";

/** How the contents of a resource are read, by its type. */
const forms: ReadonlyMap<string, Form> = new Map([
  ["Manifest", "part"],
  ["Collection", "part"],
  ["Canvas", "canvas"],
  ["AnnotationPage", "notes"],
  ["AnnotationList", "notes"],
  ["AnnotationCollection", "notes"],
  ["Layer", "notes"],
]);

/** Members of a list of annotations that hold them. */
const noteMembers: ReadonlySet<string> = new Set(["items", "resources"]);

function scopeOf(resource: Resource, form: Form | undefined, { mayReadText, mayRead }: Scope): Scope {
  const id = idOf(resource);
  if (form === undefined || form === "notes" || id === undefined) return { mayReadText, mayRead };
  const images = form === "canvas" ? imagesOf(resource) : [];
  const own = () => [
    mayRead(images.length > 0 ? "rule" : "text", id),
    ...images.map((image) => mayRead("text", image)),
  ];
  return { mayRead, mayReadText: () => every([mayReadText(), ...own()]) };
}

/** All are asked before, so that a caller that collects what is asked for misses nothing. */
const every = (answers: readonly boolean[]) => answers.every(Boolean);

function mayDescribe(resource: Resource, form: Form | undefined, mayRead: MayRead): boolean {
  const id = idOf(resource);
  if (form === undefined || form === "notes") return true;
  const named = [...(id === undefined ? [] : [id]), ...(form === "canvas" ? imagesOf(resource) : [])];
  return every(named.map((address) => mayRead("description", address)));
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
  return left.length === 0 ? undefined : left;
}

/** Types without the prefixes of version 2. */
const typesOf = ({ type, "@type": older }: Resource): readonly string[] =>
  [...textsOf(type), ...textsOf(older)].map((name) => name.replace(/^\w+:/, ""));

const textTypes: ReadonlySet<string> = new Set(["TextualBody", "ContentAsText"]);

/** True for text in the document itself. */
const isText = (resource: Resource): boolean => {
  const types = typesOf(resource);
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
  if (text !== undefined) return [[bare(text)]];
  const resource = objectOf(target);
  if (!resource) return [];
  const nested = [resource.source, resource.full, resource.items].flat().flatMap(targetsOf);
  if (nested.length > 0) return nested;
  const id = idOf(resource);
  if (id === undefined) return [];
  const [within] = [resource.partOf, resource.within].flat().map(idOf).filter(isThere);
  return [within === undefined ? [bare(id)] : [bare(id), bare(within)]];
}

const bare = (address: string) => address.replace(/#.*$/s, "");

/** Returns the addresses of the images that paint a canvas, and of their services. */
export function imagesOf(canvas: Resource): readonly string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    const body = objectOf(value);
    if (!body) return;
    const id = idOf(body);
    if (id !== undefined) found.add(bare(id));
    for (const inner of [body.service, body.items, body.source, body.full, body.item, body.default])
      look(inner);
  };
  for (const page of objectsOf(canvas.items)) for (const { body } of objectsOf(page.items)) look(body);
  return [...found];
}
