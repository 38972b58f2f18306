// The contents of log and error reports after many requests, including hostile ones: no secrets.
// @module-tag slow

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../../../src/base/telemetry/log.ts";
import { fixturesFolder } from "../../../host.ts";
import { everything, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { hashes } from "../auth/served.ts";

/** Part of all that is secret, and of nothing else. */
const marker = "zq7x";
const requests = everything ? 5000 : 1000;

const folder = mkdtempSync(join(tmpdir(), "smalti-log-"));
let hook: Server;
let origin: Server;
let collector: Server;
const reported: string[] = [];
const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  hook = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    if (!text.includes("broken-hook")) response.writeHead(204).end();
    else if (text.includes("1")) response.writeHead(500).end(`secret ${marker}`);
    else response.writeHead(200, { "Content-Type": "application/json" }).end(`{"source":"${marker}"}`);
  });
  origin = createServer((request, response) => {
    response.writeHead(request.url?.includes("1") ? 503 : 401).end(`no: ${request.headers.authorization}`);
  });
  collector = createServer(async (request, response) => {
    for await (const part of request) reported.push(String(part));
    response.writeHead(204).end();
  });
  for (const server of [hook, origin, collector])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5 });
  for (const server of [hook, origin, collector]) {
    server.closeAllConnections();
    server.close();
  }
});

const env = {
  ORIGIN_AUTH: `Bearer ${marker}-origin`,
  HOOK_SECRET: `${marker}-hook`,
  REPORT_TOKEN: `${marker}-report`,
  PARTNER: `${marker}-partner`,
  WRITE: `${marker}-write`,
};

const yaml = () => `
log: { level: debug }
metrics: { enabled: true }
mcp: { enabled: true }
trusted_proxies: ["10.0.0.0/8"]
errors: { report_url: "http://127.0.0.1:${portOf(collector)}/r?key=${marker}-url", token_env: REPORT_TOKEN }
hook: { engine: webhook, webhook: { url: "http://u:${marker}-hook@127.0.0.1:${portOf(hook)}/?key=${marker}", functions: [resolve], secret_env: HOOK_SECRET } }
content_state: { store: { enabled: true, dir: ${JSON.stringify(join(folder, "states"))}, write_token_env: WRITE } }
sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }
  - { name: staff, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: staff/ }
  - { name: web, type: http, prefix: web/, url: "http://127.0.0.1:${portOf(origin)}/{identifier}?sig=${marker}-sig", auth_env: ORIGIN_AUTH }
auth:
  profiles:
    staff: { pattern: active, label: { en: [Staff] }, access_service: { backend: builtin, users: { ann: "${hashes.bcrypt}" } } }
    partner: { pattern: external, access_service: { backend: external, url: "https://login.example.net/", callback_secret_env: PARTNER } }
  rules: [{ match: "staff/*", profile: staff }, { match: "partner/*", profile: partner }]
`;

interface Sent {
  readonly target: string;
  readonly init?: Parameters<Served["get"]>[1];
}

/** Returns requests of all kinds, with secrets in every field that a client can send. */
function mixed(seed: number) {
  const next = seeded(seed);
  let count = 0;
  const one = <T>(list: readonly T[]) => list[next(list.length)] as T;
  const secret = () => `${marker}${(count++).toString(36)}`;
  const encoded = (text: string, times: number): string =>
    times === 0 ? text : encoded(encodeURIComponent(text), times - 1);
  const basic = () => `Basic ${btoa(`ann:${secret()}`)}`;
  const form = (fields: Record<string, string>) => ({
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams(fields),
  });
  const json = (value: unknown, headers: Record<string, string> = {}) => ({
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(value),
  });
  const name = () =>
    one(["base.png", "jpg-gray.jpg", "bad-empty.jpg", "bad-text.jpg", "none.png", "staff%2Fbase.png"]);
  const after = () =>
    one(["info.json", "full/9,/0/default.jpg", "full/8,/0/gray.png", "0,0,4,4/max/0/default.gif", "x"]);
  const address = () => `https://ann:${secret()}@h.example/a.jpg?token=${secret()}#${secret()}`;
  const kinds: readonly (() => Sent)[] = [
    () => ({ target: `/iiif/${one(["2", "3"])}/${name()}/${after()}?key=${secret()}&download` }),
    () => ({
      target: `/iiif/3/${name()}/${after()}`,
      init: { headers: { Authorization: one([basic, () => `Bearer ${secret()}`])() } },
    }),
    () => ({
      target: `/iiif/3/staff%2F${name()}/${after()}`,
      init: { headers: { Cookie: `service_session=${secret()}; b=${secret()}` } },
    }),
    () => ({ target: `/iiif/3/${encoded(address(), 1 + next(5))}/${after()}` }),
    () => ({ target: `/iiif/3/web%2F${encoded(`cut${next(9)}?x=${secret()}`, 1 + next(3))}/${after()}` }),
    () => ({ target: `/iiif/3/web/${next(99)}.jpg/${after()}` }),
    () => ({ target: `/iiif/3/broken-hook${next(99)}%3Fkey%3D${secret()}/info.json` }),
    () => ({ target: `/${address()}` }),
    () => ({ target: `https://ann:${secret()}@images.test/iiif/3/base.png/info.json?a=${secret()}` }),
    () => ({ target: `//ann:${secret()}@h.example/x;jsessionid=${secret()}/y` }),
    () => ({ target: `/%0d%0aSet-Cookie:%20a%1b[31m%3F${secret()}/%zz%00` }),
    () => ({ target: `/a?${"b".repeat(9000)}${secret()}` }),
    () => ({ target: `/iiif/3/${"a".repeat(1000)}:${secret()}@h/info.json` }),
    () => ({
      target: "/iiif/auth/login/staff",
      init: form({ username: `ann${secret()}`, password: secret() }),
    }),
    () => ({
      target: `/iiif/auth/callback/partner?user=${secret()}&expires=${Date.now()}&signature=${secret()}`,
    }),
    () => ({ target: `/iiif/auth/token/staff?messageId=${secret()}&origin=https://viewer.example.org` }),
    () => ({
      target: `/iiif/auth/probe/staff/staff%2Fbase.png`,
      init: { headers: { Authorization: `Bearer ${secret()}` } },
    }),
    () => ({
      target: "/content-state",
      init: json(
        { id: `https://h.example/?k=${secret()}`, type: "Canvas" },
        { Authorization: `Bearer ${secret()}` },
      ),
    }),
    () => ({
      target: "/content-state",
      init: json(
        { id: `https://h.example/?k=${secret()}`, type: "Manifest" },
        { Authorization: `Bearer ${env.WRITE}` },
      ),
    }),
    () => ({ target: `/content-state/resolve?iiif-content=${encodeURIComponent(address())}` }),
    () => ({
      target: "/mcp",
      init: json(
        {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "get_image_info", arguments: { identifier: `web/1${address()}` } },
        },
        { Authorization: `Bearer ${secret()}` },
      ),
    }),
    () => ({ target: "/", init: { method: `ZQ${marker.toUpperCase()}`, headers: { Cookie: secret() } } }),
    () => ({
      target: one(["/health", "/ready", "/metrics", "/robots.txt", "/static/x?v=1"]),
      init: {
        headers: {
          "User-Agent": secret(),
          Referer: `https://a.example/?${secret()}`,
          traceparent: `00-${secret()}-1-01`,
          tracestate: `a=${secret()}`,
        },
      },
    }),
  ];
  return (): Sent => {
    const { target, init = {} } = one(kinds)();
    const peer = one([
      `198.51.100.${1 + next(254)}`,
      `2001:db8:5:6::${(1 + next(60_000)).toString(16)}`,
      "10.0.0.7",
    ]);
    const forwarded = {
      "X-Forwarded-For": `203.0.113.${1 + next(254)}`,
      Forwarded: `for=203.0.113.${1 + next(254)}`,
    };
    return { target, init: { ...init, peer, headers: { ...forwarded, ...init.headers } } };
  };
}

