// The Image API over HTTP: statuses, headers and documents.

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type { FileSystem } from "../../../src/base/platform.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { readCounts } from "../../counts.ts";
import { type Served, served } from "../../served.ts";

let app: Served;
beforeAll(async () => {
  app = await served();
});

const image = "/iiif/3/base.png/full/60,/0/default.png";
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

describe("image information", () => {
  test("carries the fields of version 3 in the specification's order", async () => {
    const response = await app.get("/iiif/3/base.png/info.json");
    expect(response.status).toBe(200);
    const info = await json(response);
    expect(Object.keys(info)).toEqual([
      "@context",
      "id",
      "type",
      "protocol",
      "profile",
      "width",
      "height",
      "extraFormats",
      "extraQualities",
      "extraFeatures",
      "preferredFormats",
      "tiles",
    ]);
    expect(info).toMatchObject({
      id: "http://images.test/iiif/3/base.png",
      type: "ImageService3",
      profile: "level2",
      width: 600,
      height: 400,
    });
    expect(info.tiles).toEqual([{ width: 512, scaleFactors: [1, 2] }]);
  });

  test("carries the fields of version 2", async () => {
    const info = await json(await app.get("/iiif/2/base.png/info.json"));
    expect(info).toMatchObject({
      "@id": "http://images.test/iiif/2/base.png",
      "@type": "iiif:Image",
      width: 600,
      height: 400,
    });
    expect(info.profile).toMatchObject([
      "http://iiif.io/api/image/2/level2.json",
      { formats: ["jpg", "png", "tif", "webp"] },
    ]);
  });

  test.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["application/ld+json", 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'],
    ["application/ld+json;q=0, application/json", "application/json"],
  ])("has the type that Accept %s requests", async (accept, type) => {
    const response = await app.get(
      "/iiif/3/base.png/info.json",
      accept ? { headers: { Accept: accept } } : {},
    );
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Vary")).toContain("Accept");
  });

  test("has a separate entity tag for each type, and responds with 304 to its own", async () => {
    const plain = await app.get("/iiif/3/base.png/info.json");
    const linked = await app.get("/iiif/3/base.png/info.json", {
      headers: { Accept: "application/ld+json" },
    });
    const tag = plain.headers.get("ETag") as string;
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(linked.headers.get("ETag")).not.toBe(tag);
    const again = await app.get("/iiif/3/base.png/info.json", {
      headers: { "If-None-Match": `W/"x", ${tag}` },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("ETag")).toBe(tag);
    expect(again.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test("has upright dimensions for a rotated image", async () => {
    expect(await json(await app.get("/iiif/3/jpg-orient-6.jpg/info.json"))).toMatchObject({
      width: 300,
      height: 200,
    });
  });

  test("describes the page that ;n names, in an id that leads back to it", async () => {
    const info = await json(await app.get("/iiif/3/tif-multipage-3sizes.tif;3/info.json"));
    expect(info).toMatchObject({
      width: 200,
      height: 200,
      id: "http://images.test/iiif/3/tif-multipage-3sizes.tif;3",
    });
  });
});

describe("an image", () => {
  test("has its size, type and headers", async () => {
    const response = await app.get(image);
    expect(response.status).toBe(200);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({
      format: "png",
      width: 60,
      height: 40,
      channels: 3,
    });
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "cache-status": "smalti; fwd=miss",
      "content-length": String(bytes.length),
      "cache-control": "public, max-age=86400",
      "access-control-allow-origin": "*",
      "access-control-expose-headers":
        "ETag, Link, Content-Disposition, X-Damaged-Master, X-Ignored-Profile, X-Ignored-Manifest-File, X-Ignored-Sidecar",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
      link: '<http://images.test/iiif/3/base.png/full/60,40/0/default.png>;rel="canonical", <http://iiif.io/api/image/3/level2.json>;rel="profile"',
    });
    expect(headers["content-disposition"]).toMatch(/^inline; filename\*=UTF-8''/);
  });

  test("is an attachment with ?download", async () => {
    expect((await app.get(`${image}?download`)).headers.get("Content-Disposition")).toMatch(/^attachment; /);
  });

  test("is not rendered if the client has it already", async () => {
    const fresh = await served();
    const first = await app.get("/iiif/3/base.png/full/61,/0/default.png");
    const tag = first.headers.get("ETag") as string;
    const before = readCounts(fresh.service.slots.render.counts);
    const conditions: Record<string, string>[] = [{ "If-None-Match": tag }, { "If-None-Match": "*" }];
    for (const headers of conditions) {
      const response = await fresh.get("/iiif/3/base.png/full/61,/0/default.png", { headers });
      expect([response.status, response.headers.get("ETag"), await response.text()]).toEqual([304, tag, ""]);
    }
    expect(readCounts(fresh.service.slots.render.counts)).toEqual(before);
  });

  test("shares one entity tag and one cache entry among its spellings", async () => {
    const fresh = await served();
    const spellings = [
      "full/max/0/default.png",
      "0,0,600,400/600,400/0/default.png",
      "pct:0,0,100,100/max/00/color.png",
      "full/%5Emax/0.0/default.png",
    ];
    const tags = new Set<string | null>();
    for (const spelling of spellings.slice(0, 3))
      tags.add((await fresh.get(`/iiif/3/base.png/${spelling}`)).headers.get("ETag"));
    expect(tags.size).toBe(1);
    expect(readCounts(fresh.service.slots.render.counts)).toMatchObject({ misses: 1, hits: 2 });
  });

  test("says if it was cached", async () => {
    const { get } = await served();
    const status = async (rest: string) => {
      const response = await get(`/iiif/3/base.png/${rest}`);
      await response.arrayBuffer();
      return response.headers.get("Cache-Status");
    };
    expect(await status("full/50,/0/default.jpg")).toBe("smalti; fwd=miss");
    expect(await status("full/50,/0/default.jpg")).toBe("smalti; hit");
    expect(await status("pct:0,0,100,100/50,/0/color.jpg")).toBe("smalti; hit");
    expect(await status("full/51,/0/default.jpg")).toBe("smalti; fwd=miss");
  });

  test("the tag depends on the output policy", async () => {
    const other = await served("image: { jpeg_quality: 50 }");
    const url = "/iiif/3/base.png/full/60,/0/default.jpg";
    expect((await other.get(url)).headers.get("ETag")).not.toBe((await app.get(url)).headers.get("ETag"));
  });

  test("HEAD has the headers of GET and no body", async () => {
    const get = await app.get(image);
    const head = await app.get(image, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    const own = (response: Response) =>
      Object.fromEntries([...response.headers].filter(([name]) => name !== "content-length"));
    expect(own(head)).toEqual(own(get));
    expect((await app.get("/iiif/3/base.png/full/700,/0/default.png", { method: "HEAD" })).status).toBe(400);
    expect((await app.get("/iiif/3/none.png/full/max/0/default.png", { method: "HEAD" })).status).toBe(404);
  });

  test.each(["jpg", "png", "webp", "tif", "jp2"])("comes as %s", async (format) => {
    const response = await app.get(`/iiif/3/base.png/full/90,/0/default.${format}`);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      200,
      { jpg: "image/jpeg", png: "image/png", webp: "image/webp", tif: "image/tiff", jp2: "image/jp2" }[
        format
      ],
    ]);
  });

  test("is a baseline JPEG, or progressive if that is set", async () => {
    const url = "/iiif/3/base.png/full/90,/0/default.jpg";
    const progressive = await served("image: { jpeg_progressive: true }");
    const isProgressive = async (response: Response) =>
      (await sharp(await response.arrayBuffer()).metadata()).isProgressive;
    expect(await isProgressive(await app.get(url))).toBe(false);
    expect(await isProgressive(await progressive.get(url))).toBe(true);
  });

  test("has the background in place of transparency if the format has no alpha", async () => {
    const red = await served('image: { background: "#ff0000" }');
    const response = await red.get("/iiif/3/base.png/full/100,/45/default.jpg");
    const { data } = await sharp(await response.arrayBuffer())
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)].map((v, i) => Math.abs(v - [254, 0, 0][i]!) < 6)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("has 16-bit samples if depth: source is set and the format supports them", async () => {
    const deep = await served("image: { depth: source }");
    const depth = async (response: Response) => (await sharp(await response.arrayBuffer()).metadata()).depth;
    expect(await depth(await deep.get("/iiif/3/png-rgb16.png/full/50,/0/default.png"))).toBe("ushort");
    expect(await depth(await app.get("/iiif/3/png-rgb16.png/full/50,/0/default.png"))).toBe("uchar");
    expect((await deep.get("/iiif/3/png-rgb16.png/full/50,/0/default.jpg")).status).toBe(200);
  });
});

