// Files of earlier runs whose images or documents a run has not exported: they are gone, or need a login now.

import { ServiceError } from "../../errors.ts";
import { splitPage } from "../../iiif/image/path.ts";
import { documentFile, imageFolder } from "./names.ts";
import type { Target } from "./target.ts";

/** What a run could not export. */
export interface Losses {
  note(identifier: string, error: unknown): void;
  /**
   * True if readers of an export may not have it any more, false if it may return with the next run.
   * Undefined if the run did not come across it.
   */
  isGone(identifier: string): boolean | undefined;
}

export function createLosses(): Losses {
  const lost = new Map<string, boolean>();
  return {
    note(identifier, error) {
      const { kind } = error instanceof ServiceError ? error : { kind: undefined };
      lost.set(identifier, kind === "unauthorized" || kind === "not-found");
    },
    isGone: (identifier) => lost.get(identifier) ?? lost.get(splitPage(identifier)?.identifier ?? identifier),
  };
}

export interface Run {
  /** Identifiers that were exported. */
  readonly exported: { has(identifier: string): boolean };
  readonly losses: Losses;
  /** True if the run has seen everything that there is. */
  readonly isComplete: boolean;
  readonly signal: AbortSignal;
}

/** True if what an earlier run has exported must not stay. */
const isLeftover = ({ exported, losses, isComplete }: Run, identifier: string) =>
  !exported.has(identifier) && (losses.isGone(identifier) ?? isComplete);

/** Removes images that earlier runs have exported, and returns their number. */
export async function removeImages(target: Target, run: Run): Promise<number> {
  let removed = 0;
  for await (const identifier of target.noted()) {
    run.signal.throwIfAborted();
    if (!isLeftover(run, identifier)) continue;
    await target.removeImage(imageFolder(identifier));
    await target.forget(identifier);
    removed++;
  }
  return removed;
}

/** The same for documents. */
export async function removeDocuments(target: Target, run: Run): Promise<number> {
  const noted = (await target.documents()) ?? new Set();
  const left = [...noted].filter((identifier) => isLeftover(run, identifier));
  for (const identifier of left) await target.remove(documentFile(identifier));
  if (left.length > 0) await target.noteDocuments([...noted].filter((each) => !left.includes(each)));
  return left.length;
}
