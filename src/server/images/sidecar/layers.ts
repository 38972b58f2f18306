// Layers of sidecars in this process: their keys, their lives, and the steps from one state to the next.

import { createGenerations, createLru, ServiceError } from "../../../base/index.ts";
import type { ImageHeader, SidecarAccess, SidecarLayer } from "../../../imaging/index.ts";
import { sidecarKey } from "../cache-keys.ts";
import type { Master } from "../describe.ts";
import { type Build, type BuildEnd, createBuild, endOf } from "./build.ts";
import { createCachedEntries } from "./entries.ts";
import {
  type BuildOptions,
  type BuiltSidecar,
  createSidecarJobs,
  minCacheBytes,
  type SidecarJobParts,
  type SidecarKey,
} from "./jobs.ts";
import { createSidecarLives, type SidecarEvent, type SidecarState } from "./life.ts";

/** State and access of a layer for a render. */
export interface FoundSidecar {
  /** "absent" and "unavailable": the job makes the parts that it needs. */
  readonly state: Exclude<SidecarState["is"], "building">;
  readonly access: SidecarAccess;
  /**
   * Must be called when the render has ended; it completes a layer that was absent, for all waiting requests.
   * `failed`: error of the render.
   */
  readonly finish?: (failed?: unknown) => void;
}

/** A layer that was looked up: `stored` is its entry if the slot has it. */
export interface SoughtLayer {
  readonly key: SidecarKey;
  readonly build: Build;
  readonly stored: Promise<Uint8Array | undefined>;
}

/** Milliseconds until a new attempt for a file that can have no layer. */
const unavailableMs = 3_600_000;
/** Milliseconds until a new attempt for a file whose pass took longer than a job may. */
const lateMs = 600_000;
/**
 * Milliseconds within which a layer with a lost part is removed at most once: the slot may be unable to store
 * it.
 */
const renewalMs = 60_000;
/** Number of layers whose latest removal is remembered. */
const maxRenewed = 1024;

const nothing = async () => new Uint8Array();

const isLate = (error: unknown) => error instanceof ServiceError && error.code === "render_timeout";

/** Returns access for a read that does without a layer. */
export const withoutLayer = (key: SidecarKey, state: "absent" | "unavailable" = "absent"): FoundSidecar => ({
  state,
  access: { id: key.id, absent: true, load: nothing },
});

export type Layers = ReturnType<typeof createLayers>;

