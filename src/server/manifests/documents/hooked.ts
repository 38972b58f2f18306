// Applies the presentation hook to the document that would be sent without it: merges members into it, or
// replaces it.

import { findingLine } from "../../../base/index.ts";
import {
  describeCollection,
  describeManifest,
  documentAddress,
  type Fault,
  faultsOfStored,
  isWhole,
  presentationContext,
  type Resource,
  readDescription,
  readVersion4,
  safeDocument,
  storedDocuments,
  storedOf,
} from "../../../iiif/index.ts";
import { foundFault } from "../folders/manifest-file-text.ts";
import { itemsOf } from "./folder-documents.ts";
import type { Made, Making, PlannedDocument } from "./making.ts";

/**
 * Returns a document as changed by the hook. If the hook has no opinion it stays, or does not exist if it
 * needs the hook's consent. Throws `hook` if the hook fails or its result is unusable.
 */
export async function applyHook(
  making: Making,
  id: string,
  found: PlannedDocument,
  asksConsent: boolean,
): Promise<PlannedDocument | undefined> {
  const { hooks } = making.parts.images;
  const isUnasked = asksConsent && found.needsConsent;
  if (!hooks?.has("presentation")) return isUnasked ? undefined : found;
  const made = await found.make();
  const kind = made.document.type === "Collection" ? "collection" : "manifest";
  const answer = safe(
    making,
    id,
    await hooks.presentation({ id, kind, descriptor: made.document }, making.caller.signal),
  );
  if (answer === undefined) return isUnasked ? undefined : found;
  const changed = isWhole(answer)
    ? wholeOf(making, id, answer)
    : {
        document: await mergeHook(making, id, found, made, answer),
        ...(made.attached && { attached: made.attached }),
      };
  return { make: async () => changed, ...(found.ignoredFile && { ignoredFile: found.ignoredFile }) };
}

/** Returns the document that only the hook has, or undefined. */
export async function inventedByHook(making: Making, id: string): Promise<PlannedDocument | undefined> {
  const { hooks } = making.parts.images;
  if (!hooks?.has("presentation")) return undefined;
  const label = { none: [id.slice(id.lastIndexOf("/") + 1)] };
  const descriptor = {
    "@context": presentationContext[3],
    id: documentAddress(making.context.base, id),
    type: "Manifest",
    label,
    items: [],
  };
  const answer = safe(
    making,
    id,
    await hooks.presentation({ id, kind: "manifest", descriptor }, making.caller.signal),
  );
  if (answer === undefined || !isWhole(answer)) return undefined;
  const made = wholeOf(making, id, answer);
  return { make: async () => made };
}

/** Returns what a hook returned without unsafe addresses and HTML, which the log names. */
function safe(making: Making, id: string, answer: Resource | undefined): Resource | undefined {
  const { value, faults } = safeDocument(answer);
  if (faults[0]) making.parts.images.hooks?.unusable("presentation", id, findingLine(foundFault(faults[0])));
  return value as Resource | undefined;
}

function wholeOf(making: Making, id: string, answer: Resource): Made {
  const version4 = readVersion4(answer);
  const whole = version4 ? version4.document : answer;
  refuse(making, id, whole ? faultsOfStored(whole) : version4 ? [version4.fault] : []);
  return storedDocuments(storedOf(whole ?? answer), id, making.context.base);
}

async function mergeHook(
  making: Making,
  id: string,
  found: PlannedDocument,
  { document, canvases }: Made,
  answer: Resource,
): Promise<Resource> {
  const { base } = making.context;
  const isManifest = document.type === "Manifest";
  const { description, faults } = readDescription(answer, isManifest ? "manifest" : "collection");
  refuse(making, id, faults);
  const derived = canvases ? { ...document, items: await itemsOf(canvases) } : document;
  const facts = isManifest ? await found.facts?.() : undefined;
  // Nobody knows which images the canvases of a whole document show.
  const { document: described, faults: misused } = facts
    ? describeManifest(derived, description, facts, base)
    : describeCollection(derived, description, base);
  refuse(making, id, misused);
  return described;
}

function refuse(making: Making, id: string, [fault]: readonly Fault[]): void {
  if (fault) throw making.parts.images.hooks?.unusable("presentation", id, findingLine(foundFault(fault)));
}
