// /admin/browse and /admin/view: everything that the sources hold, nothing outside of them, and no way around
// the access rules.

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../src/base/telemetry/log.ts";
import { fixture, fixturesFolder } from "../host.ts";
import { type Served, served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

let top: string;
let app: Served;
const open: Served[] = [];

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "smalti-admin-browse-"));
  for (const folder of ["main/Box 2", "main/Box 10", "main/gated", "main/lesser", "main/long", "shelf/deep"])
    mkdirSync(join(top, folder), { recursive: true });
  const put = (name: string) => copyFileSync(join(fixturesFolder, "base.png"), join(top, name));
  for (const name of [
    "main/Sheet 2.png",
    "main/Sheet 10.png",
    'main/a <b> & "c" 100%.png',
    "main/gated/secret.png",
  ])
    put(name);
  put("main/lesser/map.png");
  put("shelf/deep/needle.png");
  put("outside.png");
  // The header is sound; the pixels end early.
  writeFileSync(join(top, "cut.png"), (await fixture("base.png")).subarray(0, 20_000));
  symlinkSync(join(top, "outside.png"), join(top, "main/link.png"));
  await sharp({ create: { width: 120, height: 80, channels: 3, background: "#a00" } })
    .png()
    .toFile(join(top, "main/small.png"));
  writeFileSync(join(top, "main/broken.png"), "no picture");
  writeFileSync(join(top, "main/cut.jpg"), (await fixture("bad-trunc-50.jpg")).subarray(0, 200));
  writeFileSync(join(top, "main/notes.txt"), "");
  for (let n = 1; n <= 130; n++) writeFileSync(join(top, `main/long/${n}.txt`), "");
  const root = (name: string) => JSON.stringify(join(top, name));
  app = await serve(`
base_url: https://images.example.org/pictures
sources:
  - { name: main, type: filesystem, root: ${root("main")} }
  - { name: shelf, type: filesystem, root: ${root("shelf")}, prefix: shelf/ }
  - { name: web, type: http, url: "http://127.0.0.1:9/{identifier}", prefix: web/ }
auth:
  profiles:
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G" } } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [198.51.100.0/24] }, substitute: { max_size: "!100,100" } }
  rules: [{ match: gated/*, profile: staff }, { match: lesser/*, profile: room }]
`);
});
afterAll(async () => {
  await Promise.all(open.map(({ service }) => service.close()));
  rmSync(top, { recursive: true, force: true, maxRetries: 5 });
});

async function serve(yaml: string): Promise<Served> {
  const one = await served(yaml, operator);
  open.push(one);
  return one;
}

async function see(path: string, status = 200, { get }: Served = app): Promise<string> {
  const answer = await get(path, { headers: asOperator });
  expect(answer.status, path).toBe(status);
  expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  return answer.text();
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** Texts and addresses of the links of a list. */
const linksIn = (html: string, list: string) => {
  const [, items = ""] = new RegExp(`<ul class="${list}">(.*?)</ul>`, "s").exec(html) ?? [];
  return [...items.matchAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, href = "", inner = ""]) => [
    textOf(inner),
    href,
  ]);
};

