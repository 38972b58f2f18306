// The start page as the front door of a collection: folders, pages, search, and what it leaves out.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";

const plain = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
const all = (pattern: RegExp, html: string) =>
  [...html.matchAll(pattern)].map(([, value = ""]) => plain(value));
const images = (html: string) => all(/ data-name="([^"]*)"/g, html);
const folders = (html: string) =>
  all(/<a href="([^"]*)"/g, /<ul class="folders"[^>]*>(.*?)<\/ul>/s.exec(html)?.[1] ?? "");
const pageLinks = (html: string) =>
  Object.fromEntries(
    [
      ...(/<nav class="pages".*?<\/nav>/s.exec(html)?.[0].matchAll(/<a href="([^"]*)"[^>]*>(\w+)</g) ?? []),
    ].map(([, href = "", text = ""]) => [text, plain(href)]),
  );
const text = async (app: Served, target: string, init?: RequestInit) => {
  const response = await app.get(target, init);
  expect([target, response.status]).toEqual([target, 200]);
  return response.text();
};
const source = (name: string, root: string, more = "") =>
  `{ name: ${name}, type: filesystem, root: ${JSON.stringify(root)}${more} }`;

let root: string;
let more: string;
let app: Served;
const picture = (...path: string[]) => copyFileSync(join(fixturesFolder, "base.png"), join(...path));

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "smalti-front-"));
  more = mkdtempSync(join(tmpdir(), "smalti-front-more-"));
  for (const name of ["maps/Berlin/mitte", "maps/Potsdam", "empty", 'odd & "name" <b>', "many"])
    mkdirSync(join(root, name), { recursive: true });
  picture(root, "cover.png");
  picture(root, "maps/Berlin", "Straßenplan.png");
  picture(root, "maps/Berlin/mitte", "1.png");
  picture(root, "maps/Potsdam", "Plan é.png");
  picture(root, 'odd & "name" <b>', "in it.png");
  for (let n = 1; n <= 100; n++) writeFileSync(join(root, "many", `${n}.png`), "");
  picture(more, "elsewhere.png");
  app = await served(`sources: [${source("first", root)}, ${source("more", more, ", prefix: further/")}]`);
});
afterAll(() => {
  for (const folder of [root, more]) rmSync(folder, { recursive: true });
});

