// Logins on an operator's own page: redirected there with callback and return_to, back with a signature, and
// what is refused.

import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { configWarnings } from "../../../../src/server/config/reading/warnings.ts";
import type { Served } from "../../../served.ts";
import { createCookieJar } from "./cookie-jar.ts";
import { servedWithAuth, viewer } from "./served.ts";

const secret = "correct horse 电池";
const profiles = `partner: { pattern: active, label: { en: [Partners] }, access_service: { backend: external, url: "https://login.example.net/iiif?lang=en#top", callback_secret_env: PARTNER } }
other: { pattern: external, access_service: { backend: external, url: "https://login.example.net/other", callback_secret_env: OTHER } }`;
const options = {
  profiles,
  rules: '- { match: "partner/*", profile: partner }\n- { match: "other/*", profile: other }',
  folders: ["partner", "other"],
  env: { PARTNER: secret, OTHER: "another" },
};

let app: Served;
beforeAll(async () => {
  app = await servedWithAuth(options);
});
afterAll(() => app.service.close());

/** A browser that keeps all cookies. */
function reader(site = app, headers: Record<string, string> = {}) {
  const jar = createCookieJar();
  return {
    jar,
    async visit(target: string, method = "GET", more: Record<string, string> = {}) {
      const response = await site.get(target, {
        method,
        peer: "10.0.0.1",
        headers: { Cookie: jar.header(target), ...headers, ...more },
      });
      jar.take(response);
      return response;
    },
  };
}

const image = (name = "partner") => `/iiif/3/${name}%2Fbase.png/full/8,/0/default.jpg`;
const callback = "/iiif/auth/callback/partner";
const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
const signed = (user: string, expires: string, encoding: "hex" | "base64url" = "hex", key = secret) =>
  createHmac("sha256", key).update(`${user}|${expires}`, "utf8").digest(encoding);

/** The query of a good callback. */
function vouched(user: string, expires = inSeconds(60), encoding: "hex" | "base64url" = "hex") {
  return `user=${encodeURIComponent(user)}&expires=${expires}&signature=${signed(user, expires, encoding)}`;
}

describe.each([["/iiif/auth/login/partner"], ["/iiif/auth/v1/login/partner"]])("a login at %s", (login) => {
  test("leads to the operator's page with an absolute callback and return_to as it came", async () => {
    const returnTo = "https://elsewhere.example/?a=b&c=d%20e ü#f";
    const response = await reader().visit(`${login}?return_to=${encodeURIComponent(returnTo)}`);
    expect(response.status).toBe(303);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const page = new URL(response.headers.get("Location") ?? "");
    expect(page.origin + page.pathname).toBe("https://login.example.net/iiif");
    expect(page.hash).toBe("#top");
    expect([...page.searchParams]).toEqual([
      ["lang", "en"],
      ["callback", "https://images.example.org/iiif/auth/callback/partner"],
      ["return_to", returnTo],
    ]);
    const bare = await reader().visit(login);
    expect(new URL(bare.headers.get("Location") ?? "").searchParams.has("return_to")).toBe(false);
  });

  test("and back, with a signature in any of its forms, shows the images of its profile alone", async () => {
    for (const [user, encoding] of [
      ["ann", "hex"],
      ["jörg ✓ | 1", "base64url"],
      ["x".repeat(256), "hex"],
    ] as const) {
      const one = reader();
      expect((await one.visit(image())).status).toBe(401);
      await one.visit(login);
      const back = await one.visit(`${callback}?${vouched(user, inSeconds(60), encoding)}`);
      expect(back.status).toBe(200);
      expect(await back.text()).toContain("You have access");
      expect((await one.visit(image())).status).toBe(200);
      expect((await one.visit(image("other"))).status).toBe(401);
      const id = one.jar.values.get("service_session") ?? "";
      expect((await app.service.auth?.sessions.find(id))?.grants).toMatchObject([
        { profile: "partner", user },
      ]);
    }
  });

  test("returns to the requested address, if that is allowed", async () => {
    for (const [returnTo, target] of [
      ["/iiif/3/x", "https://images.example.org/iiif/3/x"],
      [`${viewer}/m?a=b`, `${viewer}/m?a=b`],
      ["https://evil.example/", null],
      [`/${"x".repeat(2000)}`, null],
    ] as const) {
      const one = reader();
      await one.visit(`${login}?return_to=${encodeURIComponent(returnTo)}`);
      const back = await one.visit(`${callback}?${vouched("ann")}`);
      expect([back.status, back.headers.get("Location")]).toEqual([target ? 303 : 200, target]);
      expect([...one.jar.values.keys()]).toEqual(["service_session"]);
    }
  });
});

