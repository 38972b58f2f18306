// Masters that recent renders could decode only in part, for the operator.

import { type Counter, createLru, type Log, maskIdentifier, type ServiceError } from "../../base/index.ts";
import type { ImageHeader, NamedMaster } from "../../imaging/index.ts";
import { masterVersion } from "./cache-keys.ts";
import type { Master } from "./describe.ts";
import { createFailedReads, type FailedReads } from "./failed-reads.ts";

/**
 * A master that is damaged, and the times of its first and latest incomplete derivative in milliseconds since
 * 1970.
 */
export interface DamagedMaster {
  readonly identifier: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Number of incomplete derivatives rendered. */
  readonly derivatives: number;
}

export interface DamagedMasters {
  /** Reads that failed, and need not be tried again. */
  readonly reads: Pick<FailedReads, "note" | "of">;
  /**
   * Records a derivative that lacks a part of the master. Logs a warning, at most once per master and hour.
   */
  note(identifier: string, master: NamedMaster): void;
  /** Records that a derivative could not be rendered at all, since the master cannot be decoded. */
  noteFailed(identifier: string, master: NamedMaster, error: ServiceError): void;
  /** Returns the error of the latest failed derivative of these bytes, if any. */
  failureOf(identifier: string, master: NamedMaster): ServiceError | undefined;
  /**
   * Records that a derivative of the master is complete, which drops records about other bytes under this
   * identifier.
   */
  noteSound(identifier: string, master: NamedMaster): void;
  /** Returns the record of these bytes of a master, if any. */
  of(identifier: string, master: NamedMaster): DamagedMaster | undefined;
  /** Returns the masters that were damaged within the last 24 hours, at most 256, the latest first. */
  latest(): readonly DamagedMaster[];
  /** Drops the records of the master of this name, or of all. */
  forget(name?: string): void;
}

const hour = 3_600_000;
const rememberedMs = 24 * hour;
const maxMasters = 256;
/** Masters whose latest warning is remembered; beyond this number one may be logged again within the hour. */
const maxWarned = 4096;

/** Drops the oldest entries of a list beyond `maxMasters`. */
function trim(list: Map<string, unknown>): void {
  for (const oldest of list.keys()) {
    if (list.size <= maxMasters) break;
    list.delete(oldest);
  }
}

/** True if derivatives of a master may lack a part. */
export const isDamaged = (
  { damaged }: { readonly damaged: Pick<DamagedMasters, "of"> },
  master: Master,
  header: ImageHeader,
): boolean =>
  header.incomplete === true || damaged.of(master.identifier, masterVersion(master)) !== undefined;

/** Creates an empty list. `count` counts incomplete derivatives. */
export function createDamagedMasters(
  log: Pick<Log, "warn">,
  count: Counter,
  now: () => number = Date.now,
): DamagedMasters {
  // In the order of the latest derivative.
  const masters = new Map<string, { readonly damaged: DamagedMaster; readonly master: NamedMaster }>();
  const failed = new Map<string, { readonly error: ServiceError; readonly master: NamedMaster }>();
  const reads = createFailedReads(now);
  const warned = createLru<string, number>(maxWarned);
  const warn = (identifier: string, { name }: NamedMaster) => {
    if (now() - (warned.get(name) ?? Number.NEGATIVE_INFINITY) < hour) return;
    warned.set(name, now(), 1);
    log.warn("a master is damaged: part of it could not be decoded, so derivatives are not cached", {
      identifier: maskIdentifier(identifier),
    });
  };
  const isSame = (a: NamedMaster, b: NamedMaster) => a.name === b.name && a.version === b.version;
  const damageOf = (identifier: string, master: NamedMaster) => {
    const known = masters.get(identifier);
    return known && isSame(known.master, master) ? known.damaged : undefined;
  };
  const failureOf = (identifier: string, master: NamedMaster) => {
    const known = failed.get(identifier);
    return known && isSame(known.master, master) ? known.error : undefined;
  };
  return {
    reads,
    of: damageOf,
    note(identifier, master) {
      count.add();
      const known = damageOf(identifier, master);
      masters.delete(identifier);
      masters.set(identifier, {
        master,
        damaged: {
          identifier,
          firstAt: known?.firstAt ?? now(),
          lastAt: now(),
          derivatives: (known?.derivatives ?? 0) + 1,
        },
      });
      trim(masters);
      warn(identifier, master);
    },
    noteFailed(identifier, master, error) {
      failed.delete(identifier);
      failed.set(identifier, { error, master });
      trim(failed);
    },
    failureOf,
    noteSound(identifier, master) {
      if (!failureOf(identifier, master)) failed.delete(identifier);
      if (masters.size > 0 && !damageOf(identifier, master)) masters.delete(identifier);
    },
    latest() {
      const since = now() - rememberedMs;
      return [...masters.values()]
        .map(({ damaged }) => damaged)
        .filter(({ lastAt }) => lastAt >= since)
        .reverse();
    },
    forget(name) {
      reads.forget(name);
      for (const list of [masters, failed])
        for (const [identifier, { master }] of list)
          if (name === undefined || master.name === name) list.delete(identifier);
    },
  };
}
