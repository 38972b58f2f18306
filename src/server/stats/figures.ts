// The table of all figures: names, meanings and labels. Metrics and documentation derive from it. It is one
// file because it is one table, whose order is that of /metrics and of the published list.

import { type CheckedPart, checkedParts, stageNames } from "../../base/index.ts";
import { poolNames, visitorClasses } from "../visitors/classes.ts";

export interface FigureRow {
  /**
   * `counter` only grows; `gauge` is read from its part when somebody asks; `histogram` counts values in
   * buckets.
   */
  readonly kind: "counter" | "gauge" | "histogram";
  readonly unit?: "seconds" | "bytes";
  readonly help: string;
  /**
   * Labels with their values, or a description of them if the configuration or the runtime determines them.
   * Never values from a request.
   */
  readonly labels: Readonly<Record<string, readonly string[] | string>>;
  /** Upper bounds of a histogram's buckets, inclusive. */
  readonly buckets?: readonly number[];
  /** Number of a histogram's latest values with percentiles. */
  readonly latest?: number;
}

/** Classes of routes that figures distinguish: those on the dashboard. */
export const routeClasses = [
  "health",
  "admin",
  "iiif/3 info",
  "iiif/3 image",
  "iiif/2 info",
  "iiif/2 image",
  "search",
  "other",
] as const;

export type RouteClass = (typeof routeClasses)[number];

/**
 * Classes of statuses (RFC 9110, section 15), and requests whose client left before their response.
 * `unsupported` is 501, which is no failure of the service: a master of an unsupported format, or an
 * operation that a backend lacks.
 */
export const statusClasses = ["2xx", "3xx", "4xx", "5xx", "unsupported", "cancelled"] as const;

/** Values that percentiles are taken of. */
const latest = 1024;

// Each bucket is a series for each combination of labels, so there are few: cached, noticeable, slow.
/** From a cached derivative to a render that is near its timeout. */
const responseSeconds = [0.01, 0.05, 0.25, 1, 2.5, 10] as const;
/** From a read on the local network to a source's timeout. */
const originSeconds = [0.01, 0.05, 0.25, 1, 5, 30] as const;
/** From a part of a tile's time to a render that is near its timeout. */
const stageSeconds = [0.005, 0.05, 0.5, 5] as const;

/** Format of a master. */
const codec = "format of the master";

/** A render waits for no other one. */
export const renderStages = stageNames.filter((stage) => stage !== "wait");

const slot = "name of the cache slot";
const source = "name of the source";
/** `render` admits the work of pictures, `probe` the reading of headers. */
const gate = ["render", "probe"] as const;

/** What happens to visitors above their budget. */
export const visitorOutcomes = ["waited", "limited", "refused"] as const;

