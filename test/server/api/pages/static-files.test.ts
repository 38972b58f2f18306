// Static files: compressed forms, tags and addresses made of content, ranges.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compressFiles } from "../../../../scripts/static-files.mjs";
import { assetReader } from "../../../../src/server/platform/files/dist-files.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

const script = "const answer = 42; // said again\n".repeat(40);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

let folder: string;
let app: Served;
/** The start page with the files of `static/`. */
let page: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-static-"));
  mkdirSync(join(folder, "static", "viewer", "deep"), { recursive: true });
  writeFileSync(join(folder, "static", "viewer", "deep", "app.js"), script);
  writeFileSync(join(folder, "static", "viewer", "empty.css"), "");
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "static", "viewer", "picture.png"));
  await compressFiles(join(folder, "static"));
  app = await served("", {}, { asset: assetReader(pathToFileURL(`${folder}/`)) });
  page = await (await (await served("sources: []")).get("/")).text();
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (accept: string | undefined, headers: Record<string, string> = {}, path = "viewer/deep/app.js") =>
  app.get(`/static/${path}`, {
    headers: { ...(accept === undefined ? {} : { "Accept-Encoding": accept }), ...headers },
  });

describe("the encoding of a text file", () => {
  test.each([
    [undefined, null],
    ["", null],
    ["identity", null],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP;q=0.9, BR;q=0.5", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
    ["*;q=0", null],
    ["gzip;q=0.3, identity;q=0.8", null],
    ["gzip;q=0, br;q=0", null],
    ["zstd", null],
  ])("for Accept-Encoding %j is %j", async (accept, encoding) => {
    const response = await get(accept);
    expect([response.status, response.headers.get("Content-Encoding")]).toEqual([200, encoding]);
    expect(response.headers.get("Vary")).toBe("Accept-Encoding");
    expect(response.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
    const bytes = await bytesOf(response);
    expect(response.headers.get("Content-Length")).toBe(String(bytes.length));
    const plain = encoding === "br" ? brotliDecompressSync : encoding === "gzip" ? gunzipSync : Buffer.from;
    expect(plain(bytes).toString()).toBe(script);
    if (encoding) expect(bytes.length).toBeLessThan(script.length / 4);
  });

  test("has a separate tag for each, and HEAD returns the same", async () => {
    const tags = new Set<string | null>();
    for (const accept of ["identity", "gzip", "br"]) {
      const response = await get(accept);
      const tag = response.headers.get("ETag");
      tags.add(tag);
      const head = await app.get("/static/viewer/deep/app.js", {
        method: "HEAD",
        headers: { "Accept-Encoding": accept },
      });
      expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(response.headers));
      expect(await head.text()).toBe("");
      const again = await get(accept, { "If-None-Match": tag ?? "" });
      expect([again.status, again.headers.get("Vary"), await again.text()]).toEqual([
        304,
        "Accept-Encoding",
        "",
      ]);
    }
    expect(tags.size).toBe(3);
  });

  test("is left unchanged for images, which are compressed already", async () => {
    const response = await get("br", {}, "viewer/picture.png");
    expect(response.headers.get("Content-Encoding")).toBe(null);
    expect(response.headers.get("Vary")).toBe(null);
    expect(response.headers.get("Content-Type")).toBe("image/png");
    expect(await bytesOf(response)).toEqual(readFileSync(join(fixturesFolder, "base.png")));
  });

  test.each(["viewer/deep/app.js.br", "viewer/deep/app.js.gz", "viewer/deep/app", "viewer/deep"])(
    "%s is not an address",
    async (path) => expect((await get("br", {}, path)).status).toBe(404),
  );
});

describe("the tag of a file", () => {
  test("follows its content: two builds with a file of the same length have different ones", async () => {
    const tags = await Promise.all(
      ["body { margin: 1px }", "body { margin: 2px }"].map(async (css) => {
        const build = await served(
          "",
          {},
          {
            asset: async (path) => (path === "a/b.css" ? new TextEncoder().encode(css) : undefined),
          },
        );
        return (await build.get("/static/a/b.css")).headers.get("ETag");
      }),
    );
    expect(tags[0]).toMatch(/^"[^"]+"$/);
    expect(tags[0]).not.toBe(tags[1]);
  });
});