describe("addresses", () => {
  test("the base URI redirects to the image information with 303", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await app.get("/iiif/2/base.png?x=1", { method });
      expect([response.status, response.headers.get("Location")]).toEqual([
        303,
        "http://images.test/iiif/2/base.png/info.json",
      ]);
    }
  });

  test("runs of slashes are one", async () => {
    expect((await app.get("//iiif///3/base.png//full/60,/0/default.png")).status).toBe(200);
  });

  test("an alias keeps its own path in ids, links and redirects", async () => {
    const aliased = await served('aliases: [{ prefix: "/cantaloupe/iiif/2/", version: 2 }]');
    expect(await json(await aliased.get("/cantaloupe/iiif/2/base.png/info.json"))).toMatchObject({
      "@id": "http://images.test/cantaloupe/iiif/2/base.png",
    });
    expect((await aliased.get("/cantaloupe/iiif/2/base.png")).headers.get("Location")).toBe(
      "http://images.test/cantaloupe/iiif/2/base.png/info.json",
    );
    const picture = await aliased.get("/cantaloupe/iiif/2/base.png/full/60,/0/default.png");
    expect(picture.headers.get("Link")).toContain(
      "<http://images.test/cantaloupe/iiif/2/base.png/full/60,/0/default.png>",
    );
    await aliased.service.slots.render.whenSettled();
    await aliased.get("/iiif/2/base.png/full/60,/0/default.png");
    expect(readCounts(aliased.service.slots.render.counts)).toMatchObject({ misses: 1, hits: 1 });
  });

  test("an alias is plain text, never a pattern, and the longest of those that fit counts", async () => {
    const aliased = await served(
      'aliases: [{ prefix: "/a:b/", version: 2 }, { prefix: "/:x/", version: 2 }, { prefix: "/c.d/", version: 2 }, { prefix: "/c.d/three/", version: 3 }]',
    );
    const statusOf = async (path: string) => (await aliased.get(`${path}base.png/info.json`)).status;
    for (const path of ["/a:b/", "/:x/", "/c.d/", "/c.d/three/"])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    for (const path of ["/axyz/", "/y/", "/cxd/", "/c.dx/"])
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    expect(await json(await aliased.get("/c.d/three/base.png/info.json"))).toMatchObject({
      type: "ImageService3",
    });
  });

  test.each([
    [
      "https, host and prefix of a proxy",
      "",
      { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "museum.example", "X-Forwarded-Prefix": "/img/" },
      "https://museum.example/img",
    ],
    [
      "the first of several values",
      "",
      { "X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "a.example, b.example" },
      "https://a.example",
    ],
    [
      "a port that the host lacks",
      "",
      { "X-Forwarded-Host": "a.example", "X-Forwarded-Port": "8443", "X-Forwarded-Proto": "https" },
      "https://a.example:8443",
    ],
    [
      "no standard port",
      "",
      { "X-Forwarded-Host": "a.example:443", "X-Forwarded-Port": "443", "X-Forwarded-Proto": "https" },
      "https://a.example",
    ],
    [
      "nothing from a proxy that is not trusted",
      'trusted_proxies: ["10.0.0.0/8"]',
      { "X-Forwarded-Host": "evil.example" },
      "http://images.test",
    ],
    [
      "nothing malformed",
      "",
      {
        "X-Forwarded-Host": "evil.example/x?<",
        "X-Forwarded-Proto": "javascript",
        "X-Forwarded-Prefix": "/../x",
      },
      "http://images.test",
    ],
    [
      "base_url over everything",
      'base_url: "https://fixed.example/iiif-server/"',
      { "X-Forwarded-Host": "other.example" },
      "https://fixed.example/iiif-server",
    ],
  ])("ids take %s", async (_, yaml, headers, base) => {
    const own = await served(yaml);
    expect(await json(await own.get("/iiif/3/base.png/info.json", { headers }))).toMatchObject({
      id: `${base}/iiif/3/base.png`,
    });
  });

  test("a trusted proxy's headers count", async () => {
    const own = await served('trusted_proxies: ["10.0.0.0/8"]');
    const info = await json(
      await own.get("/iiif/3/base.png/info.json", {
        peer: "10.1.2.3",
        headers: { "X-Forwarded-Host": "museum.example" },
      }),
    );
    expect(info.id).toBe("http://museum.example/iiif/3/base.png");
  });
});

