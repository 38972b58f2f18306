// /admin/cache: what each slot holds and how it does, and the forms that purge.

import { imageAddress, mainPrefix } from "../../iiif/image/mounts.ts";
import { purgeable, type SlotName } from "../../images/purge.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import { formatSize } from "../../lib/options/quantity.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { type Admin, type AdminPage, href } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** What was entered in a form, and what is wrong with it. */
export interface PurgeFault {
  readonly form: "image" | "entry" | "slot";
  readonly field: "identifier" | "cache" | "key";
  readonly message: string;
  readonly status: number;
  readonly entered: { readonly identifier?: string; readonly cache?: string; readonly key?: string };
}

/** Its routes. */
export const cachePages: AdminPage = (admin) => [
  { path: "/admin/cache", get: (c) => respondCaches(c, admin) },
];

/** The page; `fault`: with a form as it was sent and what is wrong with it. */
export async function respondCaches(c: RequestContext, admin: Admin, fault?: PurgeFault): Promise<Response> {
  const { service } = admin;
  const readings = await readSlots(service);
  const body = (
    <>
      <SlotTable readings={readings} />
      <div class="forms">
        <div>
          <PurgeImage c={c} fault={fault} />
          <PurgeSlot c={c} readings={readings} fault={fault} />
        </div>
        <PurgeEntry c={c} service={service} fault={fault} />
      </div>
    </>
  );
  return adminPage(
    c,
    admin,
    { title: "Caches", section: "caches", body, styles: ["admin/caches.css"], scripts: ["admin/caches.js"] },
    { status: fault?.status ?? 200 },
  );
}

type NamedSlot = Service["slots"]["all"][number];

interface SlotReading {
  readonly slot: NamedSlot;
  /** Absent where its store cannot count, or did not answer in time. */
  readonly usage?: { readonly entries: number; readonly bytes: number };
  /** From 0 to 1; absent before the first look-up. */
  readonly hitRate?: number;
  readonly lookups: number;
  /** Why its store cannot be used, by the latest check; absent where it can. */
  readonly problem?: string;
}

/** Longest that stores are waited for. */
const usageMs = 2000;

/** Stores in this process and in its folders are counted as they are; a shared one through its gauge, which asks every ten seconds at most. */
async function readSlots({ slots, registry, health }: Service): Promise<readonly SlotReading[]> {
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
  info: "What is known of masters, from which info.json is made, and listings of folders elsewhere.",
  origin: "Bytes of masters elsewhere, and the indexes and transcodes by which large files are quick.",
};

function SlotTable({ readings }: { readonly readings: readonly SlotReading[] }) {
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
    <span class="pill bad" title="Its store failed lately; it is tried again in a moment.">
      {which} paused
    </span>
  );
}

interface FormProps {
  readonly c: RequestContext;
  readonly fault: PurgeFault | undefined;
}

/** The message of a field, which the field names as its description. */
function Wrong({ id, message }: { readonly id: string; readonly message: string | undefined }) {
  return message === undefined ? null : (
    <p class="wrong" id={id}>
      {message}
    </p>
  );
}

/** Attributes of a field that is wrong. */
const marks = (id: string, hint: string | undefined, message: string | undefined) => {
  const described = [...(message === undefined ? [] : [id]), ...(hint === undefined ? [] : [hint])].join(" ");
  return {
    ...(message !== undefined && { "aria-invalid": "true" as const }),
    ...(described && { "aria-describedby": described }),
  };
};

function PurgeImage({ c, fault }: FormProps) {
  const own = fault?.form === "image" ? fault : undefined;
  return (
    <section aria-labelledby="purge-image">
      <h2 id="purge-image">Purge an image</h2>
      <p>
        Removes all that is kept of one image: answers of every size and version, what is known of it, its
        index, and the bytes that were read of it. Use it when a master has changed and old answers still
        come.
      </p>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge-image")}>
        <div class="field">
          <label for="identifier">Identifier</label>
          <input
            id="identifier"
            name="identifier"
            required
            autocomplete="off"
            spellcheck={false}
            value={own?.entered.identifier ?? ""}
            {...marks("identifier-wrong", "identifier-hint", own?.message)}
          />
          <Wrong id="identifier-wrong" message={own?.message} />
          <p class="quiet" id="identifier-hint">
            As it is, not encoded for an address: <code>maps/sheet 1.tif</code>. All pages of a file go
            together.
          </p>
        </div>
        <div class="actions">
          <button type="submit">Purge image</button>
        </div>
      </form>
    </section>
  );
}