describe("an address", () => {
  const caching = async (app: Served, path: string) => (await app.get(path)).headers.get("Cache-Control");

  test("on a page names the content of its file, and lasts for a year", async () => {
    const plain = await served("sources: []");
    const addresses = [...page.matchAll(/ (?:src|href)="(\/static\/[^"]*\/(?:home|page)\/[^"]*)"/g)].map(
      (m) => m[1] ?? "",
    );
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const address of addresses)
      expect([address, await caching(plain, address)]).toEqual([
        expect.stringMatching(/^\/static\/@[0-9a-f]{16}\//),
        "public, max-age=31536000, immutable",
      ]);
  });

  test.each(["", "@0123456789abcdef/"])(
    "with another version or none is cached for an hour: %j",
    async (version) => {
      expect(await caching(app, `/static/${version}viewer/deep/app.js`)).toBe("public, max-age=3600");
    },
  );

  test.each([
    "@0123456789abcde/",
    "@0123456789ABCDEF/",
    "@0123456789abcdef/@0123456789abcdef/",
    "@0123456789abcdef",
  ])("with no version of that form is 404: %j", async (version) =>
    expect((await app.get(`/static/${version}viewer/deep/app.js`)).status).toBe(404),
  );

  test("keeps its page readable if the files cannot be read", async () => {
    const broken = await served("", {}, { asset: () => Promise.reject(new Error("disk")) });
    const response = await broken.get("/nothing", { headers: { Accept: "text/html" } });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('href="/static/page/page.css"');
  });
});

describe("a range of bytes", () => {
  const size = script.length;

  // RFC 9110, section 14.1.2, and its examples.
  test.each([
    ["bytes=0-9", 0, 9],
    ["bytes=9-9", 9, 9],
    ["bytes=100-", 100, size - 1],
    ["bytes=-20", size - 20, size - 1],
    ["bytes=0-99999999999999999999", 0, size - 1],
    ["bytes=-99999", 0, size - 1],
    ["Bytes=5-6", 5, 6],
  ])("%s is the part from %i to %i", async (range, first, last) => {
    const response = await get("identity", { Range: range });
    expect([response.status, response.headers.get("Content-Range")]).toEqual([
      206,
      `bytes ${first}-${last}/${size}`,
    ]);
    expect(response.headers.get("Content-Length")).toBe(String(last - first + 1));
    expect(await response.text()).toBe(script.slice(first, last + 1));
  });

  test.each([`bytes=${script.length}-`, "bytes=99999-100000", "bytes=-0"])("%s is 416", async (range) => {
    const response = await get("identity", { Range: range });
    expect([response.status, response.headers.get("Content-Range")]).toEqual([416, `bytes */${size}`]);
    expect(await response.json()).toMatchObject({ code: "range_not_satisfiable" });
  });

  test("of an empty file is 416", async () => {
    expect((await get("identity", { Range: "bytes=0-" }, "viewer/empty.css")).status).toBe(416);
  });

  test.each(["bytes=5-2", "bytes=-", "bytes=a-b", "lines=0-1", "bytes=0-1,4-5", "bytes 0-1"])(
    "%s gets the whole file",
    async (range) => {
      const response = await get("identity", { Range: range });
      expect([response.status, response.headers.get("Accept-Ranges")]).toEqual([200, "bytes"]);
      expect(await response.text()).toBe(script);
    },
  );

  test("counts encoded bytes, so that parts make a whole", async () => {
    const whole = await bytesOf(await get("br"));
    const parts = await Promise.all(
      ["bytes=0-29", "bytes=30-"].map(async (range) => bytesOf(await get("br", { Range: range }))),
    );
    expect(Buffer.concat(parts)).toEqual(whole);
  });

  test("counts only for the representation that If-Range names", async () => {
    const tag = (await get("identity")).headers.get("ETag") ?? "";
    const statuses = await Promise.all(
      [tag, `W/${tag}`, '"other"', "Sat, 01 Jan 2000 00:00:00 GMT"].map(
        async (condition) => (await get("identity", { Range: "bytes=0-1", "If-Range": condition })).status,
      ),
    );
    expect(statuses).toEqual([206, 200, 200, 200]);
    const notModified = await get("identity", { Range: "bytes=0-1", "If-None-Match": tag });
    expect(notModified.status).toBe(304);
  });

  test("applies to GET alone", async () => {
    const head = await app.get("/static/viewer/deep/app.js", {
      method: "HEAD",
      headers: { Range: "bytes=0-1" },
    });
    expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(size)]);
  });
});
