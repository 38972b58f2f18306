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
  readStored,
  readVersion4,
  safeDocument,
  storedDocuments,
} from "../../../iiif/index.ts";
import type { Hooks } from "../../hooks/index.ts";
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
  const asked = { making, hooks, id };
  const result = makeSafe(
    asked,
    await hooks.presentation({ id, kind, descriptor: made.document }, making.caller.signal),
  );
  if (result === undefined) return isUnasked ? undefined : found;
  const changed = isWhole(result)
    ? madeOfResult(asked, result)
    : {
        document: await mergeHook(asked, found, made, result),
        ...(made.attached && { attached: made.attached }),
        ...(made.texts && { texts: made.texts }),
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
  const asked = { making, hooks, id };
  const result = makeSafe(
    asked,
    await hooks.presentation({ id, kind: "manifest", descriptor }, making.caller.signal),
  );
  if (result === undefined || !isWhole(result)) return undefined;
  const made = madeOfResult(asked, result);
  return { make: async () => made };
}

/** A hook, and the document that it is asked for. */
interface Asked {
  readonly making: Making;
  readonly hooks: Hooks;
  readonly id: string;
}

/** Returns what a hook returned without unsafe addresses and HTML, which the log names. */
function makeSafe({ hooks, id }: Asked, result: Resource | undefined): Resource | undefined {
  const { value, faults } = safeDocument(result);
  if (faults[0]) hooks.unusable("presentation", id, findingLine(foundFault(faults[0])));
  return value as Resource | undefined;
}

function madeOfResult(asked: Asked, result: Resource): Made {
  const version4 = readVersion4(result);
  const whole = version4 ? version4.document : result;
  refuse(asked, whole ? faultsOfStored(whole) : version4 ? [version4.fault] : []);
  return storedDocuments(readStored(whole ?? result), asked.id, asked.making.context.base);
}

async function mergeHook(
  asked: Asked,
  found: PlannedDocument,
  { document, canvases }: Made,
  result: Resource,
): Promise<Resource> {
  const { base } = asked.making.context;
  const isManifest = document.type === "Manifest";
  const { description, faults } = readDescription(result, isManifest ? "manifest" : "collection");
  refuse(asked, faults);
  const derived = canvases ? { ...document, items: await itemsOf(canvases) } : document;
  const facts = isManifest ? await found.facts?.() : undefined;
  // Nobody knows which images the canvases of a whole document show.
  const { document: described, faults: misused } = facts
    ? describeManifest(derived, description, facts, base)
    : describeCollection(derived, description, base);
  refuse(asked, misused);
  return described;
}

function refuse({ hooks, id }: Asked, [fault]: readonly Fault[]): void {
  if (fault) throw hooks.unusable("presentation", id, findingLine(foundFault(fault)));
}
