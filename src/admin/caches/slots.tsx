// The cache slots: how full each is, its hit rate, if its store works, and which images take most of it.

import { formatSize, withDeadline } from "../../base/index.ts";
import type { RequestContext, Service, SlotName } from "../../server/index.ts";
import { imagePath } from "../addresses.ts";
import { href } from "../admin.ts";

type NamedSlot = Service["slots"]["all"][number];

/** The current state of a slot. */
export interface SlotReading {
  readonly slot: NamedSlot;
  /** Absent if its store cannot count, or did not respond in time. */
  readonly usage?: { readonly entries: number; readonly bytes: number };
  /** From 0 to 1; absent before the first lookup. */
  readonly hitRate?: number;
  readonly lookups: number;
  /** What is in the memory that stands in for its store; absent if none does. */
  readonly inMemory?: { readonly entries: number; readonly bytes: number; readonly bound: number };
  /** Why its store is unusable, according to the latest check; absent if it is usable. */
  readonly problem?: string;
}

/** Maximum wait for stores, in milliseconds. */
const usageMs = 2000;

/**
 * Returns the current state of all slots. Stores in this process and in its folders are counted directly; a
 * shared store through its gauge, which queries at most every ten seconds.
 */
export async function readSlots({ slots, registry, health }: Service): Promise<readonly SlotReading[]> {
  const gauges = withDeadline(usageMs, () => registry.read(["cache_entries", "cache_size"])).catch(() => []);
  // The check comes first: if a folder passes it, memory stops standing in for it.
  const { results } = await health().catch(() => ({ results: [] }));
  return Promise.all(
    slots.all.map(async (slot): Promise<SlotReading> => {
      const { hits, misses, waits } = slot.counts;
      const lookups = hits.value + misses.value + waits.value;
      const usage =
        slot.backend === "redis"
          ? usageIn(await gauges, slot.name)
          : slot.usage && (await withDeadline(usageMs, slot.usage).catch(() => undefined));
      const problem = results.find(
        ({ check }) => check.part === "caches" && check.name === slot.name,
      )?.problem;
      const memory = slot.standIn?.();
      const held = await memory?.usage?.();
      return {
        slot,
        lookups,
        ...(problem !== undefined && { problem }),
        ...(usage && { usage }),
        ...(held && { inMemory: { ...held, bound: memory?.maxBytes?.() ?? 0 } }),
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

const contents: Readonly<Record<SlotName, string>> = {
  render: "Finished images: tiles, thumbnails, full images.",
  info: "Descriptions of masters, from which info.json is made, and listings of remote folders.",
  origin: "Bytes of remote masters, and the sidecars that make large files fast.",
  text: "The text of pages, and the indexes of their words.",
  changes: "The stream of changes to manifests, for those who harvest them.",
};

/** One card for each slot. */
export function SlotCards({ readings }: { readonly readings: readonly SlotReading[] }) {
  return (
    <section>
      <h2 id="slots">How full they are</h2>
      <ul class="slots">
        {readings.map((reading) => (
          <SlotCard {...reading} />
        ))}
      </ul>
      <p class="quiet">
        Hit rates are of this process since its start. Entries and sizes in Redis are of all servers that
        share it, counted every ten seconds at most. A bucket cannot be counted.
      </p>
    </section>
  );
}

function SlotCard({ slot, usage, hitRate, lookups, problem, inMemory }: SlotReading) {
  return (
    <li class="card" data-slot={slot.name}>
      <h3>
        {slot.name} <State slot={slot} problem={problem} isReplaced={inMemory !== undefined} />
      </h3>
      <p class="quiet">{contents[slot.name as SlotName]}</p>
      {problem !== undefined && <p class="bad">{problem}</p>}
      {inMemory && (
        <p class="bad">
          Memory stands in for the folder until it can be written again. It holds{" "}
          {entryCount(inMemory.entries)}, {formatSize(inMemory.bytes)} of {formatSize(inMemory.bound)}. The
          figures below are those of the folder.
        </p>
      )}
      <Fill slot={slot} usage={usage} />
      <dl>
        <dt>Entries</dt>
        <dd>{usage ? formatNumber(usage.entries) : "not known"}</dd>
        <dt>Hit rate</dt>
        <dd>
          {hitRate === undefined
            ? "no lookups yet"
            : `${formatPercent(hitRate)} of ${formatNumber(lookups)} ${lookups === 1 ? "lookup" : "lookups"}`}
        </dd>
        <dt>Stored</dt>
        <dd>{slot.about}</dd>
      </dl>
    </li>
  );
}

/** The used part of the bound of a slot, as a bar and in words. */
function Fill({ slot, usage }: Pick<SlotReading, "slot"> & { readonly usage: SlotReading["usage"] }) {
  const bound = slot.maxBytes();
  if (!usage || bound === 0) return null;
  if (bound === Number.POSITIVE_INFINITY)
    return <p class="fill">{formatSize(usage.bytes)}, without a bound</p>;
  const share = Math.min(1, usage.bytes / bound);
  return (
    <div class="fill">
      <svg aria-hidden="true" data-state={share > 0.9 ? "full" : "free"}>
        <rect width={`${(100 * share).toFixed(1)}%`} height="100%" />
      </svg>
      <p>
        <strong>{formatSize(usage.bytes)}</strong> of {formatSize(bound)}{" "}
        <span class="quiet">({formatPercent(share)})</span>
      </p>
    </div>
  );
}

const formatNumber = (value: number) => value.toLocaleString("en");

/** A number of entries in words. */
export const entryCount = (entries: number) =>
  entries === 1 ? "1 entry" : `${formatNumber(entries)} entries`;

const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;

interface StateProps {
  readonly slot: NamedSlot;
  readonly problem: string | undefined;
  /** True while memory stands in for its store. */
  readonly isReplaced: boolean;
}

function State({ slot, problem, isReplaced }: StateProps) {
  if (slot.backend === "none") return <span class="pill">off</span>;
  if (problem !== undefined) return <span class="pill bad">cannot be used</span>;
  if (isReplaced) return <span class="pill bad">cannot be written</span>;
  const { read = false, write = false } = slot.circuits?.() ?? {};
  if (!read && !write) return <span class="pill good">works</span>;
  const which = read && write ? "reads and writes" : read ? "reads" : "writes";
  return (
    <span
      class="pill bad"
      title="Its store failed several times in a row; the service tries it again in a moment."
    >
      {which} paused
    </span>
  );
}

/** Number of images shown. */
const shownImages = 10;

/** The images that take most room in the slots that can say so. */
export function LargestImages({ c, service }: { readonly c: RequestContext; readonly service: Service }) {
  const { all } = service.slots;
  const askable = all.filter(({ largest }) => largest);
  if (askable.length === 0) return null;
  const images = askable
    .flatMap(({ name, largest }) => (largest?.(shownImages) ?? []).map((group) => ({ slot: name, ...group })))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, shownImages);
  return (
    <section>
      <h2 id="largest">What takes most room</h2>
      <section class="scroll" tabindex={0} aria-labelledby="largest">
        <table class="grid stack">
          <thead>
            <tr>
              <th scope="col">Image or folder</th>
              <th scope="col">Cache</th>
              <th scope="col" class="number">
                Entries
              </th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {images.map(({ slot, group, entries, bytes }) => (
              <tr>
                <th scope="row" class="path">
                  <MasterLink c={c} service={service} group={group} />
                </th>
                <td data-label="Cache">{slot}</td>
                <td data-label="Entries" class="number">
                  {formatNumber(entries)}
                </td>
                <td data-label="Size" class="number">
                  {formatSize(bytes)}
                </td>
              </tr>
            ))}
            {images.length === 0 && (
              <tr>
                <td colspan={4} class="quiet">
                  The caches are empty.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </section>
      {askable.length < all.length && (
        <p class="quiet">Only caches in memory can say this: {askable.map(({ name }) => name).join(", ")}.</p>
      )}
    </section>
  );
}

/** Links a master, named `<source-name>:<key>`, to the page of its image. */
function MasterLink({
  c,
  service: { sources },
  group,
}: {
  readonly c: RequestContext;
  readonly service: Service;
  readonly group: string;
}) {
  const source = sources.all.find(({ name }) => group.startsWith(`${name}:`));
  const key = source && group.slice(source.name.length + 1);
  if (!source || !key) return <>{group}</>;
  const identifier = source.prefix + key;
  return <a href={href(c, imagePath(identifier))}>{identifier}</a>;
}
