// Manifests and collections of Presentation API 3.0, derived from facts about directories and images
// (sections 3.1, 3.2 and 5).

import type { LanguageMap, Size } from "../../base/index.ts";
import { scalar } from "../auth.ts";
import { makeAbsolute } from "./addresses.ts";
import { withContext } from "./context.ts";
import { loginServices, paintingBody, thumbnailOf } from "./image.ts";
import type {
  CanvasFacts,
  CollectionFacts,
  DocumentContext,
  ManifestFacts,
  ManifestHead,
  MemberFacts,
  Resource,
} from "./model.ts";
import { documentAddress, partId, pieceAddress } from "./mounts.ts";

/** Maximum members in one document; 3.0 has no other way to list many. */
export const membersPerPart = 1000;

/** Returns the manifest of images, in order. Canvases of unreadable images are empty and say why. */
export function manifestOf(facts: ManifestFacts, context: DocumentContext): Resource {
  const { id, canvases } = facts;
  const around = {
    address: documentAddress(context.base, id),
    stand: standInSizeOf(canvases.find(({ size }) => size !== undefined)),
    context,
  };
  const items = canvases.map((canvas, at) => canvasOf(canvas, at + 1, around));
  return { ...headOf(facts, context), items };
}

/** Returns the same manifest with an empty list of items. */
export function headOf(facts: ManifestFacts, context: DocumentContext): Resource {
  const { canvases } = facts;
  const front = canvases.find(({ visible, size }) => visible && size !== undefined);
  const gated = canvases.some(({ auth = [] }) => auth.length > 0);
  const services = loginServices(canvases.flatMap(({ auth }) => (auth ? [auth] : [])));
  return manifestHead({ ...facts, ...(front && { front }), gated, services }, context);
}

/** Returns a manifest whose last member is an empty list of items. */
export function manifestHead(facts: ManifestHead, context: DocumentContext): Resource {
  const { id, label, front, gated, services, parent, note } = facts;
  const manifest = {
    id: documentAddress(context.base, id),
    type: "Manifest",
    label: toLanguageMap(label),
    ...(note !== undefined && { summary: { en: [note] } }),
    ...(front && { thumbnail: thumbnailOf(front, context) }),
    ...homepage(id, label, context),
    ...partOf(parent, context),
    ...(services.length > 0 && !context.loginsAtImages && { services }),
    items: [],
  };
  return withContext(manifest, gated);
}

/** Size of canvases without an image. */
export type Standing = Size;

/** The size of the first readable image; any size would do if there is none. */
export const standInSizeOf = (first: CanvasFacts | undefined): Standing =>
  first?.size ?? { width: 1000, height: 1000 };

interface Around {
  /** Address of the manifest. */
  readonly address: string;
  readonly stand: Standing;
  readonly context: DocumentContext;
}

/** Returns the canvas of an image, by its number from 1 in its manifest. */
export function canvasOf(image: CanvasFacts, number: number, { address, stand, context }: Around): Resource {
  const addressAt = (kind: "canvas" | "page" | "annotation") => pieceAddress(address, { kind, number });
  const { width, height } = image.size ?? stand;
  const canvas = {
    id: addressAt("canvas"),
    type: "Canvas",
    label: toLanguageMap(image.label),
    width,
    height,
  };
  if (image.size === undefined) return { ...canvas, ...problemTextsOf(image), items: [] };
  const annotation = {
    id: addressAt("annotation"),
    type: "Annotation",
    motivation: "painting",
    body: paintingBody(image, image.size, context),
    target: canvas.id,
  };
  const thumbnail = thumbnailOf(image, context);
  return {
    ...canvas,
    ...(thumbnail && { thumbnail }),
    items: [{ id: addressAt("page"), type: "AnnotationPage", items: [annotation] }],
  };
}

/**
 * Viewers show an empty canvas as blank paper, so its label says that an image is missing, and its summary
 * why.
 */
function problemTextsOf({ label, problem }: CanvasFacts): Resource {
  if (problem === undefined) return {};
  return {
    label: { en: [`${label} (could not be read)`] },
    summary: { en: [`Could not be read: ${problem}`] },
  };
}

/**
 * Returns the collection of members, in order. More than {@link membersPerPart} are listed in parts:
 * collections made by {@link partOfCollection}, since 3.0 has no pages of collections.
 */
