// The canvases of a document: the images of a folder, or the pages of one image, as one caller may see them.

import type { Caller } from "../../access/access.ts";
import { splitPage } from "../../iiif/image/path.ts";
import type { CanvasFacts } from "../../iiif/presentation/model.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folder, ImageFacts } from "../folders/folder.ts";
import { type FactsParts, folderFacts, imageFacts } from "../folders/image-facts.ts";
import type { ListedFile } from "../folders/listing.ts";
import type { Gate } from "../gate.ts";
import { identifierOf, inside, isReached, type Place } from "../places.ts";

/** Pages of one file that are looked at at once. */
const pagesAtOnce = 4;

/** Images that a hook is asked about at once for one document. */
const decidedAtOnce = 8;

/** Pages of one file that a manifest shows at most. */
const mostPages = 2000;

/** The images of a folder that are reached under the identifiers that its listing gives them. */
export function imagesOf(
  sources: Sources,
  place: Place,
  { listing }: Pick<Folder, "listing">,
): readonly ListedFile[] {
  return listing.images.filter(({ name }) => isReached(sources, inside(place, name), "file"));
}

/** Canvases of images of a folder, without those that the caller is not to know of. */
export async function folderCanvases(
  parts: FactsParts,
  place: Place,
  folder: Folder,
  files: readonly ListedFile[],
  caller: Caller,
  gate: Gate,
): Promise<readonly CanvasFacts[]> {
  const identifierAt = (name: string) => identifierOf(inside(place, name));
  const found = await folderFacts(parts, folder, files, (name) => ({
    ...caller,
    identifier: identifierAt(name),
  }));
  const canvases: (CanvasFacts | undefined)[] = [];
  const look = (at: number, { name }: ListedFile) => {
    const facts = found[at];
    // It was there when the folder was listed.
    if (!facts) gate.doubt();
    return facts && canvasOf(identifierAt(name), name, facts, gate);
  };
  if (parts.hooks.has("authorize"))
    await forEachConcurrently(files.entries(), decidedAtOnce, async ([at, file]) => {
      canvases[at] = await look(at, file);
    });
  else
    for (const [at, file] of files.entries()) {
      const canvas = look(at, file);
      // Nothing is waited for where all is public, and for each profile once.
      canvases[at] = canvas instanceof Promise ? await canvas : canvas;
    }
  return canvases.filter((canvas) => canvas !== undefined);
}

/**
 * The canvases of one image: one, or one for each page of a file with several. None where the caller is not to know of it.
 * Throws what {@link imageFacts} does.
 */
export async function imageCanvases(
  parts: FactsParts,
  caller: Caller,
  gate: Gate,
): Promise<readonly CanvasFacts[]> {
  const { identifier } = caller;
  const facts = await imageFacts(parts, caller);
  const name = identifier.slice(identifier.lastIndexOf("/") + 1);
  // What has a page suffix is one page, unless a file has that very name; then it has no further suffix to add.
  if (facts.pages === 1 || splitPage(identifier))
    return [await canvasOf(identifier, name, facts, gate)].filter((canvas) => canvas !== undefined);
  const canvases: (CanvasFacts | undefined)[] = [];
  const pages = Array.from({ length: Math.min(facts.pages, mostPages) }, (_, at) => at + 1);
  await forEachConcurrently(pages, pagesAtOnce, async (page) => {
    const paged = `${identifier};${page}`;
    const own = await imageFacts(parts, { ...caller, identifier: paged });
    canvases[page - 1] = await canvasOf(paged, String(page), own, gate);
  });
  return canvases.filter((canvas) => canvas !== undefined);
}

function canvasOf(
  identifier: string,
  label: string,
  { size, problem, passes }: ImageFacts,
  gate: Gate,
): Promise<CanvasFacts | undefined> | CanvasFacts | undefined {
  if (passes) gate.doubt();
  const made = ({ listed, visible, auth }: Awaited<ReturnType<Gate["pass"]>>) =>
    listed
      ? {
          identifier,
          label,
          visible,
          ...(size && { size }),
          ...(problem !== undefined && { problem }),
          ...(auth && { auth }),
        }
      : undefined;
  const pass = gate.pass(identifier);
  return pass instanceof Promise ? pass.then(made) : made(pass);
}
