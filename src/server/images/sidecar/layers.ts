// Layers of sidecars in this process: their keys, their lives, and the steps from one state to the next.

import { createGenerations, createLru, ServiceError } from "../../../base/index.ts";
import type { ImageHeader, SidecarAccess, SidecarLayer } from "../../../imaging/index.ts";
import { sidecarKey } from "../cache-keys.ts";
import { type Master, waitTogether } from "../describe.ts";
import { type Build, type BuildEnd, createBuild, endOf } from "./build.ts";
import { createCachedEntries } from "./entries.ts";
import {
  type BuildOptions,
  type BuiltSidecar,
  createSidecarJobs,
  minCacheBytes,
  type SidecarJobParts,
  type SidecarJobs,
  type SidecarKey,
} from "./jobs.ts";
import { createSidecarLives, type SidecarEvent, type SidecarLives, type SidecarState } from "./life.ts";

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

/** The layers over the origin slot. `now`: the time in milliseconds since 1970. */
export class Layers {
  readonly lives: SidecarLives;
  readonly jobs: SidecarJobs;
  /** Passes that run, by the id of their layer. */
  readonly passes = new Map<string, Promise<unknown>>();
  readonly #origin: SidecarJobParts["origin"];
  readonly #admission: SidecarJobParts["admission"];
  readonly #now: () => number;
  readonly #entries: ReturnType<typeof createCachedEntries>;
  readonly #generations = createGenerations();
  /** Removals of entries in progress. */
  readonly #removals = new Set<Promise<void>>();
  /** Time before which a layer is not removed again. */
  readonly #renewed = createLru<string, number>(maxRenewed);

  constructor(parts: SidecarJobParts, now: () => number) {
    const { origin, cacheBytes = minCacheBytes } = parts;
    this.#origin = origin;
    this.#admission = parts.admission;
    this.#now = now;
    this.lives = createSidecarLives(cacheBytes, now);
    this.#entries = createCachedEntries(origin, cacheBytes);
    this.jobs = createSidecarJobs(parts, (key) => this.isCurrent(key));
  }

  isCurrent(key: SidecarKey): boolean {
    return this.#idOf(key) === key.id;
  }

  toFound(key: SidecarKey, state: Exclude<SidecarState, { is: "building" }>): FoundSidecar {
    if (state.is !== "complete") return withoutLayer(key, state.is);
    const { sidecar } = state;
    let isMissing = false;
    const access: SidecarAccess = {
      id: key.id,
      load: async (lean) => {
        const entry = await this.#entries.load(key, sidecar, lean === true);
        isMissing ||= entry === undefined;
        return entry ?? new Uint8Array();
      },
      blocks: this.jobs.blocksOf(key, sidecar.blocks),
      // An entry that the slot does not return now may be there again: it is forgotten, and not removed.
      reportLoss: () => {
        if (isMissing) this.lives.apply(key.id, { is: "lost" });
        else this.#lose(key);
      },
    };
    return { state: state.is, access };
  }

  async keyOf(master: Master, layer: SidecarLayer): Promise<SidecarKey> {
    const key = await sidecarKey(master, layer);
    return { ...key, layer, id: this.#idOf(key) };
  }

  /** Looks up a layer in the slot; it counts as being built until one of the functions below ends that. */
  seek(key: SidecarKey, signal: AbortSignal): SoughtLayer {
    const stored = this.#origin.get(key.name, key.variant);
    const build = createBuild();
    build.hold(signal);
    this.lives.apply(key.id, { is: "sought", build });
    return { key, build, stored };
  }

  /** Uses the entry that the slot has. */
  use(sought: SoughtLayer, entry: Uint8Array): FoundSidecar {
    return this.#end(sought, this.#obtainedEvent(sought.key, entry));
  }

  /** Leaves the layer unmade. */
  abandon(sought: SoughtLayer, how?: BuildEnd): FoundSidecar {
    return this.#end(sought, { is: "abandoned" }, how);
  }

  /** Stores and uses what a read has made. */
  take(sought: SoughtLayer, sidecar: BuiltSidecar): void {
    const { key } = sought;
    if (this.isCurrent(key)) this.#origin.put(key.name, key.variant, sidecar.entry);
    this.#end(sought, this.#obtainedEvent(key, sidecar.entry, sidecar));
  }

  /** Builds the layer. Throws the error of the pass; with `again`, a cancelled one may be repeated. */
  async pass(
    sought: SoughtLayer,
    { master, header }: { readonly master: Master; readonly header: ImageHeader },
    options: BuildOptions & { readonly again?: boolean },
  ): Promise<FoundSidecar> {
    const { key } = sought;
    const running = waitTogether(this.#admission, key.id, master, (own) =>
      this.jobs.build(own, header, key, options),
    );
    this.passes.set(key.id, running);
    try {
      const built = await running;
      return this.#end(
        sought,
        built ? this.#obtainedEvent(key, built.entry, built) : this.#refusedEvent(unavailableMs),
      );
    } catch (error) {
      if (options.again && options.signal?.aborted) throw error;
      this.#end(sought, isLate(error) ? this.#refusedEvent(lateMs) : { is: "abandoned" }, endOf(error));
      throw error;
    } finally {
      if (this.passes.get(key.id) === running) this.passes.delete(key.id);
    }
  }

  /** Returns the entry of a layer if it is complete in this process, or else in the slot. */
  async entryOf(key: SidecarKey): Promise<Uint8Array | undefined> {
    const state = this.lives.stateOf(key.id);
    if (state.is === "complete") return this.#entries.load(key, state.sidecar, false);
    return state.is === "absent" ? this.#origin.get(key.name, key.variant) : undefined;
  }

  purge(name?: string): void {
    this.#generations.renew(name);
  }

  /** Resolves when no layer is being built or removed. */
  async idle(): Promise<void> {
    await Promise.all(this.lives.builds().map(({ ended }) => ended));
    await Promise.allSettled(this.passes.values());
    await Promise.all(this.#removals);
  }

  #idOf({ name, variant }: Pick<SidecarKey, "name" | "variant">) {
    return `${this.#generations.of(name)} ${variant}`;
  }

  /**
   * Removes a layer of which a part is lost, so that the next read builds it again. A store that cannot
   * delete keeps the entry.
   */
  #lose(key: SidecarKey): void {
    if ((this.#renewed.get(key.id) ?? Number.NEGATIVE_INFINITY) > this.#now()) return;
    this.#renewed.set(key.id, this.#now() + renewalMs, 1);
    this.#entries.forget(key);
    const removal = this.#origin
      .delete(key.name, key.variant)
      .catch(() => {})
      .then(() => {
        this.lives.apply(key.id, { is: "lost" });
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
  }

  /** Ends a build, and returns the layer in the state after it. */
  #end(
    { key, build }: Pick<SoughtLayer, "key" | "build">,
    event: SidecarEvent,
    how: BuildEnd = { is: "over" },
  ): FoundSidecar {
    const state = this.lives.apply(key.id, event);
    build.end(how);
    return state.is === "building" ? withoutLayer(key) : this.toFound(key, state);
  }

  #obtainedEvent(key: SidecarKey, entry: Uint8Array, sidecar?: BuiltSidecar): SidecarEvent {
    return {
      is: "obtained",
      sidecar: this.#entries.atRest(key, entry, sidecar),
    };
  }

  #refusedEvent(ms: number): SidecarEvent {
    return { is: "refused", until: this.#now() + ms };
  }
}