describe("/admin/browse", () => {
  test("begins at the top of the default source, and lists all sources with their capabilities", async () => {
    const html = await see("/admin/browse");
    expect(linksIn(html, "places")).toEqual([
      ["main", "/pictures/admin/browse"],
      ["shelf", "/pictures/admin/browse/shelf"],
    ]);
    expect(textOf(html)).toContain("web http, identifiers begin with web/; cannot list what it holds");
    expect(linksIn(html, "folders").map(([name]) => name)).toEqual([
      "Box 2",
      "Box 10",
      "gated",
      "lesser",
      "long",
    ]);
    expect(linksIn(html, "images").map(([name]) => name)).toEqual([
      "a &lt;b&gt; &amp; &quot;c&quot; 100%.png",
      "broken.png",
      "cut.jpg",
      "Sheet 2.png",
      "Sheet 10.png",
      "small.png",
    ]);
    expect(textOf(html)).toContain("notes.txt");
    expect(textOf(html)).toContain("5 folders, 6 images, 1 other file");
    // A link out of the source is not listed.
    expect(html).not.toContain("link.png");
  });

  test("images come with their size, a lazy thumbnail of at most 300 pixels, and the way to their page", async () => {
    const html = await see("/admin/browse");
    expect(html).toContain('href="/pictures/admin/view/a%20%3Cb%3E%20&amp;%20%22c%22%20100%25.png"');
    expect(html).toMatch(
      /<img src="\/pictures\/admin\/image\/Sheet%2010\.png\/full\/!300,300\/0\/default\.jpg" alt="" loading="lazy"/,
    );
    // 120 x 80: a derivative is not larger than its image.
    expect(html).toContain('data-thumbnail="/pictures/admin/image/small.png/full/max/0/default.jpg"');
    expect(textOf(html)).toContain("120 × 80");
    for (const thumbnail of [
      "small.png/full/max/0/default.jpg",
      "Sheet%2010.png/full/!300,300/0/default.jpg",
    ])
      expect((await app.get(`/admin/image/${thumbnail}`, { headers: asOperator })).status).toBe(200);
  });

  test("shows a reason in place of a file that is not an image", async () => {
    const html = textOf(await see("/admin/browse"));
    expect(html).toMatch(/broken\.png This file is not a JPEG, PNG, TIFF, .* or PDF image\./);
  });

  test("gated folders are open to the operator, their images are not", async () => {
    const html = await see("/admin/browse/gated");
    expect(linksIn(html, "images")).toEqual([["gated secret.png", "/pictures/admin/view/gated/secret.png"]]);
    expect(html).toContain('<span class="pill">staff</span>');
    expect(html).not.toContain("<img");
    // Everybody may have the reduced picture.
    expect(await see("/admin/browse/lesser")).toContain("<img");
    const { status } = await app.get("/iiif/3/gated%2Fsecret.png/full/max/0/default.jpg", {
      headers: asOperator,
    });
    expect(status).toBe(401);
  });

  test("long folders have numbered pages", async () => {
    const first = await see("/admin/browse/long");
    expect(textOf(first)).toContain("1–60 of 130");
    expect(first).toContain('href="/pictures/admin/browse/long?from=61" rel="next"');
    expect(first.match(/class="path"/g)).toHaveLength(60);
    expect(textOf(await see("/admin/browse/long?from=121"))).toContain("121–130 of 130");
    for (const from of ["0", "-1", "x", "1e9", "99999999999"])
      expect(textOf(await see(`/admin/browse/long?from=${from}`))).toContain("1–60 of 130");
    expect(textOf(await see("/admin/browse/long?from=5000"))).toContain("121–130 of 130");
  });

  test("a search finds names in all sources from the root, and says when there are none", async () => {
    const html = await see("/admin/browse?q=needle");
    expect(linksIn(html, "images")).toEqual([
      ["shelf/deep/needle.png", "/pictures/admin/view/shelf/deep/needle.png"],
    ]);
    expect(textOf(await see("/admin/browse?q=%3Cscript%3E"))).toContain(
      "Nothing found for “&lt;script&gt;”.",
    );
  });

  test("a source without listings says so and accepts identifiers", async () => {
    for (const path of ["/admin/browse/web", "/admin/browse/web/any"]) {
      const html = await see(path);
      expect(html).toContain("The source web cannot list its images");
      expect(html).toContain('action="/pictures/admin/view"');
    }
    const alone = await serve(
      `sources: [{ name: only, type: http, url: "http://127.0.0.1:9/{identifier}" }]`,
    );
    expect(await see("/admin/browse", 200, alone)).toContain("The source only cannot list its images");
  });

  test.each([
    ["/admin/browse/nowhere", 404],
    ["/admin/browse/Sheet%202.png", 404],
  ])("%s is not a folder", async (path, status) => {
    expect(textOf(await see(path, status))).toContain("there is none with this name");
  });

  test("a source that is away is an error of its page, not of the service", async () => {
    const gone = mkdtempSync(join(tmpdir(), "smalti-gone-"));
    const one = await serve(`sources: [{ name: gone, type: filesystem, root: ${JSON.stringify(gone)} }]`);
    rmSync(gone, { recursive: true });
    const answer = await one.get("/admin/browse", { headers: asOperator });
    expect(answer.status).toBe(500);
    const html = await answer.text();
    expect(html).toContain('aria-label="Admin"');
    expect(html).not.toContain(gone);
  });
});

const hostile = [
  "../../etc",
  "%2e%2e/%2e%2e/etc",
  "..%2f..%2fetc",
  "a/%2e%2e/%2e%2e/b",
  "a%00b",
  "..%5c..%5cetc",
  "C:%5cwindows",
  "c:/windows",
];

test.each(["browse", "view"])("hostile paths lead nowhere in /admin/%s", async (page) => {
  for (const path of hostile) {
    const answer = await app.get(`/admin/${page}/${path}`, { headers: asOperator });
    expect(answer.status, path).toBe(404);
    expect(await answer.text()).not.toContain(top);
  }
  for (const path of ["%", "%zz", "%ff", "a%c3"])
    expect((await app.get(`/admin/${page}/${path}`, { headers: asOperator })).status, path).toBe(400);
});

