// What readers and crawlers get over HTTP while the service tells them apart.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { AgentKind } from "../../../src/server/visitors/agents.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";

const browser =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-crawlers-"));
  const flat = { width: 2000, height: 1500, channels: 3 as const, background: "#836" };
  await sharp({ create: flat }).jpeg().toFile(join(folder, "large.jpg"));
  const scan = sharp({ create: { ...flat, width: 4000, height: 3000 } });
  await scan.clone().jpeg().toFile(join(folder, "scan.jpg"));
  await scan.clone().png().toFile(join(folder, "scan.png"));
  for (const name of ["base", "base0", "base1", "base2"])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, `${name}.png`));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a service, and a function that asks it for an image. */
async function crawled(settings = "mode: limit", others = "") {
  const app = await served(
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]${settings && `\ncrawlers: { ${settings} }`}\n${others}`,
  );
  const ask = (path: string, agent: string, peer = "192.0.2.1", headers: Record<string, string> = {}) =>
    app.get(`/iiif/3/${path}`, { peer, headers: { "User-Agent": agent, ...headers } });
  /** Uses up the budget of a network, as a program does that asks for many large images. */
  const use = async (client = "192.0.2.1", megapixels = 60, agent: AgentKind = "program") => {
    const facts = { isKnown: false, hasPass: false, isListed: false } as const;
    const visitor = app.service.visitors.current()?.meet({ client, agent, ...facts });
    for (let n = 0; n < (agent === "browser" ? 5 : 1); n++) visitor?.ask("large.jpg", "big");
    await visitor?.enter(megapixels);
  };
  return { app, ask, use };
}

describe("with mode: limit, a program that has used its budget", () => {
  let ask: Awaited<ReturnType<typeof crawled>>["ask"];
  beforeAll(async () => {
    const started = await crawled();
    ask = started.ask;
    await started.use("192.0.2.1", 60, "browser");
  });

  test("reads in its image information how large it may ask, and no cache keeps that", async () => {
    // One that calls itself a browser, since others wait for it.
    const response = await ask("base.png/info.json", browser);
    expect(response.headers.get("Cache-Control")).toBe("private, no-store");
    expect(response.headers.get("ETag")).toBeNull();
    expect(await response.json()).toMatchObject({ maxWidth: 1024 });
    const v2 = await (await ask("base.png/info.json", browser)).json();
    expect(JSON.stringify(v2)).toContain("1024");
  });

  test("is redirected from max to a size of its own, whose bytes are the same for everybody", async () => {
    const response = await ask("large.jpg/0,0,1400,1400/max/0/gray.jpg", "curl/8.5.0");
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([303, "private, no-store"]);
    expect(new URL(response.headers.get("Location") as string).pathname).toBe(
      "/iiif/3/large.jpg/0,0,1400,1400/!1024,1024/0/gray.jpg",
    );
  });

  test("is refused a larger explicit size with the seconds to wait", async () => {
    const response = await ask("large.jpg/full/1900,/0/default.jpg", "curl/8.5.0");
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(60);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(await response.json()).toMatchObject({ status: 429 });
  });

  test("gets what is cached, and a 304", async () => {
    const cached = await ask("large.jpg/full/max/90/default.jpg", browser, "198.51.100.1");
    const again = await ask("large.jpg/full/max/90/default.jpg", "curl/8.5.0", "192.0.2.1", {
      "If-None-Match": cached.headers.get("ETag") as string,
    });
    expect(again.status).toBe(304);
  });

  test("does not slow down others", async () => {
    for (const [peer, path] of [
      ["198.51.100.1", "base.png/info.json"],
      ["198.51.100.1", "base.png/full/max/0/default.jpg"],
    ] as const) {
      const response = await ask(path, browser, peer);
      expect([response.status, response.headers.get("Cache-Control")?.includes("public")]).toEqual([
        200,
        true,
      ]);
    }
    expect(await (await ask("base.png/info.json", browser, "198.51.100.1")).json()).not.toHaveProperty(
      "maxWidth",
    );
  });
});

test("bytes of an address are the same for all who ask for them", async () => {
  const { ask, use } = await crawled();
  const plain = await crawled("");
  // A quarter of a second of 30 megapixels an hour, which the first of them waits.
  await use("192.0.2.1", 30.002);
  const path = "base.png/full/300,/0/default.jpg";
  const [limited, other] = [await ask(path, "curl/8.5.0"), await plain.ask(path, "curl/8.5.0")];
  expect([limited.status, other.status]).toEqual([200, 200]);
  expect(Buffer.from(await limited.arrayBuffer())).toEqual(Buffer.from(await other.arrayBuffer()));
  for (const name of ["Cache-Control", "ETag", "Vary", "Link"])
    expect([name, limited.headers.get(name)]).toEqual([name, other.headers.get(name)]);
});

test("with mode: observe everybody gets everything, and it is counted what limit would do", async () => {
  const { app, ask, use } = await crawled("mode: observe");
  await use();
  for (const path of ["large.jpg/full/1900,/0/default.jpg", "large.jpg/0,0,1400,1400/max/0/gray.jpg"])
    expect((await ask(path, "curl/8.5.0")).status).toBe(200);
  expect(await (await ask("base.png/info.json", "curl/8.5.0")).json()).not.toHaveProperty("maxWidth");
  const { program } = app.service.visitors.current()?.counts() ?? {};
  expect(program).toMatchObject({ requests: 4, refused: 2, limited: 2 });
});

describe("documents", () => {
  const documents = [
    "/iiif/3/base.png/info.json",
    "/iiif/2/base.png/info.json",
    "/iiif/3/base.png",
    "/iiif/presentation/3/base.png",
    "/iiif/presentation/2/base.png",
    "/iiif/presentation/3",
    "/iiif/presentation/3/base.png/canvas/1/annotations/1",
    "/iiif/search/2/base.png?q=a",
    "/iiif/changes",
    "/content-state/resolve?content=a",
  ];
  let app: Awaited<ReturnType<typeof crawled>>["app"];
  beforeAll(async () => {
    const started = await crawled("mode: limit", "presentation: { changes: { enabled: true } }");
    app = started.app;
    // A browser behaves as a program there, and has used as much.
    await started.use("192.0.2.1", 0.01, "browser");
    await started.use("192.0.2.1", 301);
  });
  const ask = (path: string, agent: string, peer = "192.0.2.1", headers: Record<string, string> = {}) =>
    app.get(path, { peer, headers: { "User-Agent": agent, ...headers } });

  test.each(documents)("%s is refused to a program that has used ten times its budget", async (path) => {
    for (const agent of ["curl/8.5.0", "GPTBot/1.2"]) {
      const response = await ask(path, agent);
      expect([response.status, response.headers.get("Cache-Control")]).toEqual([429, "no-store"]);
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(60);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(await response.json()).toMatchObject({ code: "visitor_budget" });
    }
  });

  test.each(documents)("%s is never refused to a browser, whatever its network has used", async (path) => {
    expect((await ask(path, browser)).status).not.toBe(429);
    expect((await ask(path, "curl/8.5.0", "192.0.9.1")).status).not.toBe(429);
  });

  test.each([
    "/health",
    "/ready",
    "/robots.txt",
    "/",
    "/view/base.png",
    "/static/home/home.css",
    "/iiif/auth/probe/2/base.png",
    "/iiif/auth/token",
    "/iiif/auth/logout",
    "/admin",
    "/nowhere",
  ])("%s is no document, and never refused", async (path) => {
    expect((await ask(path, "curl/8.5.0")).status).not.toBe(429);
  });

  test("are counted, and no preflight is", async () => {
    const { service } = app;
    const before = service.visitors.current()?.counts().program.refused ?? 0;
    const path = "/iiif/presentation/3/base.png";
    const options = await app.get(path, {
      method: "OPTIONS",
      peer: "192.0.2.1",
      headers: { "User-Agent": "curl/8.5.0" },
    });
    expect(options.status).toBe(204);
    await ask(path, "curl/8.5.0");
    expect(service.visitors.current()?.counts().program.refused).toBe(before + 1);
  });
});

test("a download is charged before its first byte, and refused as large images are", async () => {
  const { app, use } = await crawled();
  const take = (headers: Record<string, string> = {}, method = "GET") =>
    app.get("/iiif/download/pdf/scan.jpg", {
      method,
      peer: "192.0.2.1",
      headers: { "User-Agent": "curl/8.5.0", ...headers },
    });
  await use("192.0.2.1", 20);
  // A part is charged as a part.
  for (let n = 0; n < 5; n++) expect((await take({ Range: "bytes=0-9" })).status).toBe(206);
  const first = await take();
  expect(first.status).toBe(200);
  const { length } = new Uint8Array(await first.arrayBuffer());
  expect(length).toBeGreaterThan(1000);
  // 20 and 12 megapixels are more than the 30 of a program.
  const refused = await take();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(60);
  expect((await take({ Range: "bytes=0-9" })).status).toBe(429);
  const headers = { "If-None-Match": first.headers.get("ETag") as string };
  expect((await take(headers)).status).toBe(304);
  expect((await take({}, "HEAD")).status).toBe(200);
});

test("a download from a listed site is never charged to listed sites, whatever its range", async () => {
  const { app } = await crawled(
    "mode: limit, listed_origins: [https://www.example.org]",
    "presentation: { download: { zip: on } }",
  );
  const take = async (range: Record<string, string>) => {
    const headers = { "User-Agent": browser, Referer: "https://www.example.org/book", ...range };
    const response = await app.get("/iiif/download/zip/scan.jpg", { peer: "192.0.2.1", headers });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await take({})).toBe(200);
  // As a viewer of PDF files reads: more requests than those that tell a program.
  for (let n = 0; n < 9; n++) expect(await take({ Range: "bytes=1-" })).toBe(206);
  const counts = app.service.visitors.current()?.counts();
  expect(counts?.program.requests).toBe(0);
  // 12 megapixels for each; to measure the file counts a little more.
  expect(counts?.newcomer.megapixels).toBeGreaterThan(119);
});

test("a download is sent to its end once it is paid for, also if its pages are rendered", async () => {
  const { app, use } = await crawled();
  // The page takes the rest of the 30 of a program.
  await use("192.0.2.1", 20);
  const headers = { "User-Agent": "curl/8.5.0" };
  const response = await app.get("/iiif/download/pdf/scan.png", { peer: "192.0.2.1", headers });
  expect([response.status, (await response.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
});

test("a listed network may use as much as it likes", async () => {
  const { ask, use } = await crawled("mode: limit, known_networks: [192.0.2.0/24]");
  await use();
  expect((await ask("large.jpg/full/1900,/0/default.jpg", "curl/8.5.0")).status).toBe(200);
});

test("who asks for what a crawler waits for already does not wait in the turn of the crawler", async () => {
  const { app, ask } = await crawled("mode: limit, known_networks: [192.0.2.0/24]");
  const { admission } = app.service.images;
  admission.limit({ permits: 1 });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const running = admission.run(
    {
      work: { kind: "render", ms: 1 },
      memory: 1,
      visitor: { group: "others", network: "a", chargeWork() {} },
    },
    undefined,
    () => held,
  );
  const done: string[] = [];
  const get = async (name: string, path: string, peer: string) => {
    const response = await ask(path, "curl/8.5.0", peer);
    done.push(`${name} ${response.status}`);
  };
  const waits = async (count: number) =>
    expect.poll(() => admission.status().waiting, { interval: 5 }).toBe(count);
  const path = (name: string) => `${name}.png/full/300,/0/default.jpg`;
  const asked = [];
  for (const [n, peer] of ["198.51.100.1", "198.51.101.1", "198.51.102.1"].entries()) {
    asked.push(get(`crawler ${n}`, path(`base${n}`), peer));
    await waits(n + 1);
  }
  const share = vi.spyOn(admission, "share");
  asked.push(get("reader", path("base2"), "192.0.2.1"));
  // The reader joins what waits already.
  await expect.poll(() => share.mock.calls.map(([, { group }]) => group)).toEqual(["welcome"]);
  end();
  await Promise.all([running, ...asked]);
  expect(done.slice(0, 2).sort()).toEqual(["crawler 2 200", "reader 200"]);
});

test("off, which is the default, nothing is known of anybody", async () => {
  const { app } = await crawled("");
  expect(app.service.visitors.current()).toBeUndefined();
});

test("a page of /view gives its tiles a pass, and no page does without a mode", async () => {
  const { app, ask } = await crawled("mode: limit");
  const page = await app.get("/view/large.jpg", { headers: { "User-Agent": browser } });
  const [cookie] = page.headers.getSetCookie().map((each) => each.split(";")[0] as string);
  expect(cookie).toMatch(/^smalti_pass=/);
  const tile = () =>
    ask("large.jpg/0,0,512,512/512,512/0/default.jpg", browser, "192.0.2.9", { Cookie: cookie as string });
  const countOf = () => app.service.visitors.current()?.counts().viewer.requests ?? 0;
  await expect.poll(async () => (await tile()) && countOf()).toBeGreaterThan(0);
  const off = await crawled("");
  const plain = await off.app.get("/view/large.jpg", { headers: { "User-Agent": browser } });
  expect([plain.status, plain.headers.getSetCookie()]).toEqual([200, []]);
});

test.each<[string, "crawler" | "program"]>([
  ["curl/8.5.0", "program"],
  ["Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "crawler"],
])("%s gets no pass, and that of a browser is worth nothing to it", async (agent, name) => {
  const { app, ask } = await crawled();
  const open = (agent: string) =>
    app.get("/view/base.png", { peer: "192.0.2.1", headers: { "User-Agent": agent } });
  const page = await open(agent);
  expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
  const Cookie = (await open(browser)).headers.getSetCookie()[0]?.split(";")[0] as string;
  const counts = () => app.service.visitors.current()?.counts();
  const image = (agent: string) => ask("base.png/full/max/0/default.jpg", agent, "192.0.2.1", { Cookie });
  // Until the pass is verified.
  await expect
    .poll(async () => (await image(browser)) && (counts()?.viewer.requests ?? 0))
    .toBeGreaterThan(0);
  const [viewers, others] = [counts()?.viewer.requests, counts()?.[name].requests ?? 0];
  expect((await image(agent)).status).toBe(200);
  expect([counts()?.viewer.requests, counts()?.[name].requests]).toEqual([viewers, others + 1]);
});

test("with mode: observe a page of /view has a cookie more than without a mode", async () => {
  const [observed, off] = [(await crawled("mode: observe")).app, (await crawled("")).app];
  const open = async (app: typeof observed, path: string) => {
    const { status, headers } = await app.get(path, { headers: { "User-Agent": browser } });
    const own = ["Date", "X-Request-Id", "Request-Id", "Last-Modified"].map((name) => name.toLowerCase());
    return { status, ...Object.fromEntries([...headers].filter(([name]) => !own.includes(name))) };
  };
  const { "set-cookie": cookie, ...page } = (await open(observed, "/view/base.png")) as Record<
    string,
    unknown
  >;
  expect(cookie).toMatch(/^smalti_pass=/);
  expect(page).toEqual({ ...(await open(off, "/view/base.png")), "cache-control": "private, no-cache" });
  const tile = "/iiif/3/base.png/0,0,64,64/32,32/0/default.jpg";
  for (const path of ["/iiif/3/base.png/info.json", tile, "/iiif/presentation/3/base.png"])
    expect(await open(observed, path)).toEqual(await open(off, path));
});

test("HEAD of tiles does not make a network a reader, and GET does", async () => {
  const { app, ask } = await crawled();
  const headers = { "User-Agent": browser };
  const tiles = [
    "0,0,512,512/512,512",
    "512,0,512,512/512,512",
    "0,0,1024,1024/512,512",
    "0,0,2000,1500/500,375",
  ];
  const classOfNext = async (method: string, peer: string) => {
    await ask("large.jpg/info.json", browser, peer);
    for (const tile of tiles)
      await app.get(`/iiif/3/large.jpg/${tile}/0/default.jpg`, { method, peer, headers });
    const before = app.service.visitors.current()?.counts().reader.requests ?? 0;
    await ask(`large.jpg/${tiles[0]}/0/default.jpg`, browser, peer);
    return (app.service.visitors.current()?.counts().reader.requests ?? 0) - before;
  };
  expect(await classOfNext("HEAD", "192.0.2.1")).toBe(0);
  expect(await classOfNext("GET", "198.51.100.1")).toBe(1);
});
