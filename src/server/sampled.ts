// Gauges of a service: values that the registry reads from its parts on demand.

import { type Check, type CheckedPart, type CheckResult, type Platform, remembering } from "../base/index.ts";
import type { Admission } from "./images/admission/admit.ts";
import type { Sidecars } from "./images/sidecar/sidecars.ts";
import type { Sources } from "./sources/index.ts";
import { visitorOutcomes } from "./stats/figures.ts";
import type { Registry, Sample } from "./stats/registry.ts";
import type { NamedSlot, Slots } from "./stores/index.ts";
import { classRows, poolNames, visitorClasses } from "./visitors/classes.ts";
import type { LiveVisitors } from "./visitors/live.ts";
import type { Pool } from "./workers/pool.ts";

export interface SampledParts {
  readonly platform: Platform;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly gates: { readonly render: Admission; readonly probe: Admission };
  readonly pool: Pool;
  readonly sidecars: Pick<Sidecars, "building">;
  readonly slots: Slots;
  readonly sources: Sources;
  readonly visitors: Pick<LiveVisitors, "current">;
  readonly checks: readonly Check[];
  /** Returns the results of the checks, not older than {@link askedEachMs}. */
  readonly results: () => Promise<readonly CheckResult[]>;
}

/** Least milliseconds between two requests to folders, servers and shared stores. */
export const askedEachMs = 10_000;

/** Declares the gauges of all parts. Nothing is read yet. */
export function sampleParts(registry: Registry, parts: SampledParts): void {
  sampleProcess(registry, parts);
  for (const gate of ["render", "probe"] as const) sampleGate(registry, gate, parts.gates[gate]);
  samplePool(registry, parts.pool);
  registry.gauge("sidecar_builds", {}, () => parts.sidecars.building());
  const shares = !parts.platform.connectionsEndWithRequest;
  for (const slot of parts.slots.all) sampleSlot(registry, slot, shares);
  for (const { name, isAway } of parts.sources.all)
    if (isAway) registry.gauge("source_circuit_open", { source: name }, () => Number(isAway()));
  sampleVisitors(registry, parts.visitors);
  sampleHealth(registry, parts);
}

function sampleProcess({ gauge }: Registry, { platform, version, startedAt }: SampledParts): void {
  const { name, version: runtime_version, memoryUsage } = platform;
  gauge("build_info", { version, runtime: name, runtime_version }, () => 1);
  gauge("start_time", {}, () => startedAt / 1000);
  if (!memoryUsage) return;
  gauge("process_memory", { kind: "resident" }, () => memoryUsage().resident);
  gauge("process_memory", { kind: "heap" }, () => memoryUsage().heap);
}

function sampleGate({ gauge }: Registry, gate: "render" | "probe", admission: Admission): void {
  gauge("jobs", { gate, state: "running" }, () => admission.status().running);
  gauge("jobs", { gate, state: "yielded" }, () => admission.status().away);
  gauge("jobs", { gate, state: "waiting" }, () => admission.status().waiting);
  gauge("admitted_memory", { gate }, () => admission.status().memory);
}

function samplePool({ gauge }: Registry, pool: Pool): void {
  gauge("workers", { state: "working" }, () => pool.status().busy - pool.status().waiting);
  gauge("workers", { state: "waiting" }, () => pool.status().waiting);
  gauge("workers", { state: "idle" }, () => pool.status().workers - pool.status().busy);
  gauge("pool_queue", {}, () => pool.status().queued);
  const { memory } = pool;
  if (memory) gauge("worker_memory", {}, memory);
}

/** `shares`: true if simultaneous requests may wait for one response of the store. */
function sampleSlot(
  { gauge }: Registry,
  { name: slot, backend, usage, circuits, volume }: NamedSlot,
  shares: boolean,
): void {
  if (usage) {
    const inMemory = backend === "heap" || backend === "none";
    // Failures are cached too: a store that does not respond is asked no more often than one that does.
    const readUsage = () => usage().catch(() => undefined);
    const asked = inMemory ? readUsage : remembering(askedEachMs, readUsage, { shares });
    gauge("cache_entries", { slot }, async (once) => (await once(asked))?.entries);
    gauge("cache_size", { slot }, async (once) => (await once(asked))?.bytes);
  }
  if (volume) {
    const asked = remembering(askedEachMs, () => volume().catch(() => undefined), { shares });
    gauge("cache_volume_free", { slot }, async (once) => (await once(asked))?.free);
    gauge("cache_volume_size", { slot }, async (once) => (await once(asked))?.size);
  }
  if (circuits) {
    gauge("cache_circuit_open", { slot, operation: "read" }, () => Number(circuits().read));
    gauge("cache_circuit_open", { slot, operation: "write" }, () => Number(circuits().write));
  }
}

function sampleVisitors(
  { gauge, sampledCounter }: Registry,
  { current }: Pick<LiveVisitors, "current">,
): void {
  for (const name of visitorClasses) {
    const counts = () => current()?.counts()[name];
    sampledCounter("visitor_requests", { class: name }, () => counts()?.requests);
    sampledCounter("visitor_megapixels", { class: name }, () => counts()?.megapixels);
    sampledCounter("visitor_work", { class: name }, () => {
      const ms = counts()?.ms;
      return ms === undefined ? undefined : ms / 1000;
    });
    // A class without a budget never waits.
    if (classRows[name].pool === undefined) continue;
    for (const outcome of visitorOutcomes)
      sampledCounter("visitor_limits", { class: name, outcome }, () => counts()?.[outcome]);
  }
  for (const pool of poolNames) gauge("visitor_pool_used_ratio", { pool }, () => current()?.poolUse(pool));
}

function sampleHealth({ gauge }: Registry, { checks, results }: SampledParts): void {
  const declared = new Set<string>();
  for (const { part, name } of checks) {
    const key = `${part} ${name}`;
    if (!declared.has(key)) gauge("part_healthy", { part, name }, healthOf(part, name, results));
    declared.add(key);
  }
}

/** 1 if all checks of a part passed, otherwise 0. */
const healthOf =
  (part: CheckedPart, name: string, results: SampledParts["results"]): Sample =>
  async (once) => {
    const own = (await once(results)).filter(({ check }) => check.part === part && check.name === name);
    return Number(own.every(({ problem }) => problem === undefined));
  };
