// The example for nginx, before the service: the operator's pages are refused to those outside by every
// spelling, and all else passes.

import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { end, listen, serverOf } from "../../doctor/proxied.ts";
import { fixturesFolder } from "../../host.ts";
import { rawGet } from "../../platform/server/raw-http.ts";
import { type Served, served } from "../../served.ts";
import { hasNginx, type Nginx, startNginx } from "../../servers/nginx.ts";

const example = readFileSync(
  new URL("../../../docs/examples/operations/nginx.conf", import.meta.url),
  "utf8",
);

let app: Served;
let service: ReturnType<typeof serverOf>;
/** For clients of this machine: outside, and inside. */
let outside: Nginx;
let inside: Nginx;
beforeAll(async () => {
  if (!hasNginx) return;
  app = await served(
    `base_url: "http://images.example.org"
trusted_proxies: ["127.0.0.1"]
metrics: { enabled: true }
http: { compression: off }
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]`,
    { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "analytical" },
  );
  service = serverOf(app);
  const upstream = await listen(service);
  const start = (network: string) =>
    startNginx({
      http: (folder, port) =>
        example
          .replace("/var/cache/nginx/smalti", `${folder}/cache`)
          .replace("127.0.0.1:8080;", `127.0.0.1:${upstream};`)
          .replace("listen 80;", `listen 127.0.0.1:${port};`)
          .replace("10.0.0.0/8", network),
    });
  [outside, inside] = await Promise.all([start("10.0.0.0/8"), start("127.0.0.0/8")]);
});
afterAll(async () => {
  await Promise.all([outside?.close(), inside?.close()]);
  if (service) await end(service);
  await app?.service.close();
});

const statusOf = async (nginx: Nginx, target: string) =>
  (await rawGet(Number(new URL(nginx.url).port), target)).status;

describe.skipIf(!hasNginx)("behind nginx as in the example", () => {
  test.each([
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
  ])("%s is 403 for an address outside", async (target) => {
    expect(await statusOf(outside, target)).toBe(403);
  });

  test.each([
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
  ] as const)("%s passes: %i", async (target, status) => {
    expect(await statusOf(outside, target)).toBe(status);
  });

  test("an address inside gets to the login of the operator's pages, and to the figures", async () => {
    expect(await statusOf(inside, "/admin/")).toBe(401);
    expect(await statusOf(inside, "/metrics")).toBe(200);
  });

  test("documents are compressed by nginx where the service does not, and the operator's pages never", async () => {
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
  });
});
