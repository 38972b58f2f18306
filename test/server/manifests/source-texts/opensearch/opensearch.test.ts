// The search of whole sources in OpenSearch: what is sent, who finds what, what follows changes and losses,
// and engines that misbehave. The engine is a server of the test (engine.ts); no real node was there.

import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../../../src/base/telemetry/log.ts";
import type { DocumentContext } from "../../../../../src/iiif/index.ts";
import { loadConfig } from "../../../../../src/server/config/reading/load.ts";
import { locationOf } from "../../../../../src/server/manifests/locations.ts";
import type { Service } from "../../../../../src/server/service.ts";
import { type Served, served } from "../../../../served.ts";
import { type Gated, gated } from "../../../api/access/gated.ts";
import { type Laid, layFolder } from "../../../api/presentation/folder.ts";
import { alto } from "../../../api/search/pages.ts";
import { type EngineServer, startEngine } from "./engine.ts";

const context = {
  base: "https://images.example.org",
  imagePrefixes: { 2: "/iiif/2/", 3: "/iiif/3/" },
  limits: { maxWidth: 0, maxHeight: 0, maxArea: 0 },
} as unknown as DocumentContext;

interface Wanted {
  readonly within?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: number;
  readonly count?: number;
}

async function search(service: Service, query: string, wanted: Wanted = {}) {
  const { within = "", headers = {}, from = 0, count = 20 } = wanted;
  const location = locationOf(service.sources, within);
  const caller = { identifier: "", path: "", header: (name: string) => headers[name.toLowerCase()] };
  const request = { location, isRoot: within === "", query, caller, context, from, count };
  const { pages, sharing: _, ...found } = await service.sourceTexts!.find(request);
  return { images: pages.map(({ image }) => image), pages, ...found };
}

async function prepare(service: Service) {
  for (const source of service.sources.all) await service.sourceTexts!.prepare(source);
}

let engine: EngineServer;
let laid: Laid;
let app: Served | undefined;
beforeEach(async () => {
  engine = await startEngine();
  laid = await layFolder();
});
afterEach(async () => {
  await app?.service.close();
  app = undefined;
  await engine.close();
  await laid.drop();
});

const section = (more = "timeout: 60s") =>
  `search: { backend: opensearch, url: "${engine.url}/", ${more} }\n`;

async function put(path: string, ...lines: readonly string[]) {
  await laid.put(`${path}.jpg`, "jpg-gray.jpg");
  await laid.write(`${path}.xml`, alto(...lines));
}

async function start(more?: string, env: Record<string, string> = {}): Promise<Service> {
  app = await served(laid.yaml() + section(more), env);
  return app.service;
}

describe("a library", () => {
  beforeEach(async () => {
    for (const page of [1, 2, 10]) await put(`books/one/${page}`, `Erste Seite${page}`, "l'eau Größe 議事録");
    await put("books/two/1", "Zweites Buch", "Größe Erste");
  });

  test("finds words, beginnings, phrases and characters as its own index does, in the same order", async () => {
    const service = await start();
    await prepare(service);
    const own = await served(laid.yaml());
    await prepare(own.service);
    const queries = [
      ...["erste", "GROSSE", "größe", "Seite1", "seite*", '"erste seite2"', '"seite2 erste"', "buch erste"],
      ...[
        "l'eau",
        "l'ea*",
        "議事",
        "議事録",
        "録",
        "議録",
        "gibtesnicht",
        "...",
        '"zweites buch größe erste"',
      ],
    ];
    for (const query of queries)
      expect([query, await search(service, query)]).toEqual([query, await search(own.service, query)]);
    const within = "books/one";
    expect((await search(service, "erste", { within })).images).toHaveLength(3);
    expect((await search(service, "zweites", { within })).total).toBe(0);
    const first = await search(service, "erste", { count: 3 });
    expect([first.images, first.total, first.next]).toEqual([
      ["books/one/1.jpg", "books/one/2.jpg", "books/one/10.jpg"],
      4,
      3,
    ]);
    expect((await search(service, "erste", { from: 3 })).images).toEqual(["books/two/1.jpg"]);
    await own.service.close();
  });

  test("creates the index once, and asks it for keys alone", async () => {
    const service = await start();
    await prepare(service);
    await search(service, "erste");
    expect(engine.created).toMatchObject({
      mappings: { dynamic: false, properties: { text: { type: "text", analyzer: "whitespace" } } },
    });
    expect(engine.asked.filter(({ method }) => method === "PUT")).toHaveLength(1);
    const bulk = engine.asked.find(({ path }) => path.startsWith("/smalti/_bulk"))!;
    expect(bulk.headers["content-type"]).toBe("application/x-ndjson");
    expect(bulk.body.endsWith("\n")).toBe(true);
    const asked = JSON.parse(engine.asked.at(-1)!.body);
    expect(asked).toMatchObject({ _source: false, from: 0, size: 20, track_total_hits: 10_001 });
  });

  test("sends what has changed alone, and removes what is gone", async () => {
    const service = await start();
    await prepare(service);
    const sent = () => engine.asked.filter(({ path }) => path.startsWith("/smalti/_bulk")).length;
    const before = sent();
    await prepare(service);
    expect(sent()).toBe(before);
    const again = await served(laid.yaml() + section());
    await prepare(again.service);
    expect(sent()).toBe(before);
    expect((await search(again.service, "zweites")).images).toEqual(["books/two/1.jpg"]);
    await again.service.close();
    await laid.write("books/two/1.xml", alto("Drittes Buch"));
    await laid.remove("books/one");
    await prepare(service);
    // The rest may be what another server has just sent.
    expect(engine.documents!.size).toBe(5 + 2);
    for (const [id, document] of engine.documents!) engine.documents!.set(id, { ...document, at: 0 });
    await laid.write("books/two/1.xml", alto("Drittes Buch hier"));
    await prepare(service);
    expect((await search(service, "erste")).total).toBe(0);
    expect((await search(service, "drittes")).images).toEqual(["books/two/1.jpg"]);
    // A page, and a group that is whole.
    expect(engine.documents!.size).toBe(2);
  });

  test("is sent again if the engine has lost its index", async () => {
    const service = await start();
    await prepare(service);
    engine.documents = undefined;
    const fresh = await served(laid.yaml() + section());
    expect((await search(service, "erste")).lack).toBe("reading");
    await prepare(fresh.service);
    expect((await search(fresh.service, "erste")).total).toBe(4);
    await fresh.service.close();
  });

  test.each([
    ["username: me, password_env: SECRET", `Basic ${Buffer.from("me:s3cret").toString("base64")}`],
    ["token_env: SECRET", "Bearer s3cret"],
  ])("logs in with %s", async (more, authorization) => {
    const service = await start(more, { SECRET: "s3cret\n" });
    await prepare(service);
    expect(new Set(engine.asked.map(({ headers }) => headers.authorization))).toEqual(
      new Set([authorization]),
    );
  });
});

