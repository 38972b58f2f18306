// A service's sessions when their store fails, freezes or recovers, and when several servers share one store.
// @module-tag slow

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import type { Sessions } from "../../../../src/server/access/session.ts";
import { buildSessions } from "../../../../src/server/access/sessions/index.ts";
import { sessionOptions } from "../../../../src/server/access/sessions/options.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { type RedisServer, startRedis } from "../../../servers/redis.ts";
import { type Fault, type S3Server, startS3, testAccount } from "../../../servers/s3.ts";
import { type Folder, filesBelow, temporaryFolder } from "../../stores/filesystem/folder.ts";

const env = {
  S3_KEY: testAccount.accessKeyId,
  S3_SECRET: testAccount.secretAccessKey,
  S3_TOKEN: testAccount.sessionToken,
  R: "pw-of-redis",
};
const ttlMs = 3_600_000;
const opened: Sessions[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sessions) => sessions.close()));
});

function build(
  options: object,
  { files = nodeFiles(), over = {} }: { files?: FileSystem; over?: object } = {},
) {
  const lines: string[] = [];
  const log = { warn: (...parts: unknown[]) => void lines.push(JSON.stringify(parts)) };
  const platform = { env, files, fileThreads: 4 };
  const parsed = { ...sessionOptions.parse(options), ...over };
  const { sessions, checks } = buildSessions(parsed, ttlMs, { platform, log });
  opened.push(sessions);
  return { sessions, checks, lines, logIn: (before?: string) => sessions.logIn(grant("p"), before) };
}
const grant = (profile: string) => ({
  profile,
  user: "ann",
  fingerprint: "0123456789abcdef0123456789abcdef",
  grantedAt: Date.now(),
  expiresAt: Date.now() + ttlMs,
});

/** Waits until the store responds again. */
function expectBack(sessions: Sessions): Promise<void> {
  const answers = () =>
    sessions.check().then(
      () => true,
      () => false,
    );
  return expect.poll(answers).toBe(true);
}

/** All that can be asked fails as busy: nothing says that somebody is logged in, or is not. */
async function expectUnavailable(sessions: Sessions, id: string, token: string): Promise<void> {
  const asked = [
    sessions.find(id),
    sessions.findByToken(token),
    sessions.issueToken(id, ttlMs),
    sessions.logIn(grant("q"), id),
    sessions.logIn(grant("q")),
    sessions.logOut(id),
  ];
  for (const each of await Promise.allSettled(asked)) {
    expect(each).toMatchObject({
      status: "rejected",
      reason: { kind: "busy", code: "sessions_unavailable" },
    });
    // An impossible id is rejected without the store.
    expect(await sessions.find("nonsense")).toBeUndefined();
  }
}

const withToken = async ({ sessions, logIn }: ReturnType<typeof build>) => {
  const { id } = await logIn();
  const token = await sessions.issueToken(id, ttlMs);
  return [id, token?.id ?? ""] as const;
};

const expectQuiet = (lines: readonly string[]) => {
  expect(lines.length).toBe(1);
  for (const secret of Object.values(env)) expect(lines.join()).not.toContain(secret);
};

