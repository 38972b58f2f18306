// Who is asked to prove work before something opens, and which proofs are taken.

import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { served } from "../../served.ts";

const browser =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
/** As a browser's window sends it over HTTPS. */
const window = {
  "User-Agent": browser,
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Sec-Fetch-Dest": "document",
  "Sec-Fetch-Mode": "navigate",
};

const start = (settings: string, others = "") => served(`crawlers: { ${settings} }\n${others}`);
type App = Awaited<ReturnType<typeof start>>;

const open = (
  app: App,
  path: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  peer = "192.0.2.1",
  method = "GET",
) => {
  const all = Object.entries({ ...window, ...headers }).filter(([, value]) => value !== undefined);
  return app.get(path, { method, peer, headers: Object.fromEntries(all) as Record<string, string> });
};
const isAsked = async (response: Response) =>
  response.status === 403 && (await response.text()).includes("proof_required");
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(";")[0] as string;

/** Returns what the script of the page sends, by another implementation of the same derivation. */
async function solve(page: string): Promise<Record<string, string>> {
  const escaped = /data-challenge="([^"]*)"/.exec(page)?.[1] ?? "";
  const challenge = escaped.replaceAll("&quot;", '"');
  const { nonce, salt, cost, keyLength, keyPrefix, algorithm } = JSON.parse(challenge).parameters;
  expect(algorithm).toBe("PBKDF2/SHA-256");
  const { pbkdf2Sync } = await import("node:crypto");
  const password = Buffer.concat([Buffer.from(nonce, "hex"), Buffer.alloc(4)]);
  for (let counter = 0; ; counter++) {
    password.writeUInt32BE(counter, password.length - 4);
    const key = pbkdf2Sync(password, Buffer.from(salt, "hex"), cost, keyLength, "sha256").toString("hex");
    if (key.startsWith(keyPrefix)) return { challenge, counter: String(counter), key };
  }
}

const send = (app: App, proof: Record<string, string>, cookie?: string, peer = "192.0.2.1") =>
  app.get("/proof", {
    method: "POST",
    peer,
    headers: {
      "User-Agent": browser,
      "Content-Type": "application/x-www-form-urlencoded",
      ...(cookie !== undefined && { Cookie: cookie }),
    },
    body: new URLSearchParams(proof).toString(),
  });

