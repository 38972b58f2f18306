// The only way to open a master: decides on access, asks hooks for its location, opens it, works with it and
// closes it.

import { type Log, ServiceError } from "../../base/index.ts";
import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Grant,
  type RefusedDecision,
} from "../access/access.ts";
import type { Decisions } from "../access/decisions.ts";
import { withLink } from "../access/links/linked-decision.ts";
import { hookRequestOf } from "../access/rules/hook-request.ts";
import type { Hooks } from "../hooks/index.ts";
import type { Sources } from "../sources/index.ts";
import { type GrantedMaster, type Master, type MasterLocation, openMaster } from "./describe.ts";
import type { ResolvedMasters } from "./resolved-masters.ts";

export interface OpenParts {
  readonly sources: Sources;
  readonly access: Access;
  /** Absent if there are none. */
  readonly hooks?: Hooks | undefined;
  readonly resolved: ResolvedMasters;
  readonly decisions: Pick<Decisions, "note">;
  readonly log: Pick<Log, "debug">;
}

/** Maximum number of times that a master is opened if it changes while it is used. */
const attempts = 3;

/**
 * Runs `work` with the master that access allows the caller to see, and closes it. Opens the master again and
 * repeats `work` if the master was replaced or purged in the meantime.
 *
 * `denied` handles a denial before any hook or source is asked for the master. It returns the result, or a
 * function that makes the result from the opened master, or from undefined if a hook fails to name it. If
 * `denied` is absent, a denial throws `unauthorized` (code access_denied). Throws `not-found` for an
 * identifier that no source has, `hook` if a hook fails, and what `work` throws.
 */
export async function withMaster<T>(
  parts: OpenParts,
  caller: Caller,
  work: (master: GrantedMaster) => Promise<T>,
  denied: (
    refused: RefusedDecision,
  ) => Awaited<T> | Promise<T> | ((master: Master | undefined) => Promise<T>) = refuse,
): Promise<T> {
  const decision = await decide(parts, caller);
  const onRefusal = (decision: RefusedDecision): T | Promise<T> => {
    const result = denied(decision);
    if (typeof result !== "function") return result;
    const despite = result as (master: Master | undefined) => Promise<T>;
    // Failures of a hook are hidden from callers who may not see the image.
    const hideFailure = (error: ServiceError) =>
      error.kind === "hook" ? () => despite(undefined) : undefined;
    return openAndRun(parts, () => open(parts, caller), despite, hideFailure);
  };
  if (!decision.allowed) return onRefusal(decision);
  const { identifier, otherwise } = decision;
  const shown = identifier === undefined ? caller : { ...caller, identifier };
  return openAndRun(
    parts,
    () => open(parts, shown, decision),
    work,
    otherwise && (() => () => onRefusal(otherwise)),
  );
}

/** Returns and records the access decision for a caller. */
export async function decide(
  { access, hooks, decisions }: Pick<OpenParts, "access" | "hooks" | "decisions">,
  caller: Caller,
): Promise<Decision> {
  const decided = withLink(await access.decide(caller), caller.link);
  const decision = hooks ? withHookSharing(hooks, decided) : decided;
  decisions.note(caller, decision);
  return decision;
}

function refuse({ reason }: RefusedDecision): never {
  throw new ServiceError("unauthorized", reason, { code: "access_denied" });
}

/**
 * Returns the location of a master according to the hook; false if there is no such image, undefined if the
 * hook has no opinion. Throws `hook` if it fails.
 */
export async function locateMaster(
  { sources, hooks, resolved }: Pick<OpenParts, "sources" | "hooks" | "resolved">,
  caller: Caller,
): Promise<MasterLocation | false | undefined> {
  if (!hooks) return undefined;
  const request = hookRequestOf(caller);
  const result = await hooks.resolve(request);
  if (!result) return result;
  const { source: name } = result;
  const source = name === undefined ? sources.default : sources.byName(name);
  if (!source) throw hooks.unusable("resolve", request.identifier, `there is no source named ${name}`);
  const key = source.keyOf?.(result.key) ?? result.key;
  resolved.note(request.identifier, { source, key });
  return { source, key, page: result.page ?? request.page };
}

/**
 * Restricts the caching of a decision as the hook requires: its result may depend on properties of the
 * request.
 */
function withHookSharing(hooks: Hooks, decision: Decision): Decision {
  const sharing = hooks.sharing();
  if (!sharing || (sharing.cachedBy === "anyone" && sharing.vary.length === 0)) return decision;
  return { ...decision, ...combineSharing([decision, sharing]) };
}

/**
 * Opens the master of the caller's identifier. Without a hook it creates no additional promise, since every
 * tile takes this path.
 */
function open(parts: OpenParts, caller: Caller, grant?: Grant): Promise<GrantedMaster> {
  return parts.hooks?.has("resolve")
    ? openResolved(parts, caller, grant)
    : openMaster(parts.sources, caller.identifier, caller, grant);
}

async function openResolved(parts: OpenParts, caller: Caller, grant?: Grant): Promise<GrantedMaster> {
  const { sources, hooks } = parts;
  const location = await locateMaster(parts, caller);
  try {
    return await openMaster(sources, caller.identifier, caller, grant, location);
  } catch (error) {
    // The client cannot correct a key that the hook has returned.
    if (hooks && location && error instanceof ServiceError && error.kind === "bad-request")
      throw hooks.unusable(
        "resolve",
        caller.identifier,
        `the key ${location.key} cannot be used: ${error.message}`,
      );
    throw error;
  }
}

/**
 * Opens a master, runs `work` with it and closes it; up to `attempts` times in all if it changes in the
 * meantime. `unopened` handles an error of opening; the error is thrown if it returns undefined.
 */
async function openAndRun<T>(
  { log }: OpenParts,
  open: () => Promise<GrantedMaster>,
  work: (master: GrantedMaster) => Promise<T>,
  unopened?: (error: ServiceError) => (() => T | Promise<T>) | undefined,
): Promise<T> {
  for (let left = attempts - 1; ; left--) {
    let master: GrantedMaster;
    try {
      master = await open();
    } catch (error) {
      const result =
        error instanceof ServiceError && error.kind !== "cancelled" ? unopened?.(error) : undefined;
      if (!result) throw error;
      return result();
    }
    master.caller?.stages?.end("open");
    try {
      return await work(master);
    } catch (error) {
      if (left === 0 || !(await isStale(master, error))) throw error;
      master.source.forget?.(master.key);
    } finally {
      void master.image
        .close()
        .catch((error: unknown) => log.debug("closing a master failed", { error: String(error) }));
    }
  }
}

/**
 * True if an error may be due to a file that was replaced, written to or purged since it was opened, so that
 * opening it again may help.
 */
async function isStale({ image }: Master, error: unknown): Promise<boolean> {
  if (!(error instanceof ServiceError)) return false;
  if (error.kind === "decode" || error.kind === "unsupported") return (await image.hasChanged?.()) === true;
  return error.kind === "changed";
}
