// Facts of an image or a page in documents, as one caller may see it, and the canvases of one image.

import {
  type CanvasFacts,
  canvasNumber,
  canvasOf,
  type DocumentContext,
  documentAddress,
  type ManifestFacts,
  splitPage,
  standInSizeOf,
} from "../../../iiif/index.ts";
import type { Caller } from "../../access/access.ts";
import type { LookParts } from "../../images/look.ts";
import type { ImageFacts } from "../folders/folder.ts";
import { cutText, imageFacts, pageFacts } from "../folders/image-facts.ts";
import type { Gate, Pass } from "../gate.ts";
import type { Canvases } from "./making.ts";

/** Name of an image or a page in a document. */
interface Name {
  readonly identifier: string;
  readonly label: string;
  readonly page?: number;
}

/** Returns the facts of a canvas with an image that the caller may know of. */
export function canvasFacts(
  { identifier, label, page }: Name,
  { size, orientation, problem }: ImageFacts,
  { visible, services }: Pass,
): CanvasFacts {
  return {
    identifier,
    label,
    visible,
    ...(page !== undefined && { page }),
    ...(size && { size }),
    ...(orientation !== undefined && { orientation }),
    ...(problem !== undefined && { problem }),
    ...(services && { auth: services() }),
  };
}

/** The canvases of one image, and what has to be said about them. */
export interface ImageCanvases {
  readonly canvases: readonly CanvasFacts[];
  /** Sentence that says that pages are missing. */
  readonly note?: string | undefined;
}

/**
 * Returns the canvases of one image: one, or one for each page of a file with several. Empty if the caller
 * may not know of it. `namedPages` returns the numbers of pages that images of those very names replace.
 * Throws what {@link imageFacts} does.
 */
export async function imageCanvases(
  parts: LookParts,
  caller: Caller,
  gate: Gate,
  namedPages: () => Promise<readonly number[]>,
): Promise<ImageCanvases> {
  const { identifier } = caller;
  const facts = await imageFacts(parts, caller).catch(async (error: unknown) => {
    // Only callers who may know of an image learn why it cannot be read.
    if ((await gate.pass(identifier)).listed) throw error;
    return undefined;
  });
  if (!facts) return { canvases: [] };
  const name = identifier.slice(identifier.lastIndexOf("/") + 1);
  const canvases: CanvasFacts[] = [];
  const add = async (named: Name, own: ImageFacts) => {
    if (own.passes) gate.doubt();
    const asked = gate.pass(named.identifier);
    // Waits only for promises: not at all if everything is public.
    const pass = asked instanceof Promise ? await asked : asked;
    if (pass.listed) canvases.push(canvasFacts(named, own, pass));
  };
  // An identifier with a page suffix is one page, unless a file has that very name, to which no further
  // suffix can be added.
  if (facts.pages === 1 || splitPage(identifier)) {
    await add({ identifier, label: name }, facts);
    return { canvases };
  }
  const pages = await pageFacts(parts, caller, facts, await namedPages());
  for (const [at, own] of pages.entries())
    await add({ identifier: `${identifier};${at + 1}`, label: own.pageLabel ?? String(at + 1) }, own);
  return { canvases, note: cutText(name, facts, pages.length) };
}

/** Canvases that are made together. */
const batch = 100;

/** The canvases of a manifest of one image, made when they are asked for. */
export function canvasesOfFacts({ id, canvases }: ManifestFacts, context: DocumentContext): Canvases {
  const address = documentAddress(context.base, id);
  const stand = standInSizeOf(canvases.find(({ size }) => size !== undefined));
  const make = (from: number, to: number) =>
    canvases.slice(from, to).map((facts, at) => canvasOf(facts, from + at + 1, { address, stand, context }));
  return {
    count: async () => canvases.length,
    at: async (index) => make(index, index + 1)[0],
    async indexOf(canvasId) {
      const number = canvasNumber(address, canvasId);
      return number !== undefined && number <= canvases.length ? number - 1 : undefined;
    },
    async *batches() {
      for (let from = 0; from < canvases.length; from += batch) yield make(from, from + batch);
    },
  };
}
