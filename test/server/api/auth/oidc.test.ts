// Logins at an OpenID Connect provider: a real one, and the same with faulty responses.
// @module-tag slow

import { createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Log } from "../../../../src/base/telemetry/log.ts";
import type { Served } from "../../../served.ts";
import { clientId, clientSecret, type OidcProvider, startProvider } from "../../../servers/oidc.ts";
import { createCookieJar } from "./cookie-jar.ts";
import { servedWithAuth, viewer } from "./served.ts";

const base = "https://images.example.org";
const callback = "/iiif/auth/callback/members";
const image = (name = "members") => `/iiif/3/${name}%2Fbase.png/full/8,/0/default.jpg`;

let provider: OidcProvider;
let app: Served;
const logged: { readonly profile: string; readonly reason: string }[] = [];
const log = {
  debug() {},
  info() {},
  error() {},
  level() {},
  warn: (text: string, facts: (typeof logged)[number]) =>
    void (text === "a login from elsewhere was not accepted" && logged.push(facts)),
} as unknown as Log;

/** Creates an application whose profile `members` logs in at a provider; `more`: additional options of it. */
const siteWith = (
  more = "",
  { issuer = provider.issuer, secret = clientSecret, over = {}, base: own = base } = {},
) =>
  servedWithAuth({
    base: own,
    profiles: `members: { pattern: active, access_service: { backend: oidc, issuer: "${issuer}", client_id: ${clientId}, client_secret_env: CLIENT${more} } }
near: { pattern: external, access_service: { backend: oidc, issuer: "${issuer}", client_id: ${clientId}, client_secret_env: CLIENT } }`,
    rules: '- { match: "members/*", profile: members }',
    folders: ["members"],
    env: { CLIENT: secret },
    over: { log, ...over },
  });

beforeAll(async () => {
  provider = await startProvider({
    callbacks: [
      base + callback,
      `${base}/iiif/auth/callback/near`,
      `https://www.example.org/images${callback}`,
    ],
  });
  app = await siteWith();
});
afterEach(() => {
  provider.answer = undefined;
  logged.length = 0;
  vi.useRealTimers();
});
afterAll(async () => {
  await app.service.close();
  await provider.stop();
});

/** A browser that keeps all cookies. */
function reader(site = app, headers: Record<string, string> = {}) {
  const jar = createCookieJar();
  const visit = async (target: string, method = "GET") => {
    const cookies = jar.header(target);
    const response = await site.get(target, {
      method,
      peer: "10.0.0.1",
      headers: { ...(cookies && { Cookie: cookies }), ...headers },
    });
    jar.take(response);
    return response;
  };
  return {
    jar,
    visit,
    /** Goes to the login; returns where it redirects. */
    async leave(query = "", login = "/iiif/auth/login/members") {
      const response = await visit(login + query);
      expect(response.status).toBe(303);
      return response.headers.get("Location") ?? "";
    },
    /** Follows the provider's redirect back. */
    back: (url: URL) => visit(url.pathname + url.search),
  };
}

/** A login by one browser from begin to end. */
async function whole(one = reader(), user?: string) {
  return one.back(await provider.logIn(await one.leave(), { user }));
}

const userOf = async (one: ReturnType<typeof reader>, site = app) =>
  (await site.service.auth?.sessions.find(one.jar.values.get("service_session") ?? ""))?.grants[0]?.user;

/** A page that says what happened, and no session. */
async function expectRefused(
  response: Response,
  one: ReturnType<typeof reader>,
  status: number,
  says: string,
) {
  expect([response.status, one.jar.values.has("service_session")]).toEqual([status, false]);
  const html = await response.text();
  expect(html).toContain("<h1>You are not signed in</h1>");
  expect(html).toContain(says);
  expect(html).toContain('<a href="/iiif/auth/login/members');
  expect(html).not.toMatch(/<script|secret|localhost/);
}

const says = {
  denied: "You did not agree",
  unconfirmed: "did not confirm who you are",
  expired: "This login is not known here",
  unavailable: "is not responding right now",
  misconfigured: "not set up correctly",
};

