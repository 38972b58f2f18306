// Conditions of an origin slot, each with a change during the work: real stores, a real Redis, a bucket that
// refuses, and a file system whose calls fail as with a full, read-only or dead disk.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { startRedis } from "../../../servers/redis.ts";
import { startS3, testAccount } from "../../../servers/s3.ts";

/** A slot that is set up. */
export interface Condition {
  /** The slot's configuration. */
  readonly origin: string;
  readonly files?: FileSystem;
  readonly env?: Readonly<Record<string, string>>;
  /** Comes in the middle of the work, and again at its end: what turns a fault on then turns it off. */
  change?(): void | Promise<void>;
  close?(): Promise<void>;
}

const errorOf = (code: string) => Object.assign(new Error(`${code}: as the disk says`), { code });

/** A slot in files; after the change, calls with these names fail with `code`, or hang without one. */
async function faulty(names: readonly (keyof FileSystem)[], code?: string): Promise<Condition> {
  const folder = await mkdtemp(join(tmpdir(), "smalti-condition-"));
  const files = nodeFiles();
  let faulted = false;
  const guarded = new Proxy(files, {
    get(target, name: keyof FileSystem) {
      const act = target[name] as (path: string, ...rest: unknown[]) => unknown;
      if (!names.includes(name)) return act.bind(target);
      return (path: string, ...rest: unknown[]) => {
        if (!faulted || !path.startsWith(folder)) return act.call(target, path, ...rest);
        const fail = () =>
          code === undefined ? new Promise<never>(() => {}) : Promise.reject(errorOf(code));
        // A list fails when its first entry is read.
        return name === "list" ? { [Symbol.asyncIterator]: () => ({ next: fail }) } : fail();
      };
    },
  });
  return {
    origin: `{ backend: filesystem, path: ${JSON.stringify(folder)}, ttl: 0s }`,
    files: guarded,
    change: () => {
      faulted = !faulted;
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

interface RedisOptions {
  readonly args?: readonly string[];
  readonly password?: string;
  /** The password that the service sends. */
  readonly told?: string;
}

/** A slot in a Redis; `change` is what happens to it. */
async function redis(
  change: (server: Awaited<ReturnType<typeof startRedis>>) => unknown,
  { args = [], password = "", told = "" }: RedisOptions = {},
): Promise<Condition> {
  const server = await startRedis({ args, password });
  return {
    origin: `{ backend: redis, addr: "127.0.0.1:${server.port}", timeout: 100ms, max_memory: 64MiB${told && ", password_env: SECRET"} }`,
    env: { SECRET: told },
    change: async () => void (await change(server)),
    close: server.close,
  };
}

async function bucket(): Promise<Condition> {
  const server = await startS3({ account: { ...testAccount, sessionToken: undefined } as never });
  let busy = false;
  server.fault = () => (busy ? { refuse: { status: 503, code: "SlowDown" } } : undefined);
  return {
    origin: `{ backend: s3, bucket: ${server.bucket}, region: ${server.region}, endpoint: "${server.url}", path_style: true, access_key_env: S3_KEY, secret_key_env: S3_SECRET, prefix: "" }`,
    env: { S3_KEY: testAccount.accessKeyId, S3_SECRET: testAccount.secretAccessKey },
    change: () => {
      busy = !busy;
    },
    close: server.close,
  };
}

async function emptied(): Promise<Condition> {
  const folder = await mkdtemp(join(tmpdir(), "smalti-condition-"));
  return {
    origin: `{ backend: filesystem, path: ${JSON.stringify(folder)}, ttl: 0s }`,
    async change() {
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
      // The service may have made it again already.
      await mkdir(folder, { recursive: true });
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

async function tiny(): Promise<Condition> {
  const folder = await mkdtemp(join(tmpdir(), "smalti-condition-"));
  return {
    origin: `{ backend: filesystem, path: ${JSON.stringify(folder)}, max_bytes: 200KiB, ttl: 0s }`,
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

export const conditions: Readonly<Record<string, () => Condition | Promise<Condition>>> = {
  off: () => ({ origin: "{ backend: none }" }),
  "1 MiB of memory": () => ({ origin: "{ backend: heap, max_bytes: 1MiB, ttl: 0s }" }),
  "64 MiB of memory": () => ({ origin: "{ backend: heap, max_bytes: 64MiB, ttl: 0s }" }),
  "files of 200 KiB": tiny,
  "files that are lost": emptied,
  "a disk that fills up": () => faulty(["writeFile"], "ENOSPC"),
  "a disk that becomes read-only": () => faulty(["writeFile", "touch", "remove"], "EROFS"),
  "a disk that cannot be read": () => faulty(["readFile", "open", "stat", "list"], "EIO"),
  "a disk without inodes": async () => {
    const condition = await faulty(["writeFile"], "ENOSPC");
    await condition.change?.();
    return { ...condition, change: () => {} };
  },
  "a disk that hangs": () => faulty(["readFile", "open", "stat", "list", "writeFile", "touch", "remove"]),
  "a Redis that is killed": () => redis((server) => server.kill()),
  "a Redis that comes back": async () => {
    let away = false;
    return redis((server) => {
      away = !away;
      return away ? server.kill() : server.restart();
    });
  },
  "a Redis that is flushed": () => redis((server) => server.admin.flushall()),
  "a Redis with another password": () => redis(() => {}, { password: "right", told: "wrong" }),
  "a Redis that is too small": () =>
    redis(() => {}, { args: ["--maxmemory", "2mb", "--maxmemory-policy", "allkeys-lru"] }),
  "a bucket that refuses": bucket,
};
