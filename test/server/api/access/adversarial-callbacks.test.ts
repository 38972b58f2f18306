// Attempts to be somebody else by the callbacks of logins elsewhere, or to send readers away by them.

import { createHash, createHmac, hkdfSync } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import fc from "../../../properties.ts";
import type { Served } from "../../../served.ts";
import { clientId, clientSecret, type OidcProvider, startProvider } from "../../../servers/oidc.ts";
import { createCookieJar } from "../auth/cookie-jar.ts";
import { servedWithAuth } from "../auth/served.ts";

const base = "https://images.example.org";
const secret = "of both sides";
const partner = "/iiif/auth/callback/partner";
const members = "/iiif/auth/callback/members";

let app: Served;
let provider: OidcProvider;
beforeAll(async () => {
  provider = await startProvider({ callbacks: [base + members] });
  app = await servedWithAuth({
    base,
    profiles: `partner: { pattern: active, access_service: { backend: external, url: "https://login.example.net/", callback_secret_env: PARTNER } }
members: { pattern: active, access_service: { backend: oidc, issuer: "${provider.issuer}", client_id: ${clientId}, client_secret_env: CLIENT } }`,
    rules: '- { match: "partner/*", profile: partner }\n- { match: "members/*", profile: members }',
    folders: ["partner", "members"],
    env: { PARTNER: secret, CLIENT: clientSecret },
  });
});
afterAll(async () => {
  await app.service.close();
  await provider.stop();
});

const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  app.get(target, { method, headers, peer: "203.0.113.9" });
const image = (name: string) => `/iiif/3/${name}%2Fbase.png/full/8,/0/default.jpg`;
const soon = () => String(Math.floor(Date.now() / 1000) + 60);
const hmac = (text: string, key = secret) => createHmac("sha256", key).update(text);
const query = (fields: Record<string, string>) => `${partner}?${new URLSearchParams(fields)}`;
const signed = (user: string, expires = soon()) => ({
  user,
  expires,
  signature: hmac(`${user}|${expires}`).digest("hex"),
});

/** Expects that nobody is logged in or redirected, and that nothing of the attempt is shown. */
async function expectNobody(response: Response, statuses: readonly number[] = [401]) {
  expect(statuses).toContain(response.status);
  expect(response.headers.get("Location")).toBeNull();
  for (const line of response.headers.getSetCookie()) expect(line).not.toMatch(/^service_session=./);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(await response.text()).not.toMatch(/evil|mallory|<script|\{\{|\$\{/);
}

describe("no signature but that of the name and the time is one", () => {
  const expires = soon();
  const text = `mallory|${expires}`;
  const right = hmac(text).digest("hex");
  const attempts: [string, Record<string, string>][] = [
    ["made without a secret", { signature: hmac(text, "").digest("hex") }],
    ["made with the name of the variable", { signature: hmac(text, "PARTNER").digest("hex") }],
    ["made with the secret of another profile", { signature: hmac(text, clientSecret).digest("hex") }],
    ["of the name alone", { signature: hmac("mallory").digest("hex") }],
    ["of both without what parts them", { signature: hmac(`mallory${expires}`).digest("hex") }],
    ["of both the other way around", { signature: hmac(`${expires}|mallory`).digest("hex") }],
    ["of the query", { signature: hmac(`user=mallory&expires=${expires}`).digest("hex") }],
    ["by another hash", { signature: createHmac("sha512", secret).update(text).digest("hex") }],
    [
      "by another hash, cut to length",
      { signature: createHmac("sha512", secret).update(text).digest("hex").slice(0, 64) },
    ],
    ["in base64 with padding, as digits", { signature: Buffer.from(right).toString("base64url") }],
    ["with 0x before it", { signature: `0x${right}` }],
    ["with a space behind it", { signature: `${right} ` }],
    ["with a line break behind it", { signature: `${right}\n` }],
    [
      "in wide digits",
      { signature: right.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))) },
    ],
    ["of nothing but zeros", { signature: "0".repeat(64) }],
    ["of nothing but A", { signature: "A".repeat(43) }],
    [
      "with one bit changed",
      { signature: right.replace(/^./, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16)) },
    ],
    ["for a name with another letter that looks alike", { user: "mаllory", signature: right }],
    [
      "for a name that a signature of another time fits",
      { user: `mallory|${expires}`, expires: "", signature: right },
    ],
    ["for a time with a sign", { expires: `+${expires}`, signature: right }],
    ["for a time with a zero before it", { expires: `0${expires}`, signature: right }],
    [
      "for a time in wide digits",
      { expires: "９９９９９９９９９９", signature: hmac("mallory|９９９９９９９９９９").digest("hex") },
    ],
    [
      "for a time that is not finite",
      { expires: "Infinity", signature: hmac("mallory|Infinity").digest("hex") },
    ],
    [
      "for a time in two parts",
      { expires: `1|${expires}`, signature: hmac(`mallory|1|${expires}`).digest("hex") },
    ],
  ];
  test.each(attempts)("%s", async (_, fields) => {
    await expectNobody(await get(query({ user: "mallory", expires, ...fields })));
  });

  test("and only for the exact spelling that was signed", async () => {
    const [composed, decomposed] = ["Jörg".normalize("NFC"), "Jörg".normalize("NFD")];
    await expectNobody(await get(query({ ...signed(composed), user: decomposed })));
    expect((await get(query(signed(composed)))).status).toBe(200);
  });
});