describe("a login", () => {
  test.each([["/iiif/auth/login/members"], ["/iiif/auth/v1/login/members"]])(
    "at %s shows the images of its profile",
    async (login) => {
      const one = reader();
      expect((await one.visit(image())).status).toBe(401);
      const back = await one.back(await provider.logIn(await one.leave("", login)));
      expect(back.status).toBe(200);
      expect(back.headers.get("Cache-Control")).toBe("no-store");
      expect(await back.text()).toContain("You have access");
      expect((await one.visit(image())).status).toBe(200);
      expect((await one.visit(image("staff"))).status).toBe(401);
      expect(await userOf(one)).toBe("ann");
      expect([...one.jar.values.keys()]).toEqual(["service_session"]);
    },
  );

  test("asks the provider for a code, with PKCE, state and nonce that are new each time", async () => {
    const [first, second] = [await reader().leave(), await reader().leave()].map((each) => new URL(each));
    expect(first?.origin).toBe(provider.issuer);
    const { code_challenge, state, nonce, ...rest } = Object.fromEntries(first?.searchParams ?? []);
    expect(rest).toEqual({
      response_type: "code",
      client_id: clientId,
      redirect_uri: base + callback,
      scope: "openid profile email",
      code_challenge_method: "S256",
    });
    for (const secret of [code_challenge, state, nonce]) expect(secret).toMatch(/^[\w-]{43}$/);
    for (const name of ["code_challenge", "state", "nonce"])
      expect(second?.searchParams.get(name)).not.toBe(first?.searchParams.get(name));
  });

  test("returns to the requested address, if that is allowed", async () => {
    for (const [returnTo, target] of [
      ["/iiif/3/x", `${base}/iiif/3/x`],
      [`${viewer}/m?a=b`, `${viewer}/m?a=b`],
      ["https://evil.example/", null],
      ["//evil.example/", null],
    ] as const) {
      const one = reader();
      const back = await one.back(
        await provider.logIn(await one.leave(`?return_to=${encodeURIComponent(returnTo)}`)),
      );
      expect([back.status, back.headers.get("Location")]).toEqual([target ? 303 : 200, target]);
    }
  });

  test("takes the name from the claim that the configuration names", async () => {
    for (const [claim, user] of [
      ["preferred_username", "Reader bob ✓"],
      ["email", "bob@example.org"],
    ]) {
      const site = await siteWith(`, user_claim: ${claim}`);
      const one = reader(site);
      expect((await whole(one, "bob")).status).toBe(200);
      expect(await userOf(one, site)).toBe(user);
      await site.service.close();
    }
  });

  test("may begin at one server and finish at another with the same configuration", async () => {
    const other = await siteWith();
    const one = reader();
    const url = await provider.logIn(await one.leave("?return_to=/mine"));
    const there = await other.get(url.pathname + url.search, {
      headers: { Cookie: one.jar.header(callback) },
    });
    expect([there.status, there.headers.get("Location")]).toEqual([303, `${base}/mine`]);
    await other.service.close();
  });

  test("behind a proxy with a path has it in its addresses and cookies", async () => {
    const site = await siteWith("", { base: "" });
    const forwarded = {
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "www.example.org",
      "X-Forwarded-Prefix": "/images",
    };
    const away = await site.get("/iiif/auth/login/members", { peer: "10.0.0.1", headers: forwarded });
    const [cookie = "", path] = (away.headers.get("Set-Cookie") ?? "").split("; ");
    expect(path).toBe("Path=/images/iiif/auth");
    const url = await provider.logIn(away.headers.get("Location") ?? "");
    expect(url.origin + url.pathname).toBe(`https://www.example.org/images${callback}`);
    const back = await site.get(callback + url.search, {
      peer: "10.0.0.1",
      headers: { ...forwarded, Cookie: cookie },
    });
    expect(back.status).toBe(200);
    expect(back.headers.getSetCookie()[0]).toMatch(/; Path=\/images; /);
    await site.service.close();
  });

  test("sends the secret in the form if the provider accepts nothing else", async () => {
    const plain = (await (
      await fetch(`${provider.issuer}/.well-known/openid-configuration`)
    ).json()) as object;
    let authorization: string | undefined = "none asked";
    provider.answer = (path, request) => {
      if (path === "/token") authorization = request.headers.authorization;
      return path.startsWith("/.well-known/")
        ? Response.json({ ...plain, token_endpoint_auth_methods_supported: ["client_secret_post"] })
        : undefined;
    };
    const site = await siteWith();
    expect((await whole(reader(site))).status).toBe(200);
    expect(authorization).toBeUndefined();
    await site.service.close();
  });

  test("asks for metadata and keys once, not for each reader", async () => {
    const site = await siteWith();
    provider.asked.length = 0;
    for (let n = 0; n < 3; n++) expect((await whole(reader(site))).status).toBe(200);
    const count = (path: string) => provider.asked.filter((each) => each === path).length;
    expect(["/.well-known/openid-configuration", "/jwks", "/token"].map(count)).toEqual([1, 1, 3]);
    await site.service.close();
  });
});

