// What manifests say of an image: its upright size and its number of pages, from its header alone.

import { type Caller, everythingPublic } from "../../access/access.ts";
import { type ErrorKind, ServiceError } from "../../errors.ts";
import type { Admission } from "../../images/admission/admit.ts";
import { checkServable, type DescribeParts, describe, type Master } from "../../images/describe.ts";
import { type OpenParts, withMaster } from "../../images/open.ts";
import { asShown, uprightSize } from "../../images/plan/orientation.ts";
import type { OutputPolicy } from "../../images/plan/policy.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import type { Folder, ImageFacts } from "./folder.ts";
import type { ListedFile } from "./listing.ts";

/** What is needed to tell sizes as answers have them. */
export type FactsParts = OpenParts &
  DescribeParts & {
    readonly policy: Pick<OutputPolicy, "metadata">;
    readonly admission: Pick<Admission, "allows">;
  };

/** Images of a folder that are looked at at once. */
const atOnce = 16;

/** What a file cannot change without becoming another one; all other failures may be over at the next look. */
const lasting: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["decode", "unsupported"]);

/**
 * The facts of one image, whoever may see it: sizes are no secret, since the image information of a gated image gives them to
 * all. Throws `not-found` where there is none, and what may be over at the next look.
 */
export async function imageFacts(parts: FactsParts, caller: Caller): Promise<ImageFacts> {
  const { facts, error } = await looked(parts, caller);
  if (error && noImages.has(error.code)) throw new ServiceError("not-found", error.message, { cause: error });
  if (error && facts.passes) throw error;
  return facts;
}

/**
 * The facts of images of a folder, in the order of the files; undefined for one that is no longer there. What was found is
 * remembered with the folder. `callerOf` returns the caller for the file of that name.
 */
export async function folderFacts(
  parts: FactsParts,
  folder: Folder,
  files: readonly ListedFile[],
  callerOf: (name: string) => Caller,
): Promise<readonly (ImageFacts | undefined)[]> {
  const found: (ImageFacts | undefined)[] = files.map(({ name }) => folder.facts.get(name)?.facts);
  // What a hook makes of an identifier is not for the listing to tell.
  const remembers = !parts.hooks.has("resolve");
  const missing = [...files.entries()].filter(([at]) => found[at] === undefined || !remembers);
  await forEachConcurrently(missing, atOnce, async ([at, { name, validator }]) => {
    try {
      const { facts } = await looked(parts, callerOf(name), validator);
      found[at] = facts;
      if (remembers && !facts.passes && validator !== undefined) folder.facts.set(name, { validator, facts });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "not-found") throw error;
      found[at] = undefined;
    }
  });
  return found;
}

/** Codes of errors of what is there but no image: text, or the page that a web server has for a folder. */
const noImages: ReadonlySet<string> = new Set(["unsupported_format", "origin_not_image"]);

interface Looked {
  readonly facts: ImageFacts;
  readonly error?: ServiceError;
}

async function looked(parts: FactsParts, caller: Caller, validator?: string): Promise<Looked> {
  const everyone = { ...parts, access: everythingPublic, decisions: unnoted };
  const look = async (master: Master) => {
    // The source remembers an earlier state than the listing saw.
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
  return { facts: { size, pages: Math.max(1, header.pages) }, of: master.validator };
}

/** Looking at a size is no decision on access. */
const unnoted = { note() {} };
