// @module-tag slow
// A harvester by the algorithm of the specification follows a thousand changes that two servers write, whose
// processes end at any time, over each kind of store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBucket } from "../../../../src/base/network/s3.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemStore } from "../../../../src/server/stores/filesystem/filesystem.ts";
import { heapStore } from "../../../../src/server/stores/heap.ts";
import { redisStore } from "../../../../src/server/stores/redis/redis.ts";
import { redisScripts } from "../../../../src/server/stores/redis/scripts.ts";
import { redisTcp } from "../../../../src/server/stores/redis/tcp.ts";
import { s3Store } from "../../../../src/server/stores/s3.ts";
import type { Store } from "../../../../src/server/stores/store.ts";
import { newHarvest, visit } from "../../../iiif/discovery/harvester.ts";
import { seeded } from "../../../seeded.ts";
import { type RedisServer, startRedis, tcpOptions } from "../../../servers/redis.ts";
import { type S3Server, startS3, testAccount } from "../../../servers/s3.ts";
import {
  addressOf,
  documentsOf,
  newWorld,
  replayed,
  serverOver,
  streamAddress,
  type World,
} from "./world.ts";

const maxBytes = 1 << 26;
let redis: RedisServer;
let s3: S3Server;
let folder: string;
const opened: Store[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-changes-"));
  [redis, s3] = await Promise.all([startRedis(), startS3()]);
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close?.()));
  await Promise.all([redis?.close(), s3?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const memory = heapStore({ maxBytes });
const stores: [string, () => Store][] = [
  ["memory", () => memory],
  ["files", () => filesystemStore({ files: nodeFiles(), path: folder, maxBytes })],
  [
    "Redis",
    () =>
      redisStore({
        driver: redisTcp({ ...tcpOptions(redis), scripts: redisScripts }),
        prefix: "changes/",
        maxBytes,
      }),
  ],
  [
    "S3",
    () =>
      s3Store({
        bucket: openBucket({
          bucket: s3.bucket,
          region: s3.region,
          endpoint: s3.url,
          pathStyle: true,
          credentials: testAccount,
          timeoutMs: 120_000,
        }),
        prefix: "",
      }),
  ],
];

/** A store whose process ends after some writes: none arrives any more. */
function mortal(inner: Store): { readonly store: Store; end(afterWrites: number): void } {
  let left = Number.POSITIVE_INFINITY;
  const count = () => {
    if (left-- <= 0) throw new Error("the process has ended");
  };
  return {
    store: {
      ...inner,
      add: async (...entry) => {
        count();
        return inner.add(...entry);
      },
      set: async (...entry) => {
        count();
        return inner.set(...entry);
      },
    },
    end(afterWrites) {
      left = afterWrites;
    },
  };
}

/** Changes some manifests, each at most once; returns how many are different afterwards. */
function change({ versions }: World, random: (below: number) => number, some: number, step: number): number {
  const before = new Map(versions);
  for (let n = 0; n < some; n++) {
    const id = `book${random(150)}`;
    if (versions.has(id) && random(4) === 0) versions.delete(id);
    else versions.set(id, `v${step}.${n}`);
  }
  const ids = new Set([...before.keys(), ...versions.keys()]);
  return [...ids].filter((id) => before.get(id) !== versions.get(id)).length;
}

describe.each(stores)("a harvester of a stream in %s", (_, open) => {
  test("gets each of 1,000 changes once, from two servers that end at any time", async () => {
    const random = seeded(62);
    const world = newWorld();
    const start = (at: number) => {
      const store = open();
      opened.push(store);
      const life = mortal(store);
      // Clocks that are set by the network differ by less than a second.
      return { life, changes: serverOver(life.store, world, { behind: at * 700 }) };
    };
    const servers = [start(0), start(1)];
    const harvest = newHarvest();
    const fullBefore = new Map<string, string>();
    let [made, told, read] = [0, 0, 0];
    for (let step = 0; made < 1000; step++) {
      made += change(world, random, 1 + random(24), step);
      world.time += 20_000;
      // One of them ends during its look, and is started again.
      const dies = random(5) === 0 ? servers[random(2)] : undefined;
      dies?.life.end(random(3));
      const looking = random(3) === 0 ? servers : [servers[random(2)] as (typeof servers)[number]];
      await Promise.all(looking.map(({ changes }) => changes.look().catch(() => {})));
      if (dies) {
        servers[servers.indexOf(dies)] = start(servers.indexOf(dies));
        // What it had not written is not lost: any look finds it.
        world.time += 20_000;
        await servers[random(2)]?.changes.look();
      }
      world.time += 20_000;
      const documents = await documentsOf((servers[random(2)] as (typeof servers)[number]).changes);
      expect(replayed(documents.entries)).toEqual(world.versions);
      for (const [address, text] of fullBefore) expect(documents.full.get(address)).toBe(text);
      for (const [address, text] of documents.full) fullBefore.set(address, text);
      if (random(3) > 0 && made < 1000) continue;
      visit(harvest, streamAddress, world.time, (address) => documents.byAddress.get(address));
      expect(harvest.known).toEqual(new Set([...world.versions.keys()].map(addressOf)));
      // What is new since the last visit, and nothing else.
      const fresh = documents.entries.slice(read).filter(({ type }) => type !== "Refresh");
      expect(harvest.told).toEqual(new Set(fresh.map(({ id }) => addressOf(id))));
      told += fresh.length;
      read = documents.entries.length;
    }
    const { entries } = await documentsOf((servers[0] as (typeof servers)[number]).changes);
    // A refresh at the beginning, and one entry for each change.
    expect(entries.filter(({ type }) => type === "Refresh")).toHaveLength(1);
    expect([told, entries.length - 1]).toEqual([made, made]);
    const times = entries.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});
