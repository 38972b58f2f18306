// Reads that a damaged or unsupported file made fail, so that the same is not decoded again for each request:
// a failure may take seconds, and replaces the worker if much memory was needed.

import type { ServiceError } from "../errors.ts";
import type { NamedMaster, ReadRequest } from "../imaging/codecs/plan.ts";
import { createLru } from "../imaging/lib/lru.ts";

type FailedRead = Pick<ReadRequest, "page" | "region" | "scaleFactor">;

export interface FailedReads {
  /** Records that a read of these bytes failed. Errors that another attempt may not have are ignored. */
  note(master: NamedMaster, read: FailedRead, error: ServiceError): void;
  /** Returns the error of a failed read that this one includes: the same scale, and all of its region. */
  of(master: NamedMaster, read: FailedRead): ServiceError | undefined;
  /** Drops the records of the master of this name, or of all. */
  forget(name?: string): void;
}

interface Failure {
  readonly read: FailedRead;
  readonly error: ServiceError;
  readonly until: number;
}

/** Kinds of error that are caused by the bytes of a file. */
const verdicts: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>(["decode", "unsupported"]);
const rememberedMs = 600_000;
const mostMasters = 4096;
const mostOfMaster = 16;

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
    mostMasters,
  );
  const failuresOf = ({ name, version }: NamedMaster) => {
    const known = masters.get(name);
    return known?.version === version ? known.failures.filter(({ until }) => until > now()) : [];
  };
  return {
    note(master, { page, region, scaleFactor }, error) {
      if (!verdicts.has(error.kind)) return;
      const failure = { read: { page, region, scaleFactor }, error, until: now() + rememberedMs };
      const failures = [failure, ...failuresOf(master)].slice(0, mostOfMaster);
      masters.set(master.name, { version: master.version, failures }, 1);
    },
    of: (master, read) =>
      masters.size === 0
        ? undefined
        : failuresOf(master).find((failure) => includes(read, failure.read))?.error,
    forget(name) {
      if (name === undefined) masters.clear();
      else masters.delete(name);
    },
  };
}
