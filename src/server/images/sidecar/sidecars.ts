// Sidecars of masters: all data derived from a master so that reads of its regions are cheap, in layers. A
// layer is taken from memory, or else from the origin slot, or else made once for all waiting requests.

import { ServiceError, unlessAborted } from "../../../base/index.ts";
import type {
  ImageHeader,
  ReadRequest,
  SidecarAccess,
  SidecarLayer,
  SidecarUse,
} from "../../../imaging/index.ts";
import { tileLayers } from "../admission/cost.ts";
import { type Master, waitTogether } from "../describe.ts";
import type { Build } from "./build.ts";
import { createIdleLane, type IdleLane } from "./idle-lane.ts";
import type { SidecarJobParts, SidecarKey } from "./jobs.ts";
import { type FoundSidecar, Layers, type SoughtLayer, withoutLayer } from "./layers.ts";
import { reportOf, type SidecarReport } from "./report.ts";
import { createZooms, type Zooms } from "./zooms.ts";

export type { FoundSidecar } from "./layers.ts";

export interface SidecarParts extends SidecarJobParts {
  /**
   * True if jobs run in place, so that nothing continues after its request: what all reads of an image need
   * is then made before the render.
   */
  readonly inPlace: boolean;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Sidecars {
  /**
   * Returns the layer for a read; undefined if the read has no use for one. Pixels do not depend on it:
   * without a layer, the job makes the parts that it needs. One pass makes a layer for all simultaneous
   * requests; the codec's `sidecar.use` determines which of them wait for it. A level that makes reads like
   * this cheaper is built when the second of them comes, while no request needs a permit. Throws
   * `cancelled`. Throws `source` if the render that was to begin the layer did. Throws the error of the pass
   * to requests that would have to do the same work, unless the file is damaged or unsupported; for ten
   * minutes after a pass that exceeded its time limit, reads do without.
   */
  find(
    master: Master,
    read: ReadRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<FoundSidecar | undefined>;
  /** True if a read waits until its layer is built. */
  waits(master: Master, read: ReadRequest): boolean;
  /**
   * Builds all layers that a master may have, also those that reads would have made when somebody zooms in.
   * Returns "found" if all are there, "refused" if this file can have none, undefined if files of its kind
   * have none or they cannot be stored. Throws `cancelled`, and the errors of passes.
   */
  buildAll(
    master: Master,
    header: ImageHeader,
    signal: AbortSignal,
  ): Promise<"made" | "found" | "refused" | undefined>;
  /**
   * Returns the state of what tiles of full size need, in this process or in the slot, without building it;
   * undefined if files of this kind have no sidecar. A complete one is reported with all its layers.
   */
  state(master: Master, header: ImageHeader): Promise<SidecarReport | undefined>;
  /**
   * Stops the use of all sidecars found or begun so far: of one master (named as by `masterName`), or of all.
   * The caller empties the slot.
   */
  purge(master?: string): void;
  /** Resolves when no layer of this master is being built; `state` returns the result. */
  whenSettled(master: Master, header: ImageHeader): Promise<void>;
  /** Returns the number of layers that are being built. */
  building(): number;
  /** Resolves when no layer is being built or removed. */
  idle(): Promise<void>;
}

/** A read of a master that needs a layer: any of `keys`, the first of which is made if there is none. */
interface Seeker {
  readonly master: Master;
  readonly header: ImageHeader;
  readonly keys: readonly [SidecarKey, ...SidecarKey[]];
  readonly way: SidecarUse["way"];
  readonly signal: AbortSignal;
}

/** Lets a read do without a layer whose pass failed, unless its client has left. */
const unlessCancelled = (key: SidecarKey) => (error: unknown) => {
  if (error instanceof ServiceError && error.kind === "cancelled") throw error;
  return withoutLayer(key);
};

/** Creates the sidecars over the origin slot. */
export function createSidecars(parts: SidecarParts): Sidecars {
  return new SlotSidecars(parts);
}

class SlotSidecars implements Sidecars {
  readonly #inPlace: boolean;
  readonly #layers: Layers;
  readonly #jobs: Layers["jobs"];
  readonly #lives: Layers["lives"];
  readonly #zooms: Zooms;
  readonly #lane: IdleLane;
  readonly #admission: SidecarParts["admission"];

  constructor({ inPlace, now = Date.now, ...parts }: SidecarParts) {
    this.#inPlace = inPlace;
    this.#layers = new Layers(parts, now);
    this.#jobs = this.#layers.jobs;
    this.#lives = this.#layers.lives;
    this.#zooms = createZooms(now);
    this.#admission = parts.admission;
    this.#lane = createIdleLane(() => parts.admission.status(), now);
  }

  async find(
    master: Master,
    read: ReadRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<FoundSidecar | undefined> {
    const use = this.#jobs.useOf(master, read);
    if (!use) return undefined;
    const [first, ...others] = use.layers;
    const key = await this.#layers.keyOf(master, first);
    if (use.alone) return withoutLayer(key);
    const { header } = read;
    const keys = [
      key,
      ...(await Promise.all(others.map((layer) => this.#layers.keyOf(master, layer)))),
    ] as const;
    const found = await this.#find({ master, header, keys, way: use.way, signal });
    if (!use.faster || found.state !== "complete") return found;
    const faster = await this.#fasterOf({ master, header, signal }, use.faster, found.access);
    return faster ? { ...found, access: { ...found.access, faster } } : found;
  }

  waits(master: Master, read: ReadRequest): boolean {
    const use = this.#jobs.useOf(master, read);
    return use?.way === "wait" && !use.alone;
  }

  async buildAll(
    master: Master,
    header: ImageHeader,
    signal: AbortSignal,
  ): Promise<"made" | "found" | "refused" | undefined> {
    const keys = await this.#keysOf(master, header);
    let ground: SidecarAccess | undefined;
    let isNew = false;
    for (const key of keys) {
      const level = key.layer === "level4" || key.layer === "level2";
      const found = await this.#ensure({ master, header, signal }, key, level ? ground : undefined);
      if (found.state === "unavailable" && !level) return "refused";
      if (key.layer === "ground") ground = found.access;
      isNew ||= found.isNew;
    }
    return keys.length === 0 ? undefined : isNew ? "made" : "found";
  }

  async state(master: Master, header: ImageHeader): Promise<SidecarReport | undefined> {
    const keys = await this.#keysOf(master, header);
    const forTiles = keys.filter(({ layer }) => tileLayers.has(layer));
    if (forTiles.length === 0)
      return this.#jobs.mayHave(master, header) ? { state: "unavailable" } : undefined;
    const entries = await Promise.all(keys.map((key) => this.#layers.entryOf(key)));
    if (keys.some((key, i) => entries[i] && forTiles.includes(key)))
      return reportOf(entries.filter((entry) => entry !== undefined));
    const states = forTiles.map(({ id }) => this.#lives.stateOf(id));
    if (states.some(({ is }) => is === "building")) return { state: "building" };
    const refused = states.find((state) => state.is === "unavailable");
    return refused ? { state: "unavailable", until: refused.until } : { state: "absent" };
  }

  purge(master?: string): void {
    this.#layers.purge(master);
  }

  building(): number {
    return this.#layers.passes.size;
  }

  async whenSettled(master: Master, header: ImageHeader): Promise<void> {
    const keys = await this.#keysOf(master, header);
    await this.#lane.settle(keys.map(({ id }) => id));
    for (const { id } of keys) {
      const state = this.#lives.stateOf(id);
      if (state.is === "building") await state.build.ended;
      await this.#layers.passes.get(id)?.catch(() => {});
    }
  }

  async idle(): Promise<void> {
    await this.#lane.settle();
    await this.#layers.idle();
  }

  /**
   * Returns the signal that ends a pass early. In place a pass occupies the only thread, so it ends with its
   * client, and waiting requests begin again. A pass over a remote master that requests wait for ends with
   * the last of them; one over a file continues for later requests.
   */
  #endOfPass({ image }: Master, build: Build, client: AbortSignal): AbortSignal | undefined {
    if (this.#inPlace) return client;
    return image.remote ? build.deserted : undefined;
  }

  /** Returns one of the layers that serve a read as well as the first, from memory or the slot. */
  async #findOther({ keys, signal }: Seeker): Promise<FoundSidecar | undefined> {
    for (const key of keys.slice(1)) {
      if (this.#lives.stateOf(key.id).is !== "absent") continue;
      const sought = this.#layers.seek(key, signal);
      const stored = await sought.stored;
      if (stored) return this.#layers.use(sought, stored);
      this.#layers.abandon(sought);
    }
    return undefined;
  }

  /** Returns access for a read that leaves its layer if it makes all of it; if not, `otherwise` comes. */
  #leaving(sought: SoughtLayer, otherwise: () => void): FoundSidecar {
    const { blocks, made } = this.#jobs.keepBlocks(sought.key);
    let left: Uint8Array | undefined;
    const { state, access } = withoutLayer(sought.key);
    const keepEntry = async (entry: Uint8Array) => {
      left = entry;
    };
    return {
      state,
      access: { ...access, blocks, keepEntry },
      finish: (failed) => {
        if (left) this.#layers.take(sought, { entry: left, ...(made.size > 0 && { blocks: made }) });
        else if (failed instanceof ServiceError && failed.kind === "source")
          this.#layers.abandon(sought, { is: "render failed", error: failed });
        else if (failed !== undefined) this.#layers.abandon(sought);
        else otherwise();
      },
    };
  }

  /** Looks up the layers of a read in the slot; makes the first for this read and all simultaneous ones. */
  async #begin(seeker: Seeker): Promise<FoundSidecar> {
    const { master, keys, way, signal } = seeker;
    const [key] = keys;
    const sought = this.#layers.seek(key, signal);
    const [stored, other] = await Promise.all([sought.stored, this.#findOther(seeker)]);
    if (stored) return this.#layers.use(sought, stored);
    if (other) {
      this.#layers.abandon(sought);
      return other;
    }
    // A second read waits meanwhile: the pass may then continue from what this one leaves in its worker.
    if (way === "zoom" && !this.#zooms.isSecond(key.id))
      return { ...withoutLayer(key), finish: () => void this.#layers.abandon(sought) };
    const pass = () =>
      this.#layers.pass(sought, seeker, { signal: this.#endOfPass(master, sought.build, signal) });
    if (way === "wait") return unlessAborted(pass(), signal);
    if (way === "zoom") return unlessAborted(pass(), signal).catch(unlessCancelled(key));
    if (this.#inPlace && key.layer === "ground") return pass().catch(() => withoutLayer(key));
    return this.#leaving(sought, () => {
      if (this.#inPlace) this.#layers.abandon(sought);
      else pass().catch(() => {});
    });
  }

  /**
   * Waits for a build that another read began. Returns undefined if it has ended, so that the state has to be
   * read again.
   */
  async #join(build: Build, { master, keys, way, signal }: Seeker): Promise<FoundSidecar | undefined> {
    build.hold(signal);
    const how = await waitTogether(this.#admission, keys[0].id, master, () =>
      unlessAborted(build.ended, signal),
    );
    if (how.is === "over" || how.is === "cancelled") return undefined;
    if (way === "wait" || how.is === "render failed") throw how.error;
    // The read continues on its own: otherwise all waiting requests would wait for the source again, in turn.
    return how.is === "source failed" || way === "zoom" ? withoutLayer(keys[0]) : undefined;
  }

  async #find(seeker: Seeker): Promise<FoundSidecar> {
    const [first] = seeker.keys;
    for (;;) {
      for (const key of seeker.keys) {
        const state = this.#lives.stateOf(key.id);
        if (state.is === "complete") return this.#layers.toFound(key, state);
      }
      const state = this.#lives.stateOf(first.id);
      if (state.is === "absent") return this.#begin(seeker);
      if (state.is !== "building") return this.#layers.toFound(first, state);
      const joined = await this.#join(state.build, seeker);
      if (joined) return joined;
    }
  }

  /** Builds a level over the layer that all reads need: in place immediately, else while no request waits. */
  async #buildLevel(
    sought: SoughtLayer,
    seeker: Omit<Seeker, "keys" | "way">,
    ground: SidecarAccess,
  ): Promise<void> {
    if (this.#inPlace) {
      await this.#layers.pass(sought, seeker, { signal: seeker.signal, ground }).catch(() => {});
      return;
    }
    this.#lane.add(sought.key.id, {
      run: async (signal) => void (await this.#layers.pass(sought, seeker, { signal, ground, again: true })),
      isWanted: () => this.#layers.isCurrent(sought.key),
      dropped: () => void this.#layers.abandon(sought),
    });
  }

  /** Returns a level that makes reads cheaper, if it is there; the second of these reads has it built. */
  async #fasterOf(
    seeker: Omit<Seeker, "keys" | "way">,
    layer: SidecarLayer,
    ground: SidecarAccess,
  ): Promise<SidecarAccess | undefined> {
    const key = await this.#layers.keyOf(seeker.master, layer);
    const state = this.#lives.stateOf(key.id);
    if (state.is === "complete") return this.#layers.toFound(key, state).access;
    if (state.is === "building") this.#lane.note(key.id);
    if (state.is !== "absent") return undefined;
    const sought = this.#layers.seek(key, seeker.signal);
    const stored = await sought.stored;
    if (stored) return this.#layers.use(sought, stored).access;
    if (this.#zooms.isSecond(key.id)) await this.#buildLevel(sought, seeker, ground);
    else this.#layers.abandon(sought);
    return undefined;
  }

  #keysOf(master: Master, header: ImageHeader): Promise<SidecarKey[]> {
    return Promise.all(this.#jobs.layersOf(master, header).map((layer) => this.#layers.keyOf(master, layer)));
  }

  /** Builds one layer and waits for it; returns true if it was not there. */
  async #ensure(
    { master, header, signal }: Omit<Seeker, "keys" | "way">,
    key: SidecarKey,
    ground: SidecarAccess | undefined,
  ): Promise<FoundSidecar & { readonly isNew: boolean }> {
    for (;;) {
      const state = this.#lives.stateOf(key.id);
      if (state.is === "building") {
        void this.#lane.settle([key.id]);
        await unlessAborted(state.build.ended, signal);
      } else if (state.is !== "absent") return { ...this.#layers.toFound(key, state), isNew: false };
      else {
        const sought = this.#layers.seek(key, signal);
        const stored = await sought.stored;
        if (stored) return { ...this.#layers.use(sought, stored), isNew: false };
        const pass = this.#layers.pass(sought, { master, header }, { signal, ground });
        return { ...(await unlessAborted(pass, signal)), isNew: true };
      }
    }
  }
}
