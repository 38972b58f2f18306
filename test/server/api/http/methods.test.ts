// Methods: every GET route accepts HEAD and OPTIONS, and refuses the others with 405 and Allow.

import { beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";

let app: Served;
beforeAll(async () => {
  app = await served();
});

const routes = [
  "/",
  "/health",
  "/ready",
  "/robots.txt",
  "/favicon.ico",
  "/static/home/home.css",
  "/iiif/3/base.png",
  "/iiif/3/base.png/info.json",
  "/iiif/2/base.png/full/50,/0/default.jpg",
  "/view/base.png",
  "/content-state/mint?target=base.png",
];

describe.each(routes)("%s", (route) => {
  test("responds to HEAD as to GET, without a body", async () => {
    const [get, head] = [await app.get(route), await app.get(route, { method: "HEAD" })];
    expect([head.status, head.headers.get("Content-Type")]).toEqual([
      get.status,
      get.headers.get("Content-Type"),
    ]);
    expect(await head.text()).toBe("");
  });

  test("responds to OPTIONS with its methods, and with the preflight headers", async () => {
    const response = await app.get(route, { method: "OPTIONS" });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "Authorization, Content-Type, If-None-Match, If-Modified-Since",
      "access-control-max-age": "86400",
    });
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])("refuses %s", async (method) => {
    const response = await app.get(route, { method });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await response.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  });
});

describe.each(["/static/none.css", "/static/", "/static/home/", "/static/home/home.css/x", "/nothing"])(
  "%s, which is not there,",
  (route) => {
    test("is a problem, and a page for a browser", async () => {
      const problem = await app.get(route);
      expect([problem.status, problem.headers.get("Content-Type")]).toEqual([
        404,
        "application/problem+json",
      ]);
      expect(await problem.json()).toMatchObject({ status: 404, code: "no_such_page" });
      const page = await app.get(route, { headers: { Accept: "text/html,*/*;q=0.8" } });
      expect([page.status, page.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
      const head = await app.get(route, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([404, ""]);
    });
  },
);
