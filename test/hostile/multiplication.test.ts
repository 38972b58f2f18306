// No response multiplies what a request says by the number of images: long values in each place of each
// route, over folders of 300 images. The routes are those that the application mounts, the parameters and
// headers those that its sources name, so that new ones are covered.
// @module-tag slow

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../src/iiif/content-state/encode.ts";
import { prefixHeaders } from "../../src/server/api/http/client/client.ts";
import { sampled } from "../sampled.ts";
import { served } from "../served.ts";
import { startOrigin } from "../servers/origin.ts";
import { costOf } from "./cost.ts";
import { type Everything, everything, imageCount, operator, proxy, writer } from "./everything.ts";

let site: Everything;
beforeAll(async () => {
  site = await everything();
});
afterAll(() => site?.close());

const sources = (readdirSync("src", { recursive: true }) as string[])
  .filter((name) => /^(server\/(app\.ts$|api\/|access\/)|admin\/|base\/)/.test(name) && /\.tsx?$/.test(name))
  .map((name) => readFileSync(`src/${name}`, "utf8"));
const namesIn = (pattern: RegExp) =>
  [...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name)))].sort();

/** Query parameters and fields of forms that the sources read. */
const parameters = namesIn(
  /\b(?:parameters|query|form|all|\.searchParams|Params\(\w*\)\)|\.query\))\.(?:get|getAll|has)\("([\w-]+)"\)/g,
).concat("iiif-content", "xywh", "x");

/** Headers that the sources read, and those that its packages do. */
const fields = namesIn(/\b(?:\w*[hH]eaders\.(?:get|has)|header|forwardedField)\(\s*"([A-Za-z-]+)"/g)
  .map((name) => name.toLowerCase())
  .filter((name) => name !== "host") // below
  .concat(Object.keys(prefixHeaders))
  .concat("accept", "accept-encoding", "access-control-request-headers", "forwarded", "x-reader", "x-other");

/** Addresses below a route for many, since `*` is none. */
const below: Readonly<Record<string, readonly string[]>> = {
  "/static/docs/*": ["index.html"],
  "/static/*": ["home/home.css"],
  "/iiif/3/*": [
    "many%2Fp001.jpg/info.json",
    "many%2Fp001.jpg",
    "many%2Fp001.jpg/full/max/0/default.jpg",
    "gated%2Fp001.jpg/info.json",
  ],
  "/iiif/2/*": ["many%2Fp001.jpg/info.json", "gated%2Fp001.jpg/info.json"],
  "/s/*": ["x/iiif/3/many%2Fp001.jpg/info.json", "x/iiif/3/many%2Fp001.jpg/full/max/0/default.jpg"],
  "/old/*": ["many%2Fp001.jpg/info.json"],
  "/iiif/*": ["x"],
  "/iiif/presentation/3/*": ["many", "gated", "album", "above"],
  "/iiif/presentation/2/*": ["many", "gated", "album", "above"],
  // The PDF of a whole folder is as long as its images.
  "/iiif/download/pdf/*": ["gated", "many/p001.jpg"],
  "/iiif/search/*": [
    "2/presentation/3/many?q=gut*",
    "1/presentation/2/many?q=guten",
    "2/presentation/3/gated?q=gut*",
  ],
  "/iiif/autocomplete/*": ["2/presentation/3/many?q=gut", "1/presentation/2/many?q=gut"],
  "/iiif/auth/*": ["x"],
  "/iiif/auth/probe/*": ["gated%2Fp001.jpg"],
  "/iiif/auth/login/*": ["staff", "terms", "room", "proxy"],
  "/iiif/auth/v1/login/*": ["staff", "terms"],
  "/iiif/auth/callback/*": ["staff"],
  "/content-state/s/*": ["x"],
  "/view/*": ["many", "above", "gated"],
  "/images/data:image/gif;base64,*": ["x"],
  "/admin/browse/*": ["many"],
  "/admin/view/*": ["many/p001.jpg"],
  "/admin/image/*": ["many%2Fp001.jpg", "many%2Fp001.jpg/info.json"],
  "/admin/static/*": ["admin/admin.css"],
  "/admin/*": ["x"],
};

/** Further addresses of routes, with queries. */
const queried: Readonly<Record<string, readonly string[]>> = {
  "/": ["?in=many", "?in=many&from=101", "?in=gated", "?in=above", "?q=p"],
  "/content-state/mint": ["?target=many&canvas=2&xywh=0,0,1,1"],
  "/admin/browse": ["?q=p"],
};

const addressesOf = (path: string): readonly string[] => [
  ...(path.endsWith("*") ? (below[path] ?? []).map((rest) => path.slice(0, -1) + rest) : [path]),
  ...(queried[path] ?? []).map((query) => path + query),
];

const credentials = (target: string): Readonly<Record<string, string>> =>
  target.startsWith("/admin") ? operator : target.startsWith("/content-state") ? writer : {};

interface Sent {
  readonly status: number;
  /** Bytes of the body and the headers. */
  readonly bytes: number;
  readonly headers: Headers;
}

async function send(target: string, init: RequestInit = {}): Promise<Sent> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(credentials(target)))
    if (!headers.has(name)) headers.set(name, value);
  const response = await site.app.get(target, { peer: proxy, ...init, headers });
  const head = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const isEndless = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (isEndless) await response.body?.cancel();
  const body = isEndless ? 0 : (await response.arrayBuffer()).byteLength;
  return { status: response.status, bytes: head + body, headers: response.headers };
}

