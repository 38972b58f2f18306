// The token and probe services: their responses to each caller, in the words of either version, and attacks
// that get nothing.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { scriptJson } from "../../../../src/iiif/auth-token.ts";
import type { Served } from "../../../served.ts";
import { type Browser, browserOf, postedBy, servedWithAuth, viewer } from "./served.ts";

let app: Served;
let reader: Browser;
let nobody: Browser;
beforeAll(async () => {
  app = await servedWithAuth();
  nobody = browserOf(app);
  reader = browserOf(app);
  await reader.visit("/iiif/auth/login/terms", { form: {} });
});
afterAll(() => app.service.close());

const own = "https://images.example.org";
const asking = (query: Record<string, string>) => `?${new URLSearchParams(query)}`;
const asked = { messageId: "1", origin: viewer };
const context = "http://iiif.io/api/auth/2/context.json";

describe("a token", () => {
  test.each([viewer, own])("of 2.0 is posted to %s alone", async (origin) => {
    const response = await reader.visit(`/iiif/auth/token${asking({ ...asked, origin })}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Frame-Options")).toBeNull();
    expect(response.headers.get("Content-Security-Policy")).toMatch(
      new RegExp(
        `^default-src 'none'; script-src 'nonce-[\\w-]{36}'; .*frame-ancestors ${origin} ${origin === own ? viewer : own}$`,
      ),
    );
    const posted = await postedBy(response);
    expect(posted).toEqual({
      origin,
      message: {
        "@context": context,
        type: "AuthAccessToken2",
        messageId: "1",
        accessToken: expect.stringMatching(/^[\w-]{43}$/),
        expiresIn: expect.any(Number),
      },
    });
    expect(posted.message.expiresIn).toBeGreaterThan(290);
    expect(posted.message.expiresIn).toBeLessThanOrEqual(300);
  });

  test("of 1.0 has exactly its keys, with and without messageId", async () => {
    const posted = await postedBy(await reader.visit(`/iiif/auth/v1/token${asking(asked)}`));
    expect(posted.origin).toBe(viewer);
    expect(Object.keys(posted.message).sort()).toEqual(["accessToken", "expiresIn", "messageId"]);
    const plain = await reader.visit("/iiif/auth/v1/token");
    expect([plain.status, plain.headers.get("Content-Type")]).toEqual([200, "application/json"]);
    expect(plain.headers.get("Cache-Control")).toBe("no-store");
    const document = await plain.json();
    expect(Object.keys(document).sort()).toEqual(["accessToken", "expiresIn"]);
    for (const token of [posted.message.accessToken, document.accessToken]) {
      const headers = { Authorization: `Bearer ${token}` };
      expect((await nobody.visit("/iiif/3/agree%2Fbase.png/full/8,/0/default.jpg", { headers })).status).toBe(
        200,
      );
    }
  });

  test("lives as long as the shortest of the profiles that the session holds", async () => {
    const other = browserOf(app);
    const seconds = async () => (await (await other.visit("/iiif/auth/v1/token")).json()).expiresIn as number;
    await other.visit("/iiif/auth/login/terms", { form: {} });
    expect(await seconds()).toBe(300);
    await other.visit("/iiif/auth/login/staff", { form: { username: "ann", password: "secret" } });
    expect(await seconds()).toBe(120);
  });

  test("has a positive number of seconds, and no more than its session has left", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) });
    const short = await servedWithAuth({ more: "session_ttl: 10s" });
    const other = browserOf(short);
    await other.visit("/iiif/auth/login/terms", { form: {} });
    const seen: unknown[] = [];
    for (const ms of [0, 2300, 6700, 500]) {
      vi.setSystemTime(Date.now() + ms);
      const answer = await (await other.visit("/iiif/auth/v1/token")).json();
      seen.push(answer.expiresIn ?? answer.error);
    }
    // 10 s, 7.7 s and 1 s are left, then half a second, which is none that could be named.
    expect(seen).toEqual([10, 7, 1, "invalidCredentials"]);
    vi.useRealTimers();
    await short.service.close();
  });

  test("ends with its session", async () => {
    const other = browserOf(app);
    await other.visit("/iiif/auth/login/terms", { form: {} });
    const { accessToken } = await (await other.visit("/iiif/auth/v1/token")).json();
    const headers = { Authorization: `Bearer ${accessToken}` };
    const probe = async () =>
      (await (await nobody.visit("/iiif/auth/probe/agree%2Fbase.png", { headers })).json()).status;
    expect(await probe()).toBe(200);
    await other.visit("/iiif/auth/logout");
    expect(await probe()).toBe(401);
  });

  test("does not vend another, nor does HEAD", async () => {
    const { accessToken } = await (await reader.visit("/iiif/auth/v1/token")).json();
    const headers = { Authorization: `Bearer ${accessToken}` };
    const response = await nobody.visit("/iiif/auth/v1/token", { headers });
    expect(await response.json()).toMatchObject({ error: "missingCredentials" });
    const head = await reader.visit(`/iiif/auth/token${asking(asked)}`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

describe("a request for a token without a session", () => {
  const cases: [string, Record<string, string>, string, string][] = [
    ["no cookie", {}, "missingAspect", "missingCredentials"],
    ["another cookie", { Cookie: "a=b; x_service_session=c" }, "missingAspect", "missingCredentials"],
    ["a cookie that is none of ours", { Cookie: "service_session=x" }, "invalidAspect", "invalidCredentials"],
    [
      "the cookie of a session that has ended",
      { Cookie: `service_session=${"A".repeat(43)}` },
      "expiredAspect",
      "invalidCredentials",
    ],
  ];
  test.each(cases)(
    "gets a response in the words of either version: %s",
    async (_, headers, profile, error) => {
      const two = await postedBy(await nobody.visit(`/iiif/auth/token${asking(asked)}`, { headers }));
      expect(two).toEqual({
        origin: viewer,
        message: {
          "@context": context,
          type: "AuthAccessTokenError2",
          profile,
          messageId: "1",
          heading: expect.any(Object),
          note: expect.any(Object),
        },
      });
      const page = await nobody.visit(`/iiif/auth/v1/token${asking(asked)}`, { headers });
      expect(page.status).toBe(200);
      const one = await postedBy(page);
      expect(one).toEqual({
        origin: viewer,
        message: { error, description: expect.any(String), messageId: "1" },
      });
      const plain = await nobody.visit("/iiif/auth/v1/token", { headers });
      expect(plain.status).toBe(401);
      expect(await plain.json()).toEqual({ error, description: expect.any(String) });
    },
  );
});

describe("the origin of a request for a token", () => {
  test.each([
    "https://evil.example",
    "https://viewer.example.org.evil.example",
    "https://xviewer.example.org",
    "https://sub.viewer.example.org",
    "https://viewer.example.org:8443",
    "http://viewer.example.org",
    "http://images.example.org",
    "https://images.example.org:8443",
  ])("%s is another, and gets that response", async (origin) => {
    for (const [path, names] of [
      ["/iiif/auth/token", { profile: "invalidOrigin" }],
      ["/iiif/auth/v1/token", { error: "invalidOrigin" }],
    ] as const) {
      const response = await reader.visit(path + asking({ ...asked, origin }));
      expect(response.headers.get("Content-Security-Policy")).toMatch(
        new RegExp(`frame-ancestors ${origin} ${own} ${viewer}$`),
      );
      const posted = await postedBy(response);
      expect(posted.origin).toBe(origin);
      expect(posted.message).toMatchObject({ ...names, messageId: "1" });
      expect(posted.message).not.toHaveProperty("accessToken");
    }
  });

  test.each([
    "",
    "*",
    "null",
    "viewer.example.org",
    "//viewer.example.org",
    "https://viewer.example.org/",
    "https://VIEWER.example.org",
    "HTTPS://viewer.example.org",
    "https://viewer.example.org:443",
    "https://viewer.example.org?",
    " https://viewer.example.org",
    "https://viewer.example.org\n",
    "https://viewer.example.org https://evil.example",
    "https://viewer.example.org,https://evil.example",
    "https://a;sandbox",
    "https://viewer.example.org@evil.example",
    "https://evil.example#https://viewer.example.org",
    "https://view\u200ber.example.org",
    "https://ｖiewer.example.org",
    "javascript://viewer.example.org/%0aalert(1)",
    "file://",
    "data:text/html,x",
    '"-alert(1)-"',
  ])("%j is none, and gets no response", async (origin) => {
    for (const path of ["/iiif/auth/token", "/iiif/auth/v1/token"]) {
      const response = await reader.visit(path + asking({ ...asked, origin }));
      expect(response.status).toBe(400);
      const body = await response.text();
      expect(body).not.toContain("postMessage");
      expect(JSON.parse(body).code).toBe("invalid_origin");
    }
  });

  test("is required exactly once, and so is messageId", async () => {
    const once = asking(asked);
    for (const query of [`${once}&origin=${encodeURIComponent(own)}`, asking({ messageId: "1" })])
      expect((await reader.visit(`/iiif/auth/token${query}`)).status).toBe(400);
    for (const query of [
      asking({ origin: viewer }),
      `${once}&messageId=2`,
      asking({ ...asked, messageId: "" }),
    ]) {
      const { message } = await postedBy(await reader.visit(`/iiif/auth/token${query}`));
      expect(message).toMatchObject({ type: "AuthAccessTokenError2", profile: "invalidRequest" });
    }
    expect((await reader.visit("/iiif/auth/token")).status).toBe(400);
  });

  test("of a script that requests plain JSON has to be allowed too", async () => {
    const from = async (Origin: string) => reader.visit("/iiif/auth/v1/token", { headers: { Origin } });
    const allowed = await from(viewer);
    expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe(viewer);
    expect(allowed.headers.get("Access-Control-Allow-Credentials")).toBe("true");
    expect(allowed.headers.get("Vary")).toBe("Origin");
    expect(await allowed.json()).toHaveProperty("accessToken");
    for (const origin of ["https://evil.example", "null", `${viewer}.evil.example`]) {
      const refused = await from(origin);
      expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([400, null]);
      expect(await refused.json()).toEqual({ error: "invalidOrigin", description: expect.any(String) });
    }
  });
});

describe("a messageId", () => {
  test.each([
    "1763831512345",
    "https://images.example.org/iiif/auth/v1/token",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "'\"\\`$(1)",
    "\u2028\u2029\u0000\n\r",
    "\u{1F511} ü \u202e",
    "__proto__",
    "x".repeat(4000),
  ])("comes back as it was, as a string: %j", async (messageId) => {
    for (const path of ["/iiif/auth/token", "/iiif/auth/v1/token"]) {
      const response = await reader.visit(path + asking({ messageId, origin: viewer }));
      const html = await response.clone().text();
      expect(html.match(/<\/?script/g)).toHaveLength(2);
      expect(html).not.toMatch(/[\u2028\u2029]|<!--/);
      expect((await postedBy(response)).message.messageId).toBe(messageId);
    }
  });

  test("in a script has no character that could end HTML or a line", () => {
    const text = '</script><!--\u2028\u2029&"';
    expect(scriptJson(text)).toBe('"\\u003c/script\\u003e\\u003c!--\\u2028\\u2029\\u0026\\""');
    expect(JSON.parse(scriptJson(text))).toBe(text);
  });
});

describe("the probe", () => {
  const probe = async (identifier: string, by: Browser = nobody, headers: Record<string, string> = {}) => {
    const response = await by.visit(`/iiif/auth/probe/${identifier}`, { headers });
    expect(response.status).toBe(200);
    return { response, result: await response.json() };
  };
  const start = { "@context": context, type: "AuthProbeResult2" };

  test("responds with 200 in all cases, and has the status in its document", async () => {
    expect((await probe("open%2Fbase.png")).result).toEqual({ ...start, status: 200 });
    expect((await probe("agree%2Fbase.png", reader)).result).toEqual({ ...start, status: 200 });
    expect((await probe("staff%2Fbase.png", reader)).result).toEqual({
      ...start,
      status: 401,
      heading: { en: ["Staff only"] },
      note: { en: ["Ask at the desk"] },
    });
    expect((await probe("room%2Fbase.png")).result).toEqual({
      ...start,
      status: 401,
      substitute: [{ id: `${own}/iiif/3/room%2Fbase.png/full/max/0/default.jpg`, type: "Image" }],
      heading: expect.objectContaining({ en: ["No access"] }),
      note: expect.objectContaining({ en: [expect.stringContaining("certain network addresses")] }),
    });
    expect((await probe("campus%2Fx")).result.status).toBe(401);
    const named = { headers: { "X-Forwarded-User": "ann" }, peer: "10.0.0.1" };
    const byProxy = await nobody.visit("/iiif/auth/probe/campus%2Fbase.png", named);
    expect((await byProxy.json()).status).toBe(200);
  });

  test("accepts an identifier in all its spellings, and none that is refused", async () => {
    for (const spelling of [
      "staff%2Fbase.png",
      "staff/base.png",
      "staff//base.png",
      "st%61ff/a/b/c/d/e",
      "staff",
    ])
      expect([spelling, (await probe(spelling)).result.status]).toEqual([spelling, 401]);
    for (const [path, status] of [
      ["", 404],
      ["..%2Fstaff", 404],
      ["%FF", 400],
      ["a%00b", 404],
    ] as const)
      expect([path, (await nobody.visit(`/iiif/auth/probe/${path}`)).status]).toEqual([path, status]);
  });

  test("may be cached by its caller alone, and names what it varies by", async () => {
    const { response } = await probe("staff%2Fbase.png");
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("Vary")).toBe("Cookie, Authorization");
    expect(response.headers.get("ETag")).toBeNull();
  });

  test("may be read by all pages, with a token, after a preflight", async () => {
    const { response } = await probe("staff%2Fbase.png", nobody, { Origin: "https://any.example" });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const preflight = await app.get("/iiif/auth/probe/staff", {
      method: "OPTIONS",
      headers: { Origin: viewer },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Authorization");
  });

  test("may be read by some pages alone if the configuration says so", async () => {
    const narrow = await servedWithAuth({ cors: `probe_origins: ["${viewer}", "https://b.example"], ` });
    const from = async (Origin: string, method = "GET", path = "staff") =>
      (await narrow.get(`/iiif/auth/probe/${path}`, { headers: { Origin }, method })).headers;
    for (const [method, path] of [
      ["GET", "staff"],
      ["OPTIONS", "staff"],
      ["GET", "%FF"],
    ] as const) {
      const allowed = await from("https://b.example", method, path);
      expect(allowed.get("Access-Control-Allow-Origin")).toBe("https://b.example");
      expect(allowed.get("Vary")).toMatch(/\bOrigin$/);
      for (const origin of ["https://evil.example", "null", `${viewer}.evil.example`, "https://B.example"]) {
        const refused = await from(origin, method, path);
        expect([origin, refused.get("Access-Control-Allow-Origin")]).toEqual([origin, null]);
        expect(refused.get("Vary")).toMatch(/\bOrigin$/);
      }
    }
    await narrow.service.close();
  });
});
