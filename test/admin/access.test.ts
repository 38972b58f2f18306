// /admin/auth: what it shows of sessions, profiles, rules and decisions, and what it never shows.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFacts } from "../../src/server/start/facts.ts";
import { type Served, served } from "../served.ts";
import { authSection, pictures } from "../server/api/access/gated.ts";
import { type RedisServer, startRedis } from "../servers/redis.ts";
import { type S3Server, startS3 } from "../servers/s3.ts";
import { asOperator, operator } from "./operator.ts";

let folder: string;
let redis: RedisServer;
let bucket: S3Server;
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
const open: Served[] = [];

beforeAll(async () => {
  folder = await pictures();
  redis = await startRedis();
  bucket = await startS3({ account: keys });
});
afterAll(async () => {
  await Promise.all(open.map(({ service }) => service.close()));
  await redis.close();
  await bucket.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function sessionsFolder(): string {
  const path = join(folder, ".sessions");
  mkdirSync(path);
  return path;
}

/** A service over the pictures; `session`: the lines below `auth.session`. */
async function gated(session = "{ backend: heap }"): Promise<Served> {
  const app = await served(
    `base_url: https://images.example.org
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]
auth:
  session: ${session}
${authSection}`,
    { ...operator, KEY: keys.accessKeyId, SECRET: keys.secretAccessKey },
  );
  open.push(app);
  return app;
}

async function logIn({ service }: Served, profile: string, before?: string): Promise<string> {
  const { sessions, fingerprints } = service.auth!;
  const now = Date.now();
  const grant = { profile, user: "ann", fingerprint: (await fingerprints.of(profile, "ann")) ?? "" };
  return (await sessions.logIn({ ...grant, grantedAt: now, expiresAt: now + 60_000 }, before)).id;
}

const pageOf = async ({ get }: Served, show?: string) => {
  const answer = await get(`/admin/auth${show ? `?show=${show}` : ""}`, { headers: asOperator });
  expect(answer.status).toBe(200);
  return answer.text();
};

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** The figure of a card by its label. */
const figure = (html: string, label: string) =>
  new RegExp(`<span class="label">${label}</span><strong class="figure">(.*?)</strong>`).exec(html)?.[1];

/** Texts of the cells of a table, by the heading above it. */
function rows(html: string, heading: string): string[][] {
  const [, table = ""] = new RegExp(`id="${heading}".*?<tbody>(.*?)</tbody>`, "s").exec(html) ?? [];
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = ""]) => textOf(cell)),
  );
}

test("if nothing is gated the page says so, and how to change that", async () => {
  const app = await served("", operator);
  open.push(app);
  const html = await pageOf(app);
  expect(html).toContain("Nothing is gated");
  expect(rows(html, "rules")).toEqual([]);
  expect(html).not.toContain('id="decisions"');
});

test("profiles and rules are listed as configured, with the login of each", async () => {
  const html = await pageOf(await gated());
  expect(rows(html, "profiles")).toEqual([
    ["staff", "active", "builtin", "nothing", "2", "0"],
    ["terms", "clickthrough", "builtin", "at most 100 × 100 pixels", "1", "0"],
    ["room", "kiosk", "builtin", "nothing", "1", "0"],
    ["proxy", "external", "header, set by the site in front", "nothing", "1", "–"],
  ]);
  expect(rows(html, "rules")).toEqual([
    ["1", "private/*", "staff"],
    ["2", "terms.png", "terms"],
    ["3", "room.png", "room"],
    ["4", "proxied.png", "proxy"],
    ["5", "missing/*", "staff"],
  ]);
  expect(html).toContain('href="/iiif/auth/login/staff"');
});

test("what readers without access get, and where sessions are stored, is in words", async () => {
  const sizes = ["max", "pct:12.5", "250,", ",1000", "200,100", "!2000,100"];
  const profiles = sizes.map(
    (size, n) =>
      `p${n}: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "${size}" } }`,
  );
  const app = await served(`auth: { profiles: { ${profiles.join(", ")} } }`, operator);
  open.push(app);
  const html = await pageOf(app);
  expect(rows(html, "profiles").map((row) => row[3])).toEqual([
    "the whole image",
    "at most 12.5 % of the width and height",
    "at most 250 pixels of width",
    "at most 1,000 pixels of height",
    "at most 200 × 100 pixels",
    "at most 2,000 × 100 pixels",
  ]);
  expect(figure(html, "Stored in")).toBe("Memory");
});