describe("several windows of one browser", () => {
  test("log in concurrently, in any order", async () => {
    const one = reader();
    const urls: URL[] = [];
    for (const name of ["a", "b", "c", "d"])
      urls.push(await provider.logIn(await one.leave(`?return_to=/${name}`)));
    expect(one.jar.values.size).toBe(4);
    for (const at of [2, 0, 3, 1]) {
      const back = await one.back(urls[at] as URL);
      expect(back.headers.get("Location")).toBe(`${base}/${"abcd"[at]}`);
    }
    expect([...one.jar.values.keys()]).toEqual(["service_session"]);
  });

  test("keep four logins; a fifth takes the place of one of them", async () => {
    const one = reader();
    const urls: URL[] = [];
    for (let n = 0; n < 5; n++) urls.push(await provider.logIn(await one.leave()));
    expect(one.jar.values.size).toBe(4);
    const statuses: number[] = [];
    for (const url of urls) statuses.push((await one.back(url)).status);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 401]);
  });
});

describe("a login is refused", () => {
  test.each(["login", "consent"] as const)("if the reader turns back at the %s, in words", async (deny) => {
    const one = reader();
    const back = await one.back(await provider.logIn(await one.leave("?return_to=/mine"), { deny }));
    await expectRefused(back, one, 401, says.denied);
    expect(one.jar.values.size).toBe(0);
    expect(logged).toEqual([]);
  });

  test.each([
    ["de", "Sie haben der Anmeldung nicht zugestimmt"],
    ["fr", "Vous n’avez pas accepté la connexion"],
    ["es", "No ha aceptado el inicio de sesión"],
    ["it", "Non ha accettato l’accesso"],
    ["nl", "U hebt niet met het inloggen ingestemd"],
  ])("in the reader's language: %s", async (language, text) => {
    const one = reader(app, { "Accept-Language": language });
    const back = await one.back(await provider.logIn(await one.leave(), { deny: "login" }));
    expect(await back.text()).toContain(text);
  });

  test.each([
    ["login_required", 401, says.unconfirmed],
    ["temporarily_unavailable", 503, says.unavailable],
    ["invalid_scope", 503, says.misconfigured],
    ["<script>alert(1)</script>", 503, says.misconfigured],
    ["constructor", 503, says.misconfigured],
    ["x".repeat(3000), 503, says.misconfigured],
  ])("with the provider's error %s: %i", async (error, status, text) => {
    const one = reader();
    const { searchParams } = new URL(await one.leave());
    const query = new URLSearchParams({
      error,
      error_description: "<b>secret</b>",
      state: searchParams.get("state") ?? "",
      iss: provider.issuer,
    });
    await expectRefused(await one.visit(`${callback}?${query}`), one, status, text);
    expect(JSON.stringify(logged)).not.toMatch(/<script|xxx/);
  });

  test("with a code that has expired", async () => {
    const site = await siteWith();
    const one = reader(site);
    const url = await provider.logIn(await one.leave());
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 90_000);
    await expectRefused(await one.back(url), one, 401, says.unconfirmed);
    expect(logged).toEqual([
      { profile: "members", reason: "the provider answered with the error invalid_grant" },
    ]);
    await site.service.close();
  });

  test("with a code that was used: by the same browser, and by one that has kept the cookie", async () => {
    const one = reader();
    const url = await provider.logIn(await one.leave());
    const thief = reader();
    for (const [name, value] of one.jar.values) thief.jar.set(name, value);
    expect((await one.back(url)).status).toBe(200);
    const again = reader();
    again.jar.set("other", "1");
    await expectRefused(await again.back(url), again, 401, says.expired);
    expect((await one.back(url)).status).toBe(401);
    expect((await one.visit(image())).status).toBe(200);
    await expectRefused(await thief.back(url), thief, 401, says.unconfirmed);
  });

  test("with another login's nonce", async () => {
    const site = await siteWith();
    const one = reader(site);
    const other = new URL(await one.leave());
    const mixed = new URL(await one.leave());
    mixed.searchParams.set("nonce", other.searchParams.get("nonce") ?? "");
    await expectRefused(await one.back(await provider.logIn(mixed.href)), one, 401, says.unconfirmed);
    expect(logged[0]?.reason).toContain('"nonce"');
    await site.service.close();
  });

  test("with a code of another login, whose PKCE does not match", async () => {
    const one = reader();
    const mine = await provider.logIn(await one.leave());
    const theirs = await provider.logIn(await reader().leave(), { user: "mallory" });
    mine.searchParams.set("code", theirs.searchParams.get("code") ?? "");
    await expectRefused(await one.back(mine), one, 401, says.unconfirmed);
  });

  const changes: [string, (query: URLSearchParams) => void, string][] = [
    ["without a state", (query) => query.delete("state"), says.expired],
    ["with another state", (query) => query.set("state", "A".repeat(43)), says.expired],
    ["with an empty state", (query) => query.set("state", ""), says.expired],
    ["with two states", (query) => query.append("state", "A".repeat(43)), says.expired],
    ["with its state twice", (query) => query.append("state", query.get("state") ?? ""), says.expired],
    ["with a state of 4,000 characters", (query) => query.set("state", "x".repeat(4000)), says.expired],
    ["with a state of another script", (query) => query.set("state", "ѕ\u202e\0"), says.expired],
    ["with another issuer", (query) => query.set("iss", "https://evil.example"), says.unconfirmed],
    ["without its issuer, which the provider names", (query) => query.delete("iss"), says.unconfirmed],
    ["with two issuers", (query) => query.append("iss", "https://evil.example"), says.unconfirmed],
    ["with two codes", (query) => query.append("code", "x"), says.unconfirmed],
    ["without a code", (query) => query.delete("code"), says.unconfirmed],
    ["with a code that is none", (query) => query.set("code", "<script>\r\nx: y"), says.unconfirmed],
    ["with tokens in the address", (query) => query.set("id_token", "a.b.c"), says.misconfigured],
    ["with a JWT as response", (query) => query.set("response", "a.b.c"), says.unconfirmed],
  ];
  test.each(changes)("%s", async (_, change, text) => {
    const one = reader();
    const url = await provider.logIn(await one.leave());
    change(url.searchParams);
    await expectRefused(await one.back(url), one, text === says.misconfigured ? 503 : 401, text);
  });

  test("that another browser began: nobody is logged in as somebody else", async () => {
    const mallory = reader();
    const url = await provider.logIn(await mallory.leave(), { user: "mallory" });
    const victim = reader();
    await victim.leave();
    await expectRefused(await victim.back(url), victim, 401, says.expired);
    // A refused callback does not end the login in progress.
    expect(victim.jar.values.size).toBe(1);
  });

  test("after more than ten minutes", async () => {
    const one = reader();
    const url = await provider.logIn(await one.leave());
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 601_000);
    await expectRefused(await one.back(url), one, 401, says.expired);
  });

  test("with the cookie of another profile", async () => {
    const one = reader();
    const url = await provider.logIn(await one.leave("", "/iiif/auth/login/near"));
    expect((await one.visit(callback + url.search)).status).toBe(401);
    expect((await one.back(url)).status).toBe(200);
  });

  test("without effect with HEAD, which leaves the code for GET", async () => {
    const one = reader();
    const url = await provider.logIn(await one.leave());
    const head = await one.visit(url.pathname + url.search, "HEAD");
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []]);
    expect((await one.back(url)).status).toBe(200);
  });
});

