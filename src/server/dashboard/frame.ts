// The figures of this process at a moment as one JSON value, for the dashboard.

import { type CheckedPart, type CheckResult, findingJson, type Platform } from "../../base/index.ts";
import type { Admission } from "../images/admission/admit.ts";
import type { DamagedMaster, DamagedMasters } from "../images/damaged-masters.ts";
import type { Sidecars } from "../images/sidecar/sidecars.ts";
import type { Sources } from "../sources/index.ts";
import type { GaugeName, RouteClass } from "../stats/figures.ts";
import type { Registry } from "../stats/registry.ts";
import type { RecentError, RequestFigures } from "../stats/requests.ts";
import type { SlowRender } from "../stats/slowest.ts";
import type { StageFigures, StageName } from "../stats/stages.ts";
import type { Slots } from "../stores/index.ts";
import type { Pool } from "../workers/pool.ts";
import {
  createVerdict,
  type LatestChecks,
  recentFailures,
  type StatusProblem,
  type Verdict,
  verdictOf,
} from "./verdict.ts";

/**
 * Times are in milliseconds, moments in milliseconds since 1970, shares from 0 to 1; null if there is no
 * value.
 */
export interface Frame {
  readonly version: string;
  readonly at: number;
  readonly uptimeSeconds: number;
  /** Host name and process id, else the name of the runtime. */
  readonly instance: string;
  /** Number of responses since the start. */
  readonly requests: number;
  /** Responses per second over the last ten seconds. */
  readonly rate: number;
  readonly inFlight: number;
  /** Responses since the start that report a failure of the service: status 5xx except 501. */
  readonly errors: number;
  /** Failures of the last five minutes, as far as they are recorded. */
  readonly failuresLately: number;
  /** The larger p95 of image requests of both versions of the API. */
  readonly imageMs: number | null;
  /** Responses with status 4xx or 501, without the challenges of logins. */
  readonly clientErrors: number;
  readonly queue: { readonly waiting: number; readonly p95WaitMs: number | null };
  readonly memory: {
    readonly resident: number | null;
    readonly heap: number | null;
    readonly workers: number | null;
  };
  /** `waiting`: workers whose job waits for bytes of a source. */
  readonly workers: { readonly working: number; readonly waiting: number; readonly idle: number };
  /** Number of sidecars that are being built. */
  readonly sidecarBuilds: number;
  readonly routes: readonly RouteFrame[];
  /** Stages of the latest renders, in the order of a request. */
  readonly stages: readonly {
    readonly stage: StageName;
    readonly medianMs: number | null;
    readonly p95Ms: number | null;
  }[];
  readonly caches: readonly CacheFrame[];
  /** Present in some frames only: see {@link Frames}. */
  readonly sources?: readonly SourceFrame[];
  /** Other dependencies (caches, hooks, sessions and so on), listed after the sources. */
  readonly parts?: readonly PartFrame[];
  /** Number of sources and parts checked, and of those that are unusable. */
  readonly checks?: { readonly all: number; readonly unhealthy: number };
  readonly verdict: Verdict;
  /** Current problems, the worst first; empty if all is well. */
  readonly problems: readonly StatusProblem[];
  /** Damaged masters requested within the last 24 hours, the latest first: at most ten. */
  readonly damaged: readonly DamagedMaster[];
  /** Failures of the service, the newest first. */
  readonly recentErrors: readonly RecentError[];
  /** Errors of clients and masters, the newest first. */
  readonly recentClientErrors: readonly RecentError[];
  /** The slowest renders of the last hour, one per image. */
  readonly slowest: readonly SlowRender[];
}