describe("the start page of a collection", () => {
  test("lists folders and images of the top, and the top of each further source", async () => {
    const html = await text(app, "/");
    expect(folders(html)).toEqual([
      "/?in=empty",
      "/?in=many",
      "/?in=maps",
      "/?in=odd%20%26%20%22name%22%20%3Cb%3E",
      "/?in=further",
    ]);
    expect(images(html)).toEqual(["cover.png"]);
    expect(html).not.toContain("<b>");
    // A page waits 300 ms for the contents of its folders, which a busy machine may exceed.
    const counted = () => text(app, "/");
    await expect.poll(counted).toContain("2 folders<");
    await expect.poll(counted).toContain("100 pictures<");
  });

  test("leads to pages of folders, all of which respond, with the way back", async () => {
    const seen = new Set<string>();
    const queue = ["/"];
    for (const target of queue) {
      if (seen.has(target)) continue;
      seen.add(target);
      queue.push(...folders(await text(app, target)));
    }
    expect(seen).toContain("/?in=maps/Berlin/mitte");
    const html = await text(app, "/?in=maps/Berlin/mitte");
    const trail = /<nav class="trail".*?<\/nav>/s.exec(html)?.[0] ?? "";
    expect(all(/href="([^"]*)"/g, trail)).toEqual(["/", "/?in=maps", "/?in=maps/Berlin"]);
    expect(trail).toContain('<li aria-current="page">mitte</li>');
    expect(images(html)).toEqual(["maps/Berlin/mitte/1.png"]);
    expect(html).toContain("<title>mitte – smalti</title>");
    expect(images(await text(app, "/?in=further"))).toEqual(["further/elsewhere.png"]);
  });

  test("leads to the viewer, the manifest and the description of each image and folder", async () => {
    const html = await text(app, "/?in=maps/Potsdam");
    const links = all(/<p class="links">(.*?)<\/p>/gs, html).map((part) => all(/href="([^"]*)"/g, part));
    const name = "Plan%20%C3%A9.png";
    expect(links).toEqual([
      ["http://images.test/view/maps/Potsdam", "http://images.test/iiif/presentation/3/maps/Potsdam"],
      [
        `http://images.test/view/maps/Potsdam/${name}`,
        `http://images.test/iiif/presentation/3/maps/Potsdam/${name}`,
        `http://images.test/iiif/3/maps%2FPotsdam%2F${name}/info.json`,
      ],
    ]);
    for (const link of links.flat())
      expect([link, (await app.get(link.replace("http://images.test", ""))).status]).toEqual([link, 200]);
  });

  test("shows 48 entries a page, and leads to the first, the one before, the next and the last", async () => {
    const shown = (html: string) => all(/<li class="broken"><span title="([^"]*)"/g, html);
    const first = await text(app, "/?in=many");
    expect(shown(first)).toEqual(Array.from({ length: 48 }, (_, n) => `many/${n + 1}.png`));
    expect(pageLinks(first)).toEqual({ Next: "/?in=many&from=49", Last: "/?in=many&from=97" });
    const second = await text(app, "/?in=many&from=49");
    expect(shown(second)[0]).toBe("many/49.png");
    expect(second).toContain("49–96 of 100");
    expect(pageLinks(second)).toEqual({
      First: "/?in=many",
      Previous: "/?in=many",
      Next: "/?in=many&from=97",
      Last: "/?in=many&from=97",
    });
    const last = await text(app, "/?in=many&from=97");
    expect(shown(last)).toEqual([97, 98, 99, 100].map((n) => `many/${n}.png`));
    expect(pageLinks(last)).toEqual({ First: "/?in=many", Previous: "/?in=many&from=49" });
    // A page beyond the end shows the last one; anything that is not a number shows the first.
    expect(shown(await text(app, "/?in=many&from=500"))).toEqual(shown(last));
    expect(shown(await text(app, "/?in=many&from=-1"))).toEqual(shown(first));
  });

  test("preserves the query in links to further pages, even behind a proxy with a prefix", async () => {
    const headers = { "X-Forwarded-Prefix": "/img" };
    const html = await text(app, "/?in=many&q=png", { headers });
    expect(pageLinks(html).Next).toBe("/img/?in=many&q=png&from=49");
    expect(html).toContain('action="/img/"');
    expect(html).toContain('<input type="hidden" name="in" value="many">');
  });

  test.each(["/?in=nowhere", "/?in=cover.png", "/?in=a/../b", "/?in=%00", "/?in=further/none"])(
    "has a page for a missing folder: %s",
    async (target) => {
      const response = await app.get(target, { headers: { Accept: "text/html" } });
      expect([response.status, response.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
      expect(response.headers.get("Content-Type")).toContain("text/html");
    },
  );

  test("lets forms lead nowhere else, and may be held in frames as before", async () => {
    const policy = (await app.get("/")).headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("form-action 'self';");
    expect(policy).toContain("frame-ancestors *");
  });

  test("may be cached by any cache that revalidates before each use, and has a tag", async () => {
    for (const target of ["/", "/?in=maps", "/?q=plan"]) {
      const response = await app.get(target);
      expect(response.headers.get("Cache-Control")).toBe("no-cache");
      const etag = response.headers.get("ETag") ?? "";
      expect((await app.get(target, { headers: { "If-None-Match": etag } })).status).toBe(304);
    }
  });
});

describe("the search by name", () => {
  test.each([
    ["PLAN", ["maps/Berlin/Straßenplan.png", "maps/Potsdam/Plan é.png"]],
    ["potsdam É", ["maps/Potsdam/Plan é.png"]],
    ["plan e", ["maps/Berlin/Straßenplan.png", "maps/Potsdam/Plan é.png"]],
    ["berlin plan", ["maps/Berlin/Straßenplan.png"]],
    ["ELSEWHERE", ["further/elsewhere.png"]],
    ["nowhere", []],
  ])("finds all of the words, whatever their case and accents: %s", async (words, expected) => {
    const html = await text(app, `/?q=${encodeURIComponent(words)}`);
    expect(images(html)).toEqual(expected);
    expect(html).toContain(
      `<p role="status">${expected.length > 0 ? `${expected.length} entr` : "Nothing found"}`,
    );
  });

  test("finds folders, and nothing by the name of its folder alone", async () => {
    const html = await text(app, "/?q=berlin");
    expect(folders(html)).toEqual(["/?in=maps/Berlin"]);
    expect(images(html)).toEqual([]);
  });

  test("in a folder finds only its contents", async () => {
    const html = await text(app, "/?in=maps/Potsdam&q=plan");
    expect(images(html)).toEqual(["maps/Potsdam/Plan é.png"]);
    const trail = /<nav class="trail".*?<\/nav>/s.exec(html)?.[0] ?? "";
    expect(all(/href="([^"]*)"/g, trail)).toEqual(["/", "/?in=maps", "/?in=maps/Potsdam"]);
    expect(images(await text(app, "/?in=maps/Potsdam&q=cover"))).toEqual([]);
  });

  test("shows the query as text, however long", async () => {
    const html = await text(app, `/?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(html).not.toContain("<script");
    expect(html).toContain("“&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;”");
    await text(app, `/?q=${"a%20".repeat(1500)}`);
  });

  test("of blanks is the folder itself", async () => {
    expect(folders(await text(app, "/?q=%20%20"))).toEqual(folders(await text(app, "/")));
  });
});

describe("a gated image", () => {
  let site: Gated;
  beforeAll(async () => {
    site = await gated({ folder: await pictures() });
  });
  afterAll(() => site.close());

  test("is omitted for readers without access, in folders and searches", async () => {
    const html = await text(site.app, "/");
    expect(images(html)).toEqual(["blue.png", "public.png", "terms.png"]);
    expect(html).not.toMatch(/private|proxied/);
    expect(await text(site.app, "/?q=a.png")).not.toContain("private");
    expect(await text(site.app, "/?q=png")).toContain("3 entries found");
    expect((await site.app.get("/?in=private")).status).toBe(404);
    const response = await site.app.get("/");
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("Vary")).toMatch(/Cookie/);
  });

  test("is listed for readers who have logged in", async () => {
    const headers = { Cookie: await site.cookie("staff") };
    expect(folders(await text(site.app, "/", { headers }))).toEqual(["/?in=private"]);
    expect(images(await text(site.app, "/?in=private", { headers }))).toEqual([
      "private/a.png",
      "private/é ü.png",
    ]);
    expect(images(await text(site.app, "/?q=%C3%9C.png", { headers }))).toEqual(["private/é ü.png"]);
  });
});

describe("hooks and sources", () => {
  let hooks = 0;
  const hooked = (code: string) => {
    const file = join(more, `hook${++hooks}.js`);
    writeFileSync(file, code);
    return `hook: { engine: js, js: { file: ${JSON.stringify(file)} } }\nsources: [${source("first", root)}]`;
  };

  test("an authorize hook hides images, and no page reveals their number", async () => {
    const own = await served(
      hooked(
        "export function authorize({ identifier }) { return { allow: !/many\\/(\\d|[1-8]\\d)\\.png$/.test(identifier) }; }",
      ),
    );
    const html = await text(own, "/?in=many");
    expect(all(/<li class="broken"><span title="([^"]*)"/g, html)).toEqual(
      Array.from({ length: 11 }, (_, n) => `many/${n + 90}.png`),
    );
    expect(html).not.toContain("of 100");
    expect(await text(own, "/")).not.toContain("100 pictures");
  });

  test("under a resolve hook nothing is listed, and the page says how to request an image", async () => {
    const own = await served(hooked("export function resolve() { return { key: 'cover.png' }; }"));
    const html = await text(own, "/");
    expect(html).toContain("A hook maps identifiers to images here");
    expect(html).toContain("/iiif/3/{identifier}");
    expect(html).not.toContain("cover.png");
    expect(html).not.toContain("<form");
    expect((await own.get("/?in=maps")).status).toBe(404);
    expect(await text(own, "/?q=cover")).not.toContain("cover.png");
  });

  test("a default source that cannot list comes after those that can", async () => {
    const far = "{ name: far, type: http, url: 'http://192.0.2.7/{identifier}' }";
    const own = await served(`sources: [${far}, ${source("more", more, ", prefix: further/")}]`);
    expect(folders(await text(own, "/"))).toEqual(["/?in=further"]);
    const alone = await served(`sources: [${far}]`);
    expect(await text(alone, "/")).toContain("The source &quot;far&quot; cannot be listed.");
    expect((await alone.get("/?in=any")).status).toBe(404);
  });
});
