// Signed links over HTTP: what they open, how far, and that nothing of them stays behind.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Log, LogFields } from "../../../src/base/telemetry/log.ts";
import type { LinkScope } from "../../../src/server/access/links/link-token.ts";
import { type Served, served } from "../../served.ts";

const env = { LINK_SECRET: "0123456789abcdef0123456789abcdef" };
let folder: string;
let app: Served;
let open: string;
const lines: string[] = [];
const note = (message: string, fields?: LogFields | (() => LogFields)) =>
  void lines.push(message + JSON.stringify(typeof fields === "function" ? fields() : fields));
const log: Log = { debug: note, info: note, warn: note, error: note, level: () => {} } as unknown as Log;

const settings = () => `base_url: https://images.example.org
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: heap }, info: { backend: heap } }
crawlers: { mode: limit }
signed_links: { keys: [{ id: a, secret_env: LINK_SECRET }] }
auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "closed/*", profile: staff }]
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-links-"));
  mkdirSync(join(folder, "closed/more"), { recursive: true });
  // Columns of one pixel, white and black in turn: a picture at a quarter of the size is one even gray.
  const columns = Uint8Array.from({ length: 1600 * 1200 }, (_, at) => (at % 2 === 0 ? 255 : 0));
  const fine = sharp(columns, { raw: { width: 1600, height: 1200, channels: 1 } });
  for (const name of ["open.png", "closed/1.png", "closed/2.png", "closed/more/3.png"])
    await fine.clone().png().toFile(join(folder, name));
  app = await served(settings(), env, { log });
  open = await tokenFor({ identifier: "open.png" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A token that is valid for an hour. */
const tokenFor = async (scope: LinkScope, maxSize = 0) => {
  const expires = Math.floor(Date.now() / 1000) + 3600;
  return (await app.service.links()?.sign({ keyId: "a", maxSize, expires }, scope)) as string;
};
const path = (token: string, rest: string, version = 3) => `/s/${token}/iiif/${version}/${rest}`;
const problem = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe("a link to a restricted image", () => {
  const image = "closed%2F1.png";
  let token: string;
  beforeAll(async () => {
    token = await tokenFor({ identifier: "closed/1.png" });
  });

  test("opens its information, whose id viewers go on with, without a login", async () => {
    expect((await app.get(`/iiif/3/${image}/info.json`)).status).toBe(401);
    const response = await app.get(path(token, `${image}/info.json`));
    expect(response.status).toBe(200);
    const info = (await response.json()) as Record<string, unknown>;
    expect(info.id).toBe(`https://images.example.org/s/${token}/iiif/3/${image}`);
    expect(info.service).toBeUndefined();
    expect(response.headers.get("Cache-Control")).toContain("private");
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const older = (await (await app.get(path(token, `${image}/info.json`, 2))).json()) as Record<
      string,
      unknown
    >;
    expect(older["@id"]).toBe(`https://images.example.org/s/${token}/iiif/2/${image}`);
  });

  test("opens its tiles, names them without the token, and answers conditional requests", async () => {
    const tile = `${image}/0,0,512,512/512,512/0/default.png`;
    expect((await app.get(`/iiif/3/${tile}`)).status).toBe(401);
    const response = await app.get(path(token, tile));
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect(response.headers.get("Cache-Control")).toContain("private");
    const named = response.headers.get("Link") ?? "";
    expect(named).toContain(`<https://images.example.org/iiif/3/${image}/0,0,512,512/max/0/default.png>`);
    expect(named).not.toContain(token);
    const headers = { "If-None-Match": response.headers.get("ETag") as string };
    expect((await app.get(path(token, tile), { headers })).status).toBe(304);
    expect((await app.get(path(token, tile), { method: "HEAD" })).status).toBe(200);
    const preflight = { Origin: "https://elsewhere.example", "Access-Control-Request-Method": "GET" };
    expect((await app.get(path(token, tile), { method: "OPTIONS", headers: preflight })).status).toBe(204);
    // The rendered tile is in the cache now, and stays closed to everybody else.
    expect((await app.get(`/iiif/3/${tile}`)).status).toBe(401);
    expect((await app.get(path(open, tile))).status).toBe(403);
  });

  test("is redirected from its base, and from the form with a query, to the form that viewers carry", async () => {
    const base = await app.get(path(token, image));
    expect([base.status, base.headers.get("Location")]).toEqual([
      303,
      `https://images.example.org/s/${token}/iiif/3/${image}/info.json`,
    ]);
    for (const rest of ["info.json", "full/max/0/default.jpg"]) {
      const response = await app.get(`/iiif/3/${image}/${rest}?download&sig=${token}`);
      expect([response.status, response.headers.get("Location")]).toEqual([
        303,
        `https://images.example.org/s/${token}/iiif/3/${image}/${rest}?download`,
      ]);
      expect(response.headers.get("Cache-Control")).toBe("private, no-store");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
  });

  test("opens nothing else", async () => {
    for (const rest of [
      "closed%2F2.png/info.json",
      "closed%2F1.png;2/info.json",
      "open.png/info.json",
      "closed%2Fmore%2F3.png/full/max/0/default.jpg",
    ])
      expect(await problem(await app.get(path(token, rest))), rest).toEqual([403, "signed_link"]);
    expect(await problem(await app.get(`/iiif/3/closed%2F2.png/info.json?sig=${token}`))).toEqual([
      403,
      "signed_link",
    ]);
    for (const other of [
      "iiif/presentation/3/closed/1.png",
      "iiif/download/pdf/closed/1.png",
      "iiif/probe/closed%2F1.png",
      "view/closed/1.png",
      "admin",
      "s/x/iiif/3/open.png/info.json",
      "",
    ])
      expect((await app.get(`/s/${token}/${other}`)).status, other).toBe(404);
    expect((await app.get(path(token, "closed%2F..%2Fclosed%2F1.png/info.json"))).status).toBe(404);
    expect((await app.get(`/s/${token}`)).status).toBe(404);
    expect((await app.get(path(token, `${image}/info.json`), { method: "POST" })).status).toBe(405);
  });
});