describe("with proof: pages, a stranger's browser", () => {
  let app: App;
  beforeAll(async () => {
    app = await start(
      "mode: limit, proof: pages, listed_origins: [https://www.example.org], known_networks: [203.0.113.0/24]",
      "presentation: { download: { zip: on } }",
    );
  });

  test.each([
    "/",
    "/?in=x",
    "/view/base.png",
    "/view/nothing",
    "/static/docs/index.html",
    "/iiif/download/pdf/base.png",
    "/iiif/download/zip/base.png",
    // Signed links open images only.
    "/view/base.png?sig=x",
    "/iiif/download/zip/base.png?sig=x",
  ])("is asked before it opens %s, in a page that no cache keeps", async (path) => {
    const response = await open(app, path);
    expect(response.headers.get("Cache-Control")).toBe("private, no-store");
    expect(await isAsked(response)).toBe(true);
    // Browsers send no Fetch Metadata over HTTP.
    expect(await isAsked(await open(app, path, { "Sec-Fetch-Dest": undefined }))).toBe(true);
  });

  test.each([
    "/iiif/3/base.png/info.json",
    "/iiif/2/base.png/info.json",
    "/iiif/3/base.png",
    "/iiif/3/base.png/0,0,64,64/32,32/0/default.jpg",
    "/iiif/presentation/3/base.png",
    "/iiif/presentation/2/base.png",
    "/iiif/search/2/base.png?q=a",
    "/iiif/changes",
    "/iiif/auth/probe/2/base.png",
    "/iiif/auth/login/x",
    "/iiif/auth/token",
    "/iiif/auth/logout",
    "/static/home/home.css",
    "/robots.txt",
    "/favicon.ico",
    "/health",
    "/ready",
    "/admin",
    "/metrics",
    "/nowhere",
    "/s/x/iiif/3/base.png/full/max/0/default.jpg",
  ])("is not asked before it opens %s", async (path) => {
    expect(await isAsked(await open(app, path))).toBe(false);
  });

  test.each([
    ["an image of a page", { "Sec-Fetch-Dest": "image" }],
    ["a script", { "Sec-Fetch-Dest": "empty" }],
    ["a frame", { "Sec-Fetch-Dest": "iframe" }],
    ["a script of another origin", { Origin: "https://viewer.example" }],
    ["a listed site", { Referer: "https://www.example.org/book" }],
    ["a part of a file", { Range: "bytes=0-9" }],
    ["a program", { "User-Agent": "curl/8.5.0", Accept: "*/*", "Sec-Fetch-Dest": undefined }],
    ["a search engine", { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" }],
    ["one that prefers JSON", { "Sec-Fetch-Dest": undefined, Accept: "application/json, text/html" }],
  ])("%s is not asked", async (_, headers) => {
    for (const path of ["/view/base.png", "/iiif/download/pdf/base.png"])
      expect(await isAsked(await open(app, path, headers))).toBe(false);
  });

  test("is not asked by HEAD, nor from a known network", async () => {
    expect((await open(app, "/view/base.png", {}, "192.0.2.1", "HEAD")).status).toBe(200);
    expect((await open(app, "/view/base.png", {}, "203.0.113.9")).status).toBe(200);
  });

  test("gets what it wanted once it has solved the challenge, as a reader", async () => {
    const asked = await open(app, "/view/base.png");
    const wait = cookieOf(asked);
    expect(wait).toMatch(/^smalti_proof=/);
    const proof = await solve(await asked.text());
    const solved = await send(app, proof, wait);
    expect([solved.status, solved.headers.get("Cache-Control")]).toEqual([204, "private, no-store"]);
    const Cookie = cookieOf(solved);
    expect((await open(app, "/view/base.png", { Cookie })).status).toBe(200);
    expect((await open(app, "/iiif/download/pdf/base.png", { Cookie })).status).toBe(200);
    const before = app.service.visitors.current()?.counts().reader.requests ?? 0;
    await open(app, "/iiif/3/base.png/full/90,/0/default.jpg", { Cookie, "Sec-Fetch-Dest": "image" });
    expect(app.service.visitors.current()?.counts().reader.requests).toBe(before + 1);
    // The network that solved it is the only one to which it is worth anything.
    expect(await isAsked(await open(app, "/view/base.png", { Cookie }, "198.51.100.1"))).toBe(true);
    const replayed = await send(app, proof, wait, "198.51.100.1");
    expect([replayed.status, replayed.headers.getSetCookie()]).toEqual([403, []]);
    expect(await replayed.json()).toMatchObject({ code: "proof_wrong" });
  });

  test("gives a proof that is one of no other service, and no pass of the viewer", async () => {
    const other = await start("mode: limit, proof: pages");
    const asked = await open(other, "/");
    const proof = await solve(await asked.text());
    expect((await send(app, proof, cookieOf(asked))).status).toBe(403);
    const solved = cookieOf(await send(other, proof, cookieOf(asked)));
    expect(await isAsked(await open(app, "/", { Cookie: solved }))).toBe(true);
    const renamed = solved.replace("smalti_proof", "smalti_pass");
    expect(await isAsked(await open(other, "/", { Cookie: renamed }))).toBe(true);
  });

  test("is told that its browser keeps no cookies, instead of being asked for ever", async () => {
    const asked = await open(app, "/");
    const response = await send(app, await solve(await asked.text()));
    expect([response.status, await response.json()]).toMatchObject([403, { code: "proof_needs_cookie" }]);
  });

  test("gets no pass with a page that its window did not ask for", async () => {
    const framed = await open(app, "/view/base.png", { "Sec-Fetch-Dest": "empty" });
    expect([framed.status, framed.headers.getSetCookie()]).toEqual([200, []]);
    const listed = await open(app, "/view/base.png", { Referer: "https://www.example.org/" });
    expect(cookieOf(listed)).toMatch(/^smalti_pass=/);
    expect((await open(app, "/", { Cookie: cookieOf(listed) })).status).toBe(200);
  });

  test("is asked in its language, with the address as it is: nothing of it is in the page", async () => {
    const hostile = `/view/${encodeURIComponent('"><script>x()</script>')}?a=<script>x()</script>"`;
    const page = await (await open(app, hostile, { "Accept-Language": "de" })).text();
    expect(page).toContain('<html lang="de">');
    expect(page).not.toContain("x()");
    const { headers } = await open(app, "/");
    expect(headers.get("Content-Security-Policy")).toContain("script-src 'self'");
  });
});

describe("a wrong proof", () => {
  let app: App;
  let cookie: string;
  let right: Record<string, string>;
  beforeAll(async () => {
    app = await start("mode: limit, proof: pages");
    const asked = await open(app, "/");
    cookie = cookieOf(asked);
    right = await solve(await asked.text());
  });

  test.each<[string, (proof: Record<string, string>) => Record<string, string>]>([
    ["without fields", () => ({})],
    ["with another number", (proof) => ({ ...proof, key: `${"00".repeat(32)}` })],
    ["with a key in capitals", (proof) => ({ ...proof, key: (proof.key ?? "").toUpperCase() })],
    ["with a key that is long", (proof) => ({ ...proof, key: "ab".repeat(1200) })],
    ["with a negative number", (proof) => ({ ...proof, counter: "-1" })],
    ["with a huge number", (proof) => ({ ...proof, counter: "1e9" })],
    ["with no JSON", (proof) => ({ ...proof, challenge: "{" })],
    ["with a list as its challenge", (proof) => ({ ...proof, challenge: "[]" })],
    ["with deep JSON", (proof) => ({ ...proof, challenge: '{"parameters":'.repeat(100) })],
    ["without a signature", (proof) => changed(proof, (challenge) => delete challenge.signature)],
    [
      "with a later end",
      (proof) => changed(proof, ({ parameters }) => Object.assign(parameters, { expiresAt: 4e9 })),
    ],
    [
      "with less work",
      (proof) => changed(proof, ({ parameters }) => Object.assign(parameters, { cost: 1, keyPrefix: "" })),
    ],
    [
      "with more work for the service",
      (proof) =>
        changed(proof, ({ parameters }) => {
          Object.assign(parameters, { cost: 1e9 });
          delete parameters.keySignature;
        }),
    ],
  ])("%s gets no pass, and costs no derivation", async (_, change) => {
    const derive = vi.spyOn(crypto.subtle, "deriveBits");
    const response = await send(app, change(right), cookie);
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []]);
    expect(response.headers.get("Cache-Control")).toContain("no-store");
    expect(derive).not.toHaveBeenCalled();
    derive.mockRestore();
  });

  test("of more than 4 KiB is not read", async () => {
    expect((await send(app, { challenge: "x".repeat(5000) }, "smalti_proof=x")).status).toBe(413);
  });

  test("of a page of another site is not read", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site", "User-Agent": browser };
    expect((await app.get("/proof", { method: "POST", headers })).status).toBe(403);
  });
});