/** As many whole units as fit. */
const fill = (unit: string, length: number) => unit.repeat(Math.max(1, Math.floor(length / unit.length)));

interface Case {
  readonly what: string;
  readonly target: string;
  readonly init?: RequestInit;
  /** Characters that are longer than usual. */
  readonly length: number;
}

/** Header fields have at most 128 KiB on Node (less on other runtimes). */
const longField = 100_000;
const maxTarget = 8192;

function* casesOf(target: string, longest: number): Generator<Case> {
  const room = longest - target.length - 40;
  const mark = target.includes("?") ? "&" : "?";
  const [path = "", query] = target.split("?");
  const inQuery = (what: string, text: string): Case => ({
    what: `${target} with ${what}`,
    target: `${target}${mark}${text}`,
    length: text.length,
  });
  for (const name of parameters)
    for (const unit of ["a", "%22", "/", "a/"])
      yield inQuery(`the parameter ${name} of ${unit}`, `${name}=a${fill(unit, room)}a`);
  for (const unit of ["a&", "&", "a=b&", "in=a&", "%"]) yield inQuery(`a query of ${unit}`, fill(unit, room));
  for (const unit of ["a", "a/", "/", "%2F", "%22", ";", "..%2F"]) {
    const text = fill(unit, room);
    yield {
      what: `${target} with a path of ${unit}`,
      target: `${path}${path.endsWith("/") ? "" : "/"}a${text}a${query === undefined ? "" : `?${query}`}`,
      length: text.length,
    };
  }
  for (const name of fields)
    for (const unit of ["a", ",", "/", "a;q=1,", '"a",', "10.0.0.1,", "a=b; ", " "]) {
      const value = `a${fill(unit, longField)}a`;
      yield {
        what: `${target} with the header ${name} of ${JSON.stringify(unit)}`,
        target,
        init: { headers: { [name]: value } },
        length: value.length,
      };
    }
}

/**
 * Bounds of a response: a page may repeat a value some times, with 6 characters for a quote, but not for each
 * of 300 images; and 15 ms are usual.
 */
const mostRepeats = imageCount / 5;
const mostCpuMs = 500;

async function expectBounded({ what, target, init, length }: Case, usual: Sent): Promise<void> {
  const { result, cpuMs, peakMiB } = await costOf(() => send(target, init));
  const limit = usual.bytes + mostRepeats * length;
  if (result.bytes > limit) expect.fail(`${what}: ${result.bytes} bytes, usually ${usual.bytes}`);
  if (cpuMs > mostCpuMs) expect.fail(`${what}: ${cpuMs} ms of CPU`);
  if (peakMiB > 300) expect.fail(`${what}: ${peakMiB} MiB`);
  if (result.status === 500) expect.fail(`${what}: status 500`);
  expect([what, result.headers.get("X-Content-Type-Options")]).toEqual([what, "nosniff"]);
}

test("the sources name the parameters and headers that are tried", () => {
  expect(parameters).toEqual(expect.arrayContaining(["in", "q", "from", "return_to", "origin", "viewer"]));
  expect(fields).toEqual(
    expect.arrayContaining(["accept-language", "cookie", "x-forwarded-prefix", "traceparent", "range"]),
  );
});

test("each route has an address here", () => {
  const unknown = site.routes.map(({ path }) => path).filter((path) => addressesOf(path).length === 0);
  expect(unknown).toEqual([]);
});

test("long values in the query, the path or a header of a GET cost no more than they are long", async () => {
  const all = site.routes.flatMap(({ path, maxTarget: longest = maxTarget }) =>
    addressesOf(path).map((target) => ({ target, cases: [...casesOf(target, longest)] })),
  );
  for (const { target, cases } of all) {
    await send(target); // reads the folder
    const usual = await send(target);
    for (const each of sampled(`multiplication ${target}`, cases, 8)) await expectBounded(each, usual);
  }
});

