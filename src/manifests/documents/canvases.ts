// Facts of an image or a page in documents, as one caller may see it, and the canvases of one image.

import type { Caller } from "../../access/access.ts";
import { splitPage } from "../../iiif/image/path.ts";
import type { CanvasFacts } from "../../iiif/presentation/model.ts";
import type { ImageFacts } from "../folders/folder.ts";
import { type FactsParts, imageFacts, pageFacts } from "../folders/image-facts.ts";
import type { Gate, Pass } from "../gate.ts";

/** Name of an image or a page in a document. */
interface Name {
  readonly identifier: string;
  readonly label: string;
  readonly page?: number;
}

/** Returns the facts of a canvas with an image that the caller may know of. */
export function canvasFacts(
  { identifier, label, page }: Name,
  { size, problem }: ImageFacts,
  { visible, services }: Pass,
): CanvasFacts {
  return {
    identifier,
    label,
    visible,
    ...(page !== undefined && { page }),
    ...(size && { size }),
    ...(problem !== undefined && { problem }),
    ...(services && { auth: services() }),
  };
}

/**
 * Returns the canvases of one image: one, or one for each page of a file with several. Empty if the caller
 * may not know of it. Throws what {@link imageFacts} does.
 */
export async function imageCanvases(
  parts: FactsParts,
  caller: Caller,
  gate: Gate,
): Promise<readonly CanvasFacts[]> {
  const { identifier } = caller;
  const facts = await imageFacts(parts, caller).catch(async (error: unknown) => {
    // Only callers who may know of an image learn why it cannot be read.
    if ((await gate.pass(identifier)).listed) throw error;
    return undefined;
  });
  if (!facts) return [];
  const name = identifier.slice(identifier.lastIndexOf("/") + 1);
  const canvases: CanvasFacts[] = [];
  const add = async (named: Name, own: ImageFacts) => {
    if (own.passes) gate.doubt();
    const pass = await gate.pass(named.identifier);
    if (pass.listed) canvases.push(canvasFacts(named, own, pass));
  };
  // An identifier with a page suffix is one page, unless a file has that very name, to which no further
  // suffix can be added.
  if (facts.pages === 1 || splitPage(identifier)) await add({ identifier, label: name }, facts);
  else
    for (const [at, own] of (await pageFacts(parts, caller, facts)).entries())
      await add({ identifier: `${identifier};${at + 1}`, label: String(at + 1) }, own);
  return canvases;
}
