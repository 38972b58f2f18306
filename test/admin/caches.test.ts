// Purging through the forms of /admin/cache and by scripts, and what the page says about the slots.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { silentLog } from "../../src/base/telemetry/log.ts";
import { nodeFiles } from "../../src/server/platform/files/node-files.ts";
import { fixturesFolder } from "../host.ts";
import { type Served, served } from "../served.ts";
import { startRedis } from "../servers/redis.ts";
import { type S3Server, startS3 } from "../servers/s3.ts";
import { asOperator, operator } from "./operator.ts";

const heap = "{ backend: heap }";
const cache = `cache: { render: ${heap}, info: ${heap}, origin: ${heap} }`;
const tile = "/iiif/3/base.png/0,0,64,64/64,/0/default.jpg";

let app: Served;
beforeAll(async () => {
  app = await served(cache, operator);
});
afterAll(() => app.service.close());

const settled = async ({ service }: Served) => {
  await Promise.all(service.slots.all.map((slot) => slot.whenSettled()));
};

/** True if the derivative for a request was cached. */
async function isKept(from: Served, path: string): Promise<boolean> {
  const answer = await from.get(path);
  await answer.arrayBuffer();
  await settled(from);
  return answer.headers.get("Cache-Status") === "smalti; hit";
}

/** Returns the text of the card of a slot. */
function cardOf(html: string, slot: string): string {
  const [card = ""] = new RegExp(`<li class="card" data-slot="${slot}".*?</li>`, "s").exec(html) ?? [];
  return card
    .replace(/<(?:svg|span|dt|p)[^>]*>/g, " ")
    .replace(/<\/h3>|<\/dt>/g, " ")
    .replace(/<[^>]+>/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Returns the number of entries of a slot according to the page. */
const entriesOf = (html: string, slot: string) => /Entries ([\d,]+|not known)/.exec(cardOf(html, slot))?.[1];

const page = (path: string, { get }: Served = app) => get(path, { headers: asOperator });

function post(path: string, form: Record<string, string>, { get }: Served = app): Promise<Response> {
  return get(path, {
    method: "POST",
    headers: { ...asOperator, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });
}

/** Returns the outcome that the next page shows. */
async function outcomeOf(answer: Response, to = "/admin/cache"): Promise<string> {
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, to]);
  const cookie = (answer.headers.get("Set-Cookie") as string).split(";")[0] as string;
  const shown = await app.get(to, { headers: { ...asOperator, Cookie: cookie } });
  const [, notice = ""] = /<div[^>]* id="outcome">(.*?)<\/div>/s.exec(await shown.text()) ?? [];
  return notice
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

describe("the page", () => {
  test("shows backend, entries, size and hit rate of each slot, of this process", async () => {
    const own = await served(cache, operator);
    for (const _ of [1, 2, 3, 4]) {
      await (await own.get(tile)).arrayBuffer();
      await settled(own);
    }
    const html = await (await page("/admin/cache", own)).text();
    expect([...html.matchAll(/data-slot="(\w+)"/g)].map(([, name]) => name)).toEqual([
      "render",
      "info",
      "origin",
      "text",
      "changes",
    ]);
    const { entries, bytes } = (await own.service.slots.render.usage?.()) ?? { entries: 0, bytes: 0 };
    expect(entries).toBe(1);
    const card = cardOf(html, "render");
    // One miss and three hits. The bound of a slot in memory is at most 256 MiB (docs/configuration.md).
    expect(card.replace(/[\d.]+ KiB/, "SIZE")).toBe(
      "render works Finished images: tiles, thumbnails, full images. SIZE of 256 MiB (0.0 %) Entries 1 Hit rate 75.0 % of 4 lookups Stored heap, up to 256 MiB, kept for 1d",
    );
    expect(Number.parseFloat(/[\d.]+(?= KiB)/.exec(card)?.[0] ?? "")).toBeCloseTo(bytes / 1024, 0);
    await own.service.close();
  });

  test("explains the forms of keys, with the names of this service", async () => {
    const html = await (await page("/admin/cache")).text();
    for (const form of [
      "/iiif/3/a.tif/full/max/0/default.jpg",
      "|v1|full",
      "|v1|substitute",
      "images.test/iiif/3/a.tif/info.json",
      "fixtures:a.tif",
    ])
      expect(html).toContain(form);
  });
});

describe("a refused form", () => {
  /** Returns the text of the notice at the top, which has the focus, and the address of its link. */
  const noticeOf = async (answer: Response) => {
    const html = await answer.text();
    const [, start = "", inner = "", rest = ""] =
      /<h1>Caches<\/h1><\/div><div ([^>]*)>(.*?)<\/div>(.*)/s.exec(html) ?? [];
    expect(start).toBe('class="notice bad" role="alert" id="refused" tabindex="-1" autofocus=""');
    const [, id = ""] = /href="#([^"]*)"/.exec(inner) ?? [];
    expect(rest).toContain(` id="${id}"`);
    return inner
      .replace(/<[^>]+>/g, " ")
      .replace(/ +/g, " ")
      .replace(/ :/, ":")
      .trim();
  };

  test.each([
    ["purge-image", { identifier: "../a" }, "Nothing was purged. Correct this: Identifier: Expected an"],
    ["purge-folder", { folder: "nowhere" }, "Nothing was purged. Correct this: Folder: Expected the"],
    ["purge", { cache: "render", key: "nothing" }, "Nothing was purged. Correct this: Key: Expected as key"],
    ["purge", { cache: "all", key: "nothing" }, "Nothing was purged. Correct this: Cache: Expected render"],
    ["purge-all", { cache: "all" }, "Nothing was purged. Correct this: Cache: Expected render, info"],
  ])("of %s is reported at the top of the page, with the focus and a link to its field", async (...row) => {
    const [path, form, text] = row;
    const answer = await post(`/admin/cache/${path}`, { ...form });
    expect(answer.status).toBe(422);
    expect(await noticeOf(answer)).toContain(text);
  });

  test("is reported in the same way if the purge fails", async () => {
    const clear = async () => {
      throw new Error("no disk");
    };
    const own = await served(cache, operator);
    Object.assign(own.service.slots.render, { clear });
    const answer = await post("/admin/cache/purge-all", { cache: "render" }, own);
    expect(answer.status).toBe(503);
    expect(await noticeOf(answer)).toMatch(/^The purge failed: Cache: The slot render could not be purged/);
    await own.service.close();
  });

  test.each(["purge", "purge-all", "purge-image", "purge-folder"])(
    "does not lead to an error if its address %s is opened",
    async (path) => {
      const answer = await page(`/admin/cache/${path}`);
      expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/admin/cache"]);
      expect((await app.get(`/admin/cache/${path}`)).status).toBe(401);
    },
  );
});