describe.each(["text", "json"] as const)("the log as %s", (format) => {
  let lines: string[];
  let app: Served;
  const issued: string[] = [];
  beforeAll(async () => {
    lines = [];
    reported.length = 0;
    const log = createLog({ level: "debug", format, write: (line) => lines.push(line) });
    app = await served(yaml(), env, { log });
    const request = mixed(seedOf(`requests in the log as ${format}`));
    for (let at = 0; at < requests; at += 25) {
      const answers = Array.from({ length: 25 }, async () => {
        const { target, init } = request();
        const response = await app.get(target, init);
        await response.arrayBuffer();
      });
      await Promise.all(answers);
    }
    // Sessions and tokens that the service issued itself.
    for (let i = 0; i < 5; i++) {
      const login = await app.get("/iiif/auth/login/staff", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
        body: new URLSearchParams({ username: "ann", password: "secret" }),
      });
      const cookie = /=([^;]+)/.exec(login.headers.get("Set-Cookie") ?? "")?.[1] ?? "";
      expect(cookie.length).toBeGreaterThan(20);
      const headers = { Cookie: `service_session=${cookie}` };
      const page = await app.get("/iiif/auth/token/staff?messageId=1&origin=https://viewer.example.org", {
        headers,
      });
      const token = /"accessToken":"([^"]+)"/.exec((await page.text()).replaceAll("\\", ""))?.[1];
      issued.push(cookie, ...(token ? [token] : []));
      await app.get("/iiif/3/staff%2Fbase.png/info.json", { headers });
    }
    await app.service.close();
  });

  test("has one unbroken line for each of many mixed requests", () => {
    const ofRequests = lines.filter((line) =>
      format === "json"
        ? (JSON.parse(line) as { message: string }).message === "request"
        : / info {2}request /.test(line),
    );
    expect(ofRequests.length).toBe(requests + 15);
    expect(lines.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
    // Failures of each part were among them.
    for (const message of ["request failed", "a hook failed"]) expect(lines.join("")).toContain(message);
    expect(reported.length).toBeGreaterThan(2);
    expect(issued.length).toBeGreaterThanOrEqual(5);
  });

  test("holds no secret, cookie, token or query that was sent, configured or issued, and neither do reports", () => {
    const found = [...lines, ...reported].filter((line) => line.toLowerCase().includes(marker));
    expect(found.slice(0, 5)).toEqual([]);
    const all = [...lines, ...reported].join("");
    expect(all).not.toMatch(/Basic [A-Za-z0-9+/]{8}|YW5uOnpxN3/); // base64 of ann:zq7
    expect(issued.filter((value) => all.includes(value))).toEqual([]);
  });

  test("holds no whole address of a client, only its network", () => {
    const all = [...lines, ...reported].join("");
    expect(all).not.toMatch(/198\.51\.100\.[1-9]|203\.0\.113\.[1-9]|2001:db8:5:6/);
    for (const network of ["198.51.100.0/24", "203.0.113.0/24", "2001:db8:5::/48"])
      expect(all).toContain(network);
  });
});