describe("/admin/image", () => {
  const picture = (path: string, headers: Record<string, string> = asOperator, of = app) =>
    of.get(`/admin/image/${path}`, { headers });
  const thumbnail = "full/!60,60/0/default.png";

  test("has the pictures that readers receive, and stores none in a browser", async () => {
    const answer = await picture(`Sheet%2010.png/${thumbnail}`);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const readers = await app.get(`/iiif/3/Sheet%2010.png/${thumbnail}`);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array(await readers.arrayBuffer()));
    const information = await (await picture("lesser%2Fmap.png/info.json")).json();
    const id = "https://images.example.org/pictures/admin/image/lesser%2Fmap.png";
    expect(information).toMatchObject({ id, type: "ImageService3" });
  });

  test.each([
    ["Sheet%2010.png/full/!60,60/0/default.png", {}, 401],
    ["gated%2Fsecret.png/full/!60,60/0/default.png", asOperator, 403],
    ["nowhere.png/full/!60,60/0/default.png", asOperator, 404],
    ["Sheet%2010.png", asOperator, 404],
    ["Sheet%2010.png/full/full/0/default.png", asOperator, 400],
    ["broken.png/full/!60,60/0/default.png", asOperator, 501],
  ] as const)("refuses %s with headers %j by %s", async (path, headers, status) => {
    expect((await picture(path, { ...headers })).status).toBe(status);
  });

  test("makes no failure of readers of a damaged master, and tells the reason", async () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", format: "text", write: (line) => lines.push(line) });
    const one = await served(
      `sources: [{ name: main, type: filesystem, root: ${JSON.stringify(top)} }]`,
      operator,
      { log },
    );
    open.push(one);
    const answer = await picture(`cut.png/${thumbnail}`, asOperator, one);
    expect(answer.status).toBe(422);
    const readers = (await (await one.get(`/iiif/3/cut.png/${thumbnail}`)).json()) as { detail: string };
    expect(await answer.json()).toMatchObject({ status: 422, code: "decode", detail: readers.detail });
    expect(one.service.requests.recentErrors().map(({ route }) => route)).toEqual(["iiif/3 image"]);
    expect(lines.filter((line) => line.includes("request failed"))).toHaveLength(1);
  });
});

