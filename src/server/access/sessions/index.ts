// Builds the sessions of the service from its options: the store, its deadlines, its sweep and its check.

import {
  bucketOf,
  type Check,
  callsOf,
  type Log,
  messageOf,
  openBucket,
  type Platform,
  parseDuration,
} from "../../../base/index.ts";
import { probeFolder } from "../../stores/filesystem/folder.ts";
import { openRedis } from "../../stores/redis/open.ts";
import type { Sessions } from "../session.ts";
import { bucketSessions } from "./bucket.ts";
import { folderMissing, folderSessions } from "./folder.ts";
import { guardedSessions, type SessionDeadlines } from "./guard.ts";
import { heapSessions } from "./heap.ts";
import type { SessionOptions } from "./options.ts";
import { redisSessions } from "./redis.ts";
import { sessionScripts } from "./redis-scripts.ts";
import { createSessions } from "./sessions.ts";
import type { SessionStore } from "./store.ts";

type Backend = SessionOptions["backend"];

export interface SessionsHost {
  readonly platform: Pick<
    Platform,
    "files" | "fileThreads" | "env" | "connectionsEndWithRequest" | "keepAlive" | "checkedGet"
  >;
  readonly log: Pick<Log, "warn">;
  /** Number of file-based stores, including this one; 1 if absent. */
  readonly folders?: number;
}

export interface BuiltSessions {
  readonly sessions: Sessions;
  /** Empty if nothing outside of the process is used. */
  readonly checks: readonly Check[];
}

/** Default deadline of a lookup in milliseconds; a change takes up to {@link writeFactor} times that. */
const usualReadMs = { filesystem: 5000, redis: 1000, "redis over REST": 2000, s3: 2000 } as const;
const writeFactor = 8;
/** Shorter than the 2 s that a check of the service has. */
const checkMs = 1800;

function deadlinesOf(options: SessionOptions): SessionDeadlines | undefined {
  const { backend } = options;
  if (backend === "heap") return undefined;
  const own = backend === "redis" ? options.redis : backend === "s3" ? options.s3 : undefined;
  const row = backend === "redis" && options.redis?.url ? "redis over REST" : backend;
  const read = own?.timeout ? parseDuration(own.timeout) : usualReadMs[row];
  return { read, write: writeFactor * read, check: checkMs };
}

/** Returns the options of the backend, which the schema requires. */
function optionsOf<T>(options: T | undefined, backend: Backend): T {
  if (options === undefined) throw new Error(`auth.session: expected ${backend}`);
  return options;
}

const builders: {
  readonly [B in Backend]: (
    options: SessionOptions,
    host: SessionsHost,
    /** Longest time for a connection or request of a driver. */
    timeoutMs: number,
  ) => SessionStore;
} = {
  heap: () => heapSessions(),
  filesystem({ path }, { platform: { files, fileThreads }, folders = 1 }) {
    if (!files)
      throw new Error("auth.session.path: this runtime has no access to files; choose another backend");
    return folderSessions({ files, path, ...(fileThreads && { calls: callsOf(fileThreads, folders) }) });
  },
  s3({ s3 }, { platform }, timeoutMs) {
    const own = optionsOf(s3, "s3");
    const bucket = openBucket({ ...bucketOf(own, platform.env, platform), timeoutMs });
    return bucketSessions({ bucket, prefix: `${own.prefix}sessions/` });
  },
  redis({ redis }, { platform }, timeoutMs) {
    const own = optionsOf(redis, "redis");
    const driver = openRedis(own, { scripts: sessionScripts, timeoutMs, platform });
    return redisSessions({ driver, prefix: `${own.prefix}sessions` });
  },
};

/**
 * Builds the sessions; `ttlMs` is their lifetime. Reads and writes nothing yet. Throws if the options name
 * something that does not exist, such as a variable.
 */
export function buildSessions(options: SessionOptions, ttlMs: number, host: SessionsHost): BuiltSessions {
  const deadlines = deadlinesOf(options);
  const bare = builders[options.backend](options, host, deadlines?.write ?? 0);
  const failed = quietly(host.log, options.backend);
  const store = deadlines ? guardedSessions(bare, deadlines, failed) : bare;
  const sweeper = createSweeper(store, parseDuration(options.ttl), host, failed);
  const sessions = createSessions({ store: sweeper.store, ttlMs });
  const close = async () => {
    sweeper.stop();
    await sessions.close();
  };
  return {
    sessions: { ...sessions, close },
    checks: options.backend === "heap" ? [] : [checkOf(options, store, host)],
  };
}

/** Logs at most one failure a minute. */
function quietly(log: Pick<Log, "warn">, backend: Backend): (error: unknown) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    const time = performance.now();
    if (time - last < 60_000) return;
    last = time;
    log.warn("the session store cannot be used; requests with a session get 503", {
      backend,
      error: messageOf(error),
    });
  };
}

/** Sweeps a store by a timer, or during its calls if timers may not outlive a request. */
function createSweeper(
  store: SessionStore,
  everyMs: number,
  { platform }: SessionsHost,
  failed: (error: unknown) => void,
): { readonly store: SessionStore; stop(): void } {
  const { sweep } = store;
  if (!sweep) return { store, stop() {} };
  let running = false;
  const run = async () => {
    if (running) return;
    running = true;
    await sweep().catch(failed);
    running = false;
  };
  if (!platform.connectionsEndWithRequest) {
    const timer = setInterval(() => void run(), everyMs);
    (timer as { unref?(): void }).unref?.();
    return { store, stop: () => clearInterval(timer) };
  }
  let last = Date.now();
  const begin: SessionStore["begin"] = (...args) => {
    if (Date.now() - last >= everyMs) {
      last = Date.now();
      const sweeping = run();
      platform.keepAlive?.(sweeping);
    }
    return store.begin(...args);
  };
  return { store: { ...store, begin }, stop() {} };
}

function checkOf(options: SessionOptions, store: SessionStore, { platform }: SessionsHost): Check {
  const { backend, path, redis, s3 } = options;
  const { files } = platform;
  const location = { heap: "", filesystem: path, s3: s3?.bucket, redis: redis?.addr || redis?.url }[backend];
  return {
    part: "sessions",
    name: backend,
    backend,
    key: `auth.session.${backend === "filesystem" ? "path" : backend}`,
    ...(location && { location }),
    neededFor: "logins",
    run: () => store.check(),
    ...(backend === "filesystem" && files && { dryRun: () => checkWritable(files, path) }),
  };
}

/** Throws if records cannot be written to a folder. Leaves nothing behind. */
async function checkWritable(files: NonNullable<Platform["files"]>, path: string): Promise<void> {
  if ((await files.stat(path))?.kind !== "directory") throw new Error(folderMissing);
  const fault = await probeFolder(files, path);
  if (fault !== undefined) throw new Error(fault);
}