test("the pending cookie is for the login services alone, of this site, and short-lived", async () => {
  const one = reader(app, { "X-Forwarded-Proto": "https" });
  const response = await one.visit("/iiif/auth/login/partner?return_to=/x");
  expect(response.headers.get("Set-Cookie")).toMatch(
    /^service_session_login0=[\w.-]+; Path=\/iiif\/auth; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
  );
});

test("behind a proxy with a path, addresses and cookies have it", async () => {
  const site = await servedWithAuth({ ...options, base: "", more: "cookie: { name: __Host-s }" });
  const one = reader(site, {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "www.example.org",
    "X-Forwarded-Prefix": "/images",
  });
  const away = await one.visit("/iiif/auth/login/partner?return_to=/images/a");
  const page = new URL(away.headers.get("Location") ?? "");
  expect(page.searchParams.get("callback")).toBe("https://www.example.org/images/iiif/auth/callback/partner");
  const [pair = "", path] = (away.headers.get("Set-Cookie") ?? "").split("; ");
  expect(path).toBe("Path=/images/iiif/auth");
  // A name that begins with __Host- would demand the path /.
  expect(pair).toMatch(/^__Secure-s_login0=/);
  const back = await one.visit(`${callback}?${vouched("ann")}`, "GET", { Cookie: pair });
  expect(back.headers.get("Location")).toBe("https://www.example.org/images/a");
  const [session, ended] = back.headers.getSetCookie();
  expect(session).toMatch(/^__Host-s=[\w-]{43}; Path=\/images; /);
  expect(ended).toMatch(/^__Secure-s_login0=; Path=\/images\/iiif\/auth; Max-Age=0; /);
  const refused = await one.visit(`${callback}?user=ann`, "GET", { Cookie: pair });
  expect(await refused.text()).toContain('href="/images/iiif/auth/login/partner?return_to=%2Fimages%2Fa"');
  await site.service.close();
});