describe("/admin/view", () => {
  test("shows the thumbnail, the addresses of the image and a viewer of this host", async () => {
    const html = await see("/admin/view/Sheet%2010.png");
    const base = "https://images.example.org/pictures";
    for (const address of [
      `${base}/iiif/3/Sheet%2010.png/info.json`,
      `${base}/iiif/3/Sheet%2010.png/full/max/0/default.jpg`,
      `${base}/iiif/3/Sheet%2010.png/full/!300,300/0/default.jpg`,
      `${base}/iiif/2/Sheet%2010.png/info.json`,
      `${base}/iiif/presentation/3/Sheet%2010.png`,
      `${base}/view/Sheet%2010.png`,
    ]) {
      expect(html).toContain(`href="${address}"`);
      expect(html).toContain(`data-copy="${address}"`);
    }
    expect(html).toMatch(
      /<img id="thumbnail" src="\/pictures\/admin\/image\/Sheet%2010\.png\/full\/!300,300\/0\/default\.jpg" width="300" height="200"/,
    );
    for (const file of ["openseadragon/openseadragon.min.js", "page/zoom.js", "admin/image.js"])
      expect(html).toContain(`src="/pictures/admin/static/${file}"`);
    expect(html).toContain('action="/pictures/admin/cache/purge-image"');
    expect(html).toContain('name="identifier" value="Sheet 10.png"');
    expect(textOf(html)).toContain("main (filesystem)");
  });

  test("has the whole of a small image as its thumbnail", async () => {
    expect(await see("/admin/view/small.png")).toMatch(
      /src="[^"]*\/small\.png\/full\/max\/0\/default\.jpg" width="120" height="80"/,
    );
  });

  test("explains a missing image, and offers to purge it", async () => {
    const html = await see("/admin/view/nowhere.png", 404);
    expect(textOf(html)).toContain("There is no such image.");
    expect(html).toContain('name="identifier" value="nowhere.png"');
    expect(html).not.toContain('id="viewer"');
  });

  test.each([
    ["broken.png", "unsupported_format"],
    ["cut.jpg", "damaged_header"],
  ])("explains why %s cannot be shown, and offers to purge it", async (name, code) => {
    const html = await see(`/admin/view/${name}`);
    expect(textOf(html)).toContain("No picture of this image can be served.");
    expect(html).toContain(code);
    expect(html).toContain(`name="identifier" value="${name}"`);
  });

  test("explains that a source is away", async () => {
    const html = await see("/admin/view/web/a.png");
    expect(textOf(html)).toContain("No picture of this image can be served.");
    expect(html).not.toContain("127.0.0.1:9");
  });

  test("reads a URL as the identifier that it is", async () => {
    const html = await see("/admin/view/web/https://example.org/a%20b.jpg");
    expect(html).toContain('name="identifier" value="web/https://example.org/a b.jpg"');
    expect(html).toContain("/iiif/3/web%2Fhttps:%2F%2Fexample.org%2Fa%20b.jpg/info.json");
  });

  test("says that a gated image is not shown, and why; admin credentials open nothing", async () => {
    const html = await see("/admin/view/gated/secret.png");
    expect(textOf(html)).toContain(
      "Gated by the profile staff. The name and password of this page open no image.",
    );
    expect(html).toContain(
      'href="/pictures/iiif/auth/login/staff?return_to=%2Fpictures%2Fadmin%2Fview%2Fgated%2Fsecret.png"',
    );
    expect(html).not.toContain("<img");
    expect(html).not.toContain('id="viewer"');
    // The doctor reports the same.
    expect(html).toContain("<dt>Access profile</dt><dd>staff</dd>");
  });

  test("shows the reason why a hook refuses an image", async () => {
    const file = join(top, "withdrawn.csv");
    writeFileSync(file, "identifier,status,reason\nbase.png,451,Withdrawn by order of a court.\n");
    const hook = `hook: { engine: lookup, lookup: { file: ${JSON.stringify(file)}, unmapped: pass } }`;
    const text = textOf(await see("/admin/view/base.png", 200, await serve(hook)));
    expect(text).toContain("This browser gets status 451");
    expect(text).toContain("Withdrawn by order of a court.");
    expect(text).toContain("The authorize hook is asked first");
  });

  test("says that access is unknown while a hook fails", async () => {
    const hook = `hook: { engine: webhook, webhook: { url: "http://127.0.0.1:9/", functions: [authorize], timeout: 1s } }`;
    const text = textOf(await see("/admin/view/base.png", 200, await serve(hook)));
    expect(text).toContain("Who may have this image cannot be found out at the moment: a hook or the store");
  });

  test("shows a gated image to an operator who is logged in as a reader too", async () => {
    const { sessions, fingerprints } = app.service.auth!;
    const now = Date.now();
    const { id } = await sessions.logIn({
      profile: "room",
      user: "",
      fingerprint: (await fingerprints.of("room", "")) ?? "",
      grantedAt: now,
      expiresAt: now + 60_000,
    });
    const lesser = await see("/admin/view/lesser/map.png");
    expect(textOf(lesser)).toContain("the lesser picture is shown");
    const answer = await app.get("/admin/view/lesser/map.png", {
      headers: { ...asOperator, Cookie: `service_session=${id}` },
      peer: "198.51.100.7",
    });
    expect(textOf(await answer.text())).toContain("the whole image is shown");
  });

  test("is found by a typed identifier", async () => {
    const answer = await app.get("/admin/view?identifier=Box+2%2F%C3%BC%3B2", { headers: asOperator });
    expect([answer.status, answer.headers.get("Location")]).toEqual([
      303,
      "/pictures/admin/view/Box%202/%C3%BC;2",
    ]);
    expect((await app.get("/admin/view?identifier=..%2Fx", { headers: asOperator })).status).toBe(404);
  });
});

describe("/admin/static/", () => {
  test.each(["admin/image.js", "page/zoom.js"])("has %s, for the operator alone", async (file) => {
    const path = `/admin/static/${file}`;
    const script = await app.get(path, { headers: asOperator });
    expect([script.status, script.headers.get("Content-Type"), script.headers.get("Cache-Control")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "private, max-age=3600",
    ]);
    expect(await script.text()).toBe(readFileSync(new URL(`../../static/${file}`, import.meta.url), "utf8"));
    expect((await app.get(path)).status).toBe(401);
  });

  test.each([
    "sample/sample.jpg",
    "../package.json",
    "admin/../../package.json",
    "%2e%2e/package.json",
    "",
    "admin/",
    "home/home.js",
  ])("has nothing at %o", async (path) => {
    expect((await app.get(`/admin/static/${path}`, { headers: asOperator })).status).toBe(404);
  });
});