describe("sessions in Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ password: env.R });
  });
  afterAll(() => redis.close());
  const options = (timeout = "5s", over: object = {}) => ({
    backend: "redis",
    redis: { addr: `127.0.0.1:${redis.port}`, password_env: "R", timeout, ...over },
  });

  it("are shared by all servers, and the others see a logout immediately", async () => {
    const [one, two, three] = [build(options()), build(options()), build(options())];
    const [id, token] = await withToken(one);
    expect((await two.sessions.find(id))?.grants[0]?.user).toBe("ann");
    const next = await two.sessions.logIn(grant("press"), id);
    expect(await one.sessions.find(id)).toBeUndefined();
    expect(await one.sessions.findByToken(token)).toBeUndefined();
    expect((await three.sessions.find(next.id))?.grants.map(({ profile }) => profile)).toEqual([
      "p",
      "press",
    ]);
    const other = await three.sessions.issueToken(next.id, ttlMs);
    await one.sessions.logOut(next.id);
    for (const { sessions } of [one, two, three]) {
      expect(await sessions.find(next.id)).toBeUndefined();
      expect(await sessions.findByToken(other?.id ?? "")).toBeUndefined();
      expect(await sessions.issueToken(next.id, ttlMs)).toBeUndefined();
    }
  });

  it("are taken over once if servers race", async () => {
    const servers = [build(options()), build(options()), build(options())];
    for (let round = 0; round < 10; round++) {
      const { id } = (await servers[0]?.logIn()) ?? expect.unreachable();
      const after = await Promise.all(
        servers.map(({ sessions }, i) =>
          round % 2 && i === 0 ? sessions.logOut(id) : sessions.logIn(grant(`q${i}`), id),
        ),
      );
      const held = await Promise.all(after.map((next) => next && servers[1]?.sessions.find(next.id)));
      const takers = held.filter((session) => session?.grants.some(({ profile }) => profile === "p"));
      expect(takers.length).toBeLessThanOrEqual(1);
      if (round % 2 === 0) expect(takers.length).toBe(1);
      expect(await servers[2]?.sessions.find(id)).toBeUndefined();
    }
  });

  it("are unavailable while it hangs, and recover when it continues", async () => {
    const built = build(options("300ms"));
    const [id, token] = await withToken(built);
    redis.freeze();
    for (let round = 0; round < 4; round++) await expectUnavailable(built.sessions, id, token);
    redis.thaw();
    expectQuiet(built.lines);
    await built.sessions.check();
    // A request made meanwhile may have reached the store.
    const found = await built.sessions.find(id);
    expect(found === undefined || found.grants.length === 1).toBe(true);
    const next = await built.logIn();
    expect(await built.sessions.find(next.id)).toBeDefined();
  });

  it("are unavailable when it is killed under load, never wrong, and work again when it is back", async () => {
    const built = build(options());
    const [id] = await withToken(built);
    const unknown = (await built.logIn()).id;
    await built.sessions.logOut(unknown);
    const answers = new Map<string, number>();
    let phase = "up";
    const ask = async () => {
      const before = phase;
      const [mine, nobody] = await Promise.all(
        [id, unknown].map((each) =>
          built.sessions.find(each).then(
            (session) => (session ? "in" : "out"),
            (error: { code?: string }) => error.code ?? String(error),
          ),
        ),
      );
      if (before === phase) answers.set(`${phase} ${mine} ${nobody}`, 1);
    };
    let done = false;
    const clients = [1, 2, 3].map(async () => {
      while (!done) await ask();
    });
    for (let i = 0; i < 20; i++) await ask();
    phase = "dying";
    await redis.kill();
    phase = "down";
    for (let i = 0; i < 20; i++) await ask();
    phase = "starting";
    await redis.restart();
    await expectBack(built.sessions);
    done = true;
    await Promise.all(clients);
    const seen = [...answers.keys()];
    expect(seen.filter((each) => each.startsWith("up"))).toEqual(["up in out"]);
    expect(seen.filter((each) => each.startsWith("down"))).toEqual([
      "down sessions_unavailable sessions_unavailable",
    ]);
    // In no phase is anybody logged in who should not be.
    expect(seen.filter((each) => each.endsWith(" in"))).toEqual([]);
    // It came back empty: that is known, so it is said.
    expect(await built.sessions.find(id)).toBeUndefined();
    const next = await built.logIn();
    expect(await built.sessions.find(next.id)).toBeDefined();
    expectQuiet(built.lines);
  });

  it("do not pass their check, which keeps the service from starting, with the reason", async () => {
    const wrong = [
      [options("5s", { password_env: "S3_KEY" }), /\(WRONGPASS\).*password_env/],
      [options("5s", { password_env: "" }), /\(NOAUTH\).*password_env/],
      [options("5s", { addr: "127.0.0.1:9" }), /\(ECONNREFUSED\).*addr/],
      [options("5s", { db: 99 }), /db/],
    ] as const;
    for (const [given, message] of wrong) {
      const [check] = build(given).checks;
      expect(check).toMatchObject({ part: "sessions", key: "auth.session.redis", neededFor: "logins" });
      await expect(check?.run()).rejects.toThrow(message);
    }
    await build(options()).checks[0]?.run();
    expect(() => build(options("5s", { password_env: "NOT_SET" }))).toThrow("NOT_SET");
  });
});

