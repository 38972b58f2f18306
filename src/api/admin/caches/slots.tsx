// The cache slots: how full each is, its hit rate, and if its store works.

import type { SlotName } from "../../../images/purge.ts";
import { withDeadline } from "../../../lib/concurrency/bounded-wait.ts";
import { formatSize } from "../../../lib/options/quantity.ts";
import type { Service } from "../../../service.ts";

type NamedSlot = Service["slots"]["all"][number];

/** The current state of a slot. */
export interface SlotReading {
  readonly slot: NamedSlot;
  /** Absent if its store cannot count, or did not respond in time. */
  readonly usage?: { readonly entries: number; readonly bytes: number };
  /** From 0 to 1; absent before the first lookup. */
  readonly hitRate?: number;
  readonly lookups: number;
  /** Why its store is unusable, according to the latest check; absent if it is usable. */
  readonly problem?: string;
}

/** Longest wait for stores, in milliseconds. */
const usageMs = 2000;

/**
 * Stores in this process and in its folders are counted directly; a shared one through its gauge, which
 * queries at most every ten seconds.
 */
export async function readSlots({ slots, registry, health }: Service): Promise<readonly SlotReading[]> {
  const checked = health().catch(() => ({ findings: [] }));
  const gauges = withDeadline(usageMs, () => registry.read(["cache_entries", "cache_size"])).catch(() => []);
  return Promise.all(
    slots.all.map(async (slot): Promise<SlotReading> => {
      const { hits, misses, waits } = slot.counts;
      const lookups = hits.value + misses.value + waits.value;
      const usage =
        slot.backend === "redis"
          ? usageIn(await gauges, slot.name)
          : slot.usage && (await withDeadline(usageMs, slot.usage).catch(() => undefined));
      const problem = (await checked).findings.find(
        ({ check }) => check.part === "caches" && check.name === slot.name,
      )?.problem;
      return {
        slot,
        lookups,
        ...(problem !== undefined && { problem }),
        ...(usage && { usage }),
        ...(lookups > 0 && { hitRate: hits.value / lookups }),
      };
    }),
  );
}

type Families = Awaited<ReturnType<Service["registry"]["read"]>>;

function usageIn(families: Families, name: string): SlotReading["usage"] {
  const valueIn = (figure: "cache_entries" | "cache_size") => {
    const family = families.find((each) => each.name === figure);
    if (!family || family.kind === "histogram") return undefined;
    return family.series.find(({ labels }) => labels.slot === name)?.value;
  };
  const [entries, bytes] = [valueIn("cache_entries"), valueIn("cache_size")];
  return entries === undefined || bytes === undefined ? undefined : { entries, bytes };
}

const holds: Readonly<Record<SlotName, string>> = {
  render: "Finished images: tiles, thumbnails, full images.",
  info: "Descriptions of masters, from which info.json is made, and listings of remote folders.",
  origin: "Bytes of remote masters, and the indexes and transcodes that make large files fast.",
};

/** One row for each slot. */
export function SlotTable({ readings }: { readonly readings: readonly SlotReading[] }) {
  return (
    <section>
      <h2 id="slots">What they hold</h2>
      <section class="scroll" tabindex={0} aria-labelledby="slots">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Cache</th>
              <th scope="col">Backend</th>
              <th scope="col" class="number">
                Entries
              </th>
              <th scope="col" class="number">
                Size
              </th>
              <th scope="col" class="number">
                Hit rate
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {readings.map(({ slot, usage, hitRate, lookups, problem }) => (
              <tr>
                <th scope="row">
                  {slot.name}
                  <span class="quiet about">{holds[slot.name as SlotName]}</span>
                </th>
                <td>{slot.about}</td>
                <td class="number">{usage ? usage.entries.toLocaleString("en") : <Dash />}</td>
                <td class="number">{usage ? formatSize(usage.bytes) : <Dash />}</td>
                <td
                  class="number"
                  title={`Of ${lookups.toLocaleString("en")} look-ups of this process since its start`}
                >
                  {hitRate === undefined ? <Dash /> : `${(hitRate * 100).toFixed(1)} %`}
                </td>
                <td>
                  <State slot={slot} problem={problem} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="quiet">
        Hit rates are of this process since its start. Entries and sizes in Redis are of all servers that
        share it, counted every ten seconds at most. Buckets cannot be counted, which a dash stands for.
      </p>
    </section>
  );
}

const Dash = () => (
  <>
    <span aria-hidden="true">–</span>
    <span class="unseen">not known</span>
  </>
);

function State({ slot, problem }: { readonly slot: NamedSlot; readonly problem: string | undefined }) {
  if (slot.backend === "none") return <span class="pill">off</span>;
  if (problem !== undefined)
    return (
      <>
        <span class="pill bad">cannot be used</span>
        <span class="quiet about">{problem}</span>
      </>
    );
  const circuits = slot.circuits?.();
  if (!circuits) return <span class="pill good">in memory</span>;
  const { read, write } = circuits;
  if (!read && !write) return <span class="pill good">working</span>;
  const which = read && write ? "reads and writes" : read ? "reads" : "writes";
  return (
    <span class="pill bad" title="Its store failed recently; it is tried again in a moment.">
      {which} paused
    </span>
  );
}