describe("a callback redirects only to signed addresses", () => {
  test.each([
    "return_to=https://evil.example/",
    "return_to=//evil.example/",
    "callback=https://evil.example/",
    "redirect_uri=https://evil.example/",
    "RelayState=https://evil.example/",
    "return_to=javascript:alert(1)",
  ])("ignoring its own parameter: %s", async (more) => {
    const response = await get(`${query(signed("ann"))}&${more}`);
    expect([response.status, response.headers.get("Location")]).toEqual([200, null]);
    expect(await response.text()).not.toContain("evil");
  });

  test.each([
    "//evil.example/",
    "https://evil.example/",
    "https://images.example.org@evil.example/",
    "/\\evil.example",
    "https:evil.example",
  ])("to %s, that it was begun with, nor in the link to try again", async (returnTo) => {
    const jar = createCookieJar();
    jar.take(await get(`/iiif/auth/login/partner?return_to=${encodeURIComponent(returnTo)}`));
    const headers = { Cookie: jar.header(partner) };
    const refused = await (await get(`${partner}?user=x`, headers)).text();
    const [, again = ""] = /<a href="([^"]*)"/.exec(refused) ?? [];
    expect(again).toMatch(/^\/iiif\/auth\/login\/partner(\?return_to=[^&]*)?$/);
    const response = await get(query(signed("ann")), headers);
    expect([response.status, response.headers.get("Location")]).toEqual([200, null]);
  });

  test.each([
    ["X-Forwarded-Host", "evil.example"],
    ["X-Forwarded-Prefix", "/evil"],
    ["Forwarded", "host=evil.example"],
    ["X-Original-URL", "https://evil.example/"],
    ["Referer", "https://evil.example/"],
    ["Origin", "https://evil.example"],
  ])("ignoring the header %s", async (name, value) => {
    const headers = { [name]: value };
    const page = new URL((await get("/iiif/auth/login/partner", headers)).headers.get("Location") ?? "");
    expect(page.searchParams.get("callback")).toBe(base + partner);
    const asked = new URL((await get("/iiif/auth/login/members", headers)).headers.get("Location") ?? "");
    expect(asked.searchParams.get("redirect_uri")).toBe(base + members);
  });

  test.each([
    [`/iiif/auth/v1/callback/partner`, [404]],
    [`/iiif/auth/callback/`, [404]],
    [`/iiif/auth/callback`, [404]],
    [`/iiif/auth/callback/partner/`, [404]],
    [`/iiif/auth/callback/partner;x=1`, [404]],
    [`/iiif/auth/callback/partner%00`, [404]],
    [`/iiif/auth/callback/PARTNER`, [404]],
    [`/iiif/auth/callback/terms`, [404]],
    [`/iiif/auth/callback/campus`, [404]],
    [`/iiif/auth/callback/staff`, [404]],
    [`/iiif/auth/callback/members`, [401]],
  ])("nor does %s accept a signature for another address", async (path, statuses) => {
    await expectNobody(await get(`${path}?${new URLSearchParams(signed("ann"))}`), statuses);
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])(
    "nor is one taken by %s, from which pages could send it",
    async (method) => {
      await expectNobody(await get(query(signed("ann")), {}, method), [405]);
    },
  );
});