describe("sessions in a bucket", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server.close());
  afterEach(() => {
    server.fault = () => undefined;
  });
  const options = (timeout = "5s", over: object = {}) => ({
    backend: "s3",
    s3: {
      bucket: server.bucket,
      region: server.region,
      endpoint: server.url,
      path_style: true,
      access_key_env: "S3_KEY",
      secret_key_env: "S3_SECRET",
      session_token_env: "S3_TOKEN",
      timeout,
      ...over,
    },
  });

  it.each<[string, Fault]>([
    ["is busy", { refuse: { status: 503, code: "SlowDown" } }],
    ["is broken", { refuse: { status: 500, code: "InternalError" } }],
    ["does not allow it", { refuse: { status: 403, code: "AccessDenied" } }],
    ["is not there", { refuse: { status: 404, code: "NoSuchBucket" } }],
    ["does not answer", { delayMs: 20_000 }],
  ])("are unavailable while it %s, and recover afterwards", async (_, fault) => {
    const built = build(options(fault.delayMs ? "200ms" : "5s"));
    const [id, token] = await withToken(built);
    server.fault = () => fault;
    await expectUnavailable(built.sessions, id, token);
    await expectUnavailable(built.sessions, id, token);
    server.fault = () => undefined;
    await built.sessions.check();
    expect(await built.sessions.find(id)).toBeDefined();
    expect(await built.sessions.findByToken(token)).toBeDefined();
    expectQuiet(built.lines);
  });

  it("are unavailable if their object breaks off", async () => {
    const built = build(options());
    const [id, token] = await withToken(built);
    server.fault = ({ method }) => (method === "GET" ? { cutAfter: 20 } : undefined);
    for (const ask of [() => built.sessions.find(id), () => built.sessions.findByToken(token)])
      await expect(ask()).rejects.toMatchObject({ kind: "busy", code: "sessions_unavailable" });
    server.fault = () => undefined;
    expect(await built.sessions.find(id)).toBeDefined();
  });

  it("are found and begun even if they cannot be counted in time", async () => {
    const built = build(options("250ms"));
    const [id] = await withToken(built);
    // A listing is a request for the bucket itself.
    server.fault = ({ key }) => (key === "" ? { delayMs: 20_000 } : undefined);
    for (const count of await Promise.allSettled(Array.from({ length: 6 }, () => built.sessions.count())))
      expect(count).toMatchObject({ status: "rejected", reason: { code: "sessions_unavailable" } });
    expect(await built.sessions.find((await built.logIn()).id)).toBeDefined();
    expect(await built.sessions.find(id)).toBeDefined();
  });

  it("are requested seldom while it fails", async () => {
    const built = build(options());
    const [id] = await withToken(built);
    server.fault = () => ({ refuse: { status: 503, code: "SlowDown" } });
    const before = server.seen.length;
    for (let i = 0; i < 100; i++) await built.sessions.find(id).catch(() => {});
    expect(server.seen.length - before).toBeLessThanOrEqual(8);
  });

  it("do not pass their check with wrong credentials", async () => {
    const [check] = build(options("5s", { secret_key_env: "R" })).checks;
    expect(check).toMatchObject({ part: "sessions", key: "auth.session.s3", neededFor: "logins" });
    await expect(check?.run()).rejects.toThrow("SignatureDoesNotMatch");
  });
});

