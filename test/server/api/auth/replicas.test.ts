// Logins on several servers that share one Redis, over HTTP, and what becomes of readers while it is away.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { type RedisServer, startRedis } from "../../../servers/redis.ts";
import { type Browser, browserOf, servedWithAuth } from "./served.ts";

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

const gated = "/iiif/3/agree%2Fbase.png/full/50,/0/default.png";
const open = "/iiif/3/open%2Fbase.png/full/50,/0/default.png";
const login = "/iiif/auth/login/terms";

const replica = () =>
  servedWithAuth({
    more: `session: { backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s } }`,
  });

let replicas: readonly [Served, Served];
beforeEach(async () => {
  replicas = [await replica(), await replica()];
  return async () => {
    for (const { service } of replicas) await service.close();
  };
});

/** The same browser at the other server. */
const carrying = (browser: Browser) => ({ headers: { Cookie: `service_session=${browser.cookie()}` } });
const statusOf = async (answer: Promise<Response>) => (await answer).status;

test("a login on one server counts on the other, and a logout there ends it on both immediately", async () => {
  const [here, there] = replicas;
  const reader = browserOf(here);
  expect(await statusOf(there.get(gated))).toBe(401);
  expect(await statusOf(reader.visit(login, { form: {} }))).toBe(200);
  const carried = carrying(reader);
  expect(await statusOf(there.get(gated, carried))).toBe(200);
  const token = (await (await there.get("/iiif/auth/v1/token", carried)).json()) as { accessToken: string };
  const bearer = { headers: { Authorization: `Bearer ${token.accessToken}` } };
  expect(await statusOf(here.get(gated, bearer))).toBe(200);

  expect(await statusOf(there.get("/iiif/auth/logout", carried))).toBe(200);
  for (const server of replicas) {
    expect(await statusOf(server.get(gated, carried))).toBe(401);
    expect(await statusOf(server.get(gated, bearer))).toBe(401);
  }
});

test("a login counts for all services with the same prefix, and for no service with another", async () => {
  const service = (prefix: string) =>
    servedWithAuth({
      more: `session: { backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s, prefix: ${prefix} } }`,
    });
  const services = [await service("museum/"), await service("museum/"), await service("library/")];
  const reader = browserOf(services[0] as Served);
  await reader.visit(login, { form: {} });
  const statuses = services.map((one) => statusOf(one.get(gated, carrying(reader))));
  expect(await Promise.all(statuses)).toEqual([200, 200, 401]);
  for (const one of services) await one.service.close();
});

test("while Redis is killed and recovers under load, nobody is let in wrongly, and only callers with credentials wait", async () => {
  const [here] = replicas;
  const reader = browserOf(here);
  await reader.visit(login, { form: {} });
  const carried = carrying(reader);
  const seen = { known: new Set<number>(), stranger: new Set<number>(), public: new Set<number>() };
  let going = true;
  const load = async (group: keyof typeof seen, ask: () => Promise<Response>) => {
    while (going) {
      seen[group].add((await ask()).status);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const forged = { headers: { Cookie: `service_session=${"A".repeat(43)}` } };
  const clients = [
    load("known", () => here.get(gated, carried)),
    load("stranger", () => here.get(gated)),
    load("public", () => here.get(open, carried)),
  ];
  await expect.poll(() => seen.known.has(200)).toBe(true);
  await redis.kill();
  await expect.poll(() => seen.known.has(503)).toBe(true);
  expect(await statusOf(here.get(gated, forged))).toBe(503);
  const refused = await here.get(gated, carried);
  expect([refused.status, Number(refused.headers.get("Retry-After")) > 0]).toEqual([503, true]);
  await redis.restart();
  // It comes back empty, so the session is gone: that is known again.
  await expect.poll(() => seen.known.has(401)).toBe(true);
  going = false;
  await Promise.all(clients);
  expect([...seen.known].sort()).toEqual([200, 401, 503]);
  expect([...seen.stranger]).toEqual([401]);
  expect([...seen.public]).toEqual([200]);
  expect(await statusOf(here.get(gated, forged))).toBe(401);
  await reader.visit(login, { form: {} });
  expect(await statusOf(here.get(gated, carrying(reader)))).toBe(200);
});
