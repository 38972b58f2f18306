// The login and logout routes of all kinds of login: states and transitions, pages, cookies, and where they
// redirect.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import type { Served } from "../../../served.ts";
import { browserOf, servedWithAuth, viewer } from "./served.ts";

let app: Served;
beforeAll(async () => {
  app = await servedWithAuth();
});
afterAll(() => app.service.close());

const image = (identifier: string) => `/iiif/3/${identifier}/full/8,/0/default.jpg`;
const right = { username: "ann", password: "secret" };

describe.each([
  ["2.0", "/iiif/auth/login/", "/iiif/auth/logout"],
  ["1.0", "/iiif/auth/v1/login/", "/iiif/auth/v1/logout"],
])("the tree of %s", (_, login, logout) => {
  test("logs in by a click, and out again", async () => {
    const reader = browserOf(app);
    expect((await reader.visit(image("agree%2Fbase.png"))).status).toBe(401);
    const page = await reader.visit(`${login}terms`);
    expect(page.status).toBe(200);
    expect(page.headers.get("Cache-Control")).toBe("no-store");
    expect(page.headers.get("Set-Cookie")).toBeNull();
    const html = await page.text();
    expect(html).toContain("Please &lt;agree&gt; &amp; go on");
    expect(html).toContain("Some &quot;rights&quot; are reserved.");
    expect(html.match(/<button/g)).toHaveLength(1);
    expect(html).not.toContain("<input");
    const done = await reader.visit(`${login}terms`, { form: {} });
    expect(done.status).toBe(200);
    expect(await done.text()).toMatch(/<script src="\/static\/@[0-9a-f]{16}\/auth\/close\.js" defer>/);
    expect((await reader.visit(image("agree%2Fbase.png"))).status).toBe(200);
    expect((await reader.visit(image("staff%2Fbase.png"))).status).toBe(401);
    const before = reader.cookie();
    const out = await reader.visit(logout);
    expect(out.status).toBe(200);
    expect(out.headers.get("Set-Cookie")).toMatch(/^service_session=; Path=\/; Expires=Thu, 01 Jan 1970 /);
    expect(await out.text()).toContain("You are logged out");
    const kept = await app.get(image("agree%2Fbase.png"), {
      headers: { Cookie: `service_session=${before}` },
    });
    expect(kept.status).toBe(401);
  });

  test("logs in by name and password, with ASCII or not", async () => {
    for (const username of ["ann", "jörg ✓"]) {
      const reader = browserOf(app);
      const page = await (await reader.visit(`${login}staff`)).text();
      for (const name of ["username", "password"]) expect(page).toMatch(new RegExp(`<label for="${name}">`));
      expect((await reader.visit(`${login}staff`, { form: { ...right, username } })).status).toBe(200);
      expect((await reader.visit(image("staff%2Fbase.png"))).status).toBe(200);
    }
  });

  test("lets a kiosk in by its address, by one GET", async () => {
    const reader = browserOf(app);
    const there = await reader.visit(`${login}room`, { peer: "192.0.2.7" });
    expect(there.status).toBe(200);
    expect(await there.text()).toContain('/auth/close.js" defer>');
    expect((await reader.visit("/iiif/3/room%2Fbase.png/info.json")).headers.get("Vary")).toContain("Cookie");
    const size = async (peer: string) =>
      (await reader.visit("/iiif/3/room%2Fbase.png/full/max/0/default.png", { peer })).arrayBuffer();
    const full = (await size("192.0.2.7")).byteLength;
    expect((await size("198.51.100.7")).byteLength).toBeLessThan(full / 4);
    expect((await size("192.0.2.7")).byteLength).toBe(full);
  });

  test("has no login for a profile of a header, nor for a missing one", async () => {
    for (const name of ["campus", "none", "", "terms/x", "%FF", "constructor", "__proto__"])
      for (const form of [undefined, {}]) {
        const response = await browserOf(app).visit(login + name, form && { form });
        expect([name, response.status]).toEqual([name, 404]);
      }
  });
});

