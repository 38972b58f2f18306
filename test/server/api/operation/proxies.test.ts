// The examples for nginx, Varnish and Caddy, before the service: the operator's pages are refused to those
// outside by every spelling, what clients forge is dropped, and all else passes.

import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { end, listen, serverOf } from "../../../doctor/login/proxied.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { hasCaddy, startCaddy } from "../../../servers/caddy.ts";
import { freePort } from "../../../servers/free-port.ts";
import { exampleSite, hasNginx, startNginx } from "../../../servers/nginx.ts";
import { exampleVcl, hasVarnish, startVarnish } from "../../../servers/varnish.ts";
import { rawExchange, rawGet } from "../../platform/server/raw-http.ts";

const caddyfile = readFileSync(new URL("../../../../deploy/proxy/Caddyfile", import.meta.url), "utf8");

interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Each example with its addresses replaced: the service's port, its own, and the operator's network. */
const proxies = [
  {
    name: "nginx",
    isThere: hasNginx,
    start: (service: number, network: string): Promise<Proxy> =>
      startNginx({
        http: (folder, port) => exampleSite({ folder, port, replicas: [service], network }),
      }),
  },
  {
    name: "Varnish",
    isThere: hasVarnish,
    start: (service: number, network: string): Promise<Proxy> =>
      startVarnish({ vcl: exampleVcl(service, network) }),
  },
  {
    name: "Caddy",
    isThere: hasCaddy,
    start: (service: number, network: string): Promise<Proxy> =>
      startCaddy((port) =>
        caddyfile
          .replace(/^images\.example\.org /m, `http://:${port} `)
          .replace("reverse_proxy 127.0.0.1:8080 ", `reverse_proxy 127.0.0.1:${service} `)
          .replaceAll("10.0.0.0/8", network),
      ),
  },
] as const;

/** The clients of the requests, as the service logs them. */
const clients: unknown[] = [];
let app: Served;
let service: ReturnType<typeof serverOf>;
let upstream: number;
beforeAll(async () => {
  app = await served(
    `trusted_proxies: ["127.0.0.1"]
metrics: { enabled: true }
http: { compression: off }
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
auth:
  profiles: { way: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "gif-static.gif", profile: way }]`,
    { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "analytical" },
    {
      log: {
        ...silentLog,
        info: (_, fields) => {
          if (typeof fields === "function") clients.push(fields().client);
        },
      },
    },
  );
  service = serverOf(app);
  upstream = await listen(service);
});
afterAll(async () => {
  if (service) await end(service);
  await app?.service.close();
});