/** Creates the layers over the origin slot. `now`: the time in milliseconds since 1970. */
export function createLayers(parts: SidecarJobParts, now: () => number) {
  const { origin, cacheBytes = minCacheBytes } = parts;
  const lives = createSidecarLives(cacheBytes, now);
  const entries = createCachedEntries(origin, cacheBytes);
  const generations = createGenerations();
  const idOf = ({ name, variant }: Pick<SidecarKey, "name" | "variant">) =>
    `${generations.of(name)} ${variant}`;
  const isCurrent = (key: SidecarKey) => idOf(key) === key.id;
  const jobs = createSidecarJobs(parts, isCurrent);
  /** Passes that run, by the id of their layer. */
  const passes = new Map<string, Promise<unknown>>();
  /** Removals of entries in progress. */
  const removals = new Set<Promise<void>>();
  /** Time before which a layer is not removed again. */
  const renewed = createLru<string, number>(maxRenewed);

  /**
   * Removes a layer of which a part is lost, so that the next read builds it again. A store that cannot
   * delete keeps the entry.
   */
  const lose = (key: SidecarKey): void => {
    if ((renewed.get(key.id) ?? Number.NEGATIVE_INFINITY) > now()) return;
    renewed.set(key.id, now() + renewalMs, 1);
    entries.forget(key);
    const removal = origin
      .delete(key.name, key.variant)
      .catch(() => {})
      .then(() => {
        lives.apply(key.id, { is: "lost" });
        removals.delete(removal);
      });
    removals.add(removal);
  };

  const toFound = (key: SidecarKey, state: Exclude<SidecarState, { is: "building" }>): FoundSidecar => {
    if (state.is !== "complete") return withoutLayer(key, state.is);
    const { sidecar } = state;
    let isMissing = false;
    const access: SidecarAccess = {
      id: key.id,
      async load(lean) {
        const entry = await entries.load(key, sidecar, lean === true);
        isMissing ||= entry === undefined;
        return entry ?? new Uint8Array();
      },
      blocks: jobs.blocksOf(key, sidecar.blocks),
      // An entry that the slot does not return now may be there again: it is forgotten, and not removed.
      reportLoss: () => {
        if (isMissing) lives.apply(key.id, { is: "lost" });
        else lose(key);
      },
    };
    return { state: state.is, access };
  };

  /** Ends a build, and returns the layer in the state after it. */
  const end = (
    { key, build }: Pick<SoughtLayer, "key" | "build">,
    event: SidecarEvent,
    how: BuildEnd = { is: "over" },
  ): FoundSidecar => {
    const state = lives.apply(key.id, event);
    build.end(how);
    return state.is === "building" ? withoutLayer(key) : toFound(key, state);
  };
  const obtainedEvent = (key: SidecarKey, entry: Uint8Array, sidecar?: BuiltSidecar): SidecarEvent => ({
    is: "obtained",
    sidecar: entries.atRest(key, entry, sidecar),
  });
  const refusedEvent = (ms: number): SidecarEvent => ({ is: "refused", until: now() + ms });

  return {
    jobs,
    lives,
    passes,
    isCurrent,
    toFound,
    async keyOf(master: Master, layer: SidecarLayer): Promise<SidecarKey> {
      const key = await sidecarKey(master, layer);
      return { ...key, layer, id: idOf(key) };
    },
    /** Looks up a layer in the slot; it counts as being built until one of the functions below ends that. */
    seek(key: SidecarKey, signal: AbortSignal): SoughtLayer {
      const stored = origin.get(key.name, key.variant);
      const build = createBuild();
      build.hold(signal);
      lives.apply(key.id, { is: "sought", build });
      return { key, build, stored };
    },
    /** Uses the entry that the slot has. */
    use: (sought: SoughtLayer, entry: Uint8Array) => end(sought, obtainedEvent(sought.key, entry)),
    /** Leaves the layer unmade. */
    abandon: (sought: SoughtLayer, how?: BuildEnd) => end(sought, { is: "abandoned" }, how),
    /** Stores and uses what a read has made. */
    take(sought: SoughtLayer, sidecar: BuiltSidecar): void {
      const { key } = sought;
      if (isCurrent(key)) origin.put(key.name, key.variant, sidecar.entry);
      end(sought, obtainedEvent(key, sidecar.entry, sidecar));
    },
    /** Builds the layer. Throws the error of the pass; with `again`, a cancelled one may be repeated. */
    async pass(
      sought: SoughtLayer,
      { master, header }: { readonly master: Master; readonly header: ImageHeader },
      options: BuildOptions & { readonly again?: boolean },
    ): Promise<FoundSidecar> {
      const { key } = sought;
      const running = jobs.build(master, header, key, options);
      passes.set(key.id, running);
      try {
        const built = await running;
        return end(sought, built ? obtainedEvent(key, built.entry, built) : refusedEvent(unavailableMs));
      } catch (error) {
        if (options.again && options.signal?.aborted) throw error;
        end(sought, isLate(error) ? refusedEvent(lateMs) : { is: "abandoned" }, endOf(error));
        throw error;
      } finally {
        if (passes.get(key.id) === running) passes.delete(key.id);
      }
    },
    /** Returns the entry of a layer if it is complete in this process, or else in the slot. */
    async entryOf(key: SidecarKey): Promise<Uint8Array | undefined> {
      const state = lives.stateOf(key.id);
      if (state.is === "complete") return entries.load(key, state.sidecar, false);
      return state.is === "absent" ? origin.get(key.name, key.variant) : undefined;
    },
    purge: generations.renew,
    /** Resolves when no layer is being built or removed. */
    async idle() {
      await Promise.all(lives.builds().map(({ ended }) => ended));
      await Promise.allSettled(passes.values());
      await Promise.all(removals);
    },
  };
}