describe("a kiosk's address", () => {
  test.each([
    ["192.0.2.15", undefined, 200],
    ["192.0.2.16", undefined, 401],
    ["2001:db8::5", undefined, 200],
    ["::ffff:192.0.2.1", undefined, 200],
    ["10.1.2.3", "192.0.2.9", 200],
    ["10.1.2.3", "192.0.2.9, 10.0.0.1", 200],
    ["10.1.2.3", "192.0.2.9, 198.51.100.1", 401],
    ["10.1.2.3", "192.0.2.9, nonsense", 401],
    ["10.1.2.3", "unknown, 192.0.2.9", 200],
    ["198.51.100.1", "192.0.2.9", 401],
    ["10.1.2.3", undefined, 401],
  ])("%s with X-Forwarded-For %s is %i", async (peer, forwarded, status) => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    const response = await browserOf(app).visit("/iiif/auth/login/room", { peer, headers });
    expect(response.status).toBe(status);
    expect(response.headers.has("Set-Cookie")).toBe(status === 200);
    if (status === 401) expect(await response.text()).toContain("Access is limited to certain computers");
  });
});

describe("a login that fails", () => {
  test.each([
    [{ username: "ann", password: "wrong" }],
    [{ username: "bob", password: "secret" }],
    [{ username: "", password: "" }],
    [{}],
    [{ username: "ann\u0000", password: "secret" }],
    [{ username: "<script>alert(1)</script>\"'", password: "x".repeat(2000) }],
    [{ username: "\u{1F511}\u202e", password: "\ud800" }],
  ])("shows the form again with the name: %j", async (form: Record<string, string>) => {
    const peer = `198.51.100.${Math.abs(JSON.stringify(form).length % 250)}`;
    const reader = browserOf(app);
    const response = await reader.visit("/iiif/auth/login/staff?return_to=/x", { form, peer });
    expect(response.status).toBe(401);
    expect(response.headers.get("Set-Cookie")).toBeNull();
    const html = await response.text();
    expect(html).toContain('role="alert"');
    expect(html).toContain('name="return_to" value="/x"');
    expect(html).not.toContain("<script");
    expect(html).not.toContain("secret");
    const name = (form.username ?? "").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    expect(html).toContain(` value="${name.replaceAll('"', "&quot;").replaceAll("'", "&#39;")}"`);
  });

  test("several times makes the next one wait, even a right one, from the same address", async () => {
    const peer = "203.0.113.77";
    const tries = async (form: Record<string, string>) =>
      browserOf(app).visit("/iiif/auth/login/staff", { form, peer });
    for (let n = 0; n < 5; n++)
      expect((await tries({ username: `guess${n}`, password: "wrong" })).status).toBe(401);
    await tries({ username: "guess6", password: "wrong" });
    const late = await tries(right);
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await late.text()).toContain("Try again in ");
    const elsewhere = await browserOf(app).visit("/iiif/auth/login/staff", { form: right });
    expect(elsewhere.status).toBe(200);
  });
});

