// The one way to a master: ask hooks where it is, decide who may have it, open it, work with it, close it again.

import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Grant,
  type Refused,
} from "../access/access.ts";
import type { Decisions } from "../access/decisions.ts";
import { hookRequestOf } from "../access/hook-request.ts";
import { ServiceError } from "../errors.ts";
import type { Hooks } from "../hooks/index.ts";
import type { Log } from "../lib/log.ts";
import type { Sources } from "../sources/index.ts";
import { type GrantedMaster, type Master, openMaster, type Place } from "./describe.ts";
import type { ResolvedMasters } from "./resolved-masters.ts";

export interface OpenParts {
  readonly sources: Sources;
  readonly access: Access;
  readonly hooks: Hooks;
  readonly resolved: ResolvedMasters;
  readonly decisions: Pick<Decisions, "note">;
  readonly log: Pick<Log, "debug">;
}

/** Times that a master which changes under its work is opened. */
const attempts = 3;

/**
 * Runs `work` with the master that the caller asks for, as far as access allows, and closes it. Opens the master again
 * and repeats the work where it turns out to be replaced or purged meanwhile.
 *
 * `denied` answers a denial before any source is asked: it returns the result, or a function that makes the result from
 * the opened master all the same. Without it, throws `unauthorized` (code access_denied). Throws `not-found` for an
 * identifier that no source has, `hook` where a hook fails, and what `work` throws.
 */
export async function withMaster<T>(
  parts: OpenParts,
  caller: Caller,
  work: (master: GrantedMaster) => Promise<T>,
  denied: (refused: Refused) => Awaited<T> | Promise<T> | ((master: Master) => Promise<T>) = refuse,
): Promise<T> {
  const { hooks } = parts;
  // Without hooks nothing is waited for here: this is the way of every tile.
  const place = hooks.has("resolve") ? await outcomeOf(placeOf(parts, caller)) : undefined;
  const decision = await decide(parts, caller);
  // Only now, so that a failure tells nothing to those who may not have the image.
  const open = (grant?: Grant) => openAt(parts, caller, place?.(), grant);
  const refused = (decision: Refused): T | Promise<T> => {
    const answer = denied(decision);
    if (typeof answer !== "function") return answer;
    const despite = answer as (master: Master) => Promise<T>;
    return openAndRun(parts, () => open(), despite);
  };
  if (!decision.allowed) return refused(decision);
  const { identifier, otherwise } = decision;
  if (identifier === undefined) return openAndRun(parts, () => open(decision), work);
  const other = { ...caller, identifier };
  const openOther = async () =>
    openAt(parts, other, hooks.has("resolve") ? await placeOf(parts, other) : undefined, decision);
  return openAndRun(parts, openOther, work, otherwise && (() => refused(otherwise)));
}

/** What a caller may have of an image; the decision is noted. */
export async function decide(
  { access, hooks, decisions }: Pick<OpenParts, "access" | "hooks" | "decisions">,
  caller: Caller,
): Promise<Decision> {
  const decision = withHookSharing(hooks, await access.decide(caller));
  decisions.note(caller.identifier, decision);
  return decision;
}

/** What has become of a promise, as a function that returns or throws it. */
const outcomeOf = <T>(promise: Promise<T>): Promise<() => T> =>
  promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );

function refuse({ reason }: Refused): never {
  throw new ServiceError("unauthorized", reason, { code: "access_denied" });
}

/** Where the hook says that a master is; false: nowhere. Undefined: it has no opinion. Throws `hook` where it fails. */
export async function placeOf(
  { sources, hooks, resolved }: Pick<OpenParts, "sources" | "hooks" | "resolved">,
  caller: Caller,
): Promise<Place | false | undefined> {
  const request = hookRequestOf(caller);
  const answer = await hooks.resolve(request);
  if (!answer) return answer;
  const { key, source: name } = answer;
  const source = name === undefined ? sources.default : sources.named(name);
  if (!source) throw hooks.unusable("resolve", request.identifier, `there is no source named ${name}`);
  resolved.note(request.identifier, { source, key });
  return { source, key, page: request.page };
}

/** What a hook may have decided belongs to whom its input did. */
function withHookSharing(hooks: Hooks, decision: Decision): Decision {
  const sharing = hooks.sharing();
  if (!sharing || (sharing.keptBy === "anyone" && sharing.vary.length === 0)) return decision;
  return { ...decision, ...combineSharing([decision, sharing]) };
}

function openAt(
  { sources, hooks }: OpenParts,
  caller: Caller,
  place: Place | false | undefined,
  grant?: Grant,
): Promise<GrantedMaster> {
  const opening = openMaster(sources, caller.identifier, caller, grant, place);
  if (!place) return opening;
  return opening.catch((error: unknown) => {
    // The client can do nothing about a key that the hook has made.
    if (error instanceof ServiceError && error.kind === "bad-request")
      throw hooks.unusable(
        "resolve",
        caller.identifier,
        `the key ${place.key} cannot be used: ${error.message}`,
      );
    throw error;
  });
}

/**
 * Opens a master, runs `work` with it and closes it; again, up to `attempts` times, where it changed meanwhile. `unopened`
 * answers where it cannot be opened.
 */
async function openAndRun<T>(
  { log }: OpenParts,
  open: () => Promise<GrantedMaster>,
  work: (master: GrantedMaster) => Promise<T>,
  unopened?: () => T | Promise<T>,
): Promise<T> {
  for (let left = attempts - 1; ; left--) {
    let master: GrantedMaster;
    try {
      master = await open();
    } catch (error) {
      if (!unopened || !(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      return unopened();
    }
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

/** Whether an error is of a file that was replaced, written to or purged since it was looked at: the new one is as good. */
async function isStale({ image }: Master, error: unknown): Promise<boolean> {
  if (!(error instanceof ServiceError)) return false;
  if (error.kind === "decode" || error.kind === "unsupported") return (await image.changed?.()) === true;
  return error.kind === "changed";
}
