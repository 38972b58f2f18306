// The last hours of a few figures: samples of the registry at equal intervals, in a ring of bounded size.

import type { FigureName } from "./figures.ts";
import type { Family, Registry } from "./registry.ts";

/** Milliseconds between two samples. */
export const historyStepMs = 20_000;
/** Number of samples kept: three hours. */
export const maxHistory = 540;

/** The figures of a moment, or of the time since the sample before; null if there is no value. */
export interface HistorySample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Requests a second since the sample before. */
  readonly rate: number | null;
  /** The 95th percentile of the latest 1,024 image requests, in milliseconds. */
  readonly imageMs: number | null;
  /** Failures of the service (5xx) since the sample before. */
  readonly failures: number | null;
  /** Renders that wait for a permit. */
  readonly waiting: number | null;
  /** Memory of the process, in bytes. */
  readonly memory: number | null;
  /** Share of lookups of derivatives since the sample before that were hits, from 0 to 1. */
  readonly hitRate: number | null;
}

export interface History {
  /** Reads the registry, and adds a sample of the time `at`. */
  sample(at: number): Promise<void>;
  /** Returns the samples, the oldest first. */
  read(): readonly HistorySample[];
}

/**
 * Takes a sample now and after each step, until the returned function is called. The timer keeps no process
 * alive.
 */
export function startHistory({ sample }: History): () => void {
  const take = () => void sample(Date.now()).catch(() => {});
  take();
  const timer = setInterval(take, historyStepMs);
  (timer as { unref?(): void }).unref?.();
  return () => clearInterval(timer);
}

const names = [
  "http_requests",
  "http_request_duration",
  "jobs",
  "process_memory",
  "cache_lookups",
] as const satisfies readonly FigureName[];

/** Totals since the start, from which the values of an interval are taken. */
interface Totals {
  readonly at: number;
  readonly requests: number;
  readonly failures: number;
  readonly lookups: number;
  readonly hits: number;
}

/** Creates an empty history of the figures of a registry. */
export function createHistory({ read }: Pick<Registry, "read">): History {
  const samples: HistorySample[] = [];
  let before: Totals | undefined;
  return {
    async sample(at) {
      const families = await read(names);
      const totals: Totals = {
        at,
        requests: sumOf(families, "http_requests"),
        failures: sumOf(families, "http_requests", { status: "5xx" }),
        lookups: sumOf(families, "cache_lookups", { slot: "render" }),
        hits: sumOf(families, "cache_lookups", { slot: "render", outcome: "hit" }),
      };
      samples.push({ at, ...ratesSince(before, totals), ...momentOf(families) });
      if (samples.length > maxHistory) samples.shift();
      before = totals;
    },
    read: () => [...samples],
  };
}

/** Returns the values of the time between two readings. */
function ratesSince(
  before: Totals | undefined,
  now: Totals,
): Pick<HistorySample, "rate" | "failures" | "hitRate"> {
  if (!before) return { rate: null, failures: null, hitRate: null };
  const seconds = (now.at - before.at) / 1000;
  const lookups = now.lookups - before.lookups;
  return {
    rate: seconds > 0 ? (now.requests - before.requests) / seconds : null,
    failures: now.failures - before.failures,
    hitRate: lookups > 0 ? (now.hits - before.hits) / lookups : null,
  };
}

function momentOf(families: readonly Family[]): Pick<HistorySample, "imageMs" | "waiting" | "memory"> {
  const seconds = imageSeconds(families);
  const memory = sumOf(families, "process_memory", { kind: "resident" });
  return {
    imageMs: seconds === undefined ? null : seconds * 1000,
    waiting: sumOf(families, "jobs", { gate: "render", state: "waiting" }),
    memory: memory === 0 ? null : memory,
  };
}

/** Returns the sum of the series of a counter or gauge that have these labels. */
function sumOf(
  families: readonly Family[],
  name: (typeof names)[number],
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.find((each) => each.name === name);
  if (!family || family.kind === "histogram") return 0;
  return family.series
    .filter((series) => Object.entries(labels).every(([label, value]) => series.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Returns the larger 95th percentile of both versions of the Image API. */
function imageSeconds(families: readonly Family[]): number | undefined {
  const family = families.find(({ name }) => name === "http_request_duration");
  if (family?.kind !== "histogram") return undefined;
  const all = family.series
    .filter(({ labels }) => labels.route?.endsWith(" image"))
    .flatMap(({ percentiles }) => percentiles([0.95])[0] ?? []);
  return all.length === 0 ? undefined : Math.max(...all);
}