describe("guesses at a password from many addresses", () => {
  test("make nobody wait in other networks, and its owner never where they have logged in, also after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "smalti-known-"));
    const service = () => servedWithAuth({ more: `session: { backend: filesystem, path: ${folder} }` });
    let other = await service();
    const home = "203.0.113.5";
    const statusOf = async (peer: string, password: string) =>
      (await browserOf(other).visit("/iiif/auth/login/staff", { form: { username: "ann", password }, peer }))
        .status;
    expect(await statusOf(home, "secret")).toBe(200);
    // As after a restart.
    await other.service.close();
    other = await service();
    for (let n = 0; n < 50; n++) expect(await statusOf(`198.51.100.${n}`, "wrong")).toBe(401);
    expect(await statusOf("192.0.2.99", "secret")).toBe(200);
    // More than even a new network may wait for, and from networks without end.
    const { failures } = other.service.auth!.logins;
    for (let n = 0; n < 2000; n++)
      failures.attempt(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, "staff/ann");
    for (let n = 0; n < 20; n++) failures.attempt(home, `staff/guess ${n}`);
    expect(await statusOf(home, "secret")).toBe(200);
    await other.service.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
});

describe("many logins of one network", () => {
  let busy: Served;
  const lines: string[] = [];
  beforeAll(async () => {
    const warn = (message: string) => void lines.push(message);
    busy = await servedWithAuth({ over: { log: { ...silentLog, warn } } });
    for (let n = 0; n < 200; n++) {
      const form = n % 2 ? {} : { form: {} };
      const path = n % 2 ? "room" : "terms";
      const { status } = await browserOf(busy).visit(`/iiif/auth/login/${path}`, {
        peer: "192.0.2.7",
        ...form,
      });
      expect(status).toBe(200);
    }
  });
  afterAll(() => busy.service.close());

  test.each([
    ["a click", "/iiif/auth/login/terms", {}],
    ["a click in a viewer of 1.0", "/iiif/auth/v1/login/terms", {}],
    ["a password", "/iiif/auth/login/staff", right],
    ["an address", "/iiif/auth/login/room", undefined],
  ])("make the next one by %s wait, with a page that says for how long", async (_, target, form) => {
    const before = await busy.service.auth?.sessions.count();
    const headers = { "Accept-Language": "de" };
    const response = await browserOf(busy).visit(`${target}?return_to=/x`, {
      peer: "192.0.2.7",
      headers,
      ...(form && { form }),
    });
    expect(response.status).toBe(429);
    expect(response.headers.get("Set-Cookie")).toBeNull();
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const after = Number(response.headers.get("Retry-After"));
    // A day in ten thousand parts.
    expect([after > 0, after <= 9]).toEqual([true, true]);
    const html = await response.text();
    expect(html).toContain('<html lang="de">');
    expect(html).toContain(`in ${after} s noch einmal`);
    const profile = target.split("/").at(-1);
    expect(html).toContain(`<a href="/iiif/auth/login/${profile}?return_to=%2Fx">`);
    expect(await busy.service.auth?.sessions.count()).toEqual(before);
    expect(lines.filter((line) => line.includes("trusted_proxies"))).toHaveLength(1);
  });

  test("affect nobody with a session, and no other network", async () => {
    const reader = browserOf(busy);
    expect((await reader.visit("/iiif/auth/login/terms", { form: {}, peer: "192.0.2.8" })).status).toBe(200);
    const count = await busy.service.auth?.sessions.count();
    const peer = "192.0.2.7";
    for (let n = 0; n < 5; n++) {
      expect((await reader.visit("/iiif/auth/login/room", { peer })).status).toBe(200);
      expect((await reader.visit("/iiif/auth/login/staff", { form: right, peer })).status).toBe(200);
    }
    expect((await busy.service.auth?.sessions.count())?.total).toBe(count?.total);
  });

  test("cannot be bypassed by presenting one session many times concurrently", async () => {
    const reader = browserOf(busy);
    await reader.visit("/iiif/auth/login/terms", { form: {}, peer: "192.0.2.8" });
    const headers = { Cookie: `service_session=${reader.cookie()}` };
    const count = await busy.service.auth?.sessions.count();
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        browserOf(busy).visit("/iiif/auth/login/terms", { form: {}, headers, peer: "192.0.2.7" }),
      ),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 429)]);
    expect((await busy.service.auth?.sessions.count())?.total).toBe(count?.total);
  });

  test("do not count if none begins", async () => {
    const other = await servedWithAuth();
    const peer = "192.0.2.9";
    for (let n = 0; n < 210; n++) {
      await browserOf(other).visit("/iiif/auth/login/room", { peer, method: "HEAD" });
      await browserOf(other).visit("/iiif/auth/login/terms", { peer });
    }
    expect((await browserOf(other).visit("/iiif/auth/login/room", { peer })).status).toBe(200);
    await other.service.close();
  });
});