describe("an ID token", () => {
  /** Runs a login whose token request returns these tokens. */
  async function withTokens(make: (nonce: string) => Promise<object>, site = app) {
    const one = reader(site);
    const address = await one.leave();
    const nonce = new URL(address).searchParams.get("nonce") ?? "";
    const url = await provider.logIn(address);
    provider.answer = (path) =>
      path === "/token"
        ? make(nonce).then((tokens) => Response.json({ access_token: "a", token_type: "Bearer", ...tokens }))
        : undefined;
    return { one, response: await one.back(url) };
  }
  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

  test("that is as it should be is accepted, also by a clock that is 30 seconds behind", async () => {
    for (const exp of [secondsAgo(-60), secondsAgo(30)]) {
      const { response } = await withTokens(async (nonce) => ({
        id_token: await provider.idToken({ nonce, exp }),
      }));
      expect(response.status).toBe(200);
    }
  });

  test("that was issued by a clock that is 30 seconds ahead is accepted", async () => {
    const { response } = await withTokens(async (nonce) => ({
      id_token: await provider.idToken({ nonce, iat: secondsAgo(-30) }),
    }));
    expect(response.status).toBe(200);
  });

  test.each([
    ["ES256", true],
    ["ES384", true],
    ["PS256", true],
    ["RS512", true],
    ["EdDSA", true],
    // With a shared key, anybody who can verify could also sign.
    ["HS256", false],
  ])("may be signed by %s, if that is with a key that is published: %s", async (alg, accepted) => {
    const plain = (await (
      await fetch(`${provider.issuer}/.well-known/openid-configuration`)
    ).json()) as object;
    const pair = accepted ? await generateKeyPair(alg, { extractable: true }) : undefined;
    const key = pair?.privateKey ?? new TextEncoder().encode(clientSecret.padEnd(32));
    // A provider with one key need not name it.
    const jwks = { keys: pair ? [await exportJWK(pair.publicKey)] : [] };
    const site = await siteWith();
    const one = reader(site);
    let nonce = "";
    provider.answer = (path) => {
      if (path.startsWith("/.well-known/"))
        return Response.json({ ...plain, id_token_signing_alg_values_supported: [alg] });
      if (path === "/jwks") return Response.json(jwks);
      if (path !== "/token") return undefined;
      return new SignJWT({ iss: provider.issuer, aud: clientId, sub: "ann", nonce })
        .setProtectedHeader({ alg })
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(key)
        .then((id_token) => Response.json({ access_token: "a", token_type: "Bearer", id_token }));
    };
    const address = await one.leave();
    nonce = new URL(address).searchParams.get("nonce") ?? "";
    const back = await one.back(await provider.logIn(address));
    expect([back.status, one.jar.values.has("service_session")]).toEqual(
      accepted ? [200, true] : [503, false],
    );
    await site.service.close();
  });

  const wrong: [string, (nonce: string) => Promise<object>][] = [
    [
      "for another audience",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, aud: "another" }) }),
    ],
    [
      "for several, without this service",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, aud: ["x", "y"], azp: "x" }) }),
    ],
    [
      "that another service was given",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, aud: [clientId, "x"], azp: "x" }) }),
    ],
    [
      "of another issuer",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, iss: "https://evil.example" }) }),
    ],
    [
      "of an issuer with a / more",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, iss: `${provider.issuer}/` }) }),
    ],
    ["without a nonce", async () => ({ id_token: await provider.idToken({}) })],
    ["with another nonce", async () => ({ id_token: await provider.idToken({ nonce: "x" }) })],
    [
      "that expired two minutes ago",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, exp: secondsAgo(120) }) }),
    ],
    [
      "that is not valid yet",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, nbf: secondsAgo(-120) }) }),
    ],
    [
      "that was issued in two minutes",
      async (nonce) => ({ id_token: await provider.idToken({ nonce, iat: secondsAgo(-120) }) }),
    ],
    ["that is none", async () => ({ id_token: "x" })],
    ["that is not there", async () => ({})],
    [
      "signed with another key of the same name",
      async (nonce) => ({
        id_token: await provider.idToken({ nonce }, {}, (await generateKeyPair("RS256")).privateKey),
      }),
    ],
    [
      "signed with a key that is not published",
      async (nonce) => ({
        id_token: await provider.idToken(
          { nonce },
          { kid: "x" },
          (await generateKeyPair("RS256")).privateKey,
        ),
      }),
    ],
    [
      "whose claims were changed",
      async (nonce) => {
        const [head, body = "", signature] = (await provider.idToken({ nonce })).split(".");
        const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
        return { id_token: `${head}.${base64({ ...claims, sub: "root" })}.${signature}` };
      },
    ],
  ];
  test.each(wrong)("%s is refused", async (_, make) => {
    const { one, response } = await withTokens(make);
    await expectRefused(response, one, 401, says.unconfirmed);
  });

  const claims = (nonce: string) => ({
    iss: provider.issuer,
    aud: clientId,
    sub: "root",
    nonce,
    iat: secondsAgo(0),
    exp: secondsAgo(-300),
  });
  const { unconfirmed, misconfigured } = says;
  test.each<[string, string, (nonce: string) => Promise<object>]>([
    [
      "without a signature",
      unconfirmed,
      async (nonce) => ({ id_token: `${base64({ alg: "none" })}.${base64(claims(nonce))}.` }),
    ],
    [
      "signed with the secret of the client",
      unconfirmed,
      async (nonce) => {
        const text = `${base64({ alg: "HS256" })}.${base64(claims(nonce))}`;
        return { id_token: `${text}.${createHmac("sha256", clientSecret).update(text).digest("base64url")}` };
      },
    ],
    [
      "with a name of control characters",
      misconfigured,
      async (nonce) => ({ id_token: await provider.idToken({ nonce, sub: "a\r\nb" }) }),
    ],
    [
      "with a name of 257 characters",
      misconfigured,
      async (nonce) => ({ id_token: await provider.idToken({ nonce, sub: "x".repeat(257) }) }),
    ],
  ])("%s is not accepted by this service, and the log says so", async (_, text, make) => {
    const site = await siteWith();
    const { one, response } = await withTokens(make, site);
    await expectRefused(response, one, text === misconfigured ? 503 : 401, text);
    expect(logged).toHaveLength(1);
    await site.service.close();
  });

  test("without the user claim names that claim to the operator", async () => {
    const site = await siteWith(", user_claim: upn");
    const one = reader(site);
    await expectRefused(await whole(one), one, 503, says.misconfigured);
    expect(logged[0]?.reason).toContain("has no claim upn");
    await site.service.close();
  });
});