/** Returns a proof with a changed challenge. */
function changed(
  proof: Record<string, string>,
  change: (challenge: { parameters: Record<string, unknown>; signature?: string }) => void,
): Record<string, string> {
  const challenge = JSON.parse(proof.challenge ?? "");
  change(challenge);
  return { ...proof, challenge: JSON.stringify(challenge) };
}

describe("in the course of time", () => {
  const now = 1_800_000_000_000;
  afterEach(() => vi.useRealTimers());

  test("a challenge ends after a quarter of an hour, a proof after an hour", async () => {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    const app = await start("mode: limit, proof: pages");
    const asked = await open(app, "/");
    const proof = await solve(await asked.text());
    const solved = await send(app, proof, cookieOf(asked));
    vi.setSystemTime(now + 902_000);
    expect((await send(app, proof, cookieOf(asked))).status).toBe(403);
    expect((await open(app, "/", { Cookie: cookieOf(solved) })).status).toBe(200);
    vi.setSystemTime(now + 3_602_000);
    expect(await isAsked(await open(app, "/", { Cookie: cookieOf(solved) }))).toBe(true);
  });

  test("a reader without JavaScript goes on after ten seconds, which do not begin again", async () => {
    vi.useFakeTimers({ now, toFake: ["Date"] });
    const app = await start("mode: limit, proof: pages");
    const Cookie = cookieOf(await open(app, "/"));
    vi.setSystemTime(now + 9_000);
    const early = await open(app, "/", { Cookie });
    expect(early.headers.getSetCookie()).toEqual([]);
    expect(await isAsked(early)).toBe(true);
    vi.setSystemTime(now + 10_000);
    expect((await open(app, "/", { Cookie })).status).toBe(200);
    expect(await isAsked(await open(app, "/", { Cookie }, "198.51.100.1"))).toBe(true);
  });
});

test("with proof: downloads, pages open without one", async () => {
  const app = await start("mode: limit, proof: downloads");
  expect((await open(app, "/view/base.png")).status).toBe(200);
  expect(await isAsked(await open(app, "/iiif/download/pdf/base.png"))).toBe(true);
});

test("with mode: observe it is counted who would have been asked", async () => {
  const app = await start("mode: observe, proof: pages");
  expect((await open(app, "/view/base.png")).status).toBe(200);
  expect(app.service.visitors.current()?.proofs()).toEqual({ asked: 1, solved: 0, wrong: 0 });
});

test.each(["mode: limit", "mode: off, proof: pages"])("nobody is asked with %s", async (settings) => {
  const app = await start(settings);
  expect((await open(app, "/view/base.png")).status).toBe(200);
  expect((await send(app, {}, "smalti_proof=x")).status).toBe(404);
});

test("behind a base path, the cookie and the addresses have that path", async () => {
  const app = await start("mode: limit, proof: pages", "base_url: https://images.example.org/iiif-server");
  const asked = await open(app, "/view/base.png");
  expect(asked.headers.getSetCookie()[0]).toMatch(/; Path=\/iiif-server; .*Secure$/);
  const page = await asked.text();
  expect(page).toContain('data-to="/iiif-server/proof"');
  expect(page).toMatch(/data-worker="\/iiif-server\/static\/@[0-9a-f]+\/proof\/worker\.js"/);
});