describe("responses with public addresses in them", () => {
  const prefixed = { "X-Forwarded-Host": "museum.example", "X-Forwarded-Prefix": "/img" };
  const forwarded = "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port, X-Forwarded-Prefix";
  const browser = { Accept: "text/html" };
  const fixed = 'base_url: "https://fixed.example/iiif-server"';

  test.each([
    ["the redirect", "/iiif/3/base.png", "Location"],
    ["an image", image, "Link"],
  ])("%s names them in Vary only if they depend on the request", async (_, target, header) => {
    const response = await app.get(target, { headers: prefixed });
    expect(response.headers.get(header)).toContain("http://museum.example/img/iiif/3/base.png");
    expect(response.headers.get("Vary")).toBe(forwarded);
    const own = await (await served(fixed)).get(target, { headers: prefixed });
    expect(own.headers.get(header)).toContain("https://fixed.example/iiif-server/iiif/3/base.png");
    expect(own.headers.get("Vary")).toBeNull();
  });

  test("an image that has not changed varies as the image does", async () => {
    const ETag = (await app.get(image)).headers.get("ETag") ?? "";
    const response = await app.get(image, { headers: { "If-None-Match": ETag } });
    expect([response.status, response.headers.get("Vary")]).toEqual([304, forwarded]);
  });

  test.each(["/iiif/3/none.png/info.json", "/nowhere"])(
    "the error page of %s links to the start page of the service, wherever it hangs",
    async (target) => {
      const page = await app.get(target, { headers: { ...prefixed, ...browser } });
      expect(await page.text()).toContain('<a href="http://museum.example/img/">');
      expect(page.headers.get("Vary")).toBe(`Accept-Encoding, Accept, Accept-Language, ${forwarded}`);
      const own = await (await served(fixed)).get(target, { headers: browser });
      expect(await own.text()).toContain('<a href="https://fixed.example/iiif-server/">');
      expect(own.headers.get("Vary")).toBe("Accept-Encoding, Accept, Accept-Language");
    },
  );
});

