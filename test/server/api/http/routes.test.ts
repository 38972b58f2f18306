// Routes: methods derived from a route's handlers, bodies within limits, cross-site posts, and cross-origin
// headers.

import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { readForm, readJson } from "../../../../src/server/api/http/body.ts";
import { setCors } from "../../../../src/server/api/http/cors.ts";
import { createRoutes, type Routes } from "../../../../src/server/api/http/routes.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { type Served, served } from "../../../served.ts";
import { rawExchange } from "../../platform/server/raw-http.ts";

const maxBytes = 64;

/** A page with a form, a public address that takes JSON, and one that fails when its headers are made. */
function mountTestRoutes(routes: Routes): void {
  routes.add({
    path: "/form",
    get: () => new Response("a form"),
    post: async (c) => Response.json([...(await readForm(c, maxBytes))]),
  });
  routes.add({
    path: "/public/*",
    cors: true,
    post: async (c) => Response.json({ received: await readJson(c, maxBytes) }),
  });
  routes.add({
    path: "/late",
    cors: true,
    get(c) {
      setCors({}, c);
      throw new Error("late");
    },
  });
}

let app: Served;
beforeAll(async () => {
  app = await served("", {}, { surface: mountTestRoutes });
});

const formType = "application/x-www-form-urlencoded";
const post = (path: string, body: BodyInit, headers: Record<string, string>) =>
  app.get(path, { method: "POST", body, headers });
const postForm = (body: BodyInit, headers: Record<string, string> = {}) =>
  post("/form", body, { "Content-Type": formType, ...headers });
const postJson = (body: BodyInit, headers: Record<string, string> = {}) =>
  post("/public/state", body, { "Content-Type": "application/json", ...headers });
const problem = async (response: Response) => [response.status, (await response.json()).code];

describe("the table of routes", () => {
  test("finds whole paths first, then the longest prefix, and takes no other character for a pattern", () => {
    const routes = createRoutes();
    for (const path of ["/a/*", "/a/b/*", "/a/b/c", "/:x/(.*)/*"]) routes.add({ path });
    const found = ["/a/x", "/a/b/x", "/a/b/c", "/a/b/c/", "/a", "/y/z/", "/:x/(.*)/q"].map(
      (path) => routes.find(path)?.path,
    );
    expect(found).toEqual(["/a/*", "/a/b/*", "/a/b/c", "/a/b/*", undefined, undefined, "/:x/(.*)/*"]);
  });

  test.each([
    ["/./iiif/3/base.png/info.json", "*"],
    ["/x/../iiif/3/base.png/info.json", "*"],
    ["/%2e/iiif/3/base.png/full/max/0/default.jpg", "*"],
    ["/./public/x", "*"],
    ["/./form", null],
    ["/../admin/", null],
  ])(
    "does not resolve the dot segments of %s: 404, with the cross-origin headers of its target",
    async (target, origin) => {
      const response = await app.get(target);
      expect(response.status).toBe(404);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe(origin);
      expect(await response.json()).toMatchObject({
        code: "no_such_page",
        detail: expect.stringMatching(/segments \. and \.\./),
      });
    },
  );

  test.each(["/a", "/a/*"])("refuses a second route at %s", (path) => {
    const routes = createRoutes();
    routes.add({ path });
    expect(() => routes.add({ path })).toThrow(path);
  });
});

describe("methods", () => {
  test.each([
    ["/form", "GET, HEAD, POST, OPTIONS"],
    ["/public/state", "POST, OPTIONS"],
    ["/health", "GET, HEAD, OPTIONS"],
  ])("of %s are exactly: %s", async (path, methods) => {
    const options = await app.get(path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("Allow")]).toEqual([204, methods]);
    expect(options.headers.get("Access-Control-Allow-Methods")).toBe(methods);
    const refused = await app.get(path, { method: "DELETE" });
    expect([refused.status, refused.headers.get("Allow")]).toEqual([405, methods]);
  });

  test("HEAD is refused without GET", async () => {
    const head = await app.get("/public/state", { method: "HEAD" });
    expect([head.status, head.headers.get("Allow"), await head.text()]).toEqual([405, "POST, OPTIONS", ""]);
  });
});