describe("sessions in a folder", () => {
  let folder: Folder;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());
  const make = (name: string) => {
    const path = join(folder.path, name);
    mkdirSync(path);
    return path;
  };

  it("are unavailable if it is missing or cannot be written, and recover afterwards", async () => {
    const path = make("gone");
    const built = build({ backend: "filesystem", path });
    const [id, token] = await withToken(built);
    renameSync(path, `${path}-away`);
    writeFileSync(path, "a file in its place");
    for (const ask of [() => built.sessions.find(id), () => built.sessions.findByToken(token), built.logIn])
      await expect(ask()).rejects.toMatchObject({ kind: "busy", code: "sessions_unavailable" });
    renameSync(`${path}`, `${path}-file`);
    renameSync(`${path}-away`, path);
    await built.sessions.check();
    expect(await built.sessions.find(id)).toBeDefined();
    expectQuiet(built.lines);
  });

  it("are unavailable while it hangs, with few pending calls, and recover afterwards", async () => {
    const path = make("hangs");
    const real = nodeFiles();
    let hangs = false;
    let calls = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet = async () => {
      if (!hangs) return;
      calls++;
      await released;
    };
    const files: FileSystem = {
      ...real,
      stat: (file) => meet().then(() => real.stat(file)),
      readFile: (file, given) => meet().then(() => real.readFile(file, given)),
      writeFile: (file, data) => meet().then(() => real.writeFile(file, data)),
      remove: (file) => meet().then(() => real.remove(file)),
    };
    const built = build({ backend: "filesystem", path }, { files });
    const [id, token] = await withToken(built);
    hangs = true;
    await expectUnavailable(built.sessions, id, token);
    await expectUnavailable(built.sessions, id, token);
    // Node has four threads for all files.
    expect(calls).toBeLessThanOrEqual(3);
    hangs = false;
    release();
    await expectBack(built.sessions);
    const next = await built.logIn();
    expect(await built.sessions.find(next.id)).toBeDefined();
  });

  it("fail their check if it is missing, and the dry run leaves nothing behind", async () => {
    const path = join(folder.path, "later");
    const [check] = build({ backend: "filesystem", path }).checks;
    expect(check).toMatchObject({ key: "auth.session.path", location: path, neededFor: "logins" });
    await expect(check?.run()).rejects.toThrow("does not exist");
    await expect(check?.dryRun?.()).rejects.toThrow("does not exist");
    make("later");
    await check?.dryRun?.();
    expect(await filesBelow(path)).toEqual([]);
    await check?.run();
    expect(await filesBelow(path)).toEqual([]);
  });

  it.each([
    ["by itself", false],
    ["with logins, where no timer outlives a request", true],
  ])("are swept %s when they have expired", async (_, connectionsEndWithRequest) => {
    const path = make(`swept ${connectionsEndWithRequest}`);
    const platform = { env, files: nodeFiles(), connectionsEndWithRequest };
    const options = { ...sessionOptions.parse({ backend: "filesystem", path }), ttl: "1ms" };
    const { sessions } = buildSessions(options, 50, { platform, log: { warn() {} } });
    opened.push(sessions);
    await sessions.logIn(grant("first"));
    const [first = ""] = await filesBelow(path);
    await expect
      .poll(async () => {
        if (connectionsEndWithRequest) await sessions.logIn(grant("again"));
        return (await filesBelow(path)).includes(first);
      })
      .toBe(false);
  });

  it("need files", () => {
    const options = sessionOptions.parse({ backend: "filesystem", path: "/x" });
    expect(() => buildSessions(options, ttlMs, { platform: { env }, log: { warn() {} } })).toThrow(
      /^auth\.session\.path: /,
    );
  });
});

it("sessions in memory have no check", () => {
  expect(build({}).checks).toEqual([]);
});
