// A failing cache costs speed, never correctness: the whole service over broken stores returns the same bytes
// as without any.
// @module-tag slow

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FileSystem } from "../../../src/base/platform.ts";
import { silentLog } from "../../../src/base/telemetry/log.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import type { Readiness } from "../../../src/server/readiness.ts";
import { slotNames } from "../../../src/server/stores/bounds.ts";
import { readCounts } from "../../counts.ts";
import { type Served, served } from "../../served.ts";
import { type RedisServer, startRedis } from "../../servers/redis.ts";
import { type Fault, type S3Server, startS3, testAccount } from "../../servers/s3.ts";
import { filesBelow } from "./filesystem/folder.ts";

const paths = [
  "/iiif/3/base.png/info.json",
  "/iiif/3/base.png/10,20,120,90/max/0/default.png",
  "/iiif/3/base.png/full/60,/0/default.jpg",
  "/iiif/3/jpg-progressive.jpg/0,0,64,64/max/0/default.png",
];
const secrets = {
  S3_KEY: testAccount.accessKeyId,
  S3_SECRET: testAccount.secretAccessKey,
  S3_TOKEN: "",
  R: "pw-of-redis",
};

const read = async (app: Served, path: string) => {
  const response = await app.get(path);
  return `${response.status} ${Buffer.from(await response.arrayBuffer()).toString("base64")}`;
};

let expected: readonly string[];
beforeAll(async () => {
  const none = "{ backend: none }";
  const app = await served(`cache: { render: ${none}, info: ${none}, origin: ${none}, text: ${none} }`);
  expected = await Promise.all(paths.map((path) => read(app, path)));
  expect(expected.every((answer) => answer.startsWith("200 "))).toBe(true);
  await app.service.close();
});

const open: Served[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.service.close()));
});

/** The service with all slots on one store, and its log. */
async function over(store: string, files?: FileSystem) {
  const lines: string[] = [];
  const log = { ...silentLog, warn: (...parts: unknown[]) => lines.push(JSON.stringify(parts)) };
  const cache = `cache: { ${slotNames.map((name) => `${name}: ${store}`).join(", ")} }`;
  const app = await served(cache, secrets, { log, ...(files ? { files } : {}) });
  open.push(app);
  /** Requests everything a few times; each round is new to the stores. */
  const check = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      expect(await Promise.all(paths.map((path) => read(app, path)))).toEqual(expected);
      await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
    }
  };
  const ready = async () => (await (await app.get("/ready")).json()) as Readiness;
  /** All slots can be used. On a busy machine a check may be late, and passes at another look. */
  const expectHealthy = () =>
    expect
      .poll(async () => (await ready()).caches.map(({ healthy }) => healthy))
      .toEqual(slotNames.map(() => true));
  return { app, lines, check, ready, expectHealthy };
}

/**
 * At most one line for each slot in the first minute, none with a secret, and /ready says it without being
 * unready.
 */
async function expectQuiet({ lines, ready }: Awaited<ReturnType<typeof over>>, error: RegExp) {
  const readiness = await ready();
  expect(readiness.status).toBe("ready");
  expect(readiness.caches.map((cache) => cache.healthy)).toEqual(slotNames.map(() => false));
  for (const cache of readiness.caches) expect(cache.error).toMatch(error);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(slotNames.length);
  const told = [...lines, JSON.stringify(readiness)].join("\n");
  for (const secret of Object.values(secrets).filter(Boolean)) expect(told).not.toContain(secret);
}

describe("a bucket that fails", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3({ account: { ...testAccount, sessionToken: undefined } as never });
  });
  afterAll(() => server.close());
  afterEach(() => {
    server.fault = () => undefined;
    server.objects.clear();
  });
  const store = (timeout = "5s") =>
    `{ backend: s3, bucket: ${server.bucket}, region: ${server.region}, endpoint: "${server.url}", path_style: true, access_key_env: S3_KEY, secret_key_env: S3_SECRET, timeout: ${timeout}, prefix: "" }`;

  it("is used as long as it works", async () => {
    const { app, check } = await over(store());
    await check(2);
    expect(readCounts(app.service.slots.render.counts)).toMatchObject({ hits: 3, writes: 3, errors: 0 });
  });

  const cases: [string, Fault, RegExp][] = [
    ["is busy", { refuse: { status: 503, code: "SlowDown" } }, /SlowDown/],
    ["is broken", { refuse: { status: 500, code: "InternalError" } }, /InternalError/],
    ["does not allow it", { refuse: { status: 403, code: "AccessDenied" } }, /s3:PutObject/],
  ];
  it.each(cases)("costs no response, and gets no more requests: it %s", async (_, fault, error) => {
    server.fault = () => fault;
    const service = await over(store());
    await service.check(8);
    const asked = server.seen.length;
    await service.check(4);
    // A trial now and then, for each of the slots.
    expect(server.seen.length - asked).toBeLessThanOrEqual(6);
    await expectQuiet(service, error);
  });

  it.each<[string, Fault]>([
    ["are late", { delayMs: 1000 }],
    ["break off", { cutAfter: 40 }],
    ["are other bytes", { garble: true }],
    ["state another ETag", { etag: '"0"' }],
  ])("costs no response if its responses %s", async (_, fault) => {
    const service = await over(store(fault.delayMs ? "150ms" : "5s"));
    await service.check(1);
    server.fault = ({ method }) => (method === "GET" ? fault : undefined);
    await service.check(3);
    expect(service.lines.length).toBeLessThanOrEqual(3);
  });
});