describe("errors", () => {
  test.each([
    ["/iiif/3/base.png/900,0,10,10/max/0/default.jpg", 400, "region_outside_image"],
    ["/iiif/3/base.png/full/601,/0/default.jpg", 400, "upscaling_needs_caret"],
    ["/iiif/2/base.png/full/601,/0/default.jpg", 400, "version_2_does_not_upscale"],
    ["/iiif/3/base.png/full/full/0/default.jpg", 400, "invalid_size"],
    ["/iiif/3/base.png/full/max/360/default.jpg", 400, "invalid_rotation"],
    ["/iiif/3/base.png/full/max/0/native.jpg", 400, "invalid_quality"],
    ["/iiif/3/base.png/full/max/0/default.gif", 400, "invalid_format"],
    ["/iiif/3/base.png/full/max/0/default", 400, "invalid_format"],
    ["/iiif/3/base.png/full/max/0/q\\.jpg", 400, "invalid_quality"],
    ["/iiif/3/%zz/info.json", 400, "bad_encoding"],
    ["/iiif/3/none.jpg/info.json", 404, "image_not_found"],
    ["/iiif/3/base.png%2Fx/info.json", 404, "image_not_found"],
    ["/iiif/4/base.png/info.json", 404, "no_such_page"],
    ["/iiif/3/tif-multipage-3sizes.tif;4/info.json", 404, "page_not_found"],
    ["/iiif/3/tif-multipage-3sizes.tif;9/full/10,/0/default.jpg", 404, "page_not_found"],
    ["/iiif/3/tif-multipage-3sizes.tif;0/info.json", 404, "image_not_found"],
    ["/iiif/3/base.png;2/full/max/0/default.png", 404, "page_not_found"],
    ["/iiif/3/bad-text.jpg/info.json", 501, "unsupported_format"],
  ])("%s is %i %s", async (target, status, code) => {
    const response = await app.get(target);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
    const problem = await json(response);
    expect(problem).toMatchObject({ type: "about:blank", status, code });
    expect([
      response.status,
      response.headers.get("Cache-Control"),
      response.headers.get("Access-Control-Allow-Origin"),
    ]).toEqual([status, "no-store", "*"]);
    expect(String(problem.detail).length).toBeGreaterThan(20);
    expect(JSON.stringify(problem)).not.toContain("/fixtures");
  });

  test("a browser gets a page with a main landmark that shows no markup of the address", async () => {
    const response = await app.get("/iiif/3/base.png/%3Cscript%3Ealert(1)%3C%2Fscript%3E/max/0/default.jpg", {
      headers: { Accept: "text/html,application/xhtml+xml" },
    });
    expect(response.headers.get("Content-Type")).toContain("text/html");
    const text = await response.text();
    expect(text).not.toContain("<script>");
    expect(text).toMatch(/<body>\s*<main class="message">.*<h1>.*<\/main>\s*<\/body>/s);
  });

  test("other methods are 405 with Allow; OPTIONS is 204 for every address", async () => {
    const post = await app.get(image, { method: "POST" });
    expect([post.status, post.headers.get("Allow"), post.headers.get("Access-Control-Allow-Origin")]).toEqual(
      [405, "GET, HEAD, OPTIONS", "*"],
    );
    const options = await app.get("/iiif/3/none/info.json", { method: "OPTIONS" });
    expect(options.status).toBe(204);
    expect(options.headers.get("Access-Control-Allow-Methods")).toBe("GET, HEAD, OPTIONS");
    expect(options.headers.get("Access-Control-Allow-Headers")).toContain("Authorization");
    expect(options.headers.get("Access-Control-Max-Age")).toBe("86400");
  });

  test("a target beyond 8192 characters is 414", async () => {
    expect((await app.get(`/iiif/3/${"a".repeat(9000)}/info.json`)).status).toBe(414);
  });
});