function PurgeEntry({ c, service, fault }: FormProps & { readonly service: Service }) {
  const own = fault?.form === "entry" ? fault : undefined;
  const wrongIn = (field: PurgeFault["field"]) => (own?.field === field ? own.message : undefined);
  const source = service.sources.default;
  const example = imageAddress(mainPrefix[3], `${source.prefix}a.tif`);
  return (
    <section aria-labelledby="purge-entry">
      <h2 id="purge-entry">Purge one entry</h2>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge")}>
        <div class="field">
          <label for="entry-cache">Cache</label>
          <select id="entry-cache" name="cache" {...marks("entry-cache-wrong", undefined, wrongIn("cache"))}>
            {purgeable.map((name) => (
              <option value={name} selected={own?.entered.cache === name}>
                {name}
              </option>
            ))}
          </select>
          <Wrong id="entry-cache-wrong" message={wrongIn("cache")} />
        </div>
        <div class="field">
          <label for="key">Key</label>
          <input
            id="key"
            name="key"
            required
            autocomplete="off"
            spellcheck={false}
            value={own?.entered.key ?? ""}
            {...marks("key-wrong", "key-forms", wrongIn("key"))}
          />
          <Wrong id="key-wrong" message={wrongIn("key")} />
        </div>
        <dl class="quiet" id="key-forms">
          <dt>render</dt>
          <dd>
            The path of an image request: <code>{example}/full/max/0/default.jpg</code>. For what readers of a
            gated image got, with <code>|v1|full</code> behind it, or <code>|v1|substitute</code> for lesser
            pictures.
          </dd>
          <dt>info</dt>
          <dd>
            Host and path of an info.json:{" "}
            <code>
              {new URL(c.get("base")).host}
              {example}/info.json
            </code>
            , for gated ones with <code>|v1|full</code> behind it. All that is known of its master goes with
            it.
          </dd>
          <dt>origin</dt>
          <dd>
            The name of a source, a colon and an identifier: <code>{source.name}:a.tif</code>. All that is
            kept of that master goes.
          </dd>
        </dl>
        <div class="actions">
          <button type="submit">Purge entry</button>
        </div>
      </form>
    </section>
  );
}

function PurgeSlot({ c, readings, fault }: FormProps & { readonly readings: readonly SlotReading[] }) {
  const own = fault?.form === "slot" ? fault : undefined;
  return (
    <section aria-labelledby="purge-slot">
      <h2 id="purge-slot">Empty a cache</h2>
      <p>
        Removes every entry of one cache, for all servers that share it. Nothing is lost: answers are made
        again when they are asked for, which is slower and reads the masters.
      </p>
      <form class="fields" method="post" action={href(c, "/admin/cache/purge-all")} data-confirm="empty">
        <div class="field">
          <label for="slot-cache">Cache</label>
          <select id="slot-cache" name="cache" {...marks("slot-cache-wrong", undefined, own?.message)}>
            {readings.map(({ slot, usage }) => (
              <option
                value={slot.name}
                disabled={!slot.clear}
                selected={own?.entered.cache === slot.name}
                data-entries={usage?.entries.toLocaleString("en")}
              >
                {slot.name}
                {slot.clear ? "" : " (cannot be emptied as a whole)"}
              </option>
            ))}
          </select>
          <Wrong id="slot-cache-wrong" message={own?.message} />
        </div>
        <p class="confirm">
          <label>
            <input type="checkbox" required /> Yes, remove all its entries
          </label>
        </p>
        <div class="actions">
          <button type="submit" class="danger">
            Empty cache
          </button>
        </div>
      </form>
      <dialog id="empty" aria-labelledby="empty-title">
        <form method="dialog">
          <h2 id="empty-title">Empty this cache?</h2>
          <p>
            <span data-about></span> Answers are made again when they are asked for.
          </p>
          <div class="actions">
            <button type="submit" value="cancel">
              Cancel
            </button>
            <button type="submit" value="empty" class="danger">
              Empty it
            </button>
          </div>
        </form>
      </dialog>
    </section>
  );
}
