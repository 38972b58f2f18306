// The one way to a master: decide who may have it, ask hooks where it is, open it, work with it, close it again.

import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Grant,
  type Refused,
} from "../access/access.ts";
import type { Decisions } from "../access/decisions.ts";
import { hookRequestOf } from "../access/rules/hook-request.ts";
import { ServiceError } from "../errors.ts";
import type { Hooks } from "../hooks/index.ts";
import type { Log } from "../lib/telemetry/log.ts";
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
 * `denied` answers a denial before any hook or source is asked where the master is: it returns the result, or a function that makes
 * the result from the opened master all the same, from undefined where a hook fails to say where that is. Without it, throws
 * `unauthorized` (code access_denied). Throws `not-found` for an identifier that no source has, `hook` where a hook fails,
 * and what `work` throws.
 */
export async function withMaster<T>(
  parts: OpenParts,
  caller: Caller,
  work: (master: GrantedMaster) => Promise<T>,
  denied: (
    refused: Refused,
  ) => Awaited<T> | Promise<T> | ((master: Master | undefined) => Promise<T>) = refuse,
): Promise<T> {
  const decision = await decide(parts, caller);
  const refused = (decision: Refused): T | Promise<T> => {
    const answer = denied(decision);
    if (typeof answer !== "function") return answer;
    const despite = answer as (master: Master | undefined) => Promise<T>;
    // What is wrong with a hook is nothing to those who may not have the image.
    const without = (error: ServiceError) => (error.kind === "hook" ? () => despite(undefined) : undefined);
    return openAndRun(parts, () => open(parts, caller), despite, without);
  };
  if (!decision.allowed) return refused(decision);
  const { identifier, otherwise } = decision;
  const shown = identifier === undefined ? caller : { ...caller, identifier };
  return openAndRun(
    parts,
    () => open(parts, shown, decision),
    work,
    otherwise && (() => () => refused(otherwise)),
  );
}

/** What a caller may have of an image; the decision is noted. */
export async function decide(
  { access, hooks, decisions }: Pick<OpenParts, "access" | "hooks" | "decisions">,
  caller: Caller,
): Promise<Decision> {
  const decision = withHookSharing(hooks, await access.decide(caller));
  decisions.note(caller, decision);
  return decision;
}

/**
 * What a caller would be shown of an image: as {@link decide}, but the denial where another image was to be shown that cannot be
 * opened. Asks no source for the image itself.
 */
export async function foresee(parts: OpenParts, caller: Caller): Promise<Decision> {
  const decision = await decide(parts, caller);
  if (!decision.allowed || decision.identifier === undefined || !decision.otherwise) return decision;
  const { identifier, otherwise } = decision;
  const openOther = () => open(parts, { ...caller, identifier }, decision);
  return openAndRun<Decision>(
    parts,
    openOther,
    async () => decision,
    () => () => otherwise,
  );
}

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

/** Opens the master of the caller's identifier. Without a hook this is no promise of its own: it is the way of every tile. */
function open(parts: OpenParts, caller: Caller, grant?: Grant): Promise<GrantedMaster> {
  return parts.hooks.has("resolve")
    ? openResolved(parts, caller, grant)
    : openMaster(parts.sources, caller.identifier, caller, grant);
}

async function openResolved(parts: OpenParts, caller: Caller, grant?: Grant): Promise<GrantedMaster> {
  const { sources, hooks } = parts;
  const place = await placeOf(parts, caller);
  try {
    return await openMaster(sources, caller.identifier, caller, grant, place);
  } catch (error) {
    // The client can do nothing about a key that the hook has made.
    if (place && error instanceof ServiceError && error.kind === "bad-request")
      throw hooks.unusable(
        "resolve",
        caller.identifier,
        `the key ${place.key} cannot be used: ${error.message}`,
      );
    throw error;
  }
}

/**
 * Opens a master, runs `work` with it and closes it; again, up to `attempts` times, where it changed meanwhile. `unopened` says what
 * answers an error of the opening; undefined: the error is thrown.
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
      const answer =
        error instanceof ServiceError && error.kind !== "cancelled" ? unopened?.(error) : undefined;
      if (!answer) throw error;
      return answer();
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

/** Whether an error is of a file that was replaced, written to or purged since it was looked at: the new one is as good. */
async function isStale({ image }: Master, error: unknown): Promise<boolean> {
  if (!(error instanceof ServiceError)) return false;
  if (error.kind === "decode" || error.kind === "unsupported") return (await image.changed?.()) === true;
  return error.kind === "changed";
}