describe("purging one entry", () => {
  test("removes the entry of a key and reports the number of removed entries", async () => {
    expect(await isKept(app, tile)).toBe(false);
    expect(await isKept(app, tile)).toBe(true);
    const answer = await post("/admin/cache/purge", { cache: "render", key: tile });
    expect(await outcomeOf(answer)).toContain("1 entry removed from the render cache.");
    expect(await isKept(app, tile)).toBe(false);
    const again = await post("/admin/cache/purge", {
      cache: "info",
      key: "images.test/iiif/3/base.png/info.json",
    });
    expect(await outcomeOf(again)).toContain("1 entry removed from the info cache.");
    const nothing = await post("/admin/cache/purge", { cache: "origin", key: "fixtures:nothing.png" });
    expect(await outcomeOf(nothing)).toContain("The origin cache had no entry for this key.");
  });

  test.each([
    ["render", "no path", "key-wrong", "Expected as key of the slot render"],
    ["render", "", "key-wrong", "Expected as key of the slot render"],
    ["info", tile, "key-wrong", "Expected as key of the slot info"],
    ["origin", "unknown:a.png", "key-wrong", "Expected as key of the slot origin"],
    ["origin", "fixtures:../../etc/passwd", "key-wrong", "Expected as key of the slot origin"],
    ["session", tile, "entry-cache-wrong", "Expected render, info or origin"],
    ["", tile, "entry-cache-wrong", "received nothing"],
    ["constructor", tile, "entry-cache-wrong", "Expected render, info or origin"],
  ])(
    "of %s by %o is 422 with a message at the field and the entered text",
    async (cache, key, id, message) => {
      const answer = await post("/admin/cache/purge", { cache, key });
      expect(answer.status).toBe(422);
      const html = await answer.text();
      const [, said = ""] = new RegExp(`<p class="wrong" id="${id}">(.*?)</p>`, "s").exec(html) ?? [];
      expect(said).toContain(message);
      expect(html).toMatch(new RegExp(`aria-describedby="${id}`));
      expect(html).toContain(`name="key" required="" autocomplete="off" spellcheck="false" value="${key}"`);
    },
  );

  test("escapes the entered text", async () => {
    const html = await (
      await post("/admin/cache/purge", { cache: "<b>", key: '"><script>alert(1)</script>' })
    ).text();
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<b>");
  });
});

