// What work on many files reports: how many failed and why, which took longest, and how far it is.

import { asServiceError, type Finding, operatorMessage, ServiceError } from "../../base/index.ts";

export interface SlowFile {
  readonly identifier: string;
  readonly ms: number;
}

/** How far work on files is. */
export interface Progress {
  readonly done: number;
  /** Absent until all folders are listed. */
  readonly total?: number;
  readonly failed: number;
}

/** Files named in a report: all of them would fill the memory if a source is away. */
const maxFailures = 1000;
const maxSlow = 10;

/** An error that ends the work on all files, such as that of a full disk. */
export class FatalError extends Error {}

/** True for an error that is not about one file alone. */
export const endsWork = (error: unknown): boolean =>
  error instanceof FatalError || (error instanceof ServiceError && error.kind === "cancelled");

/** Counts of files, with the failed and the slowest of them. */
export interface Tally {
  /** Runs the work for a file and notes its result. Throws `cancelled` and FatalError only. */
  take<T>(identifier: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Notes a failure of something that is no file, such as a folder. */
  fail(identifier: string, error: unknown): void;
  readonly done: () => number;
  readonly failed: () => number;
  /** The first thousand, each about an identifier. */
  readonly failures: readonly Finding[];
  /** The ten slowest, the slowest first. */
  readonly slowest: readonly SlowFile[];
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const failures: Finding[] = [];
  const slowest: SlowFile[] = [];
  let [done, failed] = [0, 0];
  const fail = (identifier: string, thrown: unknown) => {
    failed++;
    if (failures.length < maxFailures) failures.push(failureOf(identifier, thrown));
  };
  return {
    async take(identifier, work) {
      const began = performance.now();
      try {
        return await work();
      } catch (error) {
        if (endsWork(error)) throw error;
        fail(identifier, error);
        return undefined;
      } finally {
        done++;
        const ms = Math.round(performance.now() - began);
        const at = slowest.findIndex((each) => each.ms < ms);
        slowest.splice(at < 0 ? slowest.length : at, 0, { identifier, ms });
        slowest.length = Math.min(slowest.length, maxSlow);
      }
    },
    fail,
    done: () => done,
    failed: () => failed,
    failures,
    slowest,
  };
}

/** Returns an error as a finding; any but a ServiceError is a bug, which must not end a long run. */
function failureOf(where: string, thrown: unknown): Finding {
  const error = asServiceError(thrown);
  return error instanceof ServiceError
    ? { level: "problem", code: error.code, where, text: operatorMessage(error) }
    : { level: "problem", code: "internal_error", where, text: String(error) };
}
