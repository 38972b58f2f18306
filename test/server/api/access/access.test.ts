// Custom access rules on every surface: what is shown, what is cached, and by whom.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Access,
  type Caller,
  type Decision,
  type Grant,
  publicGrant,
} from "../../../../src/server/access/access.ts";
import { type PurgeParts, purgeEntry, purgeImage } from "../../../../src/server/images/purge.ts";
import { type Served, served } from "../../../served.ts";

const gated = { cachedBy: "caller", vary: ["Cookie", "Authorization"] } as const;
const full: Grant = { allowed: true, tier: "full", ...gated };
const confined = { kind: "confined", width: 100, height: 100, upscale: false } as const;

/** The decisions for callers without the token. All other identifiers are public. */
const rules: Readonly<Record<string, Decision>> = {
  "closed.png": { allowed: false, status: 401, reason: "Log in first.", ...gated },
  "closed-and-missing.png": { allowed: false, status: 401, reason: "Log in first.", ...gated },
  "gone.png": { allowed: false, status: 410, reason: "This image was withdrawn.", ...gated },
  "small.png": { allowed: true, tier: "substitute", maxSize: confined, ...gated },
  "other.png": { allowed: true, tier: "substitute", identifier: "blue.png", ...gated },
};

const callers: Caller[] = [];
const access: Access = {
  // Alternates between synchronous and asynchronous decisions, as a configured rule and a hook would make.
  decide(caller) {
    callers.push(caller);
    const rule = rules[caller.identifier];
    if (!rule)
      return caller.identifier === "by-group.png" ? { ...publicGrant, vary: ["X-Group"] } : publicGrant;
    const decision = caller.header("authorization") === "Bearer yes" ? full : rule;
    return callers.length % 2 === 0 ? decision : Promise.resolve(decision);
  },
};

let folder: string;
let app: Served;
let parts: PurgeParts;