describe("emptying a slot", () => {
  test("removes all its entries and reports their number", async () => {
    await isKept(app, tile);
    const { entries } = (await app.service.slots.render.usage?.()) ?? { entries: 0 };
    expect(entries).toBeGreaterThan(0);
    const answer = await post("/admin/cache/purge-all", { cache: "render" });
    expect(await outcomeOf(answer)).toMatch(
      new RegExp(`The render cache was emptied; it held ${entries} entr(y|ies)\\.`),
    );
    expect(await isKept(app, tile)).toBe(false);
  });

  test("is 422 for an unknown slot", async () => {
    const answer = await post("/admin/cache/purge-all", { cache: "everything" });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('id="slot-cache-wrong"');
  });

  test("needs a confirmation that works without a script", async () => {
    const html = await (await page("/admin/cache")).text();
    const [form = ""] = /<form[^>]*action="\/admin\/cache\/purge-all".*?<\/form>/s.exec(html) ?? [];
    expect(form).toMatch(/<input type="checkbox" required/);
  });
});

describe("over a bucket", () => {
  let bucket: S3Server;
  let remote: Served;
  beforeAll(async () => {
    bucket = await startS3({ account: undefined });
    const s3 = `{ backend: s3, bucket: ${bucket.bucket}, endpoint: "${bucket.url}", path_style: true, anonymous: true, timeout: 60s }`;
    remote = await served(`cache: { render: ${s3}, info: ${heap}, origin: ${heap} }`, operator);
  });
  afterAll(async () => {
    await remote.service.close();
    await bucket.close();
  });

  test("emptying is 501 with the reason, and the page says that its entries are not known", async () => {
    const answer = await post("/admin/cache/purge-all", { cache: "render" }, remote);
    expect(answer.status).toBe(501);
    const html = await answer.text();
    expect(html).toContain("cannot be emptied as a whole");
    expect(entriesOf(html, "render")).toBe("not known");
    expect(entriesOf(html, "info")).toBe("0");
  });

  test("a store that does not respond is named on its card, and purging it is 503 with the form", async () => {
    const gone = await startS3({ account: undefined });
    const s3 = `{ backend: s3, bucket: ${gone.bucket}, endpoint: "${gone.url}", path_style: true, anonymous: true, timeout: 1s }`;
    const dead = await served(`cache: { render: ${s3}, info: ${heap}, origin: ${heap} }`, operator);
    await gone.close();
    const table = await (await page("/admin/cache", dead)).text();
    const states = [...table.matchAll(/<h3>\w+ <span class="pill[^"]*">([^<]*)<\/span>/g)].map(
      ([, state]) => state,
    );
    expect(states).toEqual(["cannot be used", "works", "works", "works", "works"]);
    const answer = await post("/admin/cache/purge", { cache: "render", key: tile }, dead);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("could not be purged");
    await dead.service.close();
  });
});

