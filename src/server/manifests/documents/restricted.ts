// The part of a document that one caller may read: without text about gated images, or, for a caller who may
// not read the document, its title with the services to log in.

import { createPauses, forEachConcurrently } from "../../../base/index.ts";
import {
  isOfAnnotations,
  isThere,
  type MayRead,
  type PresentationPath,
  type Resource,
  typedService,
  withContext,
  withhold,
} from "../../../iiif/index.ts";
import type { RefusedDecision } from "../../access/access.ts";
import type { Folder } from "../folders/folder.ts";
import { isWhole } from "../gate.ts";
import type { Made, Making, PlannedDocument } from "./making.ts";
import { createReadable, type Question } from "./readable.ts";

/** A planned document as its caller may read it. */
export interface RestrictedDocument extends PlannedDocument {
  /** Why the caller gets only its title. */
  readonly refused?: RefusedDecision;
}

/** Questions that are answered simultaneously, since a hook may have to be asked. */
const readableAtOnce = 8;

/** Finds another manifest for the same caller. */
export type FindManifest = (id: string) => Promise<Made | undefined>;

/**
 * Restricts a document to what its caller may read. Annotations need access to the images and documents that
 * they are about, and to the place where they are; a manifest or collection needs access if a profile keeps
 * documents. Throws `busy` if that cannot be decided.
 */
export async function restrictDocument(
  making: Making,
  reading: PresentationPath,
  found: PlannedDocument,
  manifestOf: FindManifest,
): Promise<RestrictedDocument> {
  const { gate, context, parts } = making;
  if (gate.passForAll()) return found;
  const keeper = [reading.id, reading.of].find((identifier) => gate.keepsDocuments(identifier));
  const keeperDecision = keeper === undefined ? undefined : await gate.decide(keeper);
  if (keeperDecision && !isWhole(keeperDecision))
    return titleAlone(making, reading, found, refusalOf(keeperDecision));
  if (isWithoutTexts(making, reading, found)) return found;
  const pause = createPauses();
  const made = await found.make();
  await pause();
  if (isOfAnnotations(made.document)) {
    const decision = await gate.decide(reading.id);
    if (!isWhole(decision)) return titleAlone(making, reading, found, refusalOf(decision));
  }
  const once = { ...found, make: async () => made };
  const keepsAny = Object.values(parts.auth?.options.profiles ?? {}).some(
    ({ documents }) => documents === "gated",
  );
  const questions = questionsOf(made, keepsAny);
  await pause();
  if (questions.size === 0) {
    if (!isOfAnnotations(made.document)) noteWithoutTexts(reading, found);
    return once;
  }
  const { base, imagePrefixes } = context;
  const result = createReadable({
    gate,
    base,
    imagePrefixes: [...Object.values(imagePrefixes), ...parts.aliases],
    manifestOf,
  });
  const denied = new Set<string>();
  await forEachConcurrently(questions.entries(), readableAtOnce, async ([key, question]) => {
    if (!(await result(question))) denied.add(key);
    await pause();
  });
  if (denied.size === 0) return once;
  const mayRead: MayRead = (...question) => !denied.has(keyOf(...question));
  await pause();
  const left = withhold(made.document, mayRead);
  if (left === undefined || isEmptied(made.document, left))
    return titleAlone(making, reading, found, withheldText);
  const { canvases, attached, texts } = made;
  // Canvases that are made on demand are derived and have no texts. Version 2.1 is made of what is left.
  const restricted: Made = {
    document: left,
    ...(canvases && { canvases }),
    ...(attached && { attached }),
    ...(texts && { texts }),
  };
  return { ...found, make: async () => restricted, outcome: () => undefined };
}

const keyOf = (...[right, address, within]: Parameters<MayRead>) => JSON.stringify([right, address, within]);

/**
 * Everything whose answer determines what is left of a document; `keepsAny`: whether any profile keeps
 * documents for readers with access.
 */
function questionsOf({ document, document2 }: Made, keepsAny: boolean): ReadonlyMap<string, Question> {
  const questions = new Map<string, Question>();
  // A document of 2.1 may hold more than its form in 3.0, such as whole manifests in a collection.
  for (const form of [document, document2].filter(isThere))
    withhold(form, (right, address, within) => {
      if (right !== "description" || keepsAny)
        questions.set(keyOf(right, address, within), { right, address, within });
      return true;
    });
  return questions;
}

/** The documents of folders that hold no texts, as long as nothing in their folder changes. */
const withoutTexts = new WeakMap<Folder, Set<string>>();

function noteWithoutTexts({ id }: PresentationPath, { folder }: PlannedDocument): void {
  if (folder) withoutTexts.set(folder, (withoutTexts.get(folder) ?? new Set()).add(id));
}

/** True if a document is known to hold no text that could be withheld. */
function isWithoutTexts({ parts }: Making, { id }: PresentationPath, { folder }: PlannedDocument): boolean {
  // Only manifest files and hooks add texts.
  if (!folder || parts.images.hooks?.has("presentation")) return false;
  return !folder.manifestFile || withoutTexts.get(folder)?.has(id) === true;
}

/** True if nothing is left of a page of annotations that had some. */
const isEmptied = (before: Resource, after: Resource): boolean =>
  isOfAnnotations(before) && count(before.items) > 0 && count(after.items) === 0;

const count = (items: unknown) => (Array.isArray(items) ? items.length : 0);

/** Returns the decision to withhold a text about an image from a reader without access to all of it. */
export const withholdText = (reason: string): RefusedDecision => ({
  allowed: false,
  status: 401,
  reason,
  cachedBy: "caller",
  vary: [],
});

const withheldText = withholdText(
  "These annotations are about images that need a login. Log in where the images are shown, then ask again.",
);

const refusalOf = (decision: Awaited<ReturnType<Making["gate"]["decide"]>>): RefusedDecision =>
  decision.allowed
    ? withholdText("Only readers with access to all of the image may read this. Log in, then ask again.")
    : decision;

/** The title of a document, with the services to log in if a rule names any. */
function titleAlone(
  { gate }: Making,
  reading: PresentationPath,
  found: PlannedDocument,
  refused: RefusedDecision,
): RestrictedDocument {
  const make = async (): Promise<Made> => {
    const { document } = await found.make();
    const services = [reading.id, reading.of].map((id) => gate.services(id)).find(({ length }) => length > 0);
    const title = {
      id: document.id,
      type: document.type,
      ...(document.label !== undefined && { label: document.label }),
      ...(services && { service: services.map(typedService) }),
      items: [],
    };
    return { document: withContext(title, services !== undefined) };
  };
  return { make, refused, ...(found.lists !== undefined && { lists: found.lists }) };
}