describe("limits", () => {
  test("are advertised if set, reduce max, and refuse more", async () => {
    const own = await served(
      "image: { max_output_width: 300, max_output_height: 250, max_output_area: 60000 }",
    );
    expect(await json(await own.get("/iiif/3/base.png/info.json"))).toMatchObject({
      maxWidth: 300,
      maxHeight: 250,
      maxArea: 60000,
    });
    const { width, height } = await sharp(
      await (await own.get("/iiif/3/base.png/full/max/0/default.png")).arrayBuffer(),
    ).metadata();
    expect([width, height]).toEqual([300, 200]);
    const refused = await own.get("/iiif/3/base.png/full/301,/0/default.png");
    expect([refused.status, (await json(refused)).code]).toEqual([400, "output_too_large"]);
  });

  test("of the height alone are advertised and enforced without one of the width", async () => {
    const own = await served("image: { max_output_height: 100 }");
    const three = await json(await own.get("/iiif/3/base.png/info.json"));
    expect(three).toMatchObject({ maxHeight: 100, tiles: [{ width: 64 }] });
    expect(Object.keys(three)).not.toContain("maxWidth");
    const two = await json(await own.get("/iiif/2/base.png/info.json"));
    expect(two.profile).toEqual([expect.any(String), expect.objectContaining({ maxHeight: 100 })]);
    expect(JSON.stringify(two)).not.toContain("maxWidth");
    for (const target of [
      "/iiif/3/base.png/full/max/0/default.png",
      "/iiif/2/base.png/full/full/0/default.png",
    ]) {
      const { width, height } = await sharp(await (await own.get(target)).arrayBuffer()).metadata();
      expect([width, height]).toEqual([150, 100]); // of 600 x 400
    }
    expect((await own.get("/iiif/3/base.png/0,0,600,50/600,/0/default.png")).status).toBe(200);
    const refused = await own.get("/iiif/3/base.png/full/,101/0/default.png");
    expect([refused.status, (await json(refused)).code]).toEqual([400, "output_too_large"]);
  });

  test("hold for the size that is asked for, not for the box that a rotation needs around it", async () => {
    const own = await served(
      "image: { max_output_width: 300, max_output_height: 200, max_output_area: 60000 }",
    );
    const turned = await own.get("/iiif/3/base.png/full/300,200/45/default.png");
    const { width, height } = await sharp(await turned.arrayBuffer()).metadata();
    // (300 + 200) / √2 = 353.6 on both sides, in whole pixels.
    expect([353, 354]).toContain(width);
    expect([353, 354]).toContain(height);
    expect((await own.get("/iiif/3/base.png/full/301,200/45/default.png")).status).toBe(400);
  });

  test("a source over max_pixel_area is 400 for info.json and images, immediately after a reload", async () => {
    const own = await served("image: { max_pixel_area: 200000 }");
    const reload = (max_pixel_area: number) => {
      const config = own.service.config();
      own.service.reload({ ...config, image: { ...config.image, max_pixel_area } });
    };
    const expectRefusal = async (target: string, sizes: string) => {
      const response = await own.get(`/iiif/3/base.png/${target}`);
      const { code, detail } = await json(response);
      expect([response.status, code]).toEqual([400, "source_too_large"]);
      expect(detail).toContain(sizes);
    };
    // Both are 0.2 megapixels.
    for (const target of ["info.json", "full/60,/0/default.png"])
      await expectRefusal(target, "has 240,000 pixels, more than the 200,000 that");
    reload(100_000);
    await expectRefusal("info.json", "has 0.2 megapixels, more than the 0.1 megapixels that");
    reload(0);
    expect((await own.get("/iiif/3/base.png/info.json")).status).toBe(200);
  });

  test("a request that can never fit in the memory budget is 400 with the reason", async () => {
    const own = await served("image: { memory_budget: 100KiB }");
    const response = await own.get("/iiif/3/base.png/full/max/0/default.png");
    expect([response.status, (await json(response)).code]).toEqual([400, "memory_budget"]);
    expect((await own.get("/iiif/3/base.png/full/max/0/default.png", { method: "HEAD" })).status).toBe(400);
    // its decoder alone takes more, so that no picture of it fits
    expect((await own.get("/iiif/3/base.png/info.json")).status).toBe(400);
    expect((await own.get("/iiif/3/base.png/0,0,1,1/max/0/default.png")).status).toBe(400);
  });

  test("requests over the limits are 503 and 429 with Retry-After; /health is exempt", async () => {
    const all = await served("limits: { max_in_flight: 1 }");
    const one = all.get("/iiif/3/base.png/full/599,/0/default.png");
    const two = await all.get("/iiif/3/base.png/info.json");
    expect([two.status, two.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect((await all.get("/health")).status).toBe(200);
    const response = await one;
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect((await all.get("/iiif/3/base.png/info.json")).status).toBe(200);

    const each = await served("limits: { max_in_flight_per_ip: 1 }");
    const mine = each.get("/iiif/3/base.png/full/598,/0/default.png");
    expect((await each.get("/iiif/3/base.png/info.json")).status).toBe(429);
    expect((await each.get("/iiif/3/base.png/info.json", { peer: "192.0.2.9" })).status).toBe(200);
    expect((await mine).status).toBe(200);
  });
});

describe("a master that is replaced", () => {
  test("is served from the new file, immediately if it has to be read, and its old derivatives are not used", async () => {
    const folder = await mkdtemp(join(tmpdir(), "smalti-replaced-"));
    const own = await served(
      `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)}, revalidate: 24h }]`,
    );
    const solid = (background: string) =>
      sharp({ create: { width: 40, height: 30, channels: 3, background } })
        .png()
        .toBuffer();
    const colourOf = async (target: string) => {
      const response = await own.get(target);
      expect(response.status).toBe(200);
      return [
        ...(
          await sharp(await response.arrayBuffer())
            .raw()
            .toBuffer()
        ).subarray(0, 3),
      ];
    };
    await writeFile(join(folder, "a.png"), await solid("#ff0000"));
    expect(await colourOf("/iiif/3/a.png/full/20,/0/default.png")).toEqual([255, 0, 0]);
    await writeFile(join(folder, "b.png"), await solid("#0000ff"));
    await rename(join(folder, "b.png"), join(folder, "a.png"));
    expect(await colourOf("/iiif/3/a.png/full/10,/0/default.png")).toEqual([0, 0, 255]);
    expect(await colourOf("/iiif/3/a.png/full/20,/0/default.png")).toEqual([0, 0, 255]);
    await rm(folder, { recursive: true });
  });

  test("again and again is 503 with Retry-After, and is read once it stays", async () => {
    const { openPlain: _, ...files } = nodeFiles();
    let replaced = true;
    // Each open finds another file than the one that was looked at.
    const restless: FileSystem = {
      ...files,
      open: async (path) => {
        const file = await files.open(path);
        return replaced ? { ...file, stat: { ...file.stat, id: "another" } } : file;
      },
    };
    const own = await served("", {}, { files: restless });
    const response = await own.get(image);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(await json(response)).toMatchObject({ code: "source_changed" });
    replaced = false;
    expect((await own.get(image)).status).toBe(200);
  });
});