export const figures = {
  http_requests: {
    kind: "counter",
    help: "Requests that got a response, or that their clients gave up (`cancelled`). `unsupported` is status 501: the format of the master is not served. So `5xx` counts only failures of the service. Event streams are left out.",
    labels: { route: routeClasses, status: statusClasses },
  },
  http_request_duration: {
    kind: "histogram",
    unit: "seconds",
    help: "Time from a request's arrival until its response is ready; the time to send it is not included.",
    labels: { route: routeClasses },
    buckets: responseSeconds,
    latest,
  },
  http_response: {
    kind: "counter",
    unit: "bytes",
    help: "Bytes of response bodies, as the service hands them to the runtime; none for HEAD.",
    labels: { route: routeClasses },
  },
  http_requests_in_flight: {
    kind: "gauge",
    help: "Requests that are being handled.",
    labels: {},
  },
  http_requests_refused: {
    kind: "counter",
    help: "Requests above limits.max_in_flight (`all`) or limits.max_in_flight_per_ip (`address`).",
    labels: { cap: ["all", "address"] },
  },
  error_reports: {
    kind: "counter",
    help: "Responses of status 5xx except 501, by the outcome of their reports. `repeated`: the same kind was reported within the last minute.",
    labels: { outcome: ["sent", "failed", "repeated", "dropped"] },
  },
  access_decisions: {
    kind: "counter",
    help: "Decisions on access to images.",
    labels: { outcome: ["allowed", "denied"] },
  },
  admitted_jobs: {
    kind: "counter",
    help: "Jobs that got a permit, by lane. `cheap`: estimated to take at most 50 ms.",
    labels: { gate, lane: ["cheap", "heavy"] },
  },
  refused_jobs: {
    kind: "counter",
    help: "Jobs that were refused: too many were waiting, the job had waited too long, or it would need more than image.memory_budget.",
    labels: { gate, reason: ["queue_full", "waited_too_long", "memory_budget"] },
  },
  delayed_jobs: { kind: "counter", help: "Jobs that had to wait for a permit.", labels: { gate } },
  cancelled_jobs: {
    kind: "counter",
    help: "Jobs whose clients left while they waited for a permit.",
    labels: { gate },
  },
  yielded_places: {
    kind: "counter",
    help: "Permits that jobs gave back while they waited for bytes of a remote source.",
    labels: { gate },
  },
  underestimated_jobs: {
    kind: "counter",
    help: "Cheap jobs that took longer than cheap jobs may.",
    labels: { gate },
  },
  admission_wait: {
    kind: "histogram",
    unit: "seconds",
    help: "How long admitted jobs waited for their permit.",
    labels: { gate },
    buckets: responseSeconds,
    latest,
  },
  jobs: {
    kind: "gauge",
    help: "Jobs that hold a permit (`running`), gave it back for now (`yielded`), or are not admitted yet (`waiting`).",
    labels: { gate, state: ["running", "yielded", "waiting"] },
  },
  admitted_memory: {
    kind: "gauge",
    unit: "bytes",
    help: "Estimated memory of the admitted jobs.",
    labels: { gate },
  },
  damaged_derivatives: {
    kind: "counter",
    help: "Derivatives that lack a part because their master is damaged or ends early. They are served but not cached.",
    labels: {},
  },
  renders: {
    kind: "counter",
    help: "Derivatives that were rendered, counted once for all requests that shared a render. A series begins with its first render.",
    labels: { format: "format of the derivative", codec },
  },
  render_stage_duration: {
    kind: "histogram",
    unit: "seconds",
    help: "Time of the stages of those renders. `open`: deciding access and opening the master; `describe`: its header and the key; `lookup`: asking the render slot; `sidecar`: finding the sidecar of the master; `queue`: waiting for a permit and a worker; `read`: reading the master in the job; `index`: loading parts of the sidecar there; `decode`, which includes lossless crops; `steps`; `encode`; `store`: writing to the slot, after the response. On workerd the clock stands still while code runs, so only waits have a duration.",
    labels: { stage: renderStages },
    buckets: stageSeconds,
  },
  render_reads: {
    kind: "counter",
    help: "Reads of masters by the jobs of those renders.",
    labels: { codec },
  },
  render_read: { kind: "counter", unit: "bytes", help: "Bytes of those reads.", labels: { codec } },
  pool_jobs: {
    kind: "counter",
    help: "Jobs of the workers by outcome. `refused`: the source has as many reads in progress as allowed.",
    labels: { outcome: ["done", "error", "timeout", "cancelled", "refused"] },
  },
  worker_starts: { kind: "counter", help: "Workers that were started.", labels: {} },
  worker_replacements: {
    kind: "counter",
    help: "Workers that were terminated after a job, because it left the worker unusable, did not end in time, or needed much memory.",
    labels: {},
  },
  worker_deaths: { kind: "counter", help: "Workers that ended by themselves during a job.", labels: {} },
  workers: {
    kind: "gauge",
    help: "Workers by what they do; `waiting` are those whose job waits for bytes.",
    labels: { state: ["working", "waiting", "idle"] },
  },
  worker_memory: {
    kind: "gauge",
    unit: "bytes",
    help: "Memory of the workers' objects, buffers and WebAssembly; a busy worker counts with its last report. Without WebAssembly on Deno, approximate on Bun. Absent on workerd.",
    labels: {},
  },
  sidecar_builds: { kind: "gauge", help: "Sidecars that are being built, or wait for a permit.", labels: {} },
  pool_queue: { kind: "gauge", help: "Jobs that wait for a worker.", labels: {} },
  cache_lookups: {
    kind: "counter",
    help: "Lookups in a slot: found (`hit`), not found (`miss`), or just being made for another request (`shared`).",
    labels: { slot, outcome: ["hit", "miss", "shared"] },
  },
  cache_writes: { kind: "counter", help: "Values that were stored.", labels: { slot } },
  cache_dropped_writes: {
    kind: "counter",
    help: "Values that were not stored because too many were waiting for the store.",
    labels: { slot },
  },
  cache_failed_writes: {
    kind: "counter",
    help: "Values that were not stored because the store failed. They are part of the errors below.",
    labels: { slot },
  },
  cache_errors: {
    kind: "counter",
    help: "Reads, writes and checks of a slot's store that failed.",
    labels: { slot },
  },
  cache_read: { kind: "counter", unit: "bytes", help: "Bytes of values that were found.", labels: { slot } },
  cache_written: {
    kind: "counter",
    unit: "bytes",
    help: "Bytes of values that were stored.",
    labels: { slot },
  },
  cache_entries: {
    kind: "gauge",
    help: "Entries of a slot; absent if its store cannot count them. A shared store counts the entries of all servers.",
    labels: { slot },
  },
  cache_size: { kind: "gauge", unit: "bytes", help: "Bytes of those entries.", labels: { slot } },
  cache_volume_free: {
    kind: "gauge",
    unit: "bytes",
    help: "Free space on the volume of a slot's folder; absent for other stores.",
    labels: { slot },
  },
  cache_volume_size: { kind: "gauge", unit: "bytes", help: "Size of that volume.", labels: { slot } },
  cache_circuit_open: {
    kind: "gauge",
    help: "1 while reads or writes of a slot's store are paused after failures; absent for stores in memory.",
    labels: { slot, operation: ["read", "write"] },
  },
  source_opens: {
    kind: "counter",
    help: "Lookups of masters by name.",
    labels: { source, outcome: ["found", "not_found"] },
  },
  source_errors: { kind: "counter", help: "Opens and reads of masters that failed.", labels: { source } },
  source_reads: {
    kind: "counter",
    help: "Reads of masters by the main thread; workers read files themselves.",
    labels: { source },
  },
  source_read: { kind: "counter", unit: "bytes", help: "Bytes of those reads.", labels: { source } },
  source_fetched: {
    kind: "counter",
    unit: "bytes",
    help: "Bytes that were fetched from a remote source.",
    labels: { source },
  },
  source_request_duration: {
    kind: "histogram",
    unit: "seconds",
    help: "Time of a request to a remote source, until its bytes have arrived or, for a master that is fetched whole, its head.",
    labels: { source },
    buckets: originSeconds,
  },
  source_waits: { kind: "counter", help: "Times that work waited for a remote source.", labels: { source } },
  source_waited: {
    kind: "counter",
    unit: "seconds",
    help: "Time that requests waited for a remote source.",
    labels: { source },
  },
  source_late: {
    kind: "counter",
    help: "Waits for a remote source that ended at its timeout.",
    labels: { source },
  },
  source_circuit_open: {
    kind: "gauge",
    help: "1 while lookups at a remote source are paused after failures, for masters that can be served without them.",
    labels: { source },
  },
  traces: {
    kind: "counter",
    help: "Requests whose trace the collector accepted (`sent`), or did not get because it failed or too many were waiting (`dropped`).",
    labels: { outcome: ["sent", "dropped"] },
  },
  log_dropped_lines: {
    kind: "counter",
    help: "Log lines that were left out because their reader was far behind.",
    labels: {},
  },
  visitor_requests: {
    kind: "counter",
    help: "Requests for images and image information by the class of their visitor. Absent if `crawlers.mode` is `off`, as are the next four.",
    labels: { class: visitorClasses },
  },
  visitor_megapixels: {
    kind: "counter",
    help: "Megapixels that were charged to their budgets. Cached derivatives are not charged.",
    labels: { class: visitorClasses },
  },
  visitor_work: {
    kind: "counter",
    unit: "seconds",
    help: "Time of the jobs for them.",
    labels: { class: visitorClasses },
  },
  visitor_limits: {
    kind: "counter",
    help: "Requests that waited for a budget, got a smaller size (`limited`) or 429 (`refused`); if `crawlers.mode` is `observe`, those that would have.",
    labels: { class: visitorClasses, outcome: visitorOutcomes },
  },
  visitor_pool_used_ratio: {
    kind: "gauge",
    help: "What visitors have used of what a pool allows at once; at 1 those above their part of it wait.",
    labels: { pool: poolNames },
  },
  part_healthy: {
    kind: "gauge",
    help: "1 where what a part stands on could be used when it was last checked, else 0. Asking checks it again after ten seconds.",
    labels: {
      part: Object.keys(checkedParts) as CheckedPart[],
      name: "name of the source, slot or the like",
    },
  },
  process_memory: {
    kind: "gauge",
    unit: "bytes",
    help: "Memory of the process with all its workers (`resident`), and of the main thread's objects (`heap`). Absent on workerd.",
    labels: { kind: ["resident", "heap"] },
  },
  start_time: {
    kind: "gauge",
    unit: "seconds",
    help: "When the service started, in seconds since 1970.",
    labels: {},
  },
  build_info: {
    kind: "gauge",
    help: "Always 1; its labels name the version and the runtime.",
    labels: {
      version: "version of the service",
      runtime: "name of the runtime",
      runtime_version: "its version",
    },
  },
} as const satisfies Readonly<Record<string, FigureRow>>;

export type FigureName = keyof typeof figures;

type NameOf<Kind extends FigureRow["kind"]> = {
  [N in FigureName]: (typeof figures)[N]["kind"] extends Kind ? N : never;
}[FigureName];

export type CounterName = NameOf<"counter">;
export type GaugeName = NameOf<"gauge">;
export type HistogramName = NameOf<"histogram">;

/** The labels of a figure, each with one of its values. */
export type LabelsOf<N extends FigureName> = {
  readonly [L in keyof (typeof figures)[N]["labels"]]: (typeof figures)[N]["labels"][L] extends readonly (infer V)[]
    ? V
    : string;
};

/**
 * The name under which a figure is published, by the conventions of Prometheus:
 * `smalti_http_response_bytes_total`.
 */
export function publishedName(name: FigureName): string {
  const { kind, unit }: FigureRow = figures[name];
  return `smalti_${name}${unit ? `_${unit}` : ""}${kind === "counter" ? "_total" : ""}`;
}