test("a link to a folder opens what is below it, and a page of it", async () => {
  const token = await tokenFor({ prefix: "closed/more/" });
  expect((await app.get(path(token, "closed%2Fmore%2F3.png/info.json"))).status).toBe(200);
  expect(await problem(await app.get(path(token, "closed%2F1.png/info.json")))).toEqual([403, "signed_link"]);
});

test("a link with a size shows no more detail, in whatever pieces it is asked for", async () => {
  const token = await tokenFor({ identifier: "closed/1.png" }, 400);
  const image = "closed%2F1.png";
  const info = (await (await app.get(path(token, `${image}/info.json`))).json()) as Record<string, unknown>;
  expect(info).toMatchObject({ width: 1600, height: 1200, maxWidth: 400 });
  const whole = await app.get(path(token, `${image}/full/max/0/default.png`));
  const { width, height } = await sharp(await whole.arrayBuffer()).metadata();
  expect([width, height]).toEqual([400, 300]);
  expect((await app.get(path(token, `${image}/full/401,/0/default.png`))).status).toBe(400);
  for (const region of ["0,0,512,512/400,", "33,57,100,100/100,", "1,0,400,300/max", "0,0,2,2/max"]) {
    const response = await app.get(path(token, `${image}/${region}/0/default.png`));
    expect(response.status, region).toBe(200);
    const { channels } = await sharp(await response.arrayBuffer()).stats();
    // At full detail, each pixel is 0 or 255; edges of an enlarged gray differ a little.
    expect((channels[0]?.max ?? 0) - (channels[0]?.min ?? 0), region).toBeLessThan(40);
  }
});

test("a link to a public image is cached as the image is", async () => {
  const tile = "open.png/0,0,256,256/256,256/0/default.jpg";
  const [plain, linked] = [await app.get(`/iiif/3/${tile}`), await app.get(path(open, tile))];
  expect(linked.status).toBe(200);
  expect(linked.headers.get("Cache-Control")).toBe(plain.headers.get("Cache-Control"));
});

