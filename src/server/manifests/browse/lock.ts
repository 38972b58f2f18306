// Folders that a rule gates for a caller, as pages list them if the operator wants that: by their titles.

import { type Decision, isUndecided } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import type { Profile } from "../../access/profiles/profile.ts";
import type { Gate } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";

/** Why a caller may not open a folder yet. */
export interface FolderLock {
  /** Any of them gives access; heading and note of the first are for the reader. */
  readonly profiles: readonly [Profile, ...Profile[]];
}

export interface LockParts {
  readonly auth?: Pick<Auth, "requirementOf"> | undefined;
  readonly options: Pick<PresentationOptions, "show_gated">;
}

/**
 * Returns the lock of a folder for the caller of a gate; undefined if the caller may open it, or may not know
 * of it: if the operator hides such folders, or the denial is no request for a login.
 */
export async function lockOf(
  { auth, options }: LockParts,
  gate: Gate,
  folder: string,
): Promise<FolderLock | undefined> {
  if (options.show_gated !== "locked") return undefined;
  const required = auth?.requirementOf(folder);
  if (!required) return undefined;
  const decision = await gate.decide(folder).catch(whileUndecided);
  const isLocked = decision === undefined || (!decision.allowed && decision.status === 401);
  return isLocked ? { profiles: required.profiles } : undefined;
}

/** While logins cannot be looked up, folders stay locked. */
function whileUndecided(error: unknown): Decision | undefined {
  if (!isUndecided(error)) throw error;
  return undefined;
}