describe("the provider's keys", () => {
  test("may change: the next login reads the new ones, and no longer accepts the old", async () => {
    expect((await whole()).status).toBe(200);
    const old = provider.signingKey();
    // Keys are not asked for more often than every five seconds.
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 6000);
    await provider.rotateKeys();
    expect((await whole()).status).toBe(200);
    const one = reader();
    const address = await one.leave();
    const nonce = new URL(address).searchParams.get("nonce") ?? "";
    const url = await provider.logIn(address);
    provider.answer = (path) =>
      path === "/token"
        ? provider
            .idToken({ nonce }, { kid: old.kid }, old.key)
            .then((id_token) => Response.json({ access_token: "a", token_type: "Bearer", id_token }))
        : undefined;
    await expectRefused(await one.back(url), one, 401, says.unconfirmed);
  });
});

describe("a provider that does not respond", () => {
  test("neither prevents the start nor makes the service unready; everything but its logins works", async () => {
    await provider.stop();
    const site = await siteWith();
    const ready = await site.service.ready();
    expect(ready.status).toBe("ready");
    expect(ready.providers).toMatchObject([
      {
        name: "members",
        backend: "oidc",
        healthy: false,
        error: expect.stringContaining("cannot be reached"),
      },
      { name: "near" },
    ]);
    const one = reader(site);
    const refused = await one.visit("/iiif/auth/login/members?return_to=/mine");
    expect(refused.headers.get("Retry-After")).toBe("5");
    await expectRefused(refused, one, 503, says.unavailable);
    expect((await one.visit("/iiif/auth/login/terms")).status).toBe(200);
    expect((await one.visit(image("open"))).status).toBe(200);
    expect((await one.visit(image())).status).toBe(401);
    await provider.start();
    expect((await whole(one)).status).toBe(200);
    expect((await site.service.ready()).providers).toMatchObject([{ healthy: true }, {}]);
    await site.service.close();
  });

  test("while a reader is there can be asked once more for the same login", async () => {
    const one = reader();
    const url = await provider.logIn(await one.leave("?return_to=/mine"));
    provider.answer = (path) => (path === "/token" ? new Response("", { status: 502 }) : undefined);
    await expectRefused(await one.back(url), one, 503, says.unavailable);
    provider.answer = undefined;
    expect((await one.back(url)).headers.get("Location")).toBe(`${base}/mine`);
  });

  test("for its keys vouches for nobody", async () => {
    const site = await siteWith();
    provider.answer = (path) => (path === "/jwks" ? new Response("", { status: 500 }) : undefined);
    const one = reader(site);
    await expectRefused(await whole(one), one, 503, says.unavailable);
    provider.answer = undefined;
    expect((await whole(one)).status).toBe(200);
    await site.service.close();
  });

  test("gets no requests for a while after some failures in a row", async () => {
    const site = await siteWith();
    let asked = 0;
    provider.answer = () => {
      asked++;
      return new Response("", { status: 500 });
    };
    // All of them within its pause.
    vi.useFakeTimers({ toFake: ["performance"] });
    for (let n = 0; n < 20; n++)
      expect((await reader(site).visit("/iiif/auth/login/members")).status).toBe(503);
    expect(asked).toBeLessThanOrEqual(6);
    await site.service.close();
  });

  test("is waited for five seconds, and by 32 readers at most", async () => {
    const site = await siteWith();
    let asked = 0;
    provider.answer = (path) => {
      if (path !== "/token") return undefined;
      asked++;
      return new Promise(() => {});
    };
    const away = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const one = reader(site);
        const { searchParams } = new URL(await one.leave());
        return { one, state: searchParams.get("state") ?? "" };
      }),
    );
    const many = await Promise.all(
      away.map(({ one, state }) =>
        one.visit(`${callback}?${new URLSearchParams({ code: "x", state, iss: provider.issuer })}`),
      ),
    );
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([503]));
    expect(asked).toBe(32);
    await site.service.close();
  });
});

