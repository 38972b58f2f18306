// Reads that failed because of their file, so that the same is not decoded again for each request: a failure
// may take seconds, and replaces the worker if much memory was needed or the time limit was reached.

import { createLru, type ErrorKind, type ServiceError } from "../../base/index.ts";
import type { NamedMaster, ReadRequest } from "../../imaging/index.ts";

type FailedRead = Pick<ReadRequest, "page" | "region" | "scaleFactor">;

export interface FailedReads {
  /**
   * Records that a read of these bytes failed after `tookMs`: for ten minutes if the file is the cause. A
   * read that took too long is recorded for as long as it took, and for twice as long each time that it
   * fails again, so that a machine that was busy does not withhold a sound file. Other errors are ignored.
   */
  note(master: NamedMaster, read: FailedRead, error: ServiceError, tookMs: number): void;
  /** Returns the error of a failed read that this one includes: the same scale, and all of its region. */
  of(master: NamedMaster, read: FailedRead): ServiceError | undefined;
  /** Drops the records of the master of this name, or of all. */
  forget(name?: string): void;
}

interface Failure {
  readonly read: FailedRead;
  readonly error: ServiceError;
  readonly pauseMs: number;
  readonly until: number;
}

/** Kinds of error that are caused by the bytes of a file; all others may be temporary. */
export const verdicts: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["decode", "unsupported"]);
const rememberedMs = 600_000;
const maxMasters = 4096;
const maxOfMaster = 16;

/** True if every read that includes `inner` fails with it. */
const includes = (outer: FailedRead, inner: FailedRead) =>
  outer.page === inner.page &&
  outer.scaleFactor === inner.scaleFactor &&
  outer.region.x <= inner.region.x &&
  outer.region.y <= inner.region.y &&
  outer.region.x + outer.region.width >= inner.region.x + inner.region.width &&
  outer.region.y + outer.region.height >= inner.region.y + inner.region.height;

/** Creates an empty memory. */
export function createFailedReads(now: () => number): FailedReads {
  const masters = createLru<string, { readonly version: string; readonly failures: readonly Failure[] }>(
    maxMasters,
  );
  const failuresOf = ({ name, version }: NamedMaster) => {
    const known = masters.get(name);
    return known?.version === version ? known.failures : [];
  };
  /** Returns how long an error is remembered; `before`: the latest failure of the same read, if any. */
  const pauseAfter = (error: ServiceError, tookMs: number, before: Failure | undefined): number => {
    if (verdicts.has(error.kind)) return rememberedMs;
    if (error.code !== "render_timeout") return 0;
    const isRecent = before !== undefined && before.until > now() - rememberedMs;
    return Math.min(rememberedMs, Math.max(tookMs, isRecent ? 2 * before.pauseMs : 0));
  };
  return {
    note(master, { page, region, scaleFactor }, error, tookMs) {
      const read = { page, region, scaleFactor };
      const known = failuresOf(master);
      const isSame = (other: Failure) => includes(other.read, read) && includes(read, other.read);
      const pauseMs = pauseAfter(error, tookMs, known.find(isSame));
      if (pauseMs === 0) return;
      const failure = { read, error, pauseMs, until: now() + pauseMs };
      const failures = [failure, ...known.filter((other) => !isSame(other))].slice(0, maxOfMaster);
      masters.set(master.name, { version: master.version, failures }, 1);
    },
    of: (master, read) =>
      masters.size === 0
        ? undefined
        : failuresOf(master).find((failure) => failure.until > now() && includes(read, failure.read))?.error,
    forget(name) {
      if (name === undefined) masters.clear();
      else masters.delete(name);
    },
  };
}
