// A process that reads and writes the entries of a store as fast as it can while others do the same; the test
// bundles and starts it. Arguments: backend, its location (folder or port), reads, seed. Prints its results
// as JSON.

import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemStore } from "../../../../src/server/stores/filesystem/filesystem.ts";
import type { RedisDriver } from "../../../../src/server/stores/redis/driver.ts";
import { redisStore } from "../../../../src/server/stores/redis/redis.ts";
import { type RedisScript, redisScripts } from "../../../../src/server/stores/redis/scripts.ts";
import { redisTcp } from "../../../../src/server/stores/redis/tcp.ts";
import { seeded } from "../../../seeded.ts";

export interface Found {
  reads: number;
  hits: number;
  /** Values that were never written. */
  wrong: number;
  /** Entries that were there and did not verify. */
  torn: number;
  errors: string[];
}

const found: Found = { reads: 0, hits: 0, wrong: 0, torn: 0, errors: [] };
const maxBytes = 600_000;
const names = 24;
const longest = 40_000;

/** Reads that found bytes, whatever the store makes of them. */
let there = 0;

const builders = {
  filesystem(path: string) {
    const real = nodeFiles();
    const files: FileSystem = {
      ...real,
      async readFile(file) {
        const bytes = await real.readFile(file);
        if (bytes) there++;
        return bytes;
      },
    };
    return filesystemStore({ files, path, maxBytes });
  },
  redis(port: string) {
    const address = { host: "127.0.0.1", port: Number(port), db: 0, tls: false, password: undefined };
    const real = redisTcp({ ...address, timeoutMs: 120_000, connectEachTime: false, scripts: redisScripts });
    const driver: RedisDriver<RedisScript> = {
      ...real,
      async run(script, keys, args) {
        const reply = await real.run(script, keys, args);
        if (script === "get" && reply !== null) there++;
        return reply;
      },
    };
    return redisStore({ driver, prefix: "hammer", maxBytes });
  },
};

/** Returns bytes that encode their name, whichever process wrote them and whatever their length. */
function valueFor(name: number, length: number): Uint8Array {
  return new Uint8Array(length).map((_, i) => name + i * 31 + length);
}

const isRight = (name: number, value: Uint8Array) =>
  value.length > 0 && Buffer.compare(value, valueFor(name, value.length)) === 0;

const [backend = "", place = "", reads = "0", seed = "1"] = process.argv.slice(2);
const store = builders[backend as keyof typeof builders](place);
const random = seeded(Number(seed));

async function work(): Promise<void> {
  while (found.reads < Number(reads)) {
    found.reads++;
    const name = random(names);
    try {
      if (random(12) === 0) await store.set(`n${name}`, "", valueFor(name, 1 + random(longest)));
      else if (random(200) === 0) await store.delete(`n${name}`);
      const value = await store.get(`n${name}`, "");
      if (!value) continue;
      found.hits++;
      if (!isRight(name, value)) found.wrong++;
    } catch (error) {
      found.errors.push(String(error));
    }
  }
}

await Promise.all([work(), work(), work(), work()]);
await store.close?.();
found.torn = there - found.hits;
process.stdout.write(JSON.stringify(found));