test("doubts of smalti check about rules and profiles appear above them, and no others", async () => {
  const doubts = (html: string) => /id="doubts".*?<\/ul>/s.exec(html)?.[0] ?? "";
  const app = await gated();
  // Without a proxy, anybody who sends the header has access.
  expect(doubts(await pageOf(app))).toContain("<code>auth.profiles.proxy.access_service.header</code>");
  const sound = await served(
    `image: { max_output_height: 5 }
auth:
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: private/*, profile: terms }]`,
    operator,
  );
  open.push(sound);
  expect(doubts(await pageOf(sound))).toBe("");
});

describe("active sessions", () => {
  test.each([
    ["heap", () => "{ backend: heap }"],
    ["filesystem", () => `{ backend: filesystem, path: ${JSON.stringify(sessionsFolder())} }`],
  ])("in %s are counted for each profile", async (_, session) => {
    const app = await gated(session());
    await logIn(app, "terms");
    // One session with two grants.
    await logIn(app, "room", await logIn(app, "terms"));
    const html = await pageOf(app);
    expect(figure(html, "Sessions")).toBe("2");
    expect(rows(html, "profiles").map((row) => [row[0], row[5]])).toEqual([
      ["staff", "0"],
      ["terms", "2"],
      ["room", "1"],
      ["proxy", "–"],
    ]);
  });

  test.each([
    ["Redis", () => `{ backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s } }`],
    [
      "S3",
      () =>
        `{ backend: s3, s3: { bucket: ${bucket.bucket}, endpoint: "${bucket.url}", path_style: true, timeout: 60s, region: ${bucket.region}, access_key_env: KEY, secret_key_env: SECRET } }`,
    ],
  ])("in %s are counted in all", async (backend, session) => {
    const app = await gated(session());
    await logIn(app, "terms");
    await logIn(app, "room");
    const html = await pageOf(app);
    expect([figure(html, "Sessions"), figure(html, "Stored in")]).toEqual(["2", backend]);
    expect(rows(html, "profiles").map((row) => row[5])).toEqual(["–", "–", "–", "–"]);
  });

  test("of a shared store are requested at most every ten seconds", async () => {
    const app = await gated(
      `{ backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s, prefix: seldom/ } }`,
    );
    await logIn(app, "terms");
    expect(figure(await pageOf(app), "Sessions")).toBe("1");
    await logIn(app, "terms");
    expect(figure(await pageOf(app), "Sessions")).toBe("1");
  });

  test("of an unavailable store are a dash with the reason, without its address", async () => {
    const gone = await startRedis();
    const app = await gated(`{ backend: redis, redis: { addr: "127.0.0.1:${gone.port}", timeout: 100ms } }`);
    await gone.close();
    const html = await pageOf(app);
    expect(figure(html, "Sessions")).toBe("–");
    expect(html).toContain("does not respond");
    expect(html).not.toContain(String(gone.port));
  });
});