describe("the session cookie", () => {
  test("is Secure, HttpOnly and SameSite=None, and ends with its session", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const response = await browserOf(app).visit("/iiif/auth/login/terms", { form: {} });
    const [pair, ...attributes] = (response.headers.get("Set-Cookie") ?? "").split("; ");
    expect(pair).toMatch(/^service_session=[\w-]{43}$/);
    expect(attributes.filter((each) => !each.startsWith("Expires=")).sort()).toEqual([
      "HttpOnly",
      "Path=/",
      "SameSite=None",
      "Secure",
    ]);
    const expires = Date.parse(attributes.find((each) => each.startsWith("Expires="))?.slice(8) ?? "");
    const day = 86_400_000;
    expect(expires - day).toBeGreaterThanOrEqual(before);
    expect(expires - day).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ["", {}, "/"],
    ["https://host.example.org/images/", {}, "/images"],
    ["", { "X-Forwarded-Prefix": "/iiif-server/" }, "/iiif-server"],
    ["", { "X-Forwarded-Prefix": "/a/b;Domain=example.org/c" }, "/a"],
  ])("has the path of the public URL: %j, %j", async (base, headers: Record<string, string>, path) => {
    const other = await servedWithAuth({ base, more: "session_ttl: 1h" });
    const peer = "10.0.0.1";
    const response = await browserOf(other).visit("/iiif/auth/login/terms", { form: {}, headers, peer });
    expect(response.headers.get("Set-Cookie")).toMatch(
      new RegExp(
        `^service_session=[\\w-]{43}; Path=${path}; Expires=[^;]+; Secure; HttpOnly; SameSite=None$`,
      ),
    );
    await other.service.close();
  });

  test("has the name and the path of the configuration", async () => {
    const other = await servedWithAuth({ more: "cookie: { name: s.i-d_1, path: /deep/er }" });
    const reader = browserOf(other, "s.i-d_1");
    const response = await reader.visit("/iiif/auth/login/terms", { form: {} });
    expect(response.headers.get("Set-Cookie")).toMatch(/^s\.i-d_1=[\w-]{43}; Path=\/deep\/er; /);
    expect((await reader.visit(image("agree%2Fbase.png"))).status).toBe(200);
    await other.service.close();
  });

  test("changes at each login: an earlier one becomes worthless, and grants move along", async () => {
    const reader = browserOf(app);
    await reader.visit("/iiif/auth/login/terms", { form: {} });
    const first = reader.cookie();
    await reader.visit("/iiif/auth/login/staff", { form: right });
    expect(reader.cookie()).not.toBe(first);
    for (const name of ["agree", "staff"])
      expect((await reader.visit(image(`${name}%2Fbase.png`))).status).toBe(200);
    const old = await app.get(image("agree%2Fbase.png"), { headers: { Cookie: `service_session=${first}` } });
    expect(old.status).toBe(401);
  });

  test("ends with a login that presents it, whatever others are presented before it", async () => {
    const [first, second] = [browserOf(app), browserOf(app)];
    await first.visit("/iiif/auth/login/terms", { form: {} });
    await second.visit("/iiif/auth/login/staff", { form: right });
    const ids = [first.cookie(), "x", second.cookie()];
    const token = (await (await second.visit("/iiif/auth/v1/token")).json()).accessToken;
    const reader = browserOf(app);
    const headers = { Cookie: ids.map((id) => `service_session=${id}`).join("; ") };
    expect((await reader.visit("/iiif/auth/login/staff", { form: right, headers })).status).toBe(200);
    for (const name of ["agree", "staff"])
      expect((await reader.visit(image(`${name}%2Fbase.png`))).status).toBe(200);
    for (const id of ids)
      for (const name of ["agree", "staff"]) {
        const old = { Cookie: `service_session=${id}` };
        expect((await app.get(image(`${name}%2Fbase.png`), { headers: old })).status).toBe(401);
      }
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await app.get(image("staff%2Fbase.png"), { headers: bearer })).status).toBe(401);
  });

  test("that somebody else has chosen is never taken over", async () => {
    const chosen = "A".repeat(43);
    const reader = browserOf(app);
    const headers = { Cookie: `service_session=${chosen}` };
    await reader.visit("/iiif/auth/login/staff", { form: right, headers });
    expect(reader.cookie()).not.toBe(chosen);
    expect((await app.get(image("staff%2Fbase.png"), { headers })).status).toBe(401);
  });
});