describe("a provider that responds", () => {
  const wellKnown = "/.well-known/openid-configuration";
  const cases: [string, () => Response | Promise<Response>, string][] = [
    [
      "with a page",
      () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
      says.misconfigured,
    ],
    [
      "with broken JSON",
      () => new Response("{", { headers: { "Content-Type": "application/json" } }),
      says.misconfigured,
    ],
    ["with no object", () => Response.json([1]), says.misconfigured],
    ["with nothing in it", () => Response.json({}), says.misconfigured],
    ["that it is not there", () => new Response("", { status: 404 }), says.misconfigured],
    [
      "with a redirect",
      () => new Response("", { status: 302, headers: { Location: "http://127.0.0.1:1/" } }),
      says.misconfigured,
    ],
    ["that too many ask", () => new Response("", { status: 429 }), says.unavailable],
    [
      "with more than 512 KiB",
      () =>
        Response.json({
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/auth`,
          x: "x".repeat(600_000),
        }),
      says.misconfigured,
    ],
    ["with another issuer", () => Response.json({ issuer: "https://evil.example" }), says.misconfigured],
    ["without endpoints", () => Response.json({ issuer: provider.issuer }), says.misconfigured],
    [
      "with a page for logins that is none",
      () => Response.json({ issuer: provider.issuer, authorization_endpoint: "javascript:alert(1)" }),
      says.misconfigured,
    ],
    [
      "with a page for logins that anybody can read along",
      () => Response.json({ issuer: provider.issuer, authorization_endpoint: "http://login.example.org/" }),
      says.misconfigured,
    ],
  ];
  test.each(cases)("%s for its metadata gets no reader", async (_, answer, text) => {
    const site = await siteWith();
    provider.answer = (path) => (path === wellKnown ? answer() : undefined);
    const one = reader(site);
    await expectRefused(await one.visit("/iiif/auth/login/members"), one, 503, text);
    expect(one.jar.values.size).toBe(0);
    expect(logged).toHaveLength(1);
    await site.service.close();
  });

  test("with endpoints of plain http elsewhere gets neither code nor secret", async () => {
    const plain = (await (await fetch(provider.issuer + wellKnown)).json()) as object;
    for (const over of [
      { token_endpoint: "http://token.example.org/" },
      { jwks_uri: "http://keys.example.org/" },
      { token_endpoint: "file:///etc/passwd" },
      { token_endpoint: 5 },
      { jwks_uri: undefined },
    ]) {
      const site = await siteWith();
      provider.answer = (path) => (path === wellKnown ? Response.json({ ...plain, ...over }) : undefined);
      const one = reader(site);
      await expectRefused(await whole(one), one, 503, says.misconfigured);
      await site.service.close();
    }
  });

  test("under another name than the configured one has that name in the log", async () => {
    const site = await siteWith();
    const name = "https://login.example.org/realms/other";
    provider.answer = (path) => (path === wellKnown ? Response.json({ issuer: name }) : undefined);
    await reader(site).visit("/iiif/auth/login/members");
    expect(logged[0]?.reason).toContain(`calls itself "${name}"; write that as issuer`);
    await site.service.close();
  });

  test("that the secret is wrong tells the operator which key to correct", async () => {
    const site = await siteWith("", { secret: "wrong" });
    const one = reader(site);
    await expectRefused(await whole(one), one, 503, says.misconfigured);
    expect(logged[0]?.reason).toContain("client_secret_env");
    expect(JSON.stringify(logged)).not.toContain("wrong");
    await site.service.close();
  });
});
