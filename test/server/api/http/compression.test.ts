// Compression of documents, pages and problems: which responses have it, in which encoding, and with which
// validators.

import { linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refusal } from "../../../../src/server/api/http/problem.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

const manifest = "/iiif/presentation/3/book";
const long = "/iiif/presentation/3/many";
const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const credentials = { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "analytical" };
const operator = { Authorization: `Basic ${btoa("ada:analytical")}` };
const both = { "Accept-Encoding": "gzip, deflate, br, zstd" };

const wordy = { status: 400, code: "wordy", detail: "Expected less. ".repeat(100) };
const refuse = () => {
  throw new Refusal(wordy);
};

let root: string;
let app: Served;
const settings = (more = "") =>
  `${more}\nsources: [{ name: a, type: filesystem, root: ${JSON.stringify(root)} }]
metrics: { enabled: true }
auth:
  session: { backend: heap }
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "gated/*", profile: terms }]`;
beforeAll(async () => {
  // In the file system of the fixtures, so that many names cost no bytes.
  root = mkdtempSync(join(fixturesFolder, "../.compression-"));
  for (const [folder, images] of [
    ["book", 60],
    ["many", 1200],
    ["gated", 1],
  ] as const) {
    mkdirSync(join(root, folder));
    for (let n = 1; n <= images; n++)
      linkSync(join(fixturesFolder, "base.png"), join(root, folder, `page-${n}.png`));
  }
  app = await served(settings(), credentials, {
    surface: (routes) => routes.add({ path: "/wordy", get: refuse }),
  });
});
afterAll(() => rmSync(root, { recursive: true }));

const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const asked = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  app.get(target, { headers, method });

test("a manifest of 60 canvases is the same document in every encoding, at less than a tenth of its length", async () => {
  const plain = await asked(manifest);
  expect(plain.headers.get("Content-Encoding")).toBeNull();
  const text = await bodyOf(plain);
  expect(JSON.parse(text.toString()).items).toHaveLength(60);
  const tags = [plain.headers.get("ETag")];
  for (const encoding of ["br", "gzip"] as const) {
    const response = await asked(manifest, { "Accept-Encoding": encoding });
    expect(response.headers.get("Content-Encoding")).toBe(encoding);
    const body = await bodyOf(response);
    expect(response.headers.get("Content-Length")).toBe(String(body.length));
    expect(body.length).toBeLessThan(text.length / 10);
    expect(decode[encoding](body).equals(text)).toBe(true);
    tags.push(response.headers.get("ETag"));
  }
  expect(new Set(tags).size).toBe(3);
});

test("a long manifest that comes as a stream is compressed as a stream", async () => {
  const text = await bodyOf(await asked(long));
  for (const encoding of ["br", "gzip"] as const) {
    const response = await asked(long, { "Accept-Encoding": encoding });
    expect(response.headers.get("Content-Encoding")).toBe(encoding);
    expect(decode[encoding](await bodyOf(response)).equals(text)).toBe(true);
  }
});