test("a visitor with a link is known, so that no budget is charged", async () => {
  const before = { ...app.service.visitors.current()?.counts().known };
  await app.get(path(open, "open.png/full/max/0/default.jpg"), { headers: { "User-Agent": "curl/8.5.0" } });
  const after = app.service.visitors.current()?.counts().known;
  expect((after?.requests ?? 0) - (before.requests ?? 0)).toBe(1);
});

test("a program that has used its budget neither waits nor is refused with a link", async () => {
  const headers = { "User-Agent": "curl/8.5.0" };
  const facts = { agent: "program", isKnown: false, hasPass: false, isListed: false } as const;
  const visitor = app.service.visitors.current()?.meet({ client: "192.0.2.1", ...facts });
  visitor?.ask("open.png", "big");
  await visitor?.enter(30);
  visitor?.chargeWork(20_000_000);
  const ask = async (target: string) => (await app.get(target, { headers, peer: "192.0.2.1" })).status;
  expect(await ask("/iiif/3/open.png/info.json")).toBe(429);
  expect(await ask(path(open, "open.png/info.json"))).toBe(200);
  expect(await ask(path(open, "open.png/full/max/0/default.jpg"))).toBe(200);
});

test("wrong tokens are refused alike, and no cache keeps that", async () => {
  const bodies = new Set<string>();
  const over = await app.service
    .links()
    ?.sign({ keyId: "a", maxSize: 0, expires: 1000 }, { identifier: "open.png" });
  for (const token of [
    `${open}x`,
    over as string,
    "*",
    "a",
    "a".repeat(5000),
    "%00",
    "%F0%28",
    open.toLowerCase(),
  ]) {
    const response = await app.get(path(token, "open.png/info.json"));
    expect([response.status, response.headers.get("Cache-Control")], token.slice(0, 80)).toEqual([
      403,
      "no-store",
    ]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    bodies.add(await response.text());
  }
  expect(bodies.size).toBe(1);
});

test("no log line and no record of the service has a token", async () => {
  const token = await tokenFor({ identifier: "missing.png" });
  lines.length = 0;
  for (const target of [
    path(token, "missing.png/info.json"),
    path(token, "missing.png/full/max/0/default.jpg"),
    path(token, "closed%2F1.png/info.json"),
    `/iiif/3/missing.png/info.json?sig=${token}`,
    `/view/missing.png?sig=${token}`,
    `/s/${token}`,
    `/%73/${token}/iiif/3/missing.png/info.json`,
    `/iiif/3/missing.png/full/max/0/default.jpg&sig=${token}`,
    `/s/${token}/nothing?sig=${token}&sig=${token}`,
  ])
    await app.get(target);
  expect(lines.filter((line) => line.includes("request")).length).toBeGreaterThan(6);
  expect(lines.join("\n")).not.toContain(token);
  expect(JSON.stringify(app.service.decisions.latest())).not.toContain(token);
});

test("robots.txt says of addresses with a token what it says of those without", async () => {
  const text = await (await app.get("/robots.txt")).text();
  expect(text).toContain("Disallow: /iiif/3/*/full/max/\n");
  expect(text).toContain("Disallow: /s/*/iiif/3/*/full/max/\n");
});

test("without keys there are no links, and a query of that name means nothing", async () => {
  const plain = await served(settings().replace(/signed_links.*/, ""), env);
  expect((await plain.get(path(open, "open.png/info.json"))).status).toBe(404);
  expect((await plain.get("/iiif/3/open.png/info.json?sig=anything")).status).toBe(200);
});

test("an image that was withdrawn stays withdrawn", async () => {
  const gone = await served(settings(), env, {
    access: {
      decide: () => ({ allowed: false, status: 410, reason: "Withdrawn.", cachedBy: "anyone", vary: [] }),
    },
  });
  expect((await gone.get(path(open, "open.png/info.json"))).status).toBe(410);
  expect((await gone.get(path(open, "open.png/full/max/0/default.jpg"))).status).toBe(410);
});