describe("purging an image", () => {
  test("by the form removes everything cached of it and reports the slots", async () => {
    await isKept(app, tile);
    const answer = await post("/admin/cache/purge-image", { identifier: "base.png" });
    expect(await outcomeOf(answer)).toMatch(
      /entr(y|ies) of base\.png removed: render 1, info \d+, origin \d+, text 0, changes 0\./,
    );
    expect(await isKept(app, tile)).toBe(false);
  });

  test("from the page of the image leads back there", async () => {
    const answer = await post("/admin/cache/purge-image", { identifier: "a b/ü;2", from: "view" });
    expect(answer.headers.get("Location")).toBe("/admin/view/a%20b/%C3%BC;2");
  });

  test("ignores spaces around the identifier", async () => {
    await isKept(app, tile);
    const answer = await post("/admin/cache/purge-image", { identifier: " base.png\n" });
    expect(await outcomeOf(answer)).toMatch(/entr(y|ies) of base\.png removed: render 1/);
    const again = await post("/admin/cache/purge-image", { identifier: "base.png" });
    expect(await outcomeOf(again)).toBe("Nothing was cached of base.png.");
  });

  test.each([
    ["base%2Epng", "Did you mean base.png?"],
    ["bsae.png", "Did you mean base.png?"],
    ["nothing-like-it/at-all", "Check its spelling."],
    ["100%", "Check its spelling."],
    ["ann:secret@example.org/a.png", "Check its spelling."],
  ])("of %s, which no source has, is 422 at the field, with what was meant", async (identifier, advice) => {
    const answer = await post("/admin/cache/purge-image", { identifier });
    expect(answer.status).toBe(422);
    const html = await answer.text();
    const [, said] = /<p class="wrong" id="identifier-wrong">(.*?)<\/p>/s.exec(html) ?? [];
    expect(said).toBe(
      `Nothing was cached of ${identifier.replace("ann:secret", "***")}, and no source has an image of this identifier. ${advice}`,
    );
    expect(html).toContain(`value="${identifier}"`);
  });

  test("whose master is gone removes what was cached of it", async () => {
    const root = mkdtempSync(join(tmpdir(), "smalti-admin-gone-"));
    copyFileSync(join(fixturesFolder, "base.png"), join(root, "gone.png"));
    const own = await served(
      `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(root)} }]\n${cache}`,
      operator,
    );
    await isKept(own, "/iiif/3/gone.png/full/64,/0/default.jpg");
    rmSync(join(root, "gone.png"));
    const answer = await post("/admin/cache/purge-image", { identifier: "gone.png" }, own);
    expect(await outcomeOf(answer)).toMatch(/entries of gone\.png removed: render 1/);
    expect((await post("/admin/cache/purge-image", { identifier: "gone.png" }, own)).status).toBe(422);
    await own.service.close();
    rmSync(root, { recursive: true });
  });

  test("of an impossible identifier is 422 at the field", async () => {
    const answer = await post("/admin/cache/purge-image", { identifier: "../secret" });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('id="identifier-wrong"');
  });
});

describe("purging a folder", () => {
  let own: Served;
  let root: string;
  const tiles = ["a/one.png", "a/b/two.png", "c/three.png"].map(
    (name) => `/iiif/3/${encodeURIComponent(name)}/0,0,64,64/64,/0/default.jpg`,
  );
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "smalti-admin-folder-"));
    for (const name of ["a/b", "c"]) mkdirSync(join(root, name), { recursive: true });
    for (const name of ["a/one.png", "a/b/two.png", "c/three.png"])
      copyFileSync(join(fixturesFolder, "base.png"), join(root, name));
    own = await served(
      `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(root)} }]\n${cache}`,
      operator,
    );
  });
  afterAll(async () => {
    await own.service.close();
    rmSync(root, { recursive: true });
  });

  test.each([
    ["the form", () => post("/admin/cache/purge-folder", { folder: "a/" }, own), 303],
    [
      "a script",
      () =>
        own.get("/admin/api/purge", {
          method: "POST",
          headers: { ...asOperator, "Content-Type": "application/json" },
          body: '{"folder":"a"}',
        }),
      200,
    ],
  ])("by %s removes what is cached of the images below it", async (_, purge, status) => {
    for (const each of tiles) await isKept(own, each);
    const answer = await purge();
    expect(answer.status).toBe(status);
    if (status === 200) expect(await answer.json()).toMatchObject({ masters: 2, purged: { render: 2 } });
    else expect(await outcomeOf(answer)).toMatch(/4 entries of 2 files in a removed: render 2, info 2/);
    const kept = [];
    for (const each of tiles) kept.push(await isKept(own, each));
    expect(kept).toEqual([false, false, true]);
  });

  test.each([
    ["", "received nothing"],
    ["/", "received /."],
    ["//", "received //."],
    [" ", "received nothing"],
    ["nowhere", "which no source has"],
    ["../a", "Expected an identifier"],
  ])("named %j is 422 with a message at the field", async (folder, message) => {
    const answer = await post("/admin/cache/purge-folder", { folder }, own);
    expect(answer.status).toBe(422);
    const [, said = ""] = /<p class="wrong" id="folder-wrong">(.*?)<\/p>/s.exec(await answer.text()) ?? [];
    expect(said).toContain(message);
  });

  test("needs a confirmation that works without a script", async () => {
    const html = await (await page("/admin/cache", own)).text();
    const [form = ""] = /<form[^>]*action="\/admin\/cache\/purge-folder".*?<\/form>/s.exec(html) ?? [];
    expect(form).toMatch(/<input type="checkbox" required/);
  });

  test("the images that take most room are listed first, with links", async () => {
    for (const each of tiles) await isKept(own, each);
    // A second derivative, which is larger than a tile.
    await isKept(own, "/iiif/3/c%2Fthree.png/full/max/0/default.png");
    const html = await (await page("/admin/cache", own)).text();
    const [, table = ""] = /<h2 id="largest">(.*?)<\/table>/s.exec(html) ?? [];
    const rows = [
      ...table.matchAll(/href="([^"]*)".*?data-label="Cache">(\w+).*?data-label="Entries"[^>]*>(\d+)/gs),
    ];
    expect(rows[0]?.slice(1)).toEqual(["/admin/view/c/three.png", "render", "2"]);
    expect(rows.map(([, link]) => link)).toContain("/admin/view/a/b/two.png");
  });
});

