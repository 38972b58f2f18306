// An overlay over HTTP: what is cached and by which tag, what happens to derivatives when its picture
// changes, breaks or disappears, and hooks.
// @module-tag slow

import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { checkAll } from "../../../src/cli/commands/check.ts";
import { type Config, configSchema } from "../../../src/server/config/schema.ts";
import { purgeEntry } from "../../../src/server/images/purge.ts";
import { fixture, fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

let folder: string;
const open: Served[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-overlay-"));
  mkdirSync(join(folder, "marks"));
  for (const [name, background] of Object.entries({ red: "#ff0000", blue: "#0000ff" }))
    await sharp({ create: { width: 20, height: 10, channels: 3, background } })
      .png()
      .toFile(join(folder, "marks", `${name}.png`));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
afterEach(async () => {
  for (const app of open.splice(0)) await app.service.close();
});

const picture = (name: string) => join(folder, "marks", `${name}.png`);
/** The configured picture, which tests replace. */
const mark = () => join(folder, "mark.png");
const put = (bytes: Uint8Array | string) => {
  writeFileSync(`${mark()}.new`, bytes);
  renameSync(`${mark()}.new`, mark());
};

async function app(overlay: string, more = ""): Promise<Served> {
  const made = await served(`overlay: ${overlay}\ncache: { render: { backend: heap } }\n${more}`);
  open.push(made);
  return made;
}
const plain = () => app("{}");
const marked = (more = "") => {
  copyFileSync(picture("red"), mark());
  return app(`{ image: ${JSON.stringify(mark())}, opacity: 1, offset: [0, 0]${more} }`);
};

const target = "/iiif/3/base.png/full/100,/0/default.png";
/** Another derivative, which shows when the service has looked at the picture again. */
const other = "/iiif/3/base.png/full/99,/0/default.png";
/** Waits until the picture, which counts as current for a second, is known to be broken or sound again. */
const looked = (get: Served["get"], status: 200 | 500) =>
  expect.poll(async () => (await get(other)).status).toBe(status);

/** Returns the colour of the last pixel of a response. */
async function corner(response: Response): Promise<number[]> {
  expect(response.status).toBe(200);
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info.channels).toBe(3);
  return [...data.subarray(-3)];
}

const red = [255, 0, 0];
const blue = [0, 0, 255];

describe("a derivative's entity tag and entry", () => {
  test("are the usual ones without an overlay, and if min_size exempts the derivative", async () => {
    const none = await plain();
    const some = await marked(", min_size: 68");
    const without = await none.get(target); // 67 pixels high
    const small = await some.get(target);
    expect(small.headers.get("etag")).toBe(without.headers.get("etag"));
    expect(await small.arrayBuffer()).toEqual(await without.arrayBuffer());
    const larger = "/iiif/3/base.png/full/120,/0/default.png";
    expect((await some.get(larger)).headers.get("etag")).not.toBe(
      (await none.get(larger)).headers.get("etag"),
    );
    // Turned by 45 degrees the same picture has sides of more than 68.
    const turned = "/iiif/3/base.png/full/100,/45/default.png";
    expect(await corner(await some.get(turned))).toEqual(red);
  });

  test("differ for each setting and each overlay image", async () => {
    const tags = new Set<string | null>();
    const settings = ["", ", anchor: top", ", offset: [1, 0]", ", fit: tile", ", opacity: 0.5"].map(
      (more) => `{ image: ${JSON.stringify(picture("red"))}${more} }`,
    );
    const all = ["{}", ...settings, `{ image: ${JSON.stringify(picture("blue"))} }`];
    for (const setting of all) {
      const response = await (await app(setting)).get(target, { method: "HEAD" });
      tags.add(response.headers.get("etag"));
    }
    expect(tags.size).toBe(all.length);
  });

  test("follow the overlay image when it is replaced, so that nothing outdated is sent", async () => {
    const { get } = await marked();
    const first = await get(target);
    const etag = first.headers.get("etag") as string;
    expect(await corner(first)).toEqual(red);
    expect((await get(target)).headers.get("cache-status")).toBe("smalti; hit");
    expect((await get(target, { headers: { "If-None-Match": etag } })).status).toBe(304);
    copyFileSync(picture("blue"), `${mark()}.new`);
    renameSync(`${mark()}.new`, mark());
    await expect.poll(async () => corner(await get(other))).toEqual(blue);
    const asked = await get(target, { headers: { "If-None-Match": etag } });
    expect(await corner(asked)).toEqual(blue);
    expect(asked.headers.get("etag")).not.toBe(etag);
    expect(asked.headers.get("cache-status")).toBe("smalti; fwd=miss");
    const head = await get(target, { method: "HEAD" });
    expect(head.headers.get("etag")).toBe(asked.headers.get("etag"));
  });

  test("have no date, since that of the master is not that of the derivative", async () => {
    const { get } = await marked();
    // A date is sent once its second is over.
    const isDated = async (path: string) => (await get(path)).headers.has("last-modified");
    await expect.poll(() => isDated("/iiif/3/base.png/info.json")).toBe(true);
    expect(await isDated(target)).toBe(false);
    const since = { "If-Modified-Since": new Date().toUTCString() };
    expect((await get(target, { headers: since })).status).toBe(200);
  });
});

test("every tile carries the overlay, those that would be cut out of a JPEG file too", async () => {
  const jpeg = "/iiif/3/jpg-baseline-420.jpg/64,64,128,128/128,128/0/default.jpg";
  const cut = await (await plain()).get(jpeg);
  const { get } = await marked();
  const [r = 0, g = 0, b = 0] = await corner(await get(jpeg));
  expect(r).toBeGreaterThan(230);
  expect(Math.max(g, b)).toBeLessThan(30);
  const [other = 0] = await corner(cut);
  expect(other).toBeLessThan(200);
});

describe("an overlay that cannot be used", () => {
  const broken: Readonly<Record<string, () => void | Promise<void>>> = {
    "is missing": () => rmSync(mark()),
    "is a folder": () => {
      rmSync(mark());
      mkdirSync(mark());
    },
    "is no image": () => put("an overlay"),
    "ends early": () => put(fixture("bad-trunc-50.png")),
    "ends early as JPEG": () => put(fixture("bad-trunc-50.jpg")),
    "is empty": () => put(""),
    "has too many pixels": async () =>
      put(
        await sharp({ create: { width: 2049, height: 2048, channels: 3, background: "#fff" } })
          .png()
          .toBuffer(),
      ),
    "claims more pixels than memory has": () => put(fixture("bomb-50000x50000-1bit.png")),
  };

  test.each(Object.keys(broken))(
    "because it %s is an error of every image, including cached and conditional ones, until it is fixed",
    async (name) => {
      const { get } = await marked();
      const first = await get(target);
      const etag = first.headers.get("etag") as string;
      expect(await corner(first)).toEqual(red);
      await broken[name]?.();
      await looked(get, 500);
      const requests: readonly [string, Record<string, string>][] = [
        ["GET", {}],
        ["HEAD", {}],
        ["GET", { "If-None-Match": etag }],
        ["HEAD", { "If-None-Match": etag }],
        ["GET", { "If-None-Match": "*" }],
        ["GET", { "If-Modified-Since": new Date().toUTCString() }],
      ];
      for (const [method, headers] of requests) {
        const response = await get(target, { method, headers });
        expect(response.status, `${method} ${JSON.stringify(headers)}`).toBe(500);
        expect(response.headers.get("cache-control")).toBe("no-store");
        if (method === "HEAD") continue;
        const problem = (await response.json()) as { code: string; detail: string };
        expect(problem.code).toBe("overlay_failed");
        expect(problem.detail).not.toContain(folder);
      }
      expect((await get("/iiif/3/base.png/full/50,/0/default.jpg")).status).toBe(500); // not cached
      expect((await get("/iiif/3/base.png/info.json")).status).toBe(200);
      const ready = (await (await get("/ready")).json()) as {
        status: string;
        overlays: { healthy: boolean }[];
      };
      expect(ready).toMatchObject({ status: "unready", overlays: [{ name: "mark.png", healthy: false }] });
      expect(JSON.stringify(ready)).not.toContain(folder);

      rmSync(mark(), { recursive: true, force: true });
      copyFileSync(picture("red"), mark());
      await looked(get, 200);
      const again = await get(target);
      expect(again.headers.get("etag")).toBe(etag); // the same picture, so that cached derivatives are valid again
      expect(again.headers.get("cache-status")).toBe("smalti; hit");
      expect(await (await get("/ready")).json()).toMatchObject({ status: "ready" });
    },
  );

  test("does not keep an operator from purging", async () => {
    const { get, service } = await marked();
    await corner(await get(target));
    rmSync(mark());
    await looked(get, 500);
    expect((await get(target)).status).toBe(500);
    const parts = { ...service, aliases: [] };
    expect(await purgeEntry(parts, "render", "/iiif/3/base.png/full/100,67/0/default.png")).toBe(1);
    copyFileSync(picture("red"), mark());
    await looked(get, 200);
    expect((await get(target)).headers.get("cache-status")).toBe("smalti; fwd=miss");
  });

  test("is found by the check, under its key", async () => {
    const { service } = await plain();
    const config = (image: string): Config =>
      configSchema.parse({
        overlay: { image },
        sources: [{ name: "fixtures", type: "filesystem", root: fixturesFolder }],
      });
    const found = async (image: string) =>
      (await checkAll(config(image), service.platform)).warnings.map(
        ({ where, text }) => `${where}: ${text}`,
      );
    expect(await found(picture("red"))).toEqual([]);
    expect(await found("fixtures:base.png")).toEqual([]);
    expect(await found(join(folder, "none.png"))).toEqual([
      `overlay.image: ${join(folder, "none.png")}: the overlay is not there; correct the file or overlay.image`,
    ]);
    expect(await found("elsewhere:a.png")).toEqual([
      'overlay.image: elsewhere:a.png: there is no source "elsewhere" to take the overlay from; correct the file or overlay.image',
    ]);
    expect((await found("fixtures:bad-text.jpg"))[0]).toMatch(/^overlay\.image: .*is not a JPEG, PNG/);
  });
});

test("an overlay may be in a source", async () => {
  const sources = `sources:
  - { name: fixtures, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }
  - { name: own, prefix: own/, type: filesystem, root: ${JSON.stringify(folder)} }`;
  const { get } = await app("{ image: 'own:marks/blue.png', opacity: 1, offset: [0, 0] }", sources);
  expect(await corner(await get(target))).toEqual(blue);
  expect(await (await get("/ready")).json()).toMatchObject({
    overlays: [{ name: "own:marks/blue.png", backend: "source", healthy: true }],
  });
  const { get: wrong } = await app("{ image: 'own:marks/none.png' }", sources);
  expect((await wrong(target)).status).toBe(500);
});

test("a configuration with an overlay of the wrong form names the key", () => {
  for (const [key, value] of Object.entries({
    anchor: "middle",
    offset: [1],
    fit: "cover",
    opacity: 1.5,
    min_size: -1,
  })) {
    const { error } = configSchema.safeParse({ overlay: { [key]: value } });
    expect(error?.issues.map(({ path }) => path.slice(0, 2).join("."))).toEqual([`overlay.${key}`]);
  }
});

describe("a hook decides for each request", () => {
  const hook = `export function overlay({ identifier }) {
    if (identifier === "png-rgb16.png") return { image: "blue.png" };
    if (identifier === "png-la8.png") return false;
    if (identifier === "png-rgba8.png") return { image: "" };
    if (identifier === "png-pal4.png") return { image: "fixtures:jpg-1x1.jpg", fit: "tile" };
    if (identifier === "png-pal1.png") return { image: "../mark.png" };
    if (identifier === "png-gray4.png") return { opacity: 7 };
    if (identifier === "png-gray1.png") return { image: "none.png" };
    if (identifier === "png-gray16.png") return { colour: "red" };
    if (identifier === "base.png;1") throw new Error("no page suffix here");
  }`;
  const hooked = () => {
    writeFileSync(join(folder, "hooks.js"), hook);
    copyFileSync(picture("red"), mark());
    return app(
      `{ image: ${JSON.stringify(mark())}, folder: ${JSON.stringify(join(folder, "marks"))}, opacity: 1, offset: [0, 0] }`,
      `hook: { engine: js, js: { file: ${JSON.stringify(join(folder, "hooks.js"))}, timeout: 5s } }`,
    );
  };
  const of = (name: string) => `/iiif/3/${name}/full/max/0/default.png`;

  test("with another image, none, or the configured one", async () => {
    const { get } = await hooked();
    const none = await plain();
    expect(await corner(await get(of("base.png")))).toEqual(red);
    expect(await corner(await get(of("png-rgb16.png")))).toEqual(blue);
    for (const name of ["png-la8.png", "png-rgba8.png"]) {
      const response = await get(of(name));
      expect(response.headers.get("etag")).toBe((await none.get(of(name))).headers.get("etag"));
      expect(response.headers.has("last-modified")).toBe(false);
    }
    expect((await get(of("png-pal4.png"))).status).toBe(200);
  });

  test("and an impossible result is an error, never a derivative without a mark", async () => {
    const { get } = await hooked();
    for (const name of ["png-pal1.png", "png-gray4.png", "png-gray16.png"]) {
      const response = await get(of(name));
      expect([name, response.status, ((await response.json()) as { code: string }).code]).toEqual([
        name,
        500,
        "hook_failed",
      ]);
    }
    const missing = await get(of("png-gray1.png"));
    expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([
      500,
      "overlay_failed",
    ]);
  });
});