test.each([
  ["the folders above an image that is not there", "/admin/view/", "a/"],
  ["the folders above a folder that is not there", "/admin/browse/", "a/"],
  ["slashes around a folder", "/?in=a", "/"],
  ["slashes before a document", "/iiif/presentation/3/", "/"],
])("%s cost no more than the address is long", async (what, path, unit) => {
  const usual = await send(`${path}a`);
  const target = `${path}${fill(unit, 8_000)}a`;
  await expectBounded({ what, target, length: target.length }, usual);
});

const pageCount = 50;

/** A TIFF of many pages of one white pixel (TIFF 6.0, section 2). */
function pages(count: number): Buffer {
  const tags = [256, 257, 258, 259, 262, 273, 278, 279];
  const values = [1, 1, 8, 1, 1, 8, 1, 1];
  const size = 2 + 12 * tags.length + 4;
  const file = Buffer.alloc(10 + count * size);
  file.write("II*\0", "latin1");
  file.writeUInt32LE(10, 4);
  file[8] = 255;
  for (let page = 0; page < count; page++) {
    const at = 10 + page * size;
    file.writeUInt16LE(tags.length, at);
    for (const [i, tag] of tags.entries()) {
      const entry = at + 2 + 12 * i;
      file.writeUInt16LE(tag, entry);
      file.writeUInt16LE(4, entry + 2);
      file.writeUInt32LE(1, entry + 4);
      file.writeUInt32LE(values[i] ?? 0, entry + 8);
    }
    if (page + 1 < count) file.writeUInt32LE(at + size, at + size - 4);
  }
  return file;
}

test("a long identifier, which a web server takes for any of its files, is not repeated for each page", async () => {
  const file = pages(pageCount);
  const origin = await startOrigin({});
  origin.behaviour.instead = ({ headers }, response) => {
    const [, from = 0, to = file.length - 1] =
      /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "")?.map(Number) ?? [];
    const last = Math.min(to, file.length - 1);
    response.writeHead(206, { "Content-Range": `bytes ${from}-${last}/${file.length}`, ETag: '"1"' });
    response.end(file.subarray(from, last + 1));
    return true;
  };
  const url = `${origin.url}/{identifier}`;
  const app = await served(`sources: [{ name: web, type: http, url: "${url}", allow_private: true }]`);
  const lengthOf = async (identifier: string) => {
    const response = await app.get(`/iiif/presentation/3/${identifier}`);
    return [response.status, (await response.arrayBuffer()).byteLength] as const;
  };
  const [status, usual] = await lengthOf("a.tif");
  expect([status, usual > pageCount * 500]).toEqual([200, true]);
  const [longStatus, long] = await lengthOf(`${"a".repeat(1020)}.tif`);
  expect([longStatus, long < usual + pageCount * 12 * 1024]).toEqual([200, true]);
  for (const identifier of [
    `${"a".repeat(1021)}.tif`,
    `${"a".repeat(8000)}.tif`,
    `${"%C3%A9".repeat(511)}.tif`,
  ]) {
    const [status, length] = await lengthOf(identifier);
    expect([status, length < 2000]).toEqual([404, true]);
  }
  await app.service.close();
  await origin.close();
});

test("a long header is not passed to a hook, which is called for each image of a folder", async () => {
  const hook = "hook: { engine: lookup, headers: [X-Group], lookup: { template: '{{ .Identifier }}' } }";
  for (const [yaml, length, status] of [
    [hook, 8192, 200],
    [hook, 8193, 431],
    ["", longField, 200],
  ] as const) {
    const app = await served(yaml);
    const headers = { "X-Group": "g".repeat(length) };
    expect((await app.get("/iiif/3/base.png/info.json", { headers })).status).toBe(status);
    await app.service.close();
  }
});

describe("the address that ids begin with", () => {
  const documents = [
    "/iiif/presentation/3/many",
    "/iiif/presentation/2/gated",
    "/iiif/presentation/3/above",
    "/",
  ];

  test.each([
    ["X-Forwarded-Prefix", `/${"p".repeat(60_000)}`],
    ["X-Forwarded-Prefix", fill("/p", 60_000)],
    ["X-Forwarded-Prefix", `/a${"/".repeat(longField)}a`],
    ["X-Forwarded-Host", "h".repeat(60_000)],
    ["X-Forwarded-Host", fill("h.", 60_000)],
    ["X-Forwarded-Host", `[${fill("0:", 60_000)}]`],
    ["X-Forwarded-Port", "8".repeat(60_000)],
    ["X-Forwarded-Proto", "https".repeat(10_000)],
  ])("ignores a long %s", async (name, value) => {
    for (const target of documents) {
      await send(target);
      const usual = await send(target);
      const { result, cpuMs } = await costOf(() => send(target, { headers: { [name]: value } }));
      expect([target, result.status]).toEqual([target, 200]);
      expect(result.bytes).toBeLessThanOrEqual(usual.bytes);
      expect(cpuMs).toBeLessThan(mostCpuMs);
    }
  });

  test.each(["h".repeat(15_000), fill("h.", 15_000), `[${fill("0:", 15_000)}]`, `h:${"8".repeat(15_000)}`])(
    "is not a long Host",
    async (host) => {
      for (const target of documents) {
        const { result, cpuMs } = await costOf(() => send(target, { headers: { Host: host } }));
        expect(result.status).toBe(400);
        expect(result.bytes).toBeLessThan(2_000);
        expect(cpuMs).toBeLessThan(mostCpuMs);
      }
    },
  );
});