describe("a redis that fails", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ password: secrets.R });
  });
  afterAll(() => redis.close());
  const store = (timeout = "5s", port = redis.port) =>
    `{ backend: redis, addr: "127.0.0.1:${port}", password_env: R, timeout: ${timeout} }`;

  it("costs no response if nothing is at its address", async () => {
    const service = await over(store("5s", 9));
    await service.check(6);
    await expectQuiet(service, /\(ECONNREFUSED\)/);
  });

  it("costs no response if it refuses the password", async () => {
    const service = await over(store().replace("password_env: R", "password_env: S3_SECRET"));
    await service.check(6);
    await expectQuiet(service, /\(WRONGPASS\)/);
  });

  it("costs no response while it hangs, and is used again when it continues", async () => {
    const service = await over(store("300ms"));
    await service.check(1);
    redis.freeze();
    await service.check(3);
    // A busy machine may not even have a new connection in 300 ms.
    await expectQuiet(service, /no response|that Redis runs there/);
    redis.thaw();
    await service.expectHealthy();
    // A busy machine may take longer than 300 ms for some of them.
    await expect
      .poll(async () => {
        await service.check(1);
        return readCounts(service.app.service.slots.render.counts).hits;
      })
      .toBeGreaterThanOrEqual(3);
  });

  it("costs no response when it is killed and started again under load", async () => {
    const service = await over(store());
    let done = false;
    const load = async () => {
      let asked = 0;
      for (; !done; asked++)
        expect(await read(service.app, paths[asked % 4] as string)).toBe(expected[asked % 4]);
      return asked;
    };
    const clients = [load(), load(), load()];
    for (let i = 0; i < 3; i++) {
      await service.check(2);
      await redis.kill();
      await service.check(2);
      await redis.restart();
    }
    await service.expectHealthy();
    const before = readCounts(service.app.service.slots.render.counts).hits;
    await service.check(3);
    done = true;
    for (const asked of await Promise.all(clients)) expect(asked).toBeGreaterThan(0);
    expect(readCounts(service.app.service.slots.render.counts).hits).toBeGreaterThan(before);
  });
});

describe("a folder that fails", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "smalti-faults-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("costs no response if it cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    const service = await over(`{ backend: filesystem, path: ${JSON.stringify(join(folder, "file"))} }`);
    await service.check(6);
    await expectQuiet(service, /cannot be written/);
  });

  it("costs no response while it hangs, when memory replaces it, and is used again when it responds", async () => {
    const path = join(folder, "hangs");
    mkdirSync(path);
    const real = nodeFiles();
    let hangs = true;
    let calls = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet = async (file: string) => {
      if (!hangs || !file.startsWith(path)) return;
      calls++;
      await released;
    };
    const files: FileSystem = {
      ...real,
      stat: (file) => meet(file).then(() => real.stat(file)),
      readFile: (file, options) => meet(file).then(() => real.readFile(file, options)),
      writeFile: (file, data) => meet(file).then(() => real.writeFile(file, data)),
    };
    const service = await over(`{ backend: filesystem, path: ${JSON.stringify(path)} }`, files);
    await service.check(3);
    const { render } = service.app.service.slots;
    expect(readCounts(render.counts).hits).toBeGreaterThan(0);
    await service.check(3);
    // The limit of hanging calls, for each of the slots.
    expect(calls).toBeLessThanOrEqual(slotNames.length * 8);
    await expectQuiet(service, /does not respond|no response/);
    hangs = false;
    release();
    await service.expectHealthy();
    await service.check(2);
    expect((await filesBelow(path)).length).toBeGreaterThan(0);
  });

  it("costs no response on a full disk, and its entries are still used", async () => {
    const path = join(folder, "full");
    mkdirSync(path);
    const real = nodeFiles();
    let full = false;
    const writes: string[] = [];
    const files: FileSystem = {
      ...real,
      async writeFile(file, data) {
        writes.push(file);
        if (full)
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
        await real.writeFile(file, data);
      },
    };
    const service = await over(`{ backend: filesystem, path: ${JSON.stringify(path)} }`, files);
    const [first = "", ...others] = paths.slice(1);
    await read(service.app, first);
    await service.app.service.slots.render.whenSettled();
    full = true;
    for (let i = 0; i < 10; i++) {
      expect(await read(service.app, first)).toBe(expected[1]);
      for (const [at, other] of others.entries())
        expect(await read(service.app, other)).toBe(expected[at + 2]);
      await service.app.service.slots.render.whenSettled();
    }
    // 10 in the folder, and 9 of each of the others in memory.
    expect(readCounts(service.app.service.slots.render.counts).hits).toBe(28);
    const tried = writes.length;
    await service.check(4);
    // Writes are left alone as well after some failures.
    expect(writes.length - tried).toBeLessThanOrEqual(12);
    await expectQuiet(service, /disk is full/);
  });
});
