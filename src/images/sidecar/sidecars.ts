// Sidecars of masters: all data derived from a master so that reads of its regions are cheap. A sidecar is
// taken from memory, or else from the origin slot, or else built by the pool once for all waiting requests.

import { ServiceError } from "../../errors.ts";
import type { SidecarAccess, SidecarWay } from "../../imaging/codecs/codec.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { ReadRequest } from "../../imaging/codecs/plan.ts";
import { createLru } from "../../imaging/lib/lru.ts";
import { withoutLevels } from "../../imaging/sidecar/entry.ts";
import { createGenerations } from "../../lib/caching/generations.ts";
import { onAbort, unlessAborted } from "../../lib/concurrency/bounded-wait.ts";
import { sidecarKey } from "../cache-keys.ts";
import type { Master } from "../describe.ts";
import { type Build, type BuildEnd, createBuild, endOf } from "./build.ts";
import { createSidecarJobs, leastKeptBytes, type SidecarJobParts, type SidecarKey } from "./jobs.ts";
import { createSidecarLives, type Sidecar, type SidecarEvent, type SidecarState } from "./life.ts";
import { reportOf, type SidecarReport } from "./report.ts";

export interface SidecarParts extends SidecarJobParts {
  /**
   * True if jobs run in place, so that nothing continues after its request: a sidecar is then built as a
   * whole, before the render.
   */
  readonly inPlace: boolean;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** State and access of a sidecar for a render. */
export interface FoundSidecar {
  /** "absent" and "unavailable": the job makes the parts that it needs. */
  readonly state: Exclude<SidecarState["is"], "building">;
  readonly access: SidecarAccess;
  /**
   * Must be called when the render has ended; it completes a sidecar that was absent, for all waiting
   * requests. `failed`: error of the render.
   */
  readonly finish?: (failed?: unknown) => void;
}

export interface Sidecars {
  /**
   * Returns the sidecar for a read; undefined if the read has no use for one. Pixels do not depend on it:
   * without a sidecar, the job makes the parts that it needs. One pass builds the sidecar for all
   * simultaneous requests; the codec's `sidecar.way` determines which of them wait for it. Throws
   * `cancelled`. Throws `source` if the render that was to begin the sidecar did. Throws the error of the
   * pass to requests that can only wait, unless the file is damaged or unsupported; for ten minutes after a
   * pass that exceeded its time limit, reads do without.
   */
  of(
    master: Master,
    read: ReadRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<FoundSidecar | undefined>;
  /** True if a read waits until its sidecar is built. */
  waits(master: Master, read: ReadRequest): boolean;
  /**
   * Returns the state of a sidecar, in this process or in the slot, without building it; undefined if files
   * of this kind have none.
   */
  state(master: Master, header: ImageHeader): Promise<SidecarReport | undefined>;
  /**
   * Stops the use of all sidecars found or begun so far: of one master (named as by `masterName`), or of all.
   * The caller empties the slot.
   */
  purge(master?: string): void;
  /** Resolves when the sidecar of this master is not being built; `state` returns the result. */
  whenSettled(master: Master): Promise<void>;
  /** Returns the number of sidecars that are being built. */
  building(): number;
  /** Resolves when no sidecar is being built or removed. */
  idle(): Promise<void>;
}

/** Milliseconds until a new attempt for a file that can have no sidecar. */
const unavailableMs = 3_600_000;
/** The same for a file whose pass took longer than a job may: reads then do without. */
const lateMs = 600_000;
/**
 * Milliseconds within which a sidecar with a lost part is removed at most once: the slot may be unable to
 * store it.
 */
const renewalMs = 60_000;
/** Number of masters whose latest removal is remembered. */
const mostRenewed = 1024;

/**
 * Maximum number of postponed passes that no request needs yet. Beyond it a pass is abandoned, and a later
 * read begins it again.
 */
const mostPutOff = 32;
const pauseMs = 100;

const nothing = async () => new Uint8Array();

const isLate = (error: unknown) => error instanceof ServiceError && error.code === "render_timeout";

/** Creates the sidecars over the origin slot. */
export function createSidecars({ inPlace, now = Date.now, ...parts }: SidecarParts): Sidecars {
  const { origin, admission, keptBytes = leastKeptBytes } = parts;
  const lives = createSidecarLives(keptBytes, now);
  /** Entries that the slot has as well, by id: whole, and without their levels. */
  const entries = createLru<string, Uint8Array>(keptBytes / 2);
  const leanEntries = createLru<string, Uint8Array>(keptBytes / 2);
  const generations = createGenerations();
  const idOf = ({ name, variant }: Pick<SidecarKey, "name" | "variant">) =>
    `${generations.of(name)} ${variant}`;
  const keyOf = async (master: Master): Promise<SidecarKey> => {
    const key = await sidecarKey(master);
    return { ...key, id: idOf(key) };
  };
  const jobs = createSidecarJobs(parts, (key) => idOf(key) === key.id);

  /** Passes that run, by the id of their sidecar; reads may use an early one. */
  const passes = new Map<string, Promise<void>>();
  /** Removals of entries in progress. */
  const removals = new Set<Promise<void>>();
  /** Time before which the sidecar of a master is not removed again. */
  const renewed = createLru<string, number>(mostRenewed);
  let putOff = 0;

  /** Resolves when no job runs or waits, or when a request cannot continue without the build. */
  const calm = async ({ hurried }: Build) => {
    let needed = false;
    const need = hurried.then(() => {
      needed = true;
    });
    const busy = () => {
      const { running, waiting } = admission.status();
      return running + waiting > 0;
    };
    putOff++;
    while (!needed && busy())
      await Promise.race([need, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    putOff--;
  };

  /**
   * Removes a sidecar of which a part is lost, so that the next read builds it again. A store that cannot
   * delete keeps the entry.
   */
  const lose = (key: SidecarKey): void => {
    if ((renewed.get(key.id) ?? Number.NEGATIVE_INFINITY) > now()) return;
    renewed.set(key.id, now() + renewalMs, 1);
    entries.delete(key.id);
    leanEntries.delete(key.id);
    const removal = origin
      .delete(key.name, key.variant)
      .catch(() => {})
      .then(() => {
        lives.apply(key.id, { is: "lost" });
        removals.delete(removal);
      });
    removals.add(removal);
  };

  const alone = (
    key: SidecarKey,
    finish?: FoundSidecar["finish"],
    state: "absent" | "unavailable" = "absent",
  ): FoundSidecar => ({
    state,
    access: { id: key.id, absent: true, load: nothing },
    ...(finish && { finish }),
  });

  /**
   * Returns what stays with the state of a sidecar: its entry only if no slot has it, so that the state of
   * thousands of images stays in memory.
   */
  const atRest = (key: SidecarKey, entry: Uint8Array, sidecar?: Sidecar): Sidecar => {
    if (origin.maxBytes() === 0) return sidecar ?? { entry };
    keepLean(key, entry);
    return entries.set(key.id, entry, entry.length) ? {} : (sidecar ?? { entry });
  };
  /** Keeps an entry without its levels, so that the details of thousands of images need no slot. */
  const keepLean = (key: SidecarKey, entry: Uint8Array): Uint8Array => {
    const lean = withoutLevels(entry);
    leanEntries.set(key.id, lean, lean.length);
    return lean;
  };
  /** Returns the entry of a complete sidecar; undefined if the slot has lost it. */
  const entryOf = async (key: SidecarKey, { entry }: Sidecar): Promise<Uint8Array | undefined> => {
    const known = entry ?? entries.get(key.id);
    if (known) return known;
    const stored = await origin.get(key.name, key.variant);
    if (stored) entries.set(key.id, stored, stored.length);
    return stored;
  };

  const leanEntryOf = async (key: SidecarKey, sidecar: Sidecar): Promise<Uint8Array | undefined> => {
    const known = sidecar.isEarly ? undefined : leanEntries.get(key.id);
    if (known) return known;
    const entry = await entryOf(key, sidecar);
    return entry && (sidecar.isEarly ? withoutLevels(entry) : keepLean(key, entry));
  };

  const refusedFor = (ms: number): SidecarEvent => ({ is: "refused", until: now() + ms });

  const toFound = (key: SidecarKey, state: Exclude<SidecarState, { is: "building" }>): FoundSidecar => {
    if (state.is !== "complete") return alone(key, undefined, state.is);
    const { sidecar } = state;
    let isMissing = false;
    const access: SidecarAccess = {
      // Workers keep what they parse under the id: the whole sidecar has another one.
      id: sidecar.isEarly ? `${key.id} early` : key.id,
      async load(lean) {
        const entry = await (lean ? leanEntryOf : entryOf)(key, sidecar);
        isMissing ||= entry === undefined;
        return entry ?? new Uint8Array();
      },
      blocks: jobs.blocksOf(key, sidecar.blocks),
      // An entry that the slot does not return now may be there again: it is forgotten, and not removed.
      // The blocks of an early sidecar may still be on their way to the slot.
      reportLoss: () => {
        if (sidecar.isEarly) return;
        if (isMissing) lives.apply(key.id, { is: "lost" });
        else lose(key);
      },
    };
    return { state: state.is, access };
  };

  /**
   * Returns the signal that ends a pass early. In place a pass occupies the only thread, so it ends with its
   * client, and waiting requests begin again. A pass over a remote master ends with the last waiting request,
   * as long as requests wait for it (`isNeeded`); a pass over a file continues for later requests.
   */
  const endOfPass = (
    { image }: Master,
    build: Build,
    client: AbortSignal,
    isNeeded: () => boolean,
  ): AbortSignal | undefined => {
    if (inPlace) return client;
    if (!image.remote) return undefined;
    const ending = new AbortController();
    onAbort(build.deserted, () => isNeeded() && ending.abort(build.deserted.reason));
    return ending.signal;
  };

  /**
   * Looks up a sidecar in the slot and builds it if it is missing, for this read and all simultaneous ones.
   */
  const begin = async (
    master: Master,
    header: ImageHeader,
    key: SidecarKey,
    way: Exclude<SidecarWay, "none">,
    signal: AbortSignal,
  ): Promise<FoundSidecar> => {
    const asking = origin.get(key.name, key.variant);
    const build = createBuild(asking);
    build.hold(signal);
    lives.apply(key.id, { is: "sought", build });
    const end = (event: SidecarEvent, how: BuildEnd = { is: "over" }) => {
      const state = lives.apply(key.id, event);
      build.end(how);
      return state;
    };
    const onObtained = (entry: Uint8Array, sidecar?: Sidecar) =>
      end({ is: "obtained", sidecar: atRest(key, entry, sidecar) });
    /** Returns the sidecar in the state after a build. */
    const afterBuild = (state: SidecarState) => (state.is === "building" ? alone(key) : toFound(key, state));

    /** Stores an early sidecar as a whole one, since the job failed to make the rest. */
    const settleFor = (entry: Uint8Array, blocks: Sidecar["blocks"]) => {
      if (idOf(key) === key.id) origin.put(key.name, key.variant, entry);
      onObtained(entry, { entry, ...(blocks && { blocks }) });
    };

    const stored = await asking;
    if (stored) return afterBuild(onObtained(stored));
    const pass = () =>
      new Promise<FoundSidecar>((resolve, reject) => {
        let early: Sidecar | undefined;
        // In place a job ends with its request, so that the whole sidecar would never be stored.
        const onEarly = inPlace
          ? undefined
          : (sidecar: Sidecar) => {
              early = sidecar;
              resolve(afterBuild(end({ is: "obtained", sidecar })));
            };
        const ended = jobs
          .build(master, header, key, { signal: endOfPass(master, build, signal, () => !early), onEarly })
          .then((sidecar) => {
            const refused = () => end(refusedFor(unavailableMs));
            resolve(afterBuild(sidecar ? onObtained(sidecar.entry, sidecar) : refused()));
          })
          .catch((error: unknown) => {
            if (early?.entry) settleFor(early.entry, early.blocks);
            else end(isLate(error) ? refusedFor(lateMs) : { is: "abandoned" }, endOf(error));
            reject(error);
          })
          .finally(() => passes.get(key.id) === ended && passes.delete(key.id));
        passes.set(key.id, ended);
      });
    const passLater = () => void pass().catch(() => {});
    const passAfterRender = (failed: unknown) => {
      if (failed instanceof ServiceError && failed.kind === "source")
        end({ is: "abandoned" }, { is: "render failed", error: failed });
      else passLater();
    };
    if (way === "wait") return unlessAborted(pass(), signal);
    if (way === "begin") return inPlace ? pass().catch(() => alone(key)) : alone(key, passAfterRender);
    if (way === "reuse" || inPlace || putOff >= mostPutOff) {
      end({ is: "abandoned" });
      return alone(key);
    }
    return alone(key, () => void calm(build).then(passLater));
  };

  /**
   * Waits for a build that another read began. Returns undefined if it has ended, so that the state has to be
   * read again.
   */
  const join = async (
    build: Build,
    key: SidecarKey,
    way: Exclude<SidecarWay, "none" | "alone">,
    signal: AbortSignal,
  ): Promise<FoundSidecar | undefined> => {
    if (way === "apart" || way === "reuse") {
      await unlessAborted(build.asked, signal);
      if (lives.of(key.id).is === "building") return alone(key);
    } else {
      build.hurry();
      build.hold(signal);
    }
    const end = await unlessAborted(build.ended, signal);
    if (end.is === "over" || end.is === "cancelled") return undefined;
    if (way === "wait" || end.is === "render failed") throw end.error;
    // The read continues on its own: otherwise all waiting requests would wait for the source again, in turn.
    return end.is === "source failed" ? alone(key) : undefined;
  };

  return {
    async of(master, read, { signal }) {
      const way = jobs.wayOf(master, read);
      if (way === "none") return undefined;
      const key = await keyOf(master);
      if (way === "alone") return alone(key);
      for (;;) {
        const state = lives.of(key.id);
        if (state.is === "absent") return begin(master, read.header, key, way, signal);
        if (state.is !== "building") return toFound(key, state);
        const joined = await join(state.build, key, way, signal);
        if (joined) return joined;
      }
    },
    waits: (master, read) => jobs.wayOf(master, read) === "wait",
    async state(master, header) {
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      // At full size some files are as good as their sidecars.
      const way = jobs.wayOf(master, { header, page: master.page, region, scaleFactor: 2 });
      if (way === "none") return undefined;
      if (way === "alone") return { state: "unavailable" };
      const key = await keyOf(master);
      const known = lives.of(key.id);
      if (known.is === "building") return { state: "building" };
      if (known.is === "unavailable") return { state: "unavailable", until: known.until };
      const entry =
        known.is === "complete" ? await entryOf(key, known.sidecar) : await origin.get(key.name, key.variant);
      return entry ? reportOf(entry) : { state: "absent" };
    },
    purge: generations.renew,
    building: () => passes.size,
    async whenSettled(master) {
      const { id } = await keyOf(master);
      const state = lives.of(id);
      if (state.is === "building") {
        state.build.hurry();
        await state.build.ended;
      }
      await passes.get(id);
    },
    async idle() {
      const builds = lives.builds();
      for (const { hurry } of builds) hurry();
      await Promise.all(builds.map(({ ended }) => ended));
      await Promise.all(passes.values());
      await Promise.all(removals);
    },
  };
}
