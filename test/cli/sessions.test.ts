// What a server reports at its start and in /ready about its session store and its password files.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Readiness } from "../../src/server/readiness.ts";
import { filesBelow } from "../server/stores/filesystem/folder.ts";
import { type RedisServer, startRedis } from "../servers/redis.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let redis: RedisServer;
beforeAll(async () => {
  [built, redis] = await Promise.all([buildProgram(), startRedis()]);
  folder = mkdtempSync(join(tmpdir(), "smalti-sessions-"));
});
afterAll(async () => {
  built.remove();
  await redis.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

let files = 0;
/** A configuration in which the sample is public and another image is not. */
function configure(session: string, service = "backend: builtin", pattern = "clickthrough"): string {
  const path = join(folder, `${++files}.yaml`);
  writeFileSync(
    path,
    `addr: "127.0.0.1:0"
auth:
  session: ${session}
  profiles: { p: { pattern: ${pattern}, access_service: { ${service} } } }
  rules: [{ match: secret, profile: p }]\n`,
  );
  return path;
}
const inRedis = (port = redis.port) =>
  `{ backend: redis, redis: { addr: "127.0.0.1:${port}", timeout: 2s } }`;
const inFolder = (path: string) => `{ backend: filesystem, path: ${JSON.stringify(path)} }`;
const readyAt = async (url: string) => (await (await fetch(`${url}/ready`)).json()) as Readiness;
const imageAt = async (url: string) => (await fetch(`${url}/iiif/3/sample/full/60,/0/default.jpg`)).status;

describe("a server whose sessions cannot be stored", () => {
  test.each([
    [
      "a folder that is not there",
      () => inFolder(join(folder, "missing")),
      /"filesystem" at .*missing: .*does not exist/,
    ],
    ["a folder that is a file", () => inFolder(configure("{}")), /"filesystem" at .*is a file/],
    [
      "a Redis that is not there",
      () => inRedis(9),
      /"redis" at 127\.0\.0\.1:9: Redis cannot be used \(ECONNREFUSED\)/,
    ],
    ["no folder", () => "{ backend: filesystem }", /auth\.session\.path: expected path/],
    [
      "a variable that is not set",
      () => `{ backend: redis, redis: { addr: "127.0.0.1:${redis.port}", password_env: NOT_SET } }`,
      /NOT_SET/,
    ],
  ])("does not start, and says why: %s", async (_, session, reason) => {
    const { code, err } = await built.command(["-config", configure(session())]);
    expect(code).toBe(1);
    expect(err).toMatch(reason);
    expect(err).not.toMatch(/^\s+at .*\.js/m);
  });

  test("is reported by smalti check too, which leaves nothing behind", async () => {
    const path = join(folder, "later");
    const file = configure(inFolder(path));
    expect((await built.command(["check", "-config", file])).err).toMatch(
      /auth\.session\.path: .*does not exist/,
    );
    mkdirSync(path);
    expect((await built.command(["check", "-config", file])).err).not.toContain("auth.session");
    expect(await filesBelow(path)).toEqual([]);
  });
});

test("a server continues with public images while its Redis is away, and says so in /ready, which stays ready", async () => {
  const server = await built.serve(["-config", configure(inRedis())]);
  await server.said(/info\.json\n/);
  const sessions = () => expect.poll(async () => (await readyAt(server.url)).sessions);
  // On a busy machine a check may be late, and passes at another look.
  await sessions().toMatchObject([{ backend: "redis", healthy: true }]);
  await redis.kill();
  const away = await readyAt(server.url);
  expect(away.status).toBe("ready");
  expect(away.sessions).toMatchObject([{ backend: "redis", healthy: false }]);
  expect(await imageAt(server.url)).toBe(200);
  // Nobody without a cookie or token is asked about a session.
  expect((await fetch(`${server.url}/iiif/3/secret/info.json`)).status).not.toBe(503);
  const cookie = `service_session=${"A".repeat(43)}`;
  const asked = await fetch(`${server.url}/iiif/3/secret/full/60,/0/default.jpg`, { headers: { cookie } });
  expect([asked.status, (await asked.json()).code]).toEqual([503, "sessions_unavailable"]);
  expect(Number(asked.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(
    (await fetch(`${server.url}/iiif/3/sample/full/60,/0/default.jpg`, { headers: { cookie } })).status,
  ).toBe(200);
  await redis.restart();
  await sessions().toMatchObject([{ healthy: true }]);
  const again = await fetch(`${server.url}/iiif/3/secret/full/60,/0/default.jpg`, { headers: { cookie } });
  expect(again.status).toBe(401);
});

test("a password file that breaks while a server runs is named in /ready, and refused at a start", async () => {
  const file = join(folder, "htpasswd");
  // `openssl passwd -apr1 -salt abcdefgh hello`
  writeFileSync(file, "ann:$apr1$abcdefgh$cy3DSYyOwfhsyu7QOMQzd.\n");
  const config = configure("{}", `backend: builtin, htpasswd_file: ${JSON.stringify(file)}`, "active");
  const server = await built.serve(["-config", config]);
  await server.said(/info\.json\n/);
  const passwords = () => expect.poll(async () => (await readyAt(server.url)).passwords, { interval: 500 });
  await passwords().toMatchObject([{ name: "p", healthy: true }]);
  writeFileSync(file, "ann:top-secret\n");
  const error = expect.stringMatching(/line 1: .*plaintext/);
  await passwords().toMatchObject([{ name: "p", healthy: false, error }]);
  expect((await readyAt(server.url)).status).toBe("ready");
  const { err } = server.status();
  expect(err).toContain("the file of the passwords has changed and cannot be used");
  const { code, err: refused } = await built.run(["-config", config]);
  expect(code).toBe(1);
  expect(refused).toMatch(/auth\.profiles\.p\.access_service\.htpasswd_file: .*line 1: .*plaintext/);
  expect(err + refused).not.toContain("top-secret");
});
