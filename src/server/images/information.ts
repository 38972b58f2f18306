// Image information: the info.json of a master, for each interface that serves it.

import { type InformationInput, imageInformation } from "../../iiif/index.ts";
import { shownSize } from "../../imaging/index.ts";
import { checkServable, describe, type Master } from "./describe.ts";
import type { RenderParts } from "./render.ts";

/**
 * Returns the info.json of a master, and the number of pages in its file. `id`: absolute URI of its image
 * service; `service`: authorization services. Throws what {@link describe} and {@link checkServable} throw.
 */
export async function informationOf(
  parts: RenderParts,
  master: Master,
  asked: Pick<InformationInput, "version" | "id" | "service">,
  signal: AbortSignal,
): Promise<{ readonly document: Record<string, unknown>; readonly pages: number }> {
  const header = await describe(parts, master, signal);
  checkServable(parts, master, header);
  const size = shownSize(header, parts.policy);
  const { sizes: rules, formats, preferredFormats } = parts;
  const document = imageInformation({ ...asked, size, rules, formats, preferredFormats });
  return { document, pages: header.pages };
}
