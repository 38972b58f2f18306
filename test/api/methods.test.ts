// Methods: every GET route answers HEAD and OPTIONS, and refuses the others with 405 and Allow.

import { beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../served.ts";

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
  "/iiif/3/base.png",
  "/iiif/3/base.png/info.json",
  "/iiif/2/base.png/full/50,/0/default.jpg",
];

describe.each(routes)("%s", (route) => {
  test("answers HEAD as GET, without a body", async () => {
    const [get, head] = [await app.get(route), await app.get(route, { method: "HEAD" })];
    expect([head.status, head.headers.get("Content-Type")]).toEqual([
      get.status,
      get.headers.get("Content-Type"),
    ]);
    expect(await head.text()).toBe("");
  });

  test("answers OPTIONS with its methods", async () => {
    const response = await app.get(route, { method: "OPTIONS" });
    expect([response.status, response.headers.get("Allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])("refuses %s", async (method) => {
    const response = await app.get(route, { method });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await response.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  });
});
