// Facts about an image for manifests: its upright size and its number of pages, from its header alone.

import { type Caller, everythingPublic } from "../../access/access.ts";
import { unnoted } from "../../access/decisions.ts";
import { type ErrorKind, ServiceError } from "../../errors.ts";
import type { Admission } from "../../images/admission/admit.ts";
import { checkServable, type DescribeParts, describe, type Master } from "../../images/describe.ts";
import { type OpenParts, withMaster } from "../../images/open.ts";
import { asShown } from "../../images/plan/orientation.ts";
import type { OutputPolicy } from "../../images/plan/policy.ts";
import { uprightSize } from "../../imaging/render/sampling.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Folder, ImageFacts } from "./folder.ts";
import type { ListedFile } from "./listing.ts";

/** Parts that sizes of derivatives depend on. */
export type FactsParts = OpenParts &
  DescribeParts & {
    readonly policy: Pick<OutputPolicy, "metadata">;
    readonly admission: Pick<Admission, "allows">;
  };

/** Images of a folder that are examined simultaneously. */
const atOnce = 16;

/** Failures that last as long as the file; all others may be temporary. */
const lasting: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["decode", "unsupported"]);

/**
 * Returns the facts of one image for any caller: sizes are no secret, since the image information of a gated
 * image is public. Throws `not-found` if there is none, `unsupported` (code unsupported_format) for anything
 * but an image, and temporary errors.
 */
export async function imageFacts(parts: FactsParts, caller: Caller): Promise<ImageFacts> {
  const { facts, error } = await lookAt(parts, caller);
  // Many web servers have a page for a folder.
  if (error?.code === "origin_not_image")
    throw new ServiceError("not-found", error.message, { cause: error });
  if (error && (facts.passes || error.code === "unsupported_format")) throw error;
  return facts;
}

/**
 * Examines images of one folder for one caller. Results are cached with the folder if they depend only on its
 * files.
 */
export interface FolderReader {
  /** True if nothing has to be opened for the facts of a file. */
  knows(file: ListedFile): boolean;
  /** The facts of files in their order; undefined for one that is no longer there. */
  facts(files: readonly ListedFile[]): Promise<readonly (ImageFacts | undefined)[]>;
  /** The facts of the pages of a file with several. */
  pages(file: ListedFile, facts: ImageFacts): Promise<readonly ImageFacts[]>;
}

/** A reader of a folder; `callerOf` returns the caller for the file of that name. */
export function readImages(
  parts: FactsParts,
  folder: Folder,
  callerOf: (name: string) => Caller,
): FolderReader {
  // A listing says nothing about identifiers that a hook maps.
  const remembers = !parts.hooks.has("resolve");
  const own = new Map<string, KnownFacts>();
  const findKnown = ({ name }: ListedFile): KnownFacts | undefined =>
    own.get(name) ?? (remembers ? folder.facts.get(name) : undefined);
  const remember = ({ name, validator }: ListedFile, found: KnownFacts) => {
    const { facts, pages = [] } = found;
    const lasts = facts && ![facts, ...pages].some(({ passes }) => passes);
    if (remembers && lasts && validator !== undefined) folder.facts.set(name, { ...found, facts, validator });
    else own.set(name, found);
  };
  const look = async (file: ListedFile) => {
    try {
      const { facts } = await lookAt(parts, callerOf(file.name), file.validator);
      remember(file, { facts });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "not-found") throw error;
      remember(file, {});
    }
  };
  return {
    knows: (file) => findKnown(file) !== undefined,
    async facts(files) {
      const missing = files.filter((file) => findKnown(file) === undefined);
      if (missing.length > 0) await forEachConcurrently(missing, atOnce, look);
      return files.map((file) => findKnown(file)?.facts);
    },
    async pages(file, facts) {
      const pages = findKnown(file)?.pages ?? (await pageFacts(parts, callerOf(file.name), facts));
      if (findKnown(file)?.pages === undefined) remember(file, { facts, pages });
      return pages;
    },
  };
}

/** What is known of a file; without facts if it no longer exists. */
interface KnownFacts {
  readonly facts?: ImageFacts;
  readonly pages?: readonly ImageFacts[];
}

/** Pages of one file that are probed simultaneously. */
const pagesAtOnce = 4;

/** Pages of one file that a manifest shows at most. */
const mostPages = 2000;

/** Returns the number of a file's pages that manifests show. */
export const shownPages = ({ pages }: ImageFacts): number => Math.min(pages, mostPages);

/**
 * The facts of the pages of an image with several, in their order. Throws `not-found` if there is none.
 */
export async function pageFacts(
  parts: FactsParts,
  caller: Caller,
  facts: ImageFacts,
): Promise<readonly ImageFacts[]> {
  const found: ImageFacts[] = [];
  const numbers = Array.from({ length: shownPages(facts) }, (_, at) => at + 1);
  await forEachConcurrently(numbers, pagesAtOnce, async (number) => {
    const page = await lookAt(parts, { ...caller, identifier: `${caller.identifier};${number}` });
    // Most pages are of one size, and thousands of them may be remembered.
    found[number - 1] = isAlike(page.facts, facts) ? facts : page.facts;
  });
  return found;
}

const isAlike = (one: ImageFacts, other: ImageFacts): boolean =>
  one.size?.width === other.size?.width &&
  one.size?.height === other.size?.height &&
  one.problem === other.problem &&
  one.passes === other.passes;

interface LookResult {
  readonly facts: ImageFacts;
  readonly error?: ServiceError;
}

async function lookAt(parts: FactsParts, caller: Caller, validator?: string): Promise<LookResult> {
  const everyone = { ...parts, access: everythingPublic, decisions: unnoted };
  const look = async (master: Master) => {
    // The source remembers an earlier state than the listing.
    if (validator !== undefined && master.validator !== validator) master.source.forget?.(master.key);
    return factsOf(parts, master, caller.signal);
  };
  try {
    const { facts, of } = await withMaster(everyone, caller, look);
    if (validator === undefined || of === validator) return { facts };
    return { facts: (await withMaster(everyone, caller, look)).facts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind === "not-found" || error.kind === "cancelled" || error.kind === "hook") throw error;
    const passes = !lasting.has(error.kind) && ({ passes: true } as const);
    return { facts: { problem: error.message, pages: 1, ...passes }, error };
  }
}

async function factsOf(
  parts: FactsParts,
  master: Master,
  signal?: AbortSignal,
): Promise<{ readonly facts: ImageFacts; readonly of: string }> {
  const header = await describe(parts, master, signal);
  checkServable(parts, master, header);
  const size = uprightSize(asShown(header, parts.policy));
  const pages = Math.max(1, header.pages);
  const inFolders = pages > 1 && header.format === "tif";
  return { facts: { size, pages, ...(inFolders && { inFolders }) }, of: master.validator };
}