export function collectionOf(facts: CollectionFacts, context: DocumentContext): Resource {
  const { id, label, members, parent } = facts;
  const parts = partCount(members.length);
  return withContext(
    {
      id: documentAddress(context.base, id),
      type: "Collection",
      label: toLanguageMap(label),
      ...thumbnailFrom(members, context),
      ...homepage(id, label, context),
      ...partOf(parent, context),
      items:
        parts === 0
          ? membersOf(members, context)
          : Array.from({ length: parts }, (_, at) => partReference(facts, at + 1, context)),
    },
    false,
  );
}

/**
 * Returns the number of parts that a collection with that many members is listed in; 0: only in the
 * collection itself.
 */
export function partCount(members: number): number {
  return members > membersPerPart ? Math.ceil(members / membersPerPart) : 0;
}

/** Returns the range of a part's members, from 0, end exclusive; undefined if there is no such part. */
export function partRange(members: number, part: number): readonly [from: number, to: number] | undefined {
  if (part < 1 || part > partCount(members)) return undefined;
  return [(part - 1) * membersPerPart, Math.min(part * membersPerPart, members)];
}

/** Returns a part of a collection, numbered from 1; undefined if there is no such part. */
export function partOfCollection(
  facts: CollectionFacts,
  part: number,
  context: DocumentContext,
): Resource | undefined {
  const range = partRange(facts.members.length, part);
  if (range === undefined) return undefined;
  return withContext(
    {
      ...partReference(facts, part, context),
      ...partOf(facts.id, context),
      items: membersOf(facts.members.slice(...range), context),
    },
    false,
  );
}

function partReference(facts: CollectionFacts, part: number, context: DocumentContext): Resource {
  const [from, to] = partRange(facts.members.length, part) ?? [0, 0];
  const [first, last] = [from, to - 1].map((at) => nameOf(facts.members[at]?.label ?? ""));
  return {
    id: documentAddress(context.base, partId(facts.id, part)),
    type: "Collection",
    // Numbers and names are the same in all languages.
    label: toLanguageMap(to === from + 1 ? `${to}: ${last}` : `${from + 1}–${to}: ${first} – ${last}`),
  };
}

function membersOf(members: readonly MemberFacts[], context: DocumentContext): readonly Resource[] {
  return members.filter(({ kind }) => kind !== "annotations").map((member) => memberOf(member, context));
}

function memberOf(member: MemberFacts, context: DocumentContext): Resource {
  const { kind, id, label, navDate, thumbnail, pictures } = member;
  const address = documentAddress(context.base, id);
  const picture = pictures
    ? makeAbsolute(pictures, { base: context.base, document: address })
    : thumbnail && thumbnailOf(thumbnail, context);
  return {
    id: address,
    type: kind === "manifest" ? "Manifest" : "Collection",
    label: toLanguageMap(label),
    ...(navDate !== undefined && { navDate }),
    ...(picture && { thumbnail: picture }),
  };
}

function thumbnailFrom(members: readonly MemberFacts[], context: DocumentContext) {
  const shown = members.find(
    ({ thumbnail }) => thumbnail?.visible && thumbnail.size !== undefined,
  )?.thumbnail;
  return shown === undefined ? {} : { thumbnail: thumbnailOf(shown, context) };
}

function homepage(id: string, label: string, { viewer }: DocumentContext) {
  if (viewer === undefined) return {};
  return { homepage: [{ id: viewer(id), type: "Text", label: toLanguageMap(label), format: "text/html" }] };
}

function partOf(parent: string | undefined, { base }: DocumentContext) {
  return parent === undefined ? {} : { partOf: [{ id: documentAddress(base, parent), type: "Collection" }] };
}

const nameOf = (label: string | LanguageMap) => (typeof label === "string" ? label : (scalar(label) ?? ""));

/** Returns the label of a page of a file; the abbreviation is common to several languages. */
export const labelOfPage = (file: string, page: number): string => `${file}, p. ${page}`;

/** Returns a name without a language (Presentation API 3.0, section 4). */
const toLanguageMap = (text: string | LanguageMap): LanguageMap =>
  typeof text === "string" ? { none: [text] } : text;
