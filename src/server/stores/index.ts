// Which backend is built how, and the cache slots of the service.

import {
  bucketOf,
  callsOf,
  createCounts,
  formatDuration,
  formatSize,
  type Log,
  openBucket,
  type Platform,
  parseDuration,
  parseSize,
} from "../../base/index.ts";
import { boundOf, eachSlot, type SlotName, slotDefaults, slotNames } from "./bounds.ts";
import { type BoundedFiles, boundFiles } from "./filesystem/entry-files.ts";
import { filesystemStore } from "./filesystem/filesystem.ts";
import { type Deadlines, guardedStore } from "./guard.ts";
import { heapStore } from "./heap.ts";
import type { CacheOptions, StoreOptions } from "./options.ts";
import { openRedis } from "./redis/open.ts";
import { redisStore } from "./redis/redis.ts";
import { redisScripts } from "./redis/scripts.ts";
import { s3Store } from "./s3.ts";
import { createSlot, type Slot, type SlotCounts, slotCounts } from "./slot.ts";
import type { Store } from "./store.ts";

/** Dependencies of the backends. */
export interface StoreHost {
  /** The slot that the store is for; it separates stores that share a folder, prefix or bucket. */
  readonly use: SlotName;
  readonly platform: Pick<
    Platform,
    "files" | "fileThreads" | "env" | "memoryBytes" | "connectionsEndWithRequest" | "keepAlive" | "checkedGet"
  >;
  readonly log: Pick<Log, "warn">;
  /**
   * Returns the files of a folder, whose bounds the stores in it share: a folder hangs as a whole, and a
   * runtime has no thread for each of them.
   */
  readonly filesIn: (folder: string) => BoundedFiles | undefined;
}

type Backend = StoreOptions["backend"];
type Builders = {
  readonly [B in Backend]: (
    options: Extract<StoreOptions, { backend: B }>,
    host: StoreHost,
  ) => Store | undefined;
};

type FolderOptions = Extract<StoreOptions, { backend: "filesystem" }>;

/** Maximum size of memory that stands in for a folder. */
const standInBytes = 64 * 2 ** 20;

/** Returns the size of memory that stands in for the folder of a slot: never more than the folder. */
function standInBound(
  options: FolderOptions,
  { use, platform }: Pick<StoreHost, "use" | "platform">,
): number {
  const inMemory = boundOf(use, { backend: "heap", max_bytes: "" }, platform.memoryBytes);
  return Math.min(boundOf(use, options, platform.memoryBytes), inMemory, standInBytes);
}

/**
 * The options of a slot on a platform. Without files, a slot in the default folder is a slot in memory; a
 * folder that somebody named is missing.
 */
function optionsOn(platform: StoreHost["platform"], use: SlotName, options: StoreOptions): StoreOptions {
  if (options.backend !== "filesystem" || platform.files || options.path !== "") return options;
  return { backend: "heap", max_bytes: standInBound(options, { use, platform }), ttl: options.ttl };
}

const builders: Builders = {
  heap: (options, { use, platform }) =>
    heapStore({ maxBytes: boundOf(use, options, platform.memoryBytes), lends: slotDefaults[use].lends }),
  filesystem(options, host) {
    const { use, platform, log } = host;
    const folder = cacheFolder(options, platform.env)?.replace(/[/\\]+$/, "");
    const files = folder === undefined ? undefined : host.filesIn(folder);
    if (!files) {
      log.warn("the cache has no folder; entries are kept in memory instead. Set its path.", {
        slot: use,
        cause: platform.files ? "no home folder is known" : "this runtime has no files",
      });
      return heapStore({ maxBytes: standInBound(options, host) });
    }
    return filesystemStore({
      files,
      path: `${folder}/${use}`,
      maxBytes: boundOf(use, options, platform.memoryBytes),
    });
  },
  redis(options, { use, platform }) {
    const { prefix, max_memory } = options;
    // A connection may take longer to be made than a read may wait for it: the next read finds it.
    const timeoutMs = deadlinesOf(options, use).write;
    const driver = openRedis(options, { scripts: redisScripts, timeoutMs, platform });
    return redisStore({ driver, prefix: `${prefix}${use}`, maxBytes: parseSize(max_memory) });
  },
  s3(options, { use, platform }) {
    const timeoutMs = deadlinesOf(options, use).write;
    return s3Store({
      bucket: openBucket({ ...bucketOf(options, platform.env, platform), timeoutMs }),
      prefix: `${options.prefix}${use}/`,
    });
  },
  none: () => undefined,
};

/** Creates the store of some options, with deadlines unless it is in memory; undefined for `none`. */
export function createStore<B extends Backend>(
  options: Extract<StoreOptions, { backend: B }>,
  host: StoreHost,
): Store | undefined {
  const store = (builders[options.backend as B] as Builders[B])(options, host);
  const deadlines = deadlinesOf(options, host.use);
  // A folder that hangs repeatedly is not used: memory stands in for it.
  const circuit = options.backend === "filesystem" ? { failures: 2 } : {};
  return store && deadlines ? guardedStore(store, deadlines, circuit) : store;
}

/**
 * Returns the folder of `backend: filesystem`, in which each slot has one of its own; undefined if no default
 * is known.
 */