describe("a request from another site", () => {
  const cases: [Record<string, string>, boolean][] = [
    [{ "Sec-Fetch-Site": "same-origin" }, true],
    [{ "Sec-Fetch-Site": "none" }, true],
    [{ "Sec-Fetch-Site": "same-site" }, false],
    [{ "Sec-Fetch-Site": "cross-site" }, false],
    [{ "Sec-Fetch-Site": "cross-site", Origin: "https://images.example.org" }, false],
    [{ Origin: "https://images.example.org" }, true],
    [{ Origin: "https://images.example.org.evil.example" }, false],
    [{ Origin: "https://images.example.org:8443" }, false],
    [{ Origin: viewer }, false],
    [{ Origin: "null" }, false],
    [{}, true],
  ];
  test.each(cases)("posts no login and no logout with %j", async (headers, mayPost) => {
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const session = browserOf(app);
    await session.visit("/iiif/auth/login/terms", { form: {} });
    for (const path of ["/iiif/auth/login/terms", "/iiif/auth/v1/login/terms", "/iiif/auth/logout"]) {
      const response = await app.get(path, { method: "POST", headers: { ...type, ...headers }, body: "" });
      expect([path, response.status]).toEqual([path, mayPost ? 200 : 403]);
      expect(response.headers.has("Set-Cookie")).toBe(mayPost);
    }
  });
});

describe("a logout by GET", () => {
  test.each([
    ["document", 200],
    [undefined, 200],
    ["image", 403],
    ["iframe", 403],
    ["frame", 403],
    ["empty", 403],
    ["script", 403],
    ["", 403],
  ])("for what a browser calls %s is %i", async (destination, status) => {
    const reader = browserOf(app);
    await reader.visit("/iiif/auth/login/terms", { form: {} });
    const Cookie = `service_session=${reader.cookie()}`;
    const headers = { Cookie, ...(destination !== undefined && { "Sec-Fetch-Dest": destination }) };
    for (const path of ["/iiif/auth/logout", "/iiif/auth/v1/logout"]) {
      const response = await app.get(path, { headers });
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.has("Set-Cookie")).toBe(status === 200);
      if (status === 403) expect(await response.json()).toMatchObject({ code: "embedded_logout" });
    }
    const image = await app.get("/iiif/3/agree%2Fbase.png/info.json", { headers: { Cookie } });
    expect(image.status).toBe(status === 200 ? 401 : 200);
  });

  test("a POST of a page of this service is no navigation, and logs out", async () => {
    const headers = { "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin" };
    expect((await app.get("/iiif/auth/logout", { method: "POST", headers })).status).toBe(200);
  });
});