describe("cross-origin headers", () => {
  const cors = (response: Response) => response.headers.get("Access-Control-Allow-Origin");

  test.each([
    ["/public/state", "POST", "*"],
    ["/public/state", "DELETE", "*"],
    ["/public/state", "OPTIONS", "*"],
    ["/iiif/3/none/info.json", "GET", "*"],
    ["/iiif/3/base.png", "GET", "*"],
    ["/iiif/3/base.png/info.json", "GET", "*"],
    ["/iiif/3/base.png/full/9,/0/default.png", "GET", "*"],
    ["/iiif/3/base.png/full/9,/0/default.png", "HEAD", "*"],
    ["/late", "GET", "*"],
    ["/iiif/nothing", "GET", "*"],
    ["/form", "POST", null],
    ["/form", "OPTIONS", null],
    ["/nothing", "GET", null],
    ["/health", "DELETE", null],
    ["/static/none.css", "GET", null],
  ])("of %s for %s are %s", async (path, method, expected) => {
    expect(cors(await app.get(path, { method }))).toBe(expected);
  });

  test("are on errors that occur before the route is called", async () => {
    const long = "a".repeat(9000);
    for (const [path, expected] of [
      [`/iiif/3/${long}`, "*"],
      [`/form?${long}`, null],
    ] as const) {
      const response = await app.get(path);
      expect([response.status, cors(response)]).toEqual([414, expected]);
    }
  });
});

describe("a form", () => {
  test("is read as its fields, including repeated ones", async () => {
    const response = await postForm("name=J%C3%BCrgen+M&tag=a&tag=b%26&empty=");
    expect(await response.json()).toEqual([
      ["name", "Jürgen M"],
      ["tag", "a"],
      ["tag", "b&"],
      ["empty", ""],
    ]);
  });

  test.each([
    ["broken percent-encoding", "a=%zz"],
    ["percent-encoded bytes that are not UTF-8", "a=%ff"],
    ["bytes that are not UTF-8", new Uint8Array([97, 61, 255])],
  ])("with %s is 400", async (_, body) => {
    expect(await problem(await postForm(body))).toEqual([400, "invalid_form"]);
  });

  test.each([
    ["another type", { "Content-Type": "application/json" }],
    ["no type", { "Content-Type": "" }],
    ["another character set", { "Content-Type": `${formType}; charset=iso-8859-1` }],
    ["compression", { "Content-Encoding": "gzip" }],
  ])("with %s is 415", async (_, headers) => {
    expect(await problem(await postForm("a=b", headers))).toEqual([415, "unsupported_body_type"]);
  });
});

describe("JSON", () => {
  test.each([`{"a":[1,null]}`, "3", `"é"`])("is read: %s", async (text) => {
    const response = await postJson(text, { "Content-Type": "Application/JSON; charset=UTF-8" });
    expect(await response.json()).toEqual({ received: JSON.parse(text) });
  });

  test.each([
    ["no text", ""],
    ["text that ends early", `{"a":`],
    ["bytes that are not UTF-8", new Uint8Array([34, 255, 34])],
  ])("with %s is 400", async (_, body) => {
    expect(await problem(await postJson(body))).toEqual([400, "invalid_json"]);
  });
});

describe("the bound of a body", () => {
  const text = (length: number) => `"${"x".repeat(length - 2)}"`;

  test("holds to the byte", async () => {
    expect((await postJson(text(maxBytes))).status).toBe(200);
    expect(await problem(await postJson(text(maxBytes + 1)))).toEqual([413, "body_too_large"]);
  });

  test("ends the reading of a body without a length, and of one that announces too little", async () => {
    for (const announced of [undefined, "10"]) {
      let chunks = 0;
      let isCancelled = false;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          chunks++;
          controller.enqueue(new Uint8Array(16).fill(32));
        },
        cancel() {
          isCancelled = true;
        },
      });
      const response = await app.get("/public/state", {
        method: "POST",
        body: endless,
        duplex: "half",
        headers: {
          "Content-Type": "application/json",
          ...(announced ? { "Content-Length": announced } : {}),
        },
      } as RequestInit);
      expect(await problem(response)).toEqual([413, "body_too_large"]);
      // The fifth of 16 bytes is over the bound; streams may read one ahead.
      expect(chunks).toBeLessThanOrEqual(7);
      expect(isCancelled).toBe(true);
    }
  });

  test("refuses an announced length before anything is read", async () => {
    const response = await postJson("1", { "Content-Length": "65" });
    expect(await problem(response)).toEqual([413, "body_too_large"]);
  });
});

