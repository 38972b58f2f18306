// The start page, robots.txt and static files.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

/** Names that break careless pages, in natural order. */
const awkward = [
  `'; alert(1)-'.png`,
  "<b>bold</b>.png".replace("/", "∕"),
  'a "quoted" & <i>.png',
  "one;2.png",
  "plus+hash#?.png",
  "straße 100%.png",
  "x%2Fy.png",
];

let folder: string;
let app: Served;
let html: string;

const source = (root: string) => `sources: [{ name: pics, type: filesystem, root: ${JSON.stringify(root)} }]`;
const withoutEntities = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
const attributes = (name: string, text = html) =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => withoutEntities(value));
/** Commands as they are copied: their text without the markup of their words. */
const commands = (text: string) =>
  [...text.matchAll(/<pre class="command"[^>]*>(.*?)<\/pre>/gs)].map(([, inner = ""]) =>
    withoutEntities(inner.replace(/<[^>]*>/g, "")),
  );
const targetOf = (url: string) => url.replace("http://images.test", "");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-home-"));
  for (const name of awkward) copyFileSync(join(fixturesFolder, "base.png"), join(folder, name));
  mkdirSync(join(folder, "z-below"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "z-below", "deep.png"));
  writeFileSync(join(folder, "y-broken.png"), "no picture");
  await sharp({ create: { width: 90, height: 60, channels: 3, background: "#336699" } })
    .jpeg()
    .toFile(join(folder, "y-small.jpg"));
  await sharp({ create: { width: 1300, height: 100, channels: 3, background: "#336699" } })
    .jpeg()
    .toFile(join(folder, "y-wide.jpg"));
  app = await served(source(folder));
  html = await (await app.get("/")).text();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the start page of a folder", () => {
  test("shows the images of the folder, and the folders in it with their contents", () => {
    expect(new Set(attributes("data-name"))).toEqual(new Set([...awkward, "y-small.jpg", "y-wide.jpg"]));
    const [, folders = ""] = /<ul class="folders"[^>]*>(.*?)<\/ul>/s.exec(html) ?? [];
    expect(attributes("href", folders)).toEqual(["/?in=z-below"]);
    expect(attributes("src", folders)).toEqual([
      "http://images.test/iiif/3/z-below%2Fdeep.png/full/!200,200/0/default.jpg",
    ]);
    expect(folders).toContain("1 picture<");
  });

  test("zooms the first of them", () => {
    const [first] = attributes("data-name");
    expect(html).toContain(
      'id="viewer" data-v3="http://images.test/iiif/3/" data-v2="http://images.test/iiif/2/" data-id="',
    );
    expect(attributes("data-id")[0]).toBe(attributes("data-id")[1]);
    expect(decodeURIComponent(attributes("data-id")[0] as string)).toBe(first);
  });

  test("lists a broken file with the reason, without a way to open it", () => {
    expect(html).toMatch(
      /<li class="broken"><span title="y-broken\.png">y-broken\.png<\/span> <span class="reason quiet">[^<]{10,}<\/span><\/li>/,
    );
    expect(html).not.toContain("y-broken.png/");
    expect(html).not.toContain(folder);
  });

  test("holds no markup that a name brings", () => {
    expect(html).not.toContain("<b>bold");
    expect(html).not.toContain("<i>");
    expect(html).not.toContain('a "quoted"');
  });

  test("names only addresses that respond", async () => {
    const addresses = [...attributes("href"), ...attributes("src")]
      .filter((url) => !url.startsWith("https://iiif.io/") && !/openseadragon|static\/docs/.test(url))
      .map(targetOf);
    expect(addresses.length).toBeGreaterThan(20);
    for (const address of new Set(addresses))
      expect([address, (await app.get(address)).status]).toEqual([address, 200]);
    for (const id of attributes("data-id"))
      expect([id, (await app.get(`/iiif/3/${id}/info.json`)).status]).toEqual([id, 200]);
  });

  test("leads to the manifest of the first image and to the collection of all", async () => {
    const manifest = withoutEntities(/<a href="([^"]+)" data-version="manifest"/.exec(html)?.[1] ?? "");
    const collection = withoutEntities(
      />All pictures, as a collection<.*?<a href="([^"]+)"/.exec(html)?.[1] ?? "",
    );
    const types = await Promise.all(
      [manifest, collection].map(async (address) => {
        const { id, type } = (await (await app.get(targetOf(address))).json()) as Record<string, string>;
        expect(id).toBe(address);
        return type;
      }),
    );
    expect(types).toEqual(["Manifest", "Collection"]);
  });

  test("leads to the viewer of the first image and to that of all", async () => {
    const first = withoutEntities(/<a href="([^"]+)" data-version="view"/.exec(html)?.[1] ?? "");
    const all = withoutEntities(/>All pictures, in the viewer<.*?<a href="([^"]+)"/.exec(html)?.[1] ?? "");
    for (const address of [first, all]) {
      expect(address).toContain("/view/");
      expect((await app.get(targetOf(address))).status).toBe(200);
    }
  });

  test("contains an image and links for browsers without scripts, and hides the box that only scripts fill", () => {
    expect(html).toMatch(
      /<noscript><link rel="stylesheet" href="\/static\/@[0-9a-f]{16}\/home\/noscript\.css"><\/noscript>/,
    );
    expect(html).toMatch(
      /<noscript><img src="http:\/\/images\.test\/iiif\/3\/[^"]*\/full\/max\/0\/default\.jpg"/,
    );
    expect(html).not.toMatch(/<li><button/);
  });

  test("requests an image at its own size if it is smaller than the box", () => {
    const thumbnails = attributes("src");
    expect(thumbnails).toContain("http://images.test/iiif/3/y-small.jpg/full/max/0/default.jpg");
    expect(thumbnails).toContain("http://images.test/iiif/3/y-wide.jpg/full/!200,200/0/default.jpg");
    const large = new Map(
      [...html.matchAll(/data-name="([^"]*)"[^>]*data-large="([^"]*)"/g)].map(([, name, rest]) => [
        name,
        rest,
      ]),
    );
    expect(large.get("y-small.jpg")).toBe("/full/max/0/default.jpg");
    expect(large.get("y-wide.jpg")).toBe("/full/!1200,1200/0/default.jpg");
  });

  test("runs only the service's own scripts, none of them inline", async () => {
    const response = await app.get("/");
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    for (const [, open = "", body = ""] of html.matchAll(/<script([^>]*)>([^<]*)/g)) {
      expect(open).toContain('src="/static/');
      expect(body).toBe("");
    }
    expect(html).not.toMatch(/ on[a-z]+="/);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  });
});

describe("the start page", () => {
  test("without sources shows the sample and how to serve one's own images", async () => {
    const page = await (await (await served("sources: []")).get("/")).text();
    expect(page).toContain('data-id="sample"');
    expect(commands(page)).toEqual([
      "smalti DIR",
      "smalti -config smalti.yaml",
      "curl 'http://images.test/iiif/3/sample/info.json'",
      "curl -o picture.jpg 'http://images.test/iiif/3/sample/full/!1200,1200/0/default.jpg'",
    ]);
  });

  test("names the version in small print and leads to the documentation", async () => {
    const page = await (await (await served("sources: []")).get("/")).text();
    expect(page).toMatch(/<h1>smalti <small[^>]*>dev<\/small><\/h1>/);
    expect(page).toContain('<a href="/static/docs/index.html">Documentation</a>');
  });

  test("has commands that a shell and curl accept, whatever the name", async () => {
    const quoted = mkdtempSync(join(tmpdir(), "smalti-quoted-"));
    copyFileSync(join(fixturesFolder, "base.png"), join(quoted, "it's $(1) [a-z]{2}.png"));
    const page = await (await (await served(source(quoted))).get("/")).text();
    rmSync(quoted, { recursive: true });
    const words = commands(page).map(
      (command) => /^curl (?:-o picture\.jpg )?'([^' [\]{}]*)'$/.exec(command)?.[1],
    );
    expect(words.map((address) => address && decodeURIComponent(address))).toEqual([
      "http://images.test/iiif/3/it's $(1) [a-z]{2}.png/info.json",
      "http://images.test/iiif/3/it's $(1) [a-z]{2}.png/full/max/0/default.jpg",
    ]);
  });

  test("of an empty folder says so", async () => {
    const empty = mkdtempSync(join(tmpdir(), "smalti-none-"));
    const response = await (await served(source(empty))).get("/");
    rmSync(empty, { recursive: true });
    expect(response.status).toBe(200);
    const page = await response.text();
    expect(page).toContain("The source &quot;pics&quot; holds no image");
    expect(page).not.toContain("<script");
    expect(page).not.toContain(empty);
  });

  test("of a folder with only a broken file names the file and the reason", async () => {
    const bad = mkdtempSync(join(tmpdir(), "smalti-bad-"));
    writeFileSync(join(bad, "only.jpg"), "no picture");
    const page = await (await (await served(source(bad))).get("/")).text();
    rmSync(bad, { recursive: true });
    expect(page).toContain("only.jpg");
    expect(page).toContain('class="broken"');
    expect(page).toMatch(
      /class="notice">The only picture [^<]*only\.jpg, cannot be shown\. This file is not a/,
    );
    expect(page).not.toContain('id="viewer"');
    expect(page).not.toContain("<script");
  });

  test("opens the first working image, even after all that are on the page", async () => {
    const bad = mkdtempSync(join(tmpdir(), "smalti-late-"));
    for (let n = 0; n < 60; n++) writeFileSync(join(bad, `${n}.jpg`), "no picture");
    copyFileSync(join(fixturesFolder, "base.png"), join(bad, "70.png"));
    const page = await (await (await served(source(bad))).get("/")).text();
    rmSync(bad, { recursive: true });
    expect(page).toContain(
      'id="viewer" data-v3="http://images.test/iiif/3/" data-v2="http://images.test/iiif/2/" data-id="70.png"',
    );
    expect(page.match(/class="broken"/g)).toHaveLength(48);
    expect(page).toContain("1–48 of 61");
  });

  test("behind a proxy with a prefix keeps to it", async () => {
    const headers = {
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "example.org",
      "X-Forwarded-Prefix": "/img",
    };
    const response = await app.get("/", { headers });
    const page = await response.text();
    expect(page).toContain('data-v3="https://example.org/img/iiif/3/"');
    for (const url of [...attributes("src", page), ...attributes("href", page)])
      expect(url).toMatch(/^(#content$|\/img\/|https:\/\/example\.org\/img\/|https:\/\/iiif\.io\/)/);
    expect(response.headers.get("Vary")).toContain("X-Forwarded-Prefix");
  });

  test("lets images come from the configured public address", async () => {
    const response = await (await served(`base_url: https://images.example.org/x\n${source(folder)}`)).get(
      "/",
    );
    expect(response.headers.get("Content-Security-Policy")).toContain(
      "img-src 'self' https://images.example.org data:",
    );
  });

  test("of many images lists them in natural order, and leaves no warning in the log", async () => {
    const many = mkdtempSync(join(tmpdir(), "smalti-many-"));
    const names = Array.from({ length: 24 }, (_, at) => `${at + 1}.png`);
    for (const name of names) copyFileSync(join(fixturesFolder, "base.png"), join(many, name));
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.name);
    process.on("warning", note);
    const own = await served(source(many));
    const page = await (await own.get("/", { signal: new AbortController().signal })).text();
    await new Promise((resolve) => setImmediate(resolve)); // warnings come after the turn that causes them
    process.off("warning", note);
    rmSync(many, { recursive: true });
    expect(attributes("data-name", page)).toEqual(names);
    expect(page).not.toContain('class="pages"');
    expect(warnings).toEqual([]);
  });

  test("responds to HEAD without a body", async () => {
    const response = await app.get("/", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("robots.txt", () => {
  /** True if a rule of the file (RFC 9309, with `*`) keeps crawlers away from a path. */
  const kept = (text: string, path: string) =>
    [...text.matchAll(/^Disallow: (.*)$/gm)].some(([, rule = ""]) =>
      new RegExp(
        `^${rule
          .split("*")
          .map((part) => part.replace(/[.^$+?()[\]{}|\\]/g, "\\$&"))
          .join(".*")}`,
      ).test(path),
    );

  test("keeps crawlers from whole images at full size, under every alias too, and from nothing else", async () => {
    const text = await (
      await (await served("aliases: [{ prefix: /old/iiif/, version: 2 }]")).get("/robots.txt")
    ).text();
    expect(text).toMatch(/^User-agent: \*$/m);
    for (const path of [
      "/iiif/3/a.png/full/max/0/default.jpg",
      "/iiif/2/a%2Fb.png/full/full/0/default.jpg",
      "/old/iiif/a/full/full/0/default.jpg",
      "/iiif/3/a/full/^max/0/default.png",
    ])
      expect([path, kept(text, path)]).toEqual([path, true]);
    for (const path of [
      "/",
      "/iiif/3/a.png/info.json",
      "/iiif/3/a.png/full/!200,200/0/default.jpg",
      "/iiif/3/a.png/0,0,512,512/512,/0/default.jpg",
    ])
      expect([path, kept(text, path)]).toEqual([path, false]);
  });
});

describe("static files", () => {
  test("have a type and a tag that gets a 304", async () => {
    for (const [path, type] of [
      ["home/home.css", "text/css; charset=utf-8"],
      ["home/home.js", "text/javascript; charset=utf-8"],
      ["page/icon.svg", "image/svg+xml"],
    ]) {
      const response = await app.get(`/static/${path}`);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
      const again = await app.get(`/static/${path}`, {
        headers: { "If-None-Match": response.headers.get("ETag") ?? "" },
      });
      expect(again.status).toBe(304);
    }
    expect((await app.get("/favicon.ico")).headers.get("Content-Type")).toBe("image/svg+xml");
  });

  test.each([
    "/static/",
    "/static/none.css",
    "/static/../package.json",
    "/static/home/../../package.json",
    "/static/%2e%2e/package.json",
    "/static/home/home.css%00",
    "/static/home\\home.css",
    "/static/sample/sample.jpg",
  ])("%s is 404", async (path) => expect((await app.get(path)).status).toBe(404));
});
