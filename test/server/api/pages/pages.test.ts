// Pages: one layout and one strict policy for the start page, the documentation and errors.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { pageResponse } from "../../../../src/server/api/http/page.ts";
import { assetReader } from "../../../../src/server/platform/files/dist-files.ts";
import { type Served, served } from "../../../served.ts";

const files = assetReader(new URL("../../../../", import.meta.url));
let app: Served;
const documentation = '<!doctype html><link rel="stylesheet" href="../assets/site.css"><h1>A page</h1>';

beforeAll(async () => {
  app = await served(
    "sources: []",
    {},
    {
      asset: async (path) =>
        path === "docs/start/page.html" ? new TextEncoder().encode(documentation) : files(path),
      surface: (routes) =>
        routes.add({
          path: "/form",
          get: (c) => pageResponse(c, { title: "<Form>", body: '<form method="post"></form>', forms: true }),
        }),
    },
  );
});

const html = { Accept: "text/html" };
/** Directives of a policy by name. */
const policyOf = (response: Response) =>
  new Map(
    (response.headers.get("Content-Security-Policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );

describe.each([
  ["/", 200],
  ["/form", 200],
  ["/nothing", 404],
  ["/iiif/3/none/info.json", 404],
])("the page %s", (path, status) => {
  test("allows nothing inline and holds nothing inline", async () => {
    const response = await app.get(path, { headers: html });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      status,
      "text/html; charset=utf-8",
    ]);
    const policy = policyOf(response);
    expect([policy.get("default-src"), policy.get("style-src"), policy.get("base-uri")]).toEqual([
      "'none'",
      "'self'",
      "'none'",
    ]);
    expect(policy.get("script-src") ?? "'self'").toBe("'self'");
    expect([...policy.values()].join(" ")).not.toMatch(/unsafe|nonce/);
    const text = await response.text();
    expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son[a-z]+=/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('<meta name="color-scheme" content="light dark">');
    const sheet = /<link rel="stylesheet" href="([^"]*page\.css[^"]*)"/.exec(text)?.[1] ?? "";
    const style = await app.get(sheet);
    expect([style.status, style.headers.get("Content-Type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect(await style.text()).toBe(readFileSync("static/page/page.css", "utf8"));
  });

  test("is found under a proxy's prefix with all of its files", async () => {
    const text = await (await app.get(path, { headers: { ...html, "X-Forwarded-Prefix": "/img" } })).text();
    const addresses = [
      ...text.matchAll(/<(?:link(?! rel="(?:canonical|alternate)")|script)[^>]* (?:href|src)="([^"]*)"/g),
    ].map(([, url]) => url);
    expect(addresses.length).toBeGreaterThan(1);
    for (const address of addresses) expect(address).toMatch(/^\/img\/static\//);
  });
});

describe("a page of status 200", () => {
  test.each(["/", "/static/docs/start/page.html"])("has a tag that gets a 304: %s", async (path) => {
    const tag = (await app.get(path)).headers.get("ETag") ?? "";
    expect(tag).toMatch(/^"[^"]+"$/);
    const again = await app.get(path, { headers: { "If-None-Match": tag } });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, tag, ""]);
  });

  test("has another tag if its addresses begin elsewhere", async () => {
    const tag = (await app.get("/")).headers.get("ETag") ?? "";
    const elsewhere = { "If-None-Match": tag, "X-Forwarded-Prefix": "/img" };
    expect((await app.get("/", { headers: elsewhere })).status).toBe(200);
  });
});

test("an error page has no tag and is never cached", async () => {
  const { headers } = await app.get("/nothing", { headers: html });
  expect([headers.get("ETag"), headers.get("Cache-Control")]).toEqual([null, "no-store"]);
});

test("a page with forms posts to this service alone and cannot be framed", async () => {
  const response = await app.get("/form");
  const policy = policyOf(response);
  expect([policy.get("form-action"), policy.get("frame-ancestors")]).toEqual(["'self'", "'none'"]);
  expect(await response.text()).toContain("<title>&lt;Form&gt;</title>");
  expect(policyOf(await app.get("/")).get("form-action")).toBe("'none'");
});

describe("the documentation", () => {
  test("is sent as it was built, with a policy that allows its own files and nothing inline", async () => {
    const response = await app.get("/static/docs/start/page.html");
    expect(await response.text()).toBe(documentation);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    const policy = policyOf(response);
    expect(["default-src", "style-src", "script-src", "connect-src"].map((name) => policy.get(name))).toEqual(
      ["'none'", "'self'", "'self'", "'self'"],
    );
    expect([...policy.values()].join(" ")).not.toMatch(/unsafe|nonce/);
  });

  test("begins at its folder, below a proxy's prefix too", async () => {
    const { status, headers } = await app.get("/static/docs/", { headers: { "X-Forwarded-Prefix": "/img" } });
    expect(status).toBe(302);
    expect(headers.get("Location")).toMatch(/\/img\/static\/docs\/index\.html$/);
  });

  test.each(["none.html", "start/none.html", "a/b/page.html", "..%2fpage.html"])(
    "has no page %s",
    async (page) => {
      expect((await app.get(`/static/docs/${page}`)).status).toBe(404);
    },
  );
});