describe("/admin/api/purge", () => {
  const ask = (body: string, type = "application/json", over: Record<string, string> = {}) =>
    app.get("/admin/api/purge", {
      method: "POST",
      headers: { ...asOperator, "Content-Type": type, ...over },
      body,
    });

  test("reports the number of entries removed from each slot", async () => {
    await isKept(app, tile);
    const { entries } = (await app.service.slots.info.usage?.()) ?? { entries: 0 };
    const answer = await ask('{"identifier":"base.png"}');
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(await answer.json()).toEqual({
      purged: { render: 1, info: entries, origin: 0, text: 0, changes: 0 },
      unsupported: [],
    });
    expect(await (await ask('{"identifier":"base.png"}')).json()).toEqual({
      purged: { render: 0, info: 0, origin: 0, text: 0, changes: 0 },
      unsupported: [],
    });
    expect(await isKept(app, tile)).toBe(false);
  });

  test.each([
    ["no JSON", "identifier=a", 400, "invalid_json"],
    ["a list", '["a"]', 400, "invalid_purge_request"],
    ["null", "null", 400, "invalid_purge_request"],
    ["no identifier", "{}", 400, "invalid_purge_request"],
    ["an empty one", '{"identifier":""}', 400, "invalid_purge_request"],
    ["a number", '{"identifier":1}', 400, "invalid_purge_request"],
    ["an image and a folder", '{"identifier":"a","folder":"a"}', 400, "invalid_purge_request"],
    ["an empty folder", '{"folder":""}', 400, "invalid_purge_request"],
    ["the folder /", '{"folder":"/"}', 400, "invalid_purge_request"],
    ["the folder //", '{"folder":"//"}', 400, "invalid_purge_request"],
    ["a folder of spaces", '{"folder":" "}', 400, "invalid_purge_request"],
    ["a folder that is not there", '{"folder":"nowhere"}', 404, "no_such_folder"],
    ["a further key", '{"identifier":"a","cache":"render"}', 400, "invalid_purge_request"],
    ["what leads out of a source", '{"identifier":"../a"}', 404, "identifier_refused"],
    ["too much", JSON.stringify({ identifier: "a".repeat(70_000) }), 413, "body_too_large"],
  ])("responds to %s with a problem document", async (_, body, status, code) => {
    const answer = await ask(body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
    expect(await answer.json()).toMatchObject({ code, status });
  });

  test("takes JSON alone, by POST, from no page of another site", async () => {
    expect((await ask('{"identifier":"a"}', "text/plain")).status).toBe(415);
    expect((await page("/admin/api/purge")).status).toBe(405);
    expect(
      (await ask('{"identifier":"a"}', "application/json", { Origin: "https://evil.example" })).status,
    ).toBe(403);
  });
});

test("each purge is a line in the log, with what was removed and without the hidden parts of identifiers", async () => {
  const lines: [string, unknown][] = [];
  const log = {
    ...silentLog,
    info: (message: string, fields?: object) => void lines.push([message, fields]),
  };
  const own = await served(cache, operator, { log });
  await (await own.get(tile)).arrayBuffer();
  await settled(own);
  lines.length = 0;
  await post("/admin/cache/purge-image", { identifier: "base.png" }, own);
  await post("/admin/cache/purge", { cache: "render", key: tile }, own);
  await post("/admin/cache/purge-all", { cache: "info" }, own);
  await post("/admin/cache/purge-image", { identifier: "https://ann:secret@example.org/a.png" }, own);
  const purges = lines.filter(([message]) => message.includes("operator"));
  expect(purges.slice(0, 3)).toEqual([
    [
      "an image was purged by the operator",
      { identifier: "base.png", render: 1, info: 1, origin: 0, text: 0, changes: 0 },
    ],
    ["an entry was purged by the operator", { cache: "render", entries: 0 }],
    ["a cache was emptied by the operator", { cache: "info" }],
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
  await own.service.close();
});

test("Redis is asked how much it holds at most every ten seconds, however often the page is loaded", async () => {
  // All within ten seconds, however long it takes.
  vi.useFakeTimers({ toFake: ["performance"] });
  const redis = await startRedis();
  const shared = `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s }`;
  const own = await served(`cache: { render: ${shared}, info: ${heap}, origin: ${heap} }`, operator);
  const entries = async () => entriesOf(await (await page("/admin/cache", own)).text(), "render");
  // A page that could not wait for Redis says that it is not known.
  await expect.poll(entries).toBe("0");
  await (await own.get(tile)).arrayBuffer();
  await settled(own);
  expect(await entries()).toBe("0");
  expect((await own.service.slots.render.usage?.())?.entries).toBe(1);
  vi.advanceTimersByTime(10_001);
  await expect.poll(entries).toBe("1");
  await own.service.close();
  await redis.close();
  vi.useRealTimers();
});

test("a folder as cache is counted as it is, also after it was emptied", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-admin-cache-"));
  const files = `{ backend: filesystem, path: ${JSON.stringify(folder)} }`;
  const own = await served(`cache: { render: ${files}, info: ${heap}, origin: ${heap} }`, operator);
  const entries = async () => entriesOf(await (await page("/admin/cache", own)).text(), "render");
  await (await own.get(tile)).arrayBuffer();
  await settled(own);
  // A concurrent check adds an entry of its own for a moment.
  await expect.poll(entries).toBe("1");
  await post("/admin/cache/purge-all", { cache: "render" }, own);
  await expect.poll(entries).toBe("0");
  await own.service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("a folder as cache that cannot be written", () => {
  let folder: string;
  let own: Served;
  let isWritable = true;
  const card = async () => cardOf(await (await page("/admin/cache", own)).text(), "render");
  const render = async (x: number) => {
    await (await own.get(`/iiif/3/base.png/${x},0,16,16/max/0/default.jpg`)).arrayBuffer();
    await settled(own);
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "smalti-admin-unwritable-"));
    isWritable = true;
    const disk = nodeFiles();
    const writeFile: typeof disk.writeFile = async (path, data, options) => {
      if (!isWritable) throw Object.assign(new Error("permission denied"), { code: "EACCES" });
      return disk.writeFile(path, data, options);
    };
    const files = `{ backend: filesystem, path: ${JSON.stringify(folder)}, max_bytes: 4GiB }`;
    own = await served(`cache: { render: ${files}, info: ${heap}, origin: ${heap} }`, operator, {
      files: { ...disk, writeFile },
    });
    await render(0);
  });
  afterEach(async () => {
    await own.service.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const standsIn = /Memory stands in for the folder until .* It holds 2 entries, [\d.]+ KiB of 64 MiB\./;

  test("is shown as such, with its own figures and those of the memory that stands in for it", async () => {
    isWritable = false;
    for (const x of [1, 2]) await render(x);
    const text = await card();
    expect(text).toMatch(/^render cannot be used .* The folder of the store cannot be written:/);
    expect(text).toMatch(standsIn);
    expect(text).toMatch(/[\d.]+ (?:Ki)?B of 4 GiB \(0\.0 %\) Entries 1 /);
  });

  test("is shown as such before the next check of it, too", async () => {
    expect(await card()).toMatch(/^render works .* Entries 1 /);
    isWritable = false;
    for (const x of [1, 2]) await render(x);
    const text = await card();
    expect(text).toMatch(/^render cannot be written /);
    expect(text).toMatch(standsIn);
  });

  test("works again when it is repaired, without a further request for an image", async () => {
    isWritable = false;
    for (const x of [1, 2]) await render(x);
    isWritable = true;
    const text = await card();
    expect(text).toMatch(/^render works .* of 4 GiB \(0\.0 %\) Entries 1 /);
    expect(text).not.toContain("Memory stands in");
  });
});