describe("decisions", () => {
  test("are listed with time, identifier, profile, verdict and status, the newest first, and tallied", async () => {
    const app = await gated();
    const id = await logIn(app, "terms");
    const ask = (identifier: string, headers: Record<string, string> = {}) =>
      app.get(`/iiif/3/${identifier}/full/10,/0/default.jpg`, { headers });
    await ask("public.png");
    await ask("private%2Fa.png");
    await ask("terms.png");
    await ask("terms.png", { Cookie: `service_session=${id}` });
    const html = await pageOf(app, "all");
    const decisions = rows(html, "decisions");
    expect(decisions.map(([, ...rest]) => rest)).toEqual([
      ["terms.png", "terms", "allow", "200"],
      ["terms.png", "terms", "deny, reduced image sent", "200"],
      ["private/a.png", "staff", "deny", "401"],
      ["public.png", "public", "allow", "200"],
    ]);
    for (const [time] of decisions) expect(time).toMatch(/\d\d:\d\d:\d\d$/);
    expect([figure(html, "Allowed"), figure(html, "Denied")]).toEqual(["2", "2"]);
    // Nothing of who asked.
    for (const secret of [id, "192.0.2.1", "ann"]) expect(textOf(html)).not.toContain(secret);
  });

  test("are the latest 64, without the operator's own lookups", async () => {
    const app = await gated();
    for (let n = 0; n < 70; n++) await app.get(`/iiif/3/private%2F${n}.png/full/10,/0/default.jpg`);
    await app.get("/admin/browse/private", { headers: asOperator });
    await app.get("/admin/view/private/a.png", { headers: asOperator });
    const decisions = rows(await pageOf(app), "decisions");
    expect(decisions.length).toBe(64);
    expect(decisions[0]?.[1]).toBe("private/69.png");
    expect(decisions.at(-1)?.[1]).toBe("private/6.png");
  });

  test("exclude lookups that a start makes for its own text", async () => {
    const { service } = await gated();
    await startFacts(service, { urls: [], file: undefined, results: [] });
    expect(service.decisions.latest()).toEqual([]);
  });

  test("have the status of the response next to them, whatever was decided", async () => {
    const app = await gated();
    writeFileSync(join(folder, "text.png"), "no image at all, in a file named as one");
    for (const name of ["gone.png", "text.png", "public.png"])
      await app.get(`/iiif/3/${name}/full/10,/0/default.jpg`);
    const decisions = rows(await pageOf(app, "all"), "decisions");
    rmSync(join(folder, "text.png"));
    expect(decisions.map(([, ...rest]) => rest)).toEqual([
      ["public.png", "public", "allow", "200"],
      ["text.png", "public", "allow", "501"],
      ["gone.png", "public", "allow", "404"],
    ]);
  });

  test("on pages and documents name them and are not denials, since they only omit or lock gated images", async () => {
    const app = await gated();
    for (const path of ["/", "/iiif/presentation/3/private"]) expect((await app.get(path)).status).toBe(200);
    const html = await pageOf(app, "lists");
    expect(rows(html, "decisions").map(([, name, , ...rest]) => [name, ...rest])).toEqual([
      ["IIIF document of private", "allow in part", "200"],
      ["start page", "allow in part", "200"],
    ]);
    expect(figure(html, "Denied")).toBe("0");
    expect(rows(await pageOf(app), "decisions")).toEqual([]);
    // No link is without text.
    expect(html).not.toMatch(/<a [^>]*><\/a>/);
  });

  test("on gated images come first, and any number of public ones and of lists cannot push them out", async () => {
    const app = await gated();
    const id = await logIn(app, "terms");
    await app.get("/iiif/3/private%2Fa.png/full/10,/0/default.jpg");
    await app.get("/iiif/3/terms.png/full/10,/0/default.jpg", {
      headers: { Cookie: `service_session=${id}` },
    });
    for (let n = 0; n < 300; n++) {
      await app.get(`/iiif/3/none${n}.png/info.json`);
      await app.get("/iiif/presentation/3/private");
    }
    const shown = async (show?: string) =>
      rows(await pageOf(app, show), "decisions").map(([, ...rest]) => rest);
    const denial = ["private/a.png", "staff", "deny", "401"];
    expect(await shown()).toEqual([["terms.png", "terms", "allow", "200"], denial]);
    expect(await shown("gated")).toEqual(await shown());
    expect(await shown("denied")).toEqual([denial]);
    expect(await shown("nonsense")).toEqual(await shown());
    expect((await shown("all"))[1]).toEqual(["none299.png", "public", "allow", "404"]);
  });

  test("link to one another by kind, and mark the current one", async () => {
    const html = await pageOf(await gated(), "denied");
    const [, nav = ""] = /<nav class="views"[^>]*>(.*?)<\/nav>/s.exec(html) ?? [];
    const links = [...nav.matchAll(/href="[^"]*\?show=(\w+)#decisions"( aria-current="page")?/g)];
    expect(links.map(([, show, current]) => [show, current !== undefined])).toEqual([
      ["gated", false],
      ["denied", true],
      ["lists", false],
      ["all", false],
    ]);
  });

  test("show identifiers as text, whatever is in them", async () => {
    const app = await gated();
    await app.get("/iiif/3/private%2F%3Cimg%20src%3Dx%3E%22/full/10,/0/default.jpg");
    const html = await pageOf(app);
    expect(html).toContain("private/&lt;img src=x&gt;&quot;");
    expect(html).not.toContain("<img src=x>");
  });
});