describe("a pending login", () => {
  const kept = async (one: ReturnType<typeof reader>, returnTo: string) =>
    one.visit(`/iiif/auth/login/partner?return_to=${returnTo}`);
  const back = async (one: ReturnType<typeof reader>) =>
    (await one.visit(`${callback}?${vouched("ann")}`)).headers.get("Location");

  test("is the last one of its profile", async () => {
    const one = reader();
    await kept(one, "/first");
    await one.visit("/iiif/auth/login/other?return_to=/other");
    await kept(one, "/second");
    expect(one.jar.values.size).toBe(2);
    expect(await back(one)).toBe("https://images.example.org/second");
    expect([...one.jar.values.keys()].sort()).toEqual(["service_session", "service_session_login1"]);
  });

  test("counts for ten minutes", async () => {
    const one = reader();
    try {
      vi.useFakeTimers({ toFake: ["Date"] });
      const began = Date.now();
      await kept(one, "/late");
      vi.setSystemTime(began + 595_000);
      expect(await back(one)).toBe("https://images.example.org/late");
      await kept(one, "/late");
      vi.setSystemTime(began + 595_000 + 601_000);
      expect(await back(one)).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  test("that was changed, signed by another, or made for another profile leads nowhere", async () => {
    const one = reader();
    await kept(one, "/mine");
    const value = one.jar.values.get("service_session_login0") ?? "";
    const [head = "", body = "", signature = ""] = value.split(".");
    const text = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...text, returnTo: "/theirs" })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const direct = createHmac("sha256", secret).update(`${head}.${changed}`).digest("base64url");
    const other = reader();
    await other.visit("/iiif/auth/login/other?return_to=/other");
    for (const forged of [
      `${head}.${changed}.${signature}`,
      `${head}.${changed}.${direct}`,
      `${none}.${changed}.`,
      `${head}.${body}`,
      "x",
      other.jar.values.get("service_session_login0") ?? "",
    ]) {
      const two = reader();
      two.jar.set("service_session_login0", forged);
      expect([forged, await back(two)]).toEqual([forged, null]);
    }
  });

  test("is accepted by every server with the same secret", async () => {
    const other = await servedWithAuth(options);
    const one = reader();
    await kept(one, "/mine");
    const there = await other.get(`${callback}?${vouched("ann")}`, {
      headers: { Cookie: one.jar.header(callback) },
    });
    expect(there.headers.get("Location")).toBe("https://images.example.org/mine");
    await other.service.close();
  });
});

describe("a callback is refused", () => {
  const good = inSeconds(3000);
  const late = inSeconds(-1);
  const right = signed("ann", good);
  const cases: [string, string][] = [
    ["without anything", ""],
    ["without a signature", `user=ann&expires=${good}`],
    ["with an empty signature", `user=ann&expires=${good}&signature=`],
    ["with the signature of another user", `user=bob&expires=${good}&signature=${right}`],
    ["with the signature of another time", `user=ann&expires=${Number(good) + 1}&signature=${right}`],
    [
      "with the signature of another secret",
      `user=ann&expires=${good}&signature=${signed("ann", good, "hex", "another")}`,
    ],
    ["with a signature that is cut", `user=ann&expires=${good}&signature=${right.slice(0, 62)}`],
    ["with a signature that is longer", `user=ann&expires=${good}&signature=${right}00`],
    [
      "with a signature that is no text of either form",
      `user=ann&expires=${good}&signature=${"!".repeat(43)}`,
    ],
    ["that has expired", `user=ann&expires=${late}&signature=${signed("ann", late)}`],
    ["that expires now", `user=ann&expires=0&signature=${signed("ann", "0")}`],
    ["with a time that is no number", `user=ann&expires=1e12&signature=${signed("ann", "1e12")}`],
    ["with a negative time", `user=ann&expires=-1&signature=${signed("ann", "-1")}`],
    ["with milliseconds", `user=ann&expires=${good}000&signature=${signed("ann", `${good}000`)}`],
    ["with a user of nothing", `user=&expires=${good}&signature=${signed("", good)}`],
    ["with a user of 257 characters", vouched("x".repeat(257))],
    ["with a line break in the user", vouched("ann\r\nSet-Cookie: a=b")],
    ["with a null character in the user", vouched("ann\0")],
    ["with a user that turns the text around it", vouched("\u202enna")],
    ["with a user that is no UTF-8", `user=%ff&expires=${good}&signature=${signed("\ufffd", good)}`],
    ["with two users, the signed one first", `${vouched("ann", good)}&user=bob`],
    ["with two users, the signed one last", `user=bob&${vouched("ann", good)}`],
    ["with the same user twice", `user=ann&${vouched("ann", good)}`],
    ["with two times", `expires=${good}&${vouched("ann", good)}`],
    ["with two signatures", `signature=${right}&${vouched("ann", good)}`],
    ["with parameters of an array", `user[]=ann&expires[]=${good}&signature[]=${right}`],
    ["with names in another case", `User=ann&Expires=${good}&Signature=${right}`],
  ];
  test.each(cases)("%s, on a page that says what to do, without a session", async (_, query) => {
    const response = await reader().visit(`${callback}?${query}`);
    expect(response.status).toBe(401);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const html = await response.text();
    expect(html).toContain("<h1>You are not signed in</h1>");
    expect(html).toContain('<a href="/iiif/auth/login/partner">Try again</a>');
    expect(html).not.toMatch(/ann|bob|<script|secret/);
  });

  test.each([
    ["de", "Sie sind nicht angemeldet", "Noch einmal versuchen"],
    ["fr", "Vous n’êtes pas connecté", "Réessayer"],
    ["es", "No ha iniciado sesión", "Intentar de nuevo"],
    ["it", "Accesso non riuscito", "Riprova"],
    ["nl", "U bent niet ingelogd", "Opnieuw proberen"],
    ["ja", "You are not signed in", "Try again"],
  ])("in the language of the reader: %s", async (language, heading, again) => {
    const html = await (
      await reader(app, { "Accept-Language": language }).visit(`${callback}?user=x`)
    ).text();
    expect(html).toContain(`<h1>${heading}</h1>`);
    expect(html).toContain(`>${again}</a>`);
  });

  test("with the signature for another profile, which has another secret", async () => {
    const response = await reader().visit(`/iiif/auth/callback/other?${vouched("ann")}`);
    expect(response.status).toBe(401);
  });

  test("if the profile has none, or does not exist", async () => {
    for (const name of ["terms", "staff", "room", "campus", "none", "", "partner/", "__proto__", "%FF"])
      expect([name, (await reader().visit(`/iiif/auth/callback/${name}?${vouched("ann")}`)).status]).toEqual([
        name,
        404,
      ]);
    const posted = await reader().visit(`${callback}?${vouched("ann")}`, "POST");
    expect(posted.status).toBe(405);
  });
});

test("a good callback counts until it expires, and HEAD begins no session", async () => {
  const query = vouched("ann");
  const head = await reader().visit(`${callback}?${query}`, "HEAD");
  expect([head.status, head.headers.getSetCookie()]).toEqual([200, []]);
  for (const one of [reader(), reader()]) {
    expect((await one.visit(`${callback}?${query}`)).status).toBe(200);
    expect((await one.visit(image())).status).toBe(200);
  }
});

test("the log says once why callbacks are refused, and contains no signature", async () => {
  const lines: unknown[] = [];
  const said = "a login from elsewhere was not accepted";
  const note = (...line: unknown[]) => void (line[0] !== said || lines.push(line[1]));
  const log = { debug() {}, info() {}, warn: note, error: note, level() {} } as unknown as NonNullable<
    NonNullable<Parameters<typeof servedWithAuth>[0]>["over"]
  >["log"];
  const site = await servedWithAuth({ ...options, over: { log } });
  const expires = inSeconds(60);
  for (let n = 0; n < 3; n++)
    await reader(site).visit(`${callback}?user=ann&expires=${expires}&signature=${"ab".repeat(32)}`);
  expect(lines).toEqual([
    { profile: "partner", reason: "the signature does not fit; compare the secrets of both sides" },
  ]);
  await site.service.close();
});

describe("the operator's page of docs/examples", () => {
  let page: ChildProcess;
  let address: string;
  beforeAll(async () => {
    const file = fileURLToPath(new URL("../../../../docs/examples/login-page.mjs", import.meta.url));
    page = spawn(process.execPath, [file], {
      env: {
        SECRET: secret,
        CALLBACK: "https://images.example.org/iiif/auth/callback/partner",
        USERS: "ann:secret,jörg ✓:a:b",
        PORT: "0",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    address = await new Promise<string>((resolve) =>
      page.stdout?.once("data", (line) => resolve(String(line).trim())),
    );
  });
  afterAll(() => page.kill());

  const at = (query: URLSearchParams, login?: string) =>
    fetch(`${address}?${query}`, {
      redirect: "manual",
      headers: login === undefined ? {} : { Authorization: `Basic ${Buffer.from(login).toString("base64")}` },
    });

  test.each(["ann:secret", "jörg ✓:a:b"])("lets %s in", async (login) => {
    const one = reader();
    const away = await one.visit("/iiif/auth/login/partner?return_to=/mine");
    const { searchParams } = new URL(away.headers.get("Location") ?? "");
    expect((await at(searchParams)).status).toBe(401);
    const there = await at(searchParams, login);
    expect(there.status).toBe(303);
    const back = new URL(there.headers.get("Location") ?? "");
    const done = await one.visit(back.pathname + back.search);
    expect(done.headers.get("Location")).toBe("https://images.example.org/mine");
    expect((await one.visit(image())).status).toBe(200);
  });

  test("signs nothing for others: a wrong password, another callback", async () => {
    const query = new URLSearchParams({ callback: "https://evil.example/iiif/auth/callback/partner" });
    expect((await at(query, "ann:secret")).status).toBe(400);
    query.set("callback", "https://images.example.org/iiif/auth/callback/partner");
    expect((await at(query, "ann:wrong")).status).toBe(401);
    expect((await at(query, "")).status).toBe(401);
  });
});

/**
 * Warnings about secrets. The tests' service has one folder as several sources, which causes another warning.
 */
const secretWarnings = (site: Served, env: Record<string, string> = {}) =>
  configWarnings(site.service.config(), "node", env).filter(({ where }) => where?.endsWith("_secret_env"));

test("a start warns if two profiles share a secret, and their pending logins stay separate", async () => {
  const paths = (site: Served) => secretWarnings(site).map(({ where }) => where);
  expect(paths(app)).toEqual([]);
  const shared = await servedWithAuth({ ...options, profiles: profiles.replace("OTHER", "PARTNER") });
  expect(paths(shared)).toEqual(["auth.profiles.other.access_service.callback_secret_env"]);
  const one = reader(shared);
  await one.visit("/iiif/auth/login/other?return_to=/other");
  const back = await one.visit(`${callback}?${vouched("ann")}`);
  expect([back.status, back.headers.get("Location")]).toEqual([200, null]);
  await shared.service.close();
});

test("a start warns of secrets that can be guessed, and of two variables with one secret, and shows none", () => {
  const long = "0123456789abcdef";
  const warnings = (PARTNER: string, OTHER: string) => secretWarnings(app, { PARTNER, OTHER });
  expect(warnings(long, `${long}x`)).toEqual([]);
  const key = (profile: string) => `auth.profiles.${profile}.access_service.callback_secret_env`;
  expect(warnings(long.slice(1), long)).toEqual([
    { level: "note", where: key("partner"), text: expect.stringContaining("PARTNER has 15 characters") },
  ]);
  const shared = warnings(long, long);
  expect(shared.map(({ where }) => where)).toEqual([key("other")]);
  expect(JSON.stringify([shared, warnings("hunter2", "hunter2")])).not.toMatch(/012345|hunter2/);
});

test("a reader who has to wait, because of many logins from the network, may return by the same address", async () => {
  const site = await servedWithAuth(options);
  const one = reader(site);
  await one.visit("/iiif/auth/login/partner?return_to=/mine");
  let status = 200;
  for (let n = 0; n < 250 && status === 200; n++)
    ({ status } = await reader(site).visit(`${callback}?${vouched(`reader ${n}`)}`));
  expect(status).toBe(429);
  expect((await one.visit(`${callback}?${vouched("ann")}`)).status).toBe(429);
  expect([...one.jar.values.keys()]).toEqual(["service_session_login0"]);
  await site.service.close();
});

test("a configured path of the session cookie is that of the pending ones too", async () => {
  const site = await servedWithAuth({ ...options, more: "cookie: { name: s, path: /deep }" });
  const one = reader(site);
  const away = await one.visit("/iiif/auth/login/partner");
  expect(away.headers.get("Set-Cookie")).toMatch(/^s_login0=[\w.-]+; Path=\/deep; /);
  await site.service.close();
});