describe("a body", () => {
  const texts = ["a", '"', "/", "a/", " ", "é"].map((unit) => `a${fill(unit, 15_000)}a`);
  const forms = (name: string) => texts.map((text) => new URLSearchParams({ [name]: text }).toString());

  test("of a form costs no more than it is long", async () => {
    for (const { path, post } of site.routes)
      for (const target of post ? addressesOf(path) : []) {
        const init = (body: string) => ({
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body,
        });
        const usual = await send(target, init("x=y"));
        const names = [...parameters, "identifier", "folder", "username", "password"];
        const cases = names.flatMap((name) =>
          forms(name).map((body): Case => {
            const what = `POST ${target} with the field ${name} of ${JSON.stringify(body.slice(0, 20))}`;
            return { what, target, init: init(body), length: body.length };
          }),
        );
        // Its caches are emptied, which takes its time.
        if (target !== "/admin/cache/purge-all")
          for (const each of sampled(`forms ${target}`, cases, 20)) await expectBounded(each, usual);
      }
  });

  const json = (body: unknown) => ({
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: "localhost",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const call = (name: string, args: unknown) =>
    json({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

  test.each(["id", "search", "cursor"])(
    "of a tool of MCP with a long %s costs no more than it is long",
    async (key) => {
      const usual = await send("/mcp", call("browse", { id: "many", search: "", [key]: "x" }));
      for (const text of texts.flatMap((text) => [text, text.repeat(4).slice(0, 60_000)])) {
        const init = call("browse", { id: "many", search: "", [key]: text });
        await expectBounded({ what: `browse, ${key}`, target: "/mcp", init, length: text.length }, usual);
      }
    },
  );

  test("of nested lists and of many keys costs no more than it is long", async () => {
    const bodies = [
      "[".repeat(30_000) + "]".repeat(30_000),
      `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
      `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join()}}`,
    ];
    for (const { path, post } of site.routes)
      for (const target of post ? addressesOf(path) : []) {
        const usual = await send(target, json({}));
        for (const body of bodies)
          await expectBounded(
            { what: `POST ${target}`, target, init: json(body), length: body.length },
            usual,
          );
      }
  });
});

describe("a content state", () => {
  const own = "http://images.test/iiif/presentation/3/many";
  const part = { id: `${own}/canvas/1`, type: "Canvas", partOf: [{ id: own, type: "Manifest" }] };
  /** States of about 45 KB: base64 makes 60 KB of them. */
  const states: Readonly<Record<string, unknown>> = {
    "many targets": { type: "Annotation", motivation: "contentState", target: Array(350).fill(part) },
    "a long fragment": { ...part, id: `${part.id}#xywh=${"1".repeat(45_000)}` },
    "a long query": { ...part, id: `${own}?${"a".repeat(45_000)}` },
    "a long identifier": { ...part, id: `${own}/${"a".repeat(45_000)}` },
    "a deep identifier": { ...part, id: `${own}/${fill("a/", 45_000)}a` },
    "many wholes": { ...part, partOf: Array(600).fill(part.partOf[0]) },
    "a foreign address": { id: `https://example.org/${"<".repeat(45_000)}`, type: "Manifest" },
    "a long address of slashes": { id: `https://example.org/a${"/".repeat(45_000)}a`, type: "Manifest" },
    "a long selector": {
      type: "SpecificResource",
      source: part,
      selector: [{ type: "FragmentSelector", value: `xywh=${"1,".repeat(20_000)}` }],
    },
  };

  test.each(Object.entries(states))("with %s costs no more than it is long", async (what, state) => {
    const text = JSON.stringify(state);
    const usual = await send("/view/many");
    for (const target of ["/view", "/content-state/resolve"]) {
      const whole = `${target}?iiif-content=${encodeState(state)}`;
      await expectBounded({ what: `${target}, ${what}`, target: whole, length: whole.length }, usual);
    }
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: text };
    for (const target of ["/content-state/resolve", "/content-state"])
      await expectBounded({ what: `POST ${target}, ${what}`, target, init, length: text.length }, usual);
  });
});