describe("which encoding a response has", () => {
  // RFC 9110, section 12.5.3; of equal weights the smaller one.
  test.each([
    [undefined, null],
    ["", null],
    ["identity", null],
    ["br", "br"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["br;q=0.000", null],
    ["*", "br"],
    ["*;q=0", null],
    ["*;q=0, gzip;q=0.1", "gzip"],
    ["identity;q=1, *;q=0.5", null],
    ["identity;q=0, gzip", "gzip"],
    ["deflate, compress, zstd", null],
    ["gzipped", null],
  ] as const)("for Accept-Encoding %j is %j", async (field, encoding) => {
    const response = await asked(manifest, field === undefined ? {} : { "Accept-Encoding": field });
    expect(response.headers.get("Content-Encoding")).toBe(encoding);
    expect(response.headers.get("Vary")).toMatch(/\bAccept-Encoding\b/);
  });
});

describe.each([manifest, long, "/view/book"])("a conditional request for %s", (target) => {
  const statusWith = async (tag: string, headers: Record<string, string>) => {
    const response = await asked(target, { ...headers, "If-None-Match": tag });
    return [response.status, response.headers.get("ETag"), response.headers.get("Vary")];
  };

  test("is 304 for the tag of an accepted encoding, which it names", async () => {
    const tagIn = async (encoding: string) =>
      (await asked(target, { "Accept-Encoding": encoding })).headers.get("ETag") as string;
    const [br, gzip, plain] = (await Promise.all(["br", "gzip", "identity"].map(tagIn))) as [
      string,
      string,
      string,
    ];
    const vary = expect.stringMatching(/\bAccept-Encoding\b/);
    expect(await statusWith(br, both)).toEqual([304, br, vary]);
    expect(await statusWith(gzip, both)).toEqual([304, gzip, vary]);
    expect(await statusWith(plain, both)).toEqual([304, plain, vary]);
    expect(await statusWith(`"x", W/${gzip}`, both)).toEqual([304, gzip, vary]);
    expect(await statusWith(`${gzip}, ${br}`, both)).toEqual([304, br, vary]);
    expect(await statusWith("*", both)).toEqual([304, br, vary]);
    // A client that does not accept an encoding could not read the stored response that a 304 with its tag
    // refers to.
    expect(await statusWith(br, { "Accept-Encoding": "gzip" })).toEqual([200, gzip, vary]);
    expect(await statusWith(gzip, {})).toEqual([200, plain, vary]);
  });
});

test.each([manifest, long, "/iiif/3/book%2Fpage-1.png/info.json", "/view/book"])(
  "HEAD of %s has the headers of GET and no body",
  async (target) => {
    for (const encoding of ["br", "gzip", "identity"]) {
      const [get, head] = (await Promise.all(
        ["GET", "HEAD"].map((method) => asked(target, { "Accept-Encoding": encoding }, method)),
      )) as [Response, Response];
      expect([...head.headers]).toEqual([...get.headers]);
      expect((await bodyOf(head)).length).toBe(0);
      await get.body?.cancel();
    }
  },
);

test("pages and problems are compressed from 1 KiB on; shorter ones still vary by encoding", async () => {
  const page = await asked("/view/book", both);
  expect(page.headers.get("Content-Encoding")).toBe("br");
  expect(brotliDecompressSync(await bodyOf(page)).toString()).toMatch(/^<!doctype html>/);
  const short = await asked("/iiif/3/none/info.json", both);
  expect(short.status).toBe(404);
  expect(short.headers.get("Content-Encoding")).toBeNull();
  expect(short.headers.get("Vary")).toMatch(/\bAccept-Encoding\b/);
  for (const type of ["text/html", "application/problem+json"]) {
    const problem = await asked("/wordy", { ...both, Accept: type });
    expect([problem.status, problem.headers.get("Content-Encoding")]).toEqual([400, "br"]);
    expect(brotliDecompressSync(await bodyOf(problem)).toString()).toContain(wordy.detail);
  }
});

test("figures for Prometheus are compressed", async () => {
  const response = await asked("/metrics", { "Accept-Encoding": "gzip" });
  expect(gunzipSync(await bodyOf(response)).toString()).toMatch(/^# HELP smalti_/);
});

test("images are sent as they are, and do not vary by encoding", async () => {
  const response = await asked("/iiif/3/book%2Fpage-1.png/full/max/0/default.png", both);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Encoding")).toBeNull();
  expect(response.headers.get("Vary") ?? "").not.toMatch(/Accept-Encoding/);
});

test.each([
  "/admin/",
  "/admin/config",
  "/admin/nothing-here",
  "/admin/stats/stream",
  "/auth/login/terms?return_to=x",
])("%s is never compressed, since it may repeat request data next to a secret", async (target) => {
  const response = await asked(target, { ...both, ...operator, Accept: "text/html" });
  expect(response.headers.get("Content-Encoding")).toBeNull();
  await response.body?.cancel();
});

test("a page for one caller alone is not compressed, its documents are", async () => {
  const page = await asked("/", both);
  expect(page.headers.get("Cache-Control")).toMatch(/^private/);
  expect(page.headers.get("Content-Encoding")).toBeNull();
  const info = await asked("/iiif/3/gated%2Fpage-1.png/info.json", both);
  expect(info.headers.get("Cache-Control")).toMatch(/^private/);
  expect(info.headers.get("Content-Encoding")).toBe("br");
});

test("http.compression: off sends everything as it is", async () => {
  const off = await served(settings("http: { compression: off }"), credentials);
  for (const target of [manifest, "/", "/metrics"]) {
    const response = await off.get(target, { headers: both });
    expect(response.headers.get("Content-Encoding")).toBeNull();
    expect(response.headers.get("Vary") ?? "").not.toMatch(/Accept-Encoding/);
  }
});