describe("return_to", () => {
  const there = ["/", "/iiif/3/agree%2Fbase.png/info.json?x=1#y", `${viewer}/mirador?a=b`];
  const cases: [string, string | undefined][] = [
    ["/", "https://images.example.org/"],
    [there[1] as string, `https://images.example.org${there[1]}`],
    ["https://images.example.org/x", "https://images.example.org/x"],
    [there[2] as string, there[2]],
    [viewer, `${viewer}/`],
    ["//evil.example/", undefined],
    ["/\\evil.example/", undefined],
    ["/\t/evil.example/", undefined],
    ["\\\\evil.example", undefined],
    ["https:evil.example", undefined],
    ["https:/\\evil.example", undefined],
    ["https://evil.example/", undefined],
    ["https://images.example.org@evil.example/", undefined],
    ["https://evil.example\\@images.example.org/", undefined],
    ["https://user:word@images.example.org/", undefined],
    ["https://user@images.example.org/", undefined],
    ["https://images.example.org.evil.example/", undefined],
    ["https://images.example.org:8443/", undefined],
    ["http://images.example.org/", undefined],
    ["https://viewer.example.org.evil.example/", undefined],
    ["https://evil.example/?https://viewer.example.org", undefined],
    ["https://xviewer.example.org/", undefined],
    ["https://viewer.example.org:444/", undefined],
    ["http://viewer.example.org/", undefined],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["blob:https://images.example.org/x", undefined],
    ["x/y", undefined],
    ["?x", undefined],
    [" /x", undefined],
    ["", undefined],
    ["/\r\nSet-Cookie: a=b", "https://images.example.org/Set-Cookie:%20a=b"],
    ["/.//evil.example", "https://images.example.org//evil.example"],
    ["/ü\u2028", "https://images.example.org/%C3%BC%E2%80%A8"],
  ];
  test.each(cases)("%j leads to %j", async (asked, target) => {
    const query = `?return_to=${encodeURIComponent(asked)}`;
    const reader = browserOf(app);
    const answers = [
      await reader.visit("/iiif/auth/login/terms", { form: { return_to: asked } }),
      await reader.visit(`/iiif/auth/login/room${query}`, { peer: "192.0.2.7" }),
      await reader.visit(`/iiif/auth/logout${query}`),
      await reader.visit("/iiif/auth/v1/logout", { form: { return_to: asked } }),
    ];
    for (const { status, headers } of answers) {
      expect([status, headers.get("Location")]).toEqual(target ? [303, target] : [200, null]);
      expect(headers.has("Set-Cookie")).toBe(true);
      expect(headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("stays below the path of the public URL", async () => {
    const other = await servedWithAuth({ base: "https://host.example.org/images" });
    const leads = async (asked: string) =>
      (await browserOf(other).visit("/iiif/auth/login/terms", { form: { return_to: asked } })).headers.get(
        "Location",
      );
    expect(await leads("/images/view?x")).toBe("https://host.example.org/images/view?x");
    expect(await leads("/images")).toBe("https://host.example.org/images");
    for (const asked of ["/", "/other", "/imagesx", "/images/../other", "/images/%2e%2e/other"])
      expect([asked, await leads(asked)]).toEqual([asked, null]);
    await other.service.close();
  });

  test("is in the form, escaped, and its target is in the policy of the page", async () => {
    const policyOf = async (asked: string) => {
      const page = await browserOf(app).visit(
        `/iiif/auth/login/staff?return_to=${encodeURIComponent(asked)}`,
      );
      const html = await page.text();
      const escaped = asked
        .replaceAll("&", "&amp;")
        .replaceAll('"', "&quot;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;");
      expect(html).toContain(`name="return_to" value="${escaped}"`);
      expect(html).not.toContain("<b>");
      return page.headers.get("Content-Security-Policy") ?? "";
    };
    expect(await policyOf(`${viewer}/?a&b="><b>`)).toContain(
      `form-action 'self' https://images.example.org ${viewer};`,
    );
    expect(await policyOf('https://evil.example/"><b>')).toContain(
      "form-action 'self' https://images.example.org;",
    );
  });
});

test("the login page runs no script, posts to this service alone and cannot be framed", async () => {
  const { headers } = await browserOf(app).visit("/iiif/auth/login/staff");
  expect(headers.get("Content-Security-Policy")).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'self' https://images.example.org; frame-ancestors 'none'",
  );
  expect(headers.get("ETag")).toBeNull();
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
});

test.each([
  ["no form", { "Content-Type": "text/plain" }, "x", 415],
  ["a form that is too large", {}, `username=${"a".repeat(20_000)}`, 413],
  ["broken escapes", {}, "username=%zz", 400],
  ["bytes that are no UTF-8", {}, "username=%FF", 400],
])("a login with %s is refused", async (_, headers: Record<string, string>, body, status) => {
  const response = await app.get("/iiif/auth/login/staff", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
  expect(response.status).toBe(status);
});

test("HEAD begins no session and ends none", async () => {
  const reader = browserOf(app);
  const kiosk = await reader.visit("/iiif/auth/login/room", { method: "HEAD", peer: "192.0.2.7" });
  expect([kiosk.status, kiosk.headers.get("Set-Cookie")]).toEqual([200, null]);
  await reader.visit("/iiif/auth/login/terms", { form: {} });
  const out = await reader.visit("/iiif/auth/logout", { method: "HEAD" });
  expect([out.status, out.headers.get("Set-Cookie")]).toEqual([200, null]);
  expect((await reader.visit(image("agree%2Fbase.png"))).status).toBe(200);
});

test("other methods are refused, and OPTIONS names those that there are", async () => {
  const put = await app.get("/iiif/auth/login/staff", { method: "PUT" });
  expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  const post = await app.get("/iiif/auth/token", { method: "POST" });
  expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect((await app.get("/iiif/auth/logout", { method: "OPTIONS" })).status).toBe(204);
});

test("without the section nothing exists at these addresses", async () => {
  const { served } = await import("../../../served.ts");
  const plain = await served();
  for (const path of [
    "probe/base.png",
    "login/terms",
    "token",
    "logout",
    "v1/login/terms",
    "v1/token",
    "v1/logout",
  ])
    expect([path, (await plain.get(`/iiif/auth/${path}`)).status]).toEqual([path, 404]);
  await plain.service.close();
});