describe.each(proxies)("behind $name as in the example", ({ name, isThere, start }) => {
  /** For clients of this machine: outside, and inside. */
  let outside: Proxy;
  let inside: Proxy;
  beforeAll(async () => {
    if (!isThere) return;
    [outside, inside] = await Promise.all([start(upstream, "10.0.0.0/8"), start(upstream, "127.0.0.0/8")]);
  });
  afterAll(async () => {
    await Promise.all([outside?.close(), inside?.close()]);
  });
  const portOf = (proxy: Proxy) => Number(new URL(proxy.url).port);
  const statusOf = async (proxy: Proxy, target: string) => (await rawGet(portOf(proxy), target)).status;

  test
    .skipIf(!isThere)
    .each([
      "/admin",
      "/admin/",
      "/admin/config",
      "/admin/stats/stream",
      "/admin?x",
      "//admin/",
      "///admin",
      "/ADMIN/",
      "/%61dmin/",
      "/%61%64%6D%69%6e/",
      "/./admin/",
      "/%2e/admin/",
      "/x/../admin/",
      "/x/%2e%2e/admin/",
      "/x%2f..%2fadmin/",
      "/admin/../iiif/3/base.png/info.json",
      "/admin/%2e%2e/health",
      "/admin/..%2fhealth",
      "/admin#/../health",
      "/\\admin/",
      "/x\\..\\admin/",
      "/metrics",
      "//metrics",
      "/%6detrics",
      "/metrics?x",
    ])("%s is refused to an outside address", async (target) => {
    // Caddy's parser does not take some of them for an address at all; Varnish decodes none of them, and nor
    // does smalti.
    const refusals = { nginx: [403], Varnish: [403, 404], Caddy: [403, 400] };
    expect(refusals[name]).toContain(await statusOf(outside, target));
  });

  test
    .skipIf(!isThere)
    .each([
      "GET http://images.example.org/admin/ HTTP/1.1\r\nHost: images.example.org\r\nConnection: close\r\n\r\n",
      "GET http://images.example.org//admin/ HTTP/1.1\r\nHost: images.example.org\r\nConnection: close\r\n\r\n",
      "GET /admin/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\nX-Real-IP: 10.0.0.1\r\nConnection: close\r\n\r\n",
      "GET /admin/ HTTP/1.0\r\n\r\n",
      "POST /admin/api/purge HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      "GET /health HTTP/1.1\r\nHost: x\r\nX-Original-URL: /admin/\r\nX-Rewrite-URL: /admin/\r\nConnection: close\r\n\r\n",
    ])("%j gets nothing of the operator's", async (text) => {
    const answer = await rawExchange(portOf(outside), text);
    if (text.startsWith("GET /health")) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    else expect(answer).toMatch(/^HTTP\/1\.[01] 403 /);
  });

  test.skipIf(!isThere).each([
    ["/", 200],
    ["/health", 200],
    ["/iiif/3/base.png/info.json", 200],
    ["/iiif/3/base.png/full/20,/0/default.jpg", 200],
    ["/iiif/3/deep%2Fadmin%2Fx/info.json", 404],
    ["/iiif/presentation/3", 200],
    ["/administration", 404],
    ["/metrics-of-ours", 404],
    ["/?in=admin/x", 404],
    ["/view/base.png?back=%5C", 200],
    [`/view?iiif-content=${"x".repeat(40_000)}`, 400],
  ] as const)("%s passes: %i", async (target, status) => {
    expect(await statusOf(outside, target)).toBe(status);
  });

  test.skipIf(!isThere)(
    "an address inside gets to the login of the operator's pages, and to the figures",
    async () => {
      expect(await statusOf(inside, "/admin/")).toBe(401);
      expect(await statusOf(inside, "/metrics")).toBe(200);
    },
  );

  test.skipIf(!isThere)(
    "ids have the host that the client asked for, whatever headers it forges",
    async () => {
      const forged = {
        Forwarded: "host=evil.example;proto=https",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Port": "666",
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-BasePath": "/evil",
        "X-Forwarded-Path": "/evil",
        "X-Forwarded-Proto": "https",
      };
      const response = await fetch(`${outside.url}/iiif/3/base.png/info.json`, { headers: forged });
      expect(await response.json()).toMatchObject({ id: `${outside.url}/iiif/3/base.png` });
    },
  );

  test.skipIf(!isThere)("a forged X-Forwarded-For does not change who the client is", async () => {
    const clientOf = async (url: string) => {
      clients.length = 0;
      await fetch(`${url}/iiif/3/base.png/info.json?fresh`, { headers: { "X-Forwarded-For": "192.0.2.7" } });
      await expect.poll(() => clients).toHaveLength(1);
      return clients[0];
    };
    expect(await clientOf(outside.url)).toBe("127.0.0.0/24");
    // It would count if the proxy passed it on.
    expect(await clientOf(`http://127.0.0.1:${upstream}`)).toBe("192.0.2.0/24");
  });

  test.skipIf(!isThere).each(["Forwarded", "X-Forwarded-BasePath", "X-Forwarded-Path"])(
    "%s of a client does not reach the service, where it would count",
    async (name) => {
      const headers = { [name]: name === "Forwarded" ? "for=192.0.2.7;host=evil.example" : "/evil" };
      const idOf = async (url: string) =>
        (
          (await (await fetch(`${url}/iiif/3/base.png/info.json?${name}`, { headers })).json()) as {
            id: string;
          }
        ).id;
      expect(await idOf(outside.url)).toBe(`${outside.url}/iiif/3/base.png`);
      expect(await idOf(`http://127.0.0.1:${upstream}`)).toContain("evil");
    },
  );

  test.skipIf(!isThere)("each figure of the status page arrives as it is sent", async () => {
    const headers = { Authorization: `Basic ${btoa("ada:analytical")}`, "Accept-Encoding": "gzip" };
    const ending = new AbortController();
    const response = await fetch(`${inside.url}/admin/stats/stream`, { headers, signal: ending.signal });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain("data: {");
    ending.abort();
  });

  // Varnish leaves that to the service.
  const testCompression = name === "Varnish" ? () => {} : test.skipIf(!isThere);
  testCompression(
    "documents are compressed if the service does not, and the operator's pages never",
    async () => {
      const encodingOf = (target: string) =>
        new Promise((resolve, reject) => {
          const headers = { "Accept-Encoding": "gzip", Authorization: `Basic ${btoa("ada:analytical")}` };
          request(inside.url + target, { headers }, (response) => {
            response.resume();
            resolve([response.statusCode, response.headers["content-encoding"]]);
          })
            .on("error", reject)
            .end();
        });
      expect(await encodingOf("/iiif/presentation/3/base.png")).toEqual([200, "gzip"]);
      expect(await encodingOf("/admin/config")).toEqual([200, undefined]);
      expect(await encodingOf("/iiif/3/base.png/full/max/0/default.png")).toEqual([200, undefined]);
    },
  );

  // Caddy has no built-in cache.
  const testCache = name === "Caddy" ? () => {} : test.skipIf(!isThere);
  testCache("a public tile is cached, a gated one and a page of the operator's never", async () => {
    const cacheOf = async (target: string, headers: Record<string, string> = {}) => {
      const response = await fetch(inside.url + target, { headers });
      await response.arrayBuffer();
      return [response.status, response.headers.get("X-Cache")];
    };
    const tile = "/iiif/3/base.png/0,0,20,20/20,/0/default.jpg";
    expect(await cacheOf(tile)).toEqual([200, "MISS"]);
    expect(await cacheOf(tile)).toEqual([200, "HIT"]);
    const gated = "/iiif/3/gif-static.gif/0,0,20,20/20,/0/default.jpg";
    for (let round = 0; round < 2; round++) expect(await cacheOf(gated)).toEqual([401, "MISS"]);
    const never = name === "nginx" ? null : "MISS";
    const operator = { Authorization: `Basic ${btoa("ada:analytical")}` };
    for (let round = 0; round < 2; round++) {
      expect(await cacheOf("/admin/", operator)).toEqual([200, never]);
      expect(await cacheOf("/metrics")).toEqual([200, never]);
    }
  });
});

test.skipIf(!hasNginx)(
  "nginx uses recovered replicas immediately, although it has seen all of them fail",
  async () => {
    const replicas = [0, 1].map(() => createServer((_, response) => response.end("tile")));
    const listen = (port: number, index: number) =>
      new Promise<void>((resolve) => replicas[index]?.listen(port, "127.0.0.1", resolve));
    const ports = [await freePort(), await freePort()];
    const nginx = await startNginx({
      http: (folder, port) => exampleSite({ folder, port, replicas: ports }),
    });
    const status = async () => (await rawGet(Number(new URL(nginx.url).port), "/iiif/3/a/info.json")).status;
    expect(await status()).toBe(502);
    await Promise.all(ports.map(listen));
    expect(await status()).toBe(200);
    await nginx.close();
    await Promise.all(replicas.map(end));
  },
);