const settings = () => `base_url: https://images.example.org
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: heap }, info: { backend: heap } }`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-access-"));
  // Columns of one pixel, white and black in turn: a picture at an eighth of the size is one even gray.
  const columns = Uint8Array.from({ length: 800 * 600 }, (_, i) => (i % 2 === 0 ? 255 : 0));
  const fine = sharp(columns, { raw: { width: 800, height: 600, channels: 1 } });
  for (const name of ["closed.png", "gone.png", "small.png", "other.png", "by-group.png"])
    await fine.clone().png().toFile(join(folder, name));
  const blue = { width: 40, height: 20, channels: 3, background: "#0000ff" } as const;
  await sharp({ create: blue }).png().toFile(join(folder, "blue.png"));
  app = await served(settings(), {}, { access });
  parts = { ...app.service, aliases: [] };
});
afterAll(async () => {
  await app.service.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

const token = { Authorization: "Bearer yes" };
const path = (identifier: string, rest = "full/max/0/default.png") => `/iiif/3/${identifier}/${rest}`;
const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  app.get(target, { headers, method });

async function pixels(response: Response) {
  expect(response.status).toBe(200);
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

test("a rule sees the request: identifier, path, address, headers", async () => {
  callers.length = 0;
  await app.get("/iiif/2/none%2Fx.png;2/full/max/0/default.jpg?q", { headers: { Cookie: "a=b" } });
  await app.get("/iiif/2/none%2Fx.png;2/info.json", { peer: "192.0.2.7" });
  const [image, info] = callers;
  expect(image).toMatchObject({
    identifier: "none/x.png;2",
    path: "/iiif/2/none%2Fx.png;2/full/max/0/default.jpg",
    client: "192.0.2.1",
  });
  expect(image?.header("cookie")).toBe("a=b");
  expect(info).toMatchObject({ path: "/iiif/2/none%2Fx.png;2/info.json", client: "192.0.2.7" });
  expect(info?.header("cookie")).toBeUndefined();
  expect(info?.signal).toBeInstanceOf(AbortSignal);
});

describe("a denial", () => {
  test.each(["GET", "HEAD"])(
    "responds to %s for an image with its status, whether or not the image exists",
    async (method) => {
      for (const name of ["closed.png", "closed-and-missing.png"]) {
        const response = await get(path(name), { "If-None-Match": "*" }, method);
        expect([name, response.status]).toEqual([name, 401]);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        expect(response.headers.get("Vary")).toBe("Accept-Encoding, Accept, Cookie, Authorization");
        expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
        expect(response.headers.get("ETag")).toBeNull();
        if (method === "GET")
          expect(await response.json()).toMatchObject({ code: "access_denied", detail: "Log in first." });
      }
    },
  );

  test("of image information still contains the document, without validators, and is 404 if there is none", async () => {
    const target = path("closed.png", "info.json");
    const response = await get(target, { "If-None-Match": "*" });
    expect(response.status).toBe(401);
    expect(response.headers.get("ETag")).toBeNull();
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("Vary")).toBe("Accept-Encoding, Accept, Cookie, Authorization");
    expect(await response.json()).toEqual(await (await get(target, token)).json());
    expect((await get(path("closed-and-missing.png", "info.json"))).status).toBe(404);
  });

  test("with 410 reveals nothing about the image", async () => {
    const response = await get(path("gone.png", "info.json"));
    expect(response.status).toBe(410);
    expect(await response.json()).toMatchObject({ title: "Gone", code: "access_denied" });
    expect((await get(path("gone.png"))).status).toBe(410);
  });
});

describe.each([path("closed.png", "full/60,/0/default.png"), path("closed.png", "info.json")])(
  "a gated response, %s",
  (target) => {
    test("may be cached by its caller alone, has no date, and is 304 only for callers with access", async () => {
      const response = await get(target, token);
      expect(response.status).toBe(200);
      const etag = response.headers.get("ETag") ?? "";
      expect(etag).toMatch(/^"/);
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(response.headers.get("Vary")).toMatch(/(^|, )Cookie, Authorization$/);
      expect(response.headers.get("Last-Modified")).toBeNull();
      for (const method of ["GET", "HEAD"]) {
        expect((await get(target, { ...token, "If-None-Match": etag }, method)).status).toBe(304);
        expect((await get(target, { "If-None-Match": etag }, method)).status).toBe(401);
      }
    });
  },
);

describe("a substitute by size", () => {
  test("shows the whole image at that size, under the address of the image", async () => {
    const response = await get(path("small.png"));
    const { width, height } = await pixels(response);
    expect([width, height]).toEqual([100, 75]);
    const whole = await get(path("small.png"), token, "HEAD");
    expect(response.headers.get("Link")).toBe(whole.headers.get("Link"));
    expect(response.headers.get("ETag")).not.toBe(whole.headers.get("ETag"));
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(await pixels(await get(path("small.png"), token))).toMatchObject({ width: 800, height: 600 });
  });

  test.each([
    ["0,0,256,256/max", 32, 32],
    ["pct:0,0,50,50/max", 50, 38],
    ["0,0,1,1/max", 1, 1],
    ["1,0,1,1/^64,64", 1, 1],
    ["full/50,", 50, 38],
  ])("shows no finer detail in %s", async (request, width, height) => {
    const found = await pixels(await get(path("small.png", `${request}/0/default.png`)));
    expect([found.width, found.height]).toEqual([width, height]);
    // One column of pixels would be 0 or 255.
    for (const value of found.data) expect(Math.abs(value - 128)).toBeLessThan(80);
  });

  test("describes the whole image", async () => {
    const response = await get(path("small.png", "info.json"));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ width: 800, height: 600 });
    const whole = await get(path("small.png", "info.json"), token, "HEAD");
    expect(whole.headers.get("ETag")).not.toBe(response.headers.get("ETag"));
  });
});

test("another identifier in the place of the one asked for is shown and described under the address that was asked", async () => {
  const response = await get(path("other.png"));
  const { data, width, height } = await pixels(response);
  expect([width, height, ...data.subarray(0, 3)]).toEqual([40, 20, 0, 0, 255]);
  expect(response.headers.get("Link")).toContain("<https://images.example.org/iiif/3/other.png/full/max/");
  expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
  expect(await (await get(path("other.png", "info.json"))).json()).toMatchObject({
    id: "https://images.example.org/iiif/3/other.png",
    width: 40,
    height: 20,
  });
});

describe("a public response", () => {
  test("is the same whether or not there are rules for other images", async () => {
    const plain = await served(settings());
    for (const target of [path("blue.png"), path("blue.png", "info.json")]) {
      const [ruled, free] = await Promise.all([get(target), plain.get(target)]);
      expect(ruled.status).toBe(200);
      for (const name of ["ETag", "Cache-Control", "Vary"])
        expect([name, ruled.headers.get(name)]).toEqual([name, free.headers.get(name)]);
      expect(ruled.headers.get("Cache-Control")).toMatch(/^public, max-age=\d+$/);
    }
    await plain.service.close();
  });

  test("names in Vary the headers that the decision depends on", async () => {
    const image = await get(path("by-group.png"), {}, "HEAD");
    expect(image.headers.get("Vary")).toBe("X-Group");
    expect(image.headers.get("Cache-Control")).toMatch(/^public, /);
    expect((await get(path("by-group.png", "info.json"))).headers.get("Vary")).toBe(
      "Accept-Encoding, Accept, X-Group",
    );
  });
});

test("the start page shows only what its caller may have, and may be cached by that caller alone", async () => {
  const response = await get("/");
  expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
  expect(response.headers.get("Vary")?.split(", ").sort()).toEqual([
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Cookie",
    "X-Group",
  ]);
  const shown = await response.text();
  for (const name of ["blue.png", "small.png", "other.png"]) expect(shown).toContain(`data-id="${name}"`);
  for (const name of ["closed.png", "gone.png"]) expect(shown).not.toContain(name);
  expect(await (await get("/", token)).text()).toContain("closed.png");
});

describe("a purge", () => {
  const request = "full/200,/0/default.png";
  const keep = async (identifier: string, headers?: Record<string, string>) =>
    pixels(await get(path(identifier, request), headers));

  test("of an entry removes that of the tier that its key names", async () => {
    await keep("small.png");
    await keep("small.png", token);
    const key = path("small.png", request);
    expect(await purgeEntry(parts, "render", key)).toBe(0);
    expect(await purgeEntry(parts, "render", `${key}|v1|substitute`)).toBe(1);
    expect((await get(key, token)).headers.get("Cache-Status")).toBe("smalti; hit");
    expect(await purgeEntry(parts, "render", `${key}|v1|full`)).toBe(1);
    expect((await get(key, token)).headers.get("Cache-Status")).toBe("smalti; fwd=miss");
  });

  test("of an image removes all tiers and needs no access", async () => {
    await purgeImage(parts, "small.png");
    await keep("small.png");
    await keep("small.png", token);
    expect((await purgeImage(parts, "small.png")).purged.render).toBe(2);
    await keep("closed.png", token);
    expect(await purgeEntry(parts, "render", `${path("closed.png", request)}|v1|full`)).toBe(1);
  });

  test("of an image removes what was shown of it as a substitute for another", async () => {
    const target = path("other.png", "full/20,/0/default.png");
    await pixels(await get(target));
    expect((await get(target)).headers.get("Cache-Status")).toBe("smalti; hit");
    await purgeImage(parts, "blue.png");
    expect((await get(target)).headers.get("Cache-Status")).toBe("smalti; fwd=miss");
  });
});
