// Who may read the text of a page in the index of a source: segments hold pages of one class.

import { everythingPublic, rulesOf } from "../../access/access.ts";
import type { Gate, GateParts } from "../gate.ts";

/** What decides on the text of pages. */
export interface PageClass {
  /** Equal for pages that the same callers may read. */
  readonly name: string;
  /** Identifiers of one of its images, and of the folders around it. */
  readonly image: string;
  readonly folders: readonly string[];
}

/** The class of pages that are decided on one by one, by a hook or by an access of another program. */
export const singleClass = "hook";

/** True if access is decided for each page, so that no two pages are known to have the same readers. */
function isDecidedSingly({ images, auth }: GateParts): boolean {
  const rules = rulesOf(images.access);
  return rules === undefined || (rules !== everythingPublic && rules !== auth?.access);
}

/**
 * Returns the class of an image with the folders around it: a rule decides by its profiles alone, on the
 * image and on each folder, as for searches of names.
 */
export function pageClassOf(parts: GateParts, image: string, folders: readonly string[]): PageClass {
  if (isDecidedSingly(parts)) return { name: singleClass, image, folders };
  const profilesOf = (identifier: string) =>
    parts.auth?.requirementOf(identifier)?.profiles.map(({ name }) => name);
  const own = profilesOf(image);
  const around = new Set(folders.flatMap((folder) => profilesOf(folder)?.join(" ") ?? []));
  const isPublic = own === undefined && around.size === 0;
  const name = isPublic ? "public" : JSON.stringify([own ?? [], [...around].sort()]);
  return { name, image, folders };
}

/** True if a caller may read the text of an image: all of it is visible, and the folders around it too. */
export async function mayReadPage(
  { auth }: Pick<GateParts, "auth">,
  gate: Gate,
  { image, folders }: Pick<PageClass, "image" | "folders">,
): Promise<boolean> {
  for (const folder of folders)
    if (auth?.requirementOf(folder) !== undefined && !(await gate.mayFind(folder))) return false;
  return gate.mayRead(image, "all");
}