describe("a body over a socket", () => {
  test.each([
    ["of unknown length that does not end", "Transfer-Encoding: chunked", `64\r\n${" ".repeat(100)}\r\n`],
    ["whose announced length is too large", "Content-Length: 1000000000", "1"],
  ])("%s gets 413 before it has arrived, and the server continues", async (_, field, sent) => {
    const platform = nodePlatform(new URL("../../../../dist/", import.meta.url));
    const serving = await platform.serve?.({
      hostname: "127.0.0.1",
      port: 0,
      readTimeoutMs: 0,
      writeTimeoutMs: 0,
      keepAliveMs: 75_000,
      fetch: ({ method, headers, body }) =>
        app.get("/public/state", { method, headers, body, duplex: "half" } as RequestInit),
    });
    const port = Number(new URL(serving?.urls[0] ?? "").port);
    const head = `POST /public/state HTTP/1.1\r\nHost: images.test\r\nContent-Type: application/json\r\n`;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(`${head}${field}\r\n\r\n${sent}`));
      let text = "";
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        text += chunk;
        if (!text.includes("body_too_large")) return;
        socket.destroy();
        resolve(text);
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    const next = await rawExchange(port, `${head}Content-Length: 1\r\nConnection: close\r\n\r\n7`);
    expect(next).toContain('{"received":7}');
    await serving?.stop(0);
  });
});

describe("a post to a page", () => {
  const own = "http://images.test";

  test.each([
    ["neither field", {}],
    ["Sec-Fetch-Site: same-origin", { "Sec-Fetch-Site": "same-origin", Origin: own }],
    ["Sec-Fetch-Site: none", { "Sec-Fetch-Site": "none" }],
    ["the origin of this service", { Origin: own }],
    ["this host over HTTPS, which a proxy ends", { Origin: "https://images.test" }],
  ])("is accepted with %s", async (_, headers) => {
    expect((await postForm("a=b", headers)).status).toBe(200);
  });

  test.each([
    ["Sec-Fetch-Site: cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["Sec-Fetch-Site: same-site", { "Sec-Fetch-Site": "same-site", Origin: "http://other.images.test" }],
    ["another origin", { Origin: "http://evil.test" }],
    ["another port", { Origin: "http://images.test:8080" }],
    ["an opaque origin", { Origin: "null" }],
    ["an origin that is no URL of the web", { Origin: "file://images.test" }],
    ["no origin at all in the field", { Origin: "images.test" }],
  ])("is refused with %s", async (_, headers) => {
    expect(await problem(await postForm("a=b", headers))).toEqual([403, "cross_site_post"]);
  });

  test("is accepted from the configured public address, and from the host that it was sent to", async () => {
    const proxied = await served("base_url: https://public.test/img", {}, { surface: mountTestRoutes });
    const statuses = await Promise.all(
      ["https://public.test", "http://images.test", "https://evil.test"].map(async (origin) => {
        const headers = { "Content-Type": formType, Origin: origin };
        return (await proxied.get("/form", { method: "POST", body: "a=b", headers })).status;
      }),
    );
    expect(statuses).toEqual([200, 200, 403]);
  });

  test("of a public route may come from anywhere", async () => {
    const response = await postJson("1", { Origin: "http://evil.test", "Sec-Fetch-Site": "cross-site" });
    expect([response.status, await response.json()]).toEqual([200, { received: 1 }]);
  });
});
