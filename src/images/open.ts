// The one way to a master: decide who may have it, open it, work with it, close it again.

import type { Access, Caller, Denial } from "../access/access.ts";
import { ServiceError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import type { Sources } from "../sources/index.ts";
import { type GrantedMaster, type Master, openMaster } from "./describe.ts";

export interface OpenParts {
  readonly sources: Sources;
  readonly access: Access;
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
 * identifier that no source has, and what `work` throws.
 */
export async function withMaster<T>(
  parts: OpenParts,
  caller: Caller,
  work: (master: GrantedMaster) => Promise<T>,
  denied: (denial: Denial) => Awaited<T> | Promise<T> | ((master: Master) => Promise<T>) = refuse,
): Promise<T> {
  const decision = await parts.access.decide(caller);
  if (decision.allowed)
    return openAndRun(
      parts,
      () => openMaster(parts.sources, decision.identifier ?? caller.identifier, caller, decision),
      work,
    );
  const answer = denied(decision);
  if (typeof answer !== "function") return answer;
  const despite = answer as (master: Master) => Promise<T>;
  return openAndRun(parts, () => openMaster(parts.sources, caller.identifier, caller), despite);
}

function refuse({ reason }: Denial): never {
  throw new ServiceError("unauthorized", reason, { code: "access_denied" });
}

/** Opens a master, runs `work` with it and closes it; again, up to `attempts` times, where it changed meanwhile. */
async function openAndRun<T>(
  { log }: OpenParts,
  open: () => Promise<GrantedMaster>,
  work: (master: GrantedMaster) => Promise<T>,
): Promise<T> {
  for (let left = attempts - 1; ; left--) {
    const master = await open();
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
