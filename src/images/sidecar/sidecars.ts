// The sidecars of masters: all that is derived from a master so that reads of its regions are cheap. One is taken from memory, else
// from the origin slot, else the pool builds it once for all who wait.

import { ServiceError } from "../../errors.ts";
import type { SidecarAccess, SidecarWay } from "../../imaging/codecs/codec.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { ReadRequest } from "../../imaging/codecs/plan.ts";
import { createLru } from "../../imaging/lib/lru.ts";
import { createGenerations } from "../../lib/caching/generations.ts";
import { unlessAborted } from "../../lib/concurrency/bounded-wait.ts";
import { sidecarKey } from "../cache-keys.ts";
import type { Master } from "../describe.ts";
import { type Build, type BuildEnd, createBuild, endOf } from "./build.ts";
import { createSidecarJobs, inMemoryBytes, type SidecarJobParts, type SidecarKey } from "./jobs.ts";
import { createSidecarLives, type Sidecar, type SidecarEvent, type SidecarState } from "./life.ts";
import { reportOf, type SidecarReport } from "./report.ts";

export interface SidecarParts extends SidecarJobParts {
  /** Jobs run in place, where nothing goes on after the request that began it: a sidecar is made as a whole, and first. */
  readonly inPlace: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a render meets. */
export interface FoundSidecar {
  /** "absent" and "unavailable": the job makes what it needs by itself. */
  readonly state: Exclude<SidecarState["is"], "building">;
  readonly access: SidecarAccess;
  /**
   * To be called when the render has ended: makes what is left of a sidecar that was absent, for all who wait for it. `failed`: with
   * what the render failed.
   */
  readonly finish?: (failed?: unknown) => void;
}

export interface Sidecars {
  /**
   * The sidecar for a read; undefined where the read has no use for one. The pixels do not depend on it: where there is none
   * yet, or none can be kept, the job makes what it needs by itself. One pass makes the sidecar, whoever asks meanwhile; the codec's
   * `sidecar.way` says who waits for it. Throws `cancelled`, `source` where the render did that was to begin it, and to those who can
   * only wait what the pass threw, but for a file that is damaged or refused.
   */
  of(
    master: Master,
    read: ReadRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<FoundSidecar | undefined>;
  /** What is known of a sidecar, here or in the slot; nothing is begun. undefined: files of this kind have none. */
  state(master: Master, header: ImageHeader): Promise<SidecarReport | undefined>;
  /**
   * Sidecars that were found or begun until now are not used or kept any more: those of one master (as `masterName` names it), or
   * all. The caller empties the slot.
   */
  purge(master?: string): void;
  /** Resolves when the sidecar of this master is not being made; how that ends is for `state` to say. */
  settled(master: Master): Promise<void>;
  /** Resolves when no sidecar is being made or removed. */
  idle(): Promise<void>;
}

/** For how long a file of which nothing can be kept is not tried again. */
const unavailableMs = 3_600_000;
/** How long what a slot has lost again is not made again: it may be one that does not keep it. */
const renewalMs = 60_000;
/** For this many masters it is known that theirs was made again. */
const mostRenewed = 1024;

/** Passes that nobody needs yet may put off their begin; of more than so many images none is made before it is needed. */
const mostPutOff = 32;
const pauseMs = 100;

const nothing = async () => new Uint8Array();

/** Sidecars over the origin slot. */
export function createSidecars({ inPlace, now = Date.now, ...parts }: SidecarParts): Sidecars {
  const { origin, admission } = parts;
  const lives = createSidecarLives(inMemoryBytes, now);
  const generations = createGenerations();
  const idOf = ({ name, variant }: Pick<SidecarKey, "name" | "variant">) =>
    `${generations.of(name)} ${variant}`;
  const keyOf = async (master: Master): Promise<SidecarKey> => {
    const key = await sidecarKey(master);
    return { ...key, id: idOf(key) };
  };
  const jobs = createSidecarJobs(parts, (key) => idOf(key) === key.id);

  /** Entries that are being removed. */
  const removals = new Set<Promise<void>>();
  /** Until when the sidecar of a master is not removed again. */
  const renewed = createLru<string, number>(mostRenewed);
  let putOff = 0;

  /** Resolves when no job runs or waits, or when somebody cannot go on without the build. */
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

  /** Removes what turned out to be lost in part, so that the next read has it made again. A store that cannot delete keeps it. */
  const lose = (key: SidecarKey): void => {
    if ((renewed.get(key.id) ?? Number.NEGATIVE_INFINITY) > now()) return;
    renewed.set(key.id, now() + renewalMs, 1);
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

  const found = (key: SidecarKey, state: Exclude<SidecarState, { is: "building" }>): FoundSidecar => {
    if (state.is !== "complete") return alone(key, undefined, state.is);
    const { entry, blocks } = state.sidecar;
    const access: SidecarAccess = {
      id: key.id,
      load: async () => entry,
      blocks: jobs.blocksOf(key, blocks),
      reportLoss: () => lose(key),
    };
    return { state: state.is, access };
  };

  /**
   * What ends a pass early. In place a pass takes the one thread there is: it ends with its client, and who waits for it begins again.
   * One over a remote master is dropped with the last who waits; one over a file goes on for those who come later.
   */
  const endOfPass = ({ image }: Master, build: Build, client: AbortSignal): AbortSignal | undefined => {
    if (inPlace) return client;
    return image.remote ? build.deserted : undefined;
  };

  /** Looks into the slot and makes the sidecar where it is not there, for this read and all that come meanwhile. */
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
    const obtained = (sidecar: Sidecar) => end({ is: "obtained", sidecar });
    /** What an ended build leaves behind. */
    const left = (state: SidecarState) => (state.is === "building" ? alone(key) : found(key, state));

    const stored = await asking;
    if (stored) return left(obtained({ entry: stored }));
    const pass = async () => {
      try {
        const sidecar = await jobs.build(master, header, key, endOfPass(master, build, signal));
        return left(sidecar ? obtained(sidecar) : end({ is: "refused", until: now() + unavailableMs }));
      } catch (error) {
        end({ is: "abandoned" }, endOf(error));
        throw error;
      }
    };
    const passLater = () => void pass().catch(() => {});
    const passAfterRender = (failed: unknown) => {
      if (failed instanceof ServiceError && failed.kind === "source")
        end({ is: "abandoned" }, { is: "render failed", error: failed });
      else passLater();
    };
    if (way === "wait") return unlessAborted(pass(), signal);
    if (way === "begin") return inPlace ? pass().catch(() => alone(key)) : alone(key, passAfterRender);
    if (inPlace || putOff >= mostPutOff) {
      end({ is: "abandoned" });
      return alone(key);
    }
    return alone(key, () => void calm(build).then(passLater));
  };

  /** Waits for a build that another read began; undefined: it has ended, so that its sidecar is to be looked for again. */
  const join = async (
    build: Build,
    key: SidecarKey,
    way: Exclude<SidecarWay, "none" | "alone">,
    signal: AbortSignal,
  ): Promise<FoundSidecar | undefined> => {
    if (way === "apart") {
      await unlessAborted(build.asked, signal);
      if (lives.of(key.id).is === "building") return alone(key);
    } else {
      build.hurry();
      build.hold(signal);
    }
    const end = await unlessAborted(build.ended, signal);
    if (end.is === "over" || end.is === "cancelled") return undefined;
    if (way === "wait" || end.is === "render failed") throw end.error;
    // Else all who wait would wait for the source once more, one after the other.
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
        if (state.is !== "building") return found(key, state);
        const joined = await join(state.build, key, way, signal);
        if (joined) return joined;
      }
    },
    async state(master, header) {
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      const way = jobs.wayOf(master, { header, page: master.page, region, scaleFactor: 1 });
      if (way === "none") return undefined;
      if (way === "alone") return { state: "unavailable" };
      const key = await keyOf(master);
      const known = lives.of(key.id);
      if (known.is === "building") return { state: "building" };
      if (known.is === "unavailable") return { state: "unavailable", until: known.until };
      if (known.is === "complete") return reportOf(known.sidecar.entry);
      const entry = await origin.get(key.name, key.variant);
      return entry ? reportOf(entry) : { state: "absent" };
    },
    purge: generations.renew,
    async settled(master) {
      const state = lives.of((await keyOf(master)).id);
      if (state.is !== "building") return;
      state.build.hurry();
      await state.build.ended;
    },
    async idle() {
      const builds = lives.builds();
      for (const { hurry } of builds) hurry();
      await Promise.all(builds.map(({ ended }) => ended));
      await Promise.all(removals);
    },
  };
}