describe("an engine", () => {
  beforeEach(() => put("book/1", "Erste Seite"));
  const unavailable = { kind: "busy", code: "search_unavailable" };

  test("that is away at the start is no reason not to start", async () => {
    engine.misbehave = (response) => void response.destroy();
    const service = await start();
    await expect(prepare(service)).rejects.toMatchObject(unavailable);
    expect(await search(service, "erste")).toMatchObject({ images: [], lack: "unreadable" });
  });

  const json = { "Content-Type": "application/json" };
  const ways: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    "closes the connection": (response) => response.destroy(),
    "is overloaded": (response) => response.writeHead(429).end(),
    "refuses the login": (response) => response.writeHead(401).end("{}"),
    "sends no JSON": (response) => response.writeHead(200).end("<html>"),
    "sends other JSON": (response) => response.writeHead(200, json).end('{"hits":{"total":3,"hits":[]}}'),
    "refuses the query": (response) =>
      response.writeHead(400, json).end('{"error":{"type":"search_phase_execution_exception"}}'),
    redirects: (response) => response.writeHead(302, { Location: `${engine.url}/elsewhere` }).end(),
    "sends 100 MB": async (response) => {
      response.writeHead(200, json).setMaxListeners(0);
      const chunk = Buffer.alloc(2 ** 20, 32);
      for (let sent = 0; sent < 100 && !response.destroyed; sent++)
        if (!response.write(chunk))
          await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
      response.end(JSON.stringify({ hits: { total: { value: 0, relation: "eq" }, hits: [] } }));
    },
  };
  test.each(Object.entries(ways))("that %s is search_unavailable, and names are found", async (_, way) => {
    const service = await start();
    await prepare(service);
    const before = engine.asked.length;
    engine.misbehave = (response) => void way(response);
    await expect(search(service, "erste")).rejects.toMatchObject(unavailable);
    expect(engine.asked).toHaveLength(before + 1);
    const page = await app!.get("/?q=book");
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("/?in=book");
    engine.misbehave = undefined;
    expect((await search(service, "erste")).images).toEqual(["book/1.jpg"]);
  });

  test("that does not respond ends a search after its time", async () => {
    await prepare(await start());
    await app!.service.close();
    const service = await start("timeout: 100ms");
    engine.misbehave = undefined;
    await expect
      .poll(async () => (await search(service, "erste").catch(() => ({ images: [] }))).images)
      .toHaveLength(1);
    engine.misbehave = () => {};
    await expect(search(service, "erste")).rejects.toMatchObject(unavailable);
  });

  test("that is away is an error of the tool search_text", async () => {
    app = await served(`${laid.yaml()}${section()}base_url: https://images.test\nmcp: { enabled: true }\n`);
    await prepare(app.service);
    engine.misbehave = (response) => void response.destroy();
    const params = { name: "search_text", arguments: { query: "erste" } };
    const response = await app.get("/mcp", {
      method: "POST",
      headers: { ...json, Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const text = await response.text();
    expect(text).toContain('"isError":true');
    expect(text).toContain("names and labels are found as before");
  });

  test("that fails is in the log once, without secrets and addresses", async () => {
    const lines: unknown[] = [];
    const log = { ...silentLog, warn: (...line: readonly unknown[]) => void lines.push(line) };
    const yaml = laid.yaml() + section("token_env: SECRET");
    app = await served(yaml, { SECRET: "s3cret" }, { log });
    await prepare(app.service);
    lines.length = 0;
    engine.misbehave = (response) => void response.writeHead(401).end("{}");
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(search(app.service, "erste")).rejects.toMatchObject(unavailable);
    expect(lines).toEqual([["OpenSearch cannot be used", { reason: expect.stringContaining("401") }]]);
    expect(JSON.stringify(lines)).not.toMatch(/s3cret|127\.0\.0\.1/);
  });

  test("that fails several times in a row is not asked for a while", async () => {
    const service = await start();
    await prepare(service);
    engine.misbehave = (response) => void response.writeHead(503).end();
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(search(service, "erste")).rejects.toMatchObject(unavailable);
    const before = engine.asked.length;
    await expect(search(service, "erste")).rejects.toMatchObject(unavailable);
    expect(engine.asked).toHaveLength(before);
  });

  test("that names pages of other segments is not believed", async () => {
    const service = await start();
    await prepare(service);
    const [, { key }] = [...engine.documents!].find(([, document]) => document.key)! as [
      string,
      { key: string },
    ];
    const hits = [{ sort: [key], fields: { segment: ["1.another"] } }];
    const body = JSON.stringify({ hits: { total: { value: 1, relation: "eq" }, hits } });
    engine.misbehave = (response) => void response.writeHead(200, json).end(body);
    expect((await search(service, "erste")).images).toEqual([]);
  });
});

describe("pages under rules", () => {
  let site: Gated;
  beforeEach(async () => {
    await put("open/1", "Offen gemeinsam");
    await put("open/staff", "Geheimnis gemeinsam");
    site = await gated({
      folder: laid.root,
      more: section(),
      auth: `
  profiles:
    staff: { pattern: clickthrough, access_service: { backend: builtin } }
  rules:
    - { match: open/staff.jpg, profile: staff }
`,
    });
    await prepare(site.app.service);
  });
  afterEach(() => site.close());

  test("are found and counted for their readers alone", async () => {
    const { service } = site.app;
    const headers = { cookie: await site.cookie("staff") };
    const open = await search(service, "gemeinsam");
    expect([open.images, open.total]).toEqual([["open/1.jpg"], 1]);
    expect(await search(service, "geheim*")).toEqual(await search(service, "gibtesnicht"));
    const all = await search(service, "gemeinsam", { headers });
    expect([all.images, all.total]).toEqual([["open/1.jpg", "open/staff.jpg"], 2]);
  });
});

test("pages that another program decides on are found by those whom it lets in, and not counted", async () => {
  for (const page of [1, 2, 3]) await put(`book/${page}`, `Seite${page} gemeinsam`);
  const refused = { allowed: false, status: 401, reason: "No.", cachedBy: "caller", vary: [] } as const;
  const granted = { allowed: true, tier: "public", cachedBy: "anyone", vary: [] } as const;
  app = await served(
    laid.yaml() + section(),
    {},
    {
      access: { decide: ({ identifier }) => (identifier === "book/2.jpg" ? refused : granted) },
    },
  );
  await prepare(app.service);
  const found = await search(app.service, "gemeinsam");
  expect([found.images, found.total]).toEqual([["book/1.jpg", "book/3.jpg"], undefined]);
  const first = await search(app.service, "gemeinsam", { count: 1 });
  expect([first.images, first.next]).toEqual([["book/1.jpg"], 1]);
  expect((await search(app.service, "gemeinsam", { from: 1, count: 1 })).images).toEqual(["book/3.jpg"]);
  expect((await search(app.service, "seite2")).images).toEqual([]);
});

describe("the section search", () => {
  test.each([
    ["backend: opensearch", "search.url"],
    ['backend: opensearch, url: "https://me:secret@engine.example"', "search.url"],
    ['backend: opensearch, url: "https://engine.example", index: _all', "search.index"],
    ['url: "https://engine.example", username: me', "search.password_env"],
    ["username: me, password_env: A, token_env: B", "search.token_env"],
    ["timeout: 0s", "search.timeout"],
  ])("refuses { %s }", (options, path) => {
    const { problems } = loadConfig(`${laid.yaml()}search: { ${options} }\n`, {});
    expect(problems?.map((problem) => problem.where)).toEqual([path]);
  });

  test("asks for a variable that is not set", async () => {
    await expect(start("token_env: MISSING")).rejects.toThrow("MISSING");
  });
});