export function cacheFolder({ path }: { readonly path: string }, env: Platform["env"]): string | undefined {
  if (path) return path;
  // The XDG base directory specification: a relative or empty value counts as unset.
  const cache = env.XDG_CACHE_HOME?.startsWith("/") ? env.XDG_CACHE_HOME : env.HOME && `${env.HOME}/.cache`;
  return cache ? `${cache}/smalti` : undefined;
}

/** Returns the folders that slots are in. */
export const cacheFolders = (options: CacheOptions, env: Platform["env"]): ReadonlySet<string | undefined> =>
  new Set(
    Object.values(options).flatMap((slot) => (slot.backend === "filesystem" ? [cacheFolder(slot, env)] : [])),
  );

/** A slot of the service, with its description for people. */
export interface NamedSlot extends Slot {
  readonly name: SlotName;
  readonly backend: Backend;
  /** Backend and bounds in words. */
  readonly about: string;
}

export interface Slots extends Readonly<Record<SlotName, NamedSlot>> {
  readonly all: readonly NamedSlot[];
  /** Waits for pending writes. */
  close(): Promise<void>;
  /** Names of the slots that are not closed. */
  open(): readonly string[];
}

/**
 * The slots of `cache:`; `countsOf`: what each of them reports to; `folders`: folders of stores, others
 * included. Nothing is read or written yet.
 */
export function buildSlots(
  options: CacheOptions,
  platform: StoreHost["platform"],
  log: Pick<Log, "warn">,
  countsOf: (slot: string) => SlotCounts = () => createCounts(...slotCounts),
  folders = cacheFolders(options, platform.env).size,
): Slots {
  const { files, fileThreads } = platform;
  const bounded = new Map<string, BoundedFiles>();
  const filesIn: StoreHost["filesIn"] = (folder) => {
    const shared = bounded.get(folder) ?? (files && boundFiles(files, callsOf(fileThreads, folders)));
    if (shared) bounded.set(folder, shared);
    return shared;
  };
  const build = (name: SlotName): NamedSlot => {
    const one = optionsOn(platform, name, options[name]);
    const host = { use: name, platform, log, filesIn };
    const slot = createSlot({
      name,
      store: createStore(one, host),
      standIn: one.backend === "filesystem" ? heapStore({ maxBytes: standInBound(one, host) }) : undefined,
      counts: countsOf(name),
      ttl: one.backend === "none" ? 0 : parseDuration(one.ttl) / 1000,
      log,
      ...(platform.keepAlive && { keepAlive: platform.keepAlive }),
    });
    return { ...slot, name, backend: one.backend, about: describeSlot(name, one, platform) };
  };
  const slots = eachSlot(build);
  const all = slotNames.map((name) => slots[name]);
  const open = new Set(all);
  return {
    ...slots,
    all,
    close: async () => {
      await Promise.allSettled(all.map((slot) => slot.close().finally(() => open.delete(slot))));
    },
    open: () => [...open].map(({ name }) => name),
  };
}

function describeSlot(
  slot: SlotName,
  options: StoreOptions,
  { env, memoryBytes }: StoreHost["platform"],
): string {
  if (options.backend === "none") return "off";
  const bound =
    "max_bytes" in options
      ? boundOf(slot, options, memoryBytes)
      : "max_memory" in options
        ? parseSize(options.max_memory)
        : undefined;
  const size = bound === undefined ? "" : `, up to ${formatSize(bound)}`;
  const lifetime = parseDuration(options.ttl);
  const folder = options.backend === "filesystem" ? cacheFolder(options, env) : undefined;
  return `${options.backend}${folder ? ` in ${folder}` : ""}${size}${lifetime === 0 ? "" : `, kept for ${formatDuration(lifetime)}`}`;
}

/** Default deadlines of a read, and of a write, for which nobody waits. */
const usual = {
  // Each file call has a deadline of its own. A write may have to wait until all files of the folder are
  // counted.
  filesystem: { read: 5000, write: 300_000 },
  redis: { read: 250, write: 2000 },
  "redis over REST": { read: 1000, write: 8000 },
  s3: { read: 2000, write: 16_000 },
} as const;

/** Ratio of the deadline of a write to that of a read, if `timeout` sets the latter. */
const writeFactor = 8;
/** Deadline of a check: shorter than the 2 s that /ready waits. */
const checkMs = 1800;

type InMemory = Extract<StoreOptions, { backend: "heap" | "none" }>;
type Outside = Exclude<StoreOptions, InMemory>;

const isInMemory = (options: StoreOptions): options is InMemory =>
  options.backend === "heap" || options.backend === "none";

/** Returns the deadlines of a store for a slot; undefined if it is in memory. */
function deadlinesOf(options: Outside, use: SlotName): Deadlines;
function deadlinesOf(options: StoreOptions, use: SlotName): Deadlines | undefined;
function deadlinesOf(options: StoreOptions, use: SlotName): Deadlines | undefined {
  if (isInMemory(options)) return undefined;
  const row = usual[options.backend === "redis" && options.url ? "redis over REST" : options.backend];
  const timeoutMs = "timeout" in options && options.timeout ? parseDuration(options.timeout) : undefined;
  const factor = options.backend === "filesystem" ? 1 : slotDefaults[use].deadlines;
  const read = factor * (timeoutMs ?? row.read);
  const write = factor * (timeoutMs === undefined ? row.write : writeFactor * timeoutMs);
  return { read, write, purge: Math.max(30_000, write), check: checkMs };
}
