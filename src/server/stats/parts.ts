// Which figures each part reports to: its counters by the names that it has for them.

import type { LabelsOf } from "./figures.ts";
import type { Registry } from "./registry.ts";

type Gate = LabelsOf<"admission_wait">["gate"];

/** Counters of a cache slot. */
export function slotCounts({ counter }: Registry, slot: string) {
  return {
    hits: counter("cache_lookups", { slot, outcome: "hit" }),
    misses: counter("cache_lookups", { slot, outcome: "miss" }),
    waits: counter("cache_lookups", { slot, outcome: "shared" }),
    writes: counter("cache_writes", { slot }),
    dropped: counter("cache_dropped_writes", { slot }),
    failedWrites: counter("cache_failed_writes", { slot }),
    errors: counter("cache_errors", { slot }),
    bytesRead: counter("cache_read", { slot }),
    bytesWritten: counter("cache_written", { slot }),
  };
}

/** Counters of any source. */
export function sourceCounts({ counter }: Registry, source: string) {
  return {
    opens: counter("source_opens", { source, outcome: "found" }),
    notFound: counter("source_opens", { source, outcome: "not_found" }),
    errors: counter("source_errors", { source }),
    reads: counter("source_reads", { source }),
    bytes: counter("source_read", { source }),
  };
}

/** Figures of a source over a network. */
export function remoteFigures(registry: Registry, source: string) {
  const { counter, histogram } = registry;
  return {
    counts: {
      ...sourceCounts(registry, source),
      fetched: counter("source_fetched", { source }),
      waits: counter("source_waits", { source }),
      waitedSeconds: counter("source_waited", { source }),
      late: counter("source_late", { source }),
    },
    requests: histogram("source_request_duration", { source }),
  };
}

/** Figures of admission. */
export function admissionFigures({ counter, histogram }: Registry, gate: Gate) {
  return {
    counts: {
      cheap: counter("admitted_jobs", { gate, lane: "cheap" }),
      heavy: counter("admitted_jobs", { gate, lane: "heavy" }),
      queueFull: counter("refused_jobs", { gate, reason: "queue_full" }),
      waitedTooLong: counter("refused_jobs", { gate, reason: "waited_too_long" }),
      tooLarge: counter("refused_jobs", { gate, reason: "memory_budget" }),
      waited: counter("delayed_jobs", { gate }),
      cancelled: counter("cancelled_jobs", { gate }),
      left: counter("yielded_places", { gate }),
      overran: counter("underestimated_jobs", { gate }),
    },
    wait: histogram("admission_wait", { gate }),
  };
}

/** Counters of the pool. */
export function poolCounts({ counter }: Registry) {
  return {
    done: counter("pool_jobs", { outcome: "done" }),
    errors: counter("pool_jobs", { outcome: "error" }),
    timeouts: counter("pool_jobs", { outcome: "timeout" }),
    cancelled: counter("pool_jobs", { outcome: "cancelled" }),
    refused: counter("pool_jobs", { outcome: "refused" }),
    started: counter("worker_starts", {}),
    replaced: counter("worker_replacements", {}),
    deaths: counter("worker_deaths", {}),
  };
}

/** Counters of access decisions. */
export function decisionCounts({ counter }: Registry) {
  return {
    allowed: counter("access_decisions", { outcome: "allowed" }),
    denied: counter("access_decisions", { outcome: "denied" }),
  };
}

/** Counters of error reports. */
export function reportCounts({ counter }: Registry) {
  return {
    sent: counter("error_reports", { outcome: "sent" }),
    failed: counter("error_reports", { outcome: "failed" }),
    repeated: counter("error_reports", { outcome: "repeated" }),
    dropped: counter("error_reports", { outcome: "dropped" }),
  };
}

/** Counters of tracing. */
export function tracingCounts({ counter }: Registry) {
  return {
    sent: counter("traces", { outcome: "sent" }),
    dropped: counter("traces", { outcome: "dropped" }),
  };
}