export interface RouteFrame {
  readonly route: RouteClass;
  readonly requests: number;
  /** Both at the time of the frame. */
  readonly errors: number;
  readonly clientErrors: number;
  readonly bytes: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface CacheFrame {
  readonly name: string;
  readonly backend: string;
  /** A shared store counts those of all servers; null if the store cannot count. */
  readonly entries: number | null;
  readonly bytes: number | null;
  /** Share of this process's lookups; null before the first. */
  readonly hitRate: number | null;
  /** True while its store is not used because of failures. */
  readonly resting: boolean;
}

export interface SourceFrame {
  readonly name: string;
  readonly backend: string;
  readonly healthy: boolean;
  /** The latest failure of a check, and its time; null if none failed. */
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
  readonly checkedAt: number;
  readonly ageMs: number;
  readonly latencyMs: number;
  /** True while it is not asked because it did not respond. */
  readonly resting: boolean;
  /** Number of masters opened since the start. */
  readonly opens: number;
  readonly notFound: number;
  readonly errors: number;
}

export interface PartFrame {
  readonly part: CheckedPart;
  readonly name: string;
  readonly healthy: boolean;
  /** Null if it is healthy. */
  readonly error: string | null;
}

export interface FrameParts {
  readonly platform: Pick<Platform, "name" | "instance" | "memoryUsage">;
  readonly version: string;
  readonly startedAt: number;
  readonly registry: Pick<Registry, "read">;
  readonly requests: RequestFigures;
  readonly stages: Pick<StageFigures, "latest" | "slowest">;
  readonly admission: Pick<Admission, "status">;
  readonly pool: Pick<Pool, "status">;
  readonly sidecars: Pick<Sidecars, "building">;
  readonly slots: Pick<Slots, "all">;
  readonly sources: Pick<Sources, "all">;
  readonly damaged: Pick<DamagedMasters, "latest">;
  readonly health: () => Promise<{ readonly results: readonly CheckResult[]; readonly checkedAt: number }>;
}

/**
 * Reads a frame; `health`: including sources and parts, whose checks are run if they have not been lately.
 * Values that cost others something (a folder, a server, a shared store) are read at most every ten seconds
 * in total. Never rejects.
 */
export type Frames = (options: { readonly health: boolean }) => Promise<Frame>;

/** Creates a reader of a service's frames. */
export function createFrames(parts: FrameParts): Frames {
  const { platform, version, startedAt, registry, requests, stages, admission, pool, slots } = parts;
  const readSources = createSourceReader(parts);
  const verdict = createVerdict();
  // Only some frames check health: the others repeat the latest result.
  let latestChecks: LatestChecks = {};
  return async ({ health }) => {
    const [sampled, checked] = await Promise.all([
      registry.read(["cache_entries", "cache_size", "worker_memory", "admission_wait", "log_dropped_lines"]),
      health ? readSources() : {},
    ]);
    const gauge = (name: GaugeName, slot?: string) => {
      const family = sampled.find((one) => one.name === name);
      if (family?.kind !== "gauge") return null;
      return family.series.find(({ labels }) => labels.slot === slot)?.value ?? null;
    };
    const waits = sampled.find((one) => one.name === "admission_wait");
    const renderWaits =
      waits?.kind === "histogram" ? waits.series.find(({ labels }) => labels.gate === "render") : undefined;
    if (health) latestChecks = checked;
    const memory = platform.memoryUsage?.();
    const { workers, busy, waiting } = pool.status();
    const routes = requests.routes();
    const all = parts.damaged.latest();
    const at = Date.now();
    const waitingJobs = admission.status().waiting;
    const caches = cacheFrames(slots, gauge);
    const dropped = sampled.find(({ name }) => name === "log_dropped_lines");
    const findings = verdict({
      at,
      checks: latestChecks,
      caches,
      damaged: all.length,
      failures: requests.recentErrors(),
      waiting: waitingJobs,
      workers,
      droppedLines: dropped?.kind === "counter" ? (dropped.series[0]?.value ?? 0) : 0,
    });
    const problems = findings.map(findingJson.status);
    return {
      version,
      at,
      uptimeSeconds: Math.floor((Date.now() - startedAt) / 1000),
      instance: platform.instance ?? platform.name,
      requests: requests.total(),
      rate: requests.perSecond(),
      inFlight: requests.inFlight(),
      errors: routes.reduce((sum, { errors }) => sum + errors, 0),
      failuresLately: recentFailures(requests.recentErrors(), at),
      imageMs: slowestImageMs(routes),
      clientErrors: routes.reduce((sum, { clientErrors }) => sum + clientErrors, 0),
      queue: { waiting: waitingJobs, p95WaitMs: inMs(renderWaits?.percentiles([0.95])[0]) },
      memory: {
        resident: memory?.resident ?? null,
        heap: memory?.heap ?? null,
        workers: gauge("worker_memory"),
      },
      workers: { working: busy - waiting, waiting, idle: workers - busy },
      sidecarBuilds: parts.sidecars.building(),
      routes: routes.map(({ p50, p95, p99, ...route }) => ({
        ...route,
        p50Ms: inMs(p50),
        p95Ms: inMs(p95),
        p99Ms: inMs(p99),
      })),
      stages: stages
        .latest()
        .map(({ stage, median, p95 }) => ({ stage, medianMs: inMs(median), p95Ms: inMs(p95) })),
      caches,
      ...checked,
      verdict: verdictOf(problems),
      problems,
      damaged: all.slice(0, damagedShown),
      recentErrors: requests.recentErrors(),
      recentClientErrors: requests.recentClientErrors(),
      slowest: stages
        .slowest()
        .map((one) => ({ ...one, ms: roundMs(one.ms), stageMs: roundMs(one.stageMs) })),
    };
  };
}

/** Frames of the slots; `gauge` reads a sampled figure of one. */
const cacheFrames = (
  slots: FrameParts["slots"],
  gauge: (name: GaugeName, slot: string) => number | null,
): readonly CacheFrame[] =>
  slots.all.map(({ name, backend, counts: { hits, misses, waits }, circuits }) => {
    const asked = hits.value + misses.value + waits.value;
    const open = circuits?.();
    return {
      name,
      backend,
      entries: gauge("cache_entries", name),
      bytes: gauge("cache_size", name),
      hitRate: asked === 0 ? null : hits.value / asked,
      resting: open !== undefined && (open.read || open.write),
    };
  });

function slowestImageMs(routes: ReturnType<RequestFigures["routes"]>): number | null {
  const all = routes.flatMap(({ route, p95 }) => (route.endsWith(" image") ? (p95 ?? []) : []));
  return all.length === 0 ? null : inMs(Math.max(...all));
}

/** Number of damaged masters that a frame names. */
export const damagedShown = 10;

const roundMs = (ms: number) => Math.round(ms * 100) / 100;

const inMs = (seconds: number | undefined) => (seconds === undefined ? null : roundMs(seconds * 1000));

/** Reads the results of the checks, and remembers the last error of each source. */
function createSourceReader({ sources, health }: FrameParts) {
  const lastErrors = new Map<string, { readonly text: string; readonly at: number }>();
  return async (): Promise<Pick<Frame, "sources" | "parts" | "checks">> => {
    const { results, checkedAt } = await health();
    return {
      checks: {
        all: results.length,
        unhealthy: results.filter(({ problem }) => problem !== undefined).length,
      },
      sources: sources.all.map(({ name, backend, counts, isAway }) => {
        const own = results.filter(({ check }) => check.part === "sources" && check.name === name);
        const text = own.find(({ problem }) => problem !== undefined)?.problem;
        if (text !== undefined) lastErrors.set(name, { text, at: checkedAt });
        const last = lastErrors.get(name);
        return {
          name,
          backend,
          healthy: text === undefined,
          lastError: last?.text ?? null,
          lastErrorAt: last?.at ?? null,
          checkedAt,
          ageMs: Date.now() - checkedAt,
          latencyMs: Math.max(0, ...own.map(({ latencyMs }) => latencyMs)),
          resting: isAway?.() ?? false,
          opens: counts.opens.value,
          notFound: counts.notFound.value,
          errors: counts.errors.value,
        };
      }),
      parts: results
        .filter(({ check }) => check.part !== "sources")
        .map(({ check: { part, name }, problem }) => ({
          part,
          name,
          healthy: problem === undefined,
          error: problem ?? null,
        })),
    };
  };
}