describe("a name is data", () => {
  test.each([
    "<script>alert(1)</script>",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder has to stay as it is
    "{{ .Error }}${x}<%= y %>",
    "'; DROP TABLE sessions; --",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "|".repeat(100),
    "\u{1F511}".repeat(128),
    "Zoë\u0308\u200d\ufe0f",
  ])("and %j has no effect", async (user) => {
    const response = await get(query(signed(user)));
    expect(response.status).toBe(200);
    const [cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
    expect(cookie).toMatch(/^service_session=[\w-]{43}$/);
    expect(await response.text()).not.toContain(user);
    const found = await app.service.auth?.sessions.find(cookie.slice("service_session=".length));
    expect(found?.grants.map(({ profile, user }) => [profile, user])).toEqual([["partner", user]]);
  });

  test.each([
    "\u{1F511}".repeat(129),
    "x".repeat(7000),
    "a\u0000b",
    "a\tb",
    "a\u0085b",
    "a\u2028b",
    "\u2066a",
  ])("unless it cannot be one: %j", async (user) => {
    await expectNobody(await get(query(signed(user))));
  });
});

describe("a session that was known before a login is worth nothing after it", () => {
  test("with a page that signs", async () => {
    const before = "A".repeat(43);
    const response = await get(query(signed("ann")), { Cookie: `service_session=${before}` });
    expect(response.headers.get("Set-Cookie")).not.toContain(before);
    expect((await get(image("partner"), { Cookie: `service_session=${before}` })).status).toBe(401);
  });

  test("with a provider, including the contents of the session", async () => {
    const first = await get(query(signed("ann")));
    const [known = ""] = (first.headers.get("Set-Cookie") ?? "").split(";");
    const jar = createCookieJar();
    const away = await get("/iiif/auth/login/members");
    jar.take(away);
    const url = await provider.logIn(away.headers.get("Location") ?? "");
    const back = await get(url.pathname + url.search, { Cookie: `${known}; ${jar.header(members)}` });
    const [fresh = ""] = (back.headers.get("Set-Cookie") ?? "").split(";");
    for (const name of ["partner", "members"]) {
      expect((await get(image(name), { Cookie: fresh })).status).toBe(200);
      expect((await get(image(name), { Cookie: known })).status).toBe(401);
    }
  });
});

describe("a code of a provider", () => {
  const begun = async () => {
    const jar = createCookieJar();
    const away = await get("/iiif/auth/login/members");
    jar.take(away);
    const url = await provider.logIn(away.headers.get("Location") ?? "");
    return { target: url.pathname + url.search, cookie: jar.header(members), url };
  };

  test("logs in once, however many send it at the same time", async () => {
    const { target, cookie } = await begun();
    const all = await Promise.all(Array.from({ length: 6 }, () => get(target, { Cookie: cookie })));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });

  test.each([
    ["without the cookie", () => ({})],
    ["with a cookie of garbage", () => ({ Cookie: `service_session_login0=${"x".repeat(6000)}` })],
    ["with a session for a cookie", () => ({ Cookie: `service_session_login0=${"A".repeat(43)}` })],
  ])("logs nobody in %s", async (_, headers: () => Record<string, string>) => {
    const { target } = await begun();
    await expectNobody(await get(target, headers()));
  });

  const state = "A".repeat(43);
  const info = "smalti pending login members";
  const derived = (from: string, about: string) =>
    new Uint8Array(hkdfSync("sha256", from, new Uint8Array(), about, 32));
  const begin = async (key: Uint8Array) => {
    const cookie = await new SignJWT({ returnTo: "/", state, nonce: "n", verifier: state })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("5m")
      .sign(key);
    const from = provider.asked.length;
    const response = await get(`${members}?code=x&state=${state}&iss=${provider.issuer}`, {
      Cookie: `service_session_login0=${cookie}`,
    });
    return { response, asked: provider.asked.slice(from) };
  };

  test.each<[string, Uint8Array]>([
    ["the secret itself", new TextEncoder().encode(clientSecret.padEnd(32, "\0"))],
    ["its digest", createHash("sha256").update(clientSecret).digest()],
    ["a key for nothing", derived(clientSecret, "")],
    ["the key of another profile", derived(clientSecret, "smalti pending login partner")],
    ["the key of another secret", derived(secret, info)],
    ["the key of no secret", derived("", info)],
  ])("is not requested with a cookie that was signed with %s", async (_, key) => {
    const { response, asked } = await begin(key);
    await expectNobody(response);
    expect(asked).toEqual([]);
  });

  test("is requested only with a cookie that was signed with the key of its profile", async () => {
    const { response, asked } = await begin(derived(clientSecret, info));
    await expectNobody(response);
    expect(asked).toContain("/token");
  });

  test("is the only thing that logs in, whatever else an address contains", async () => {
    const jar = createCookieJar();
    const away = await get("/iiif/auth/login/members");
    jar.take(away);
    const { searchParams } = new URL(away.headers.get("Location") ?? "");
    const names = [
      "code",
      "state",
      "iss",
      "error",
      "id_token",
      "token",
      "response",
      "user",
      "expires",
      "signature",
    ];
    const values = [
      searchParams.get("state") ?? "",
      provider.issuer,
      "",
      "x",
      "%",
      "%ff",
      "a.b.c",
      "\u202e",
      "0",
    ];
    const pair = fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom(...values), fc.string()));
    await fc.assert(
      fc.asyncProperty(
        fc.array(pair, { maxLength: 6 }),
        fc.constantFrom(members, partner),
        async (pairs, path) => {
          const text = pairs.map(([name, value]) => `${name}=${value.replaceAll(/[#\s]/g, "")}`).join("&");
          const response = await get(`${path}?${text}`, { Cookie: jar.header(members) });
          expect([400, 401, 503]).toContain(response.status);
          expect(response.headers.getSetCookie().filter((line) => /^service_session=./.test(line))).toEqual(
            [],
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("has no effect by POST, as a provider's form would send it", async () => {
    const { target, cookie } = await begun();
    await expectNobody(await get(target, { Cookie: cookie }, "POST"), [405]);
  });
});
