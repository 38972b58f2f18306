// Crawlers that the service verifies: by the addresses that they publish, and by DNS.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { configWarnings } from "../../../src/server/config/reading/warnings.ts";
import { createDns } from "../../../src/server/platform/dns.ts";
import { served } from "../../served.ts";
import { type DnsServer, startDns } from "../../servers/dns.ts";

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const assistant = "Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0.0.0 Safari/537.36 ReadingTool";
const tile = "/iiif/3/base.png/full/20,/0/default.jpg";

let folder: string;
let names: DnsServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-verified-"));
  names = await startDns({
    "PTR 1.2.0.192.in-addr.arpa": ["crawl-1.googlebot.com"],
    "A crawl-1.googlebot.com": ["192.0.2.1"],
    "PTR 2.113.0.203.in-addr.arpa": ["crawl-1.googlebot.com"],
  });
});
afterAll(() => {
  names.close();
  rmSync(folder, { recursive: true, force: true });
});

const prefixes = (...list: string[]) =>
  JSON.stringify({ prefixes: list.map((ipv4Prefix) => ({ ipv4Prefix })) });

/** A file of ranges; its path as YAML. */
function rangesFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return JSON.stringify(path);
}

async function crawled(verified: string, rest = "") {
  const app = await served(
    `crawlers: { mode: limit, verified: [${verified}] ${rest}}`,
    {},
    { dns: createDns([names.address]) },
  );
  const visitors = app.service.visitors.current();
  return {
    app,
    ask: (peer: string, agent = googlebot) => app.get(tile, { peer, headers: { "User-Agent": agent } }),
    /** Requests by class, of those that have some. */
    counts: () =>
      Object.fromEntries(
        Object.entries(visitors?.counts() ?? {}).flatMap(([name, { requests }]) =>
          requests > 0 ? [[name, requests]] : [],
        ),
      ),
    agents: () => visitors?.heaviest("agents", 9).map(({ name }) => name),
  };
}

describe("a crawler with published addresses", () => {
  test("is verified by them, and all others that name it claim to be it", async () => {
    const file = rangesFile("google.json", prefixes("192.0.2.0/25"));
    const { ask, counts, agents } = await crawled(
      `{ name: Googlebot, agent: googlebot, ranges_file: ${file} }`,
    );
    await ask("192.0.2.1");
    await ask("198.51.100.1");
    await ask("198.51.100.1", googlebot.replace("Googlebot", "OtherBot"));
    expect(counts()).toEqual({ crawler: 2, claimed: 1 });
    expect(agents()).toContain("Googlebot (verified)");
  });

  test("is known if it is welcome, which those that claim to be it are not", async () => {
    const file = rangesFile("welcome.json", prefixes("192.0.2.0/25"));
    const row = `{ name: Googlebot, agent: googlebot, ranges_file: ${file}, welcome: true }`;
    const { ask, counts } = await crawled(row);
    await ask("192.0.2.1");
    await ask("198.51.100.1");
    expect(counts()).toEqual({ known: 1, claimed: 1 });
  });

  test("may call itself a browser", async () => {
    const file = rangesFile("tool.json", prefixes("192.0.2.0/25"));
    const { ask, counts } = await crawled(`{ name: Tool, agent: readingtool, ranges_file: ${file} }`);
    await ask("192.0.2.1", assistant);
    await ask("198.51.100.1", assistant);
    await ask("198.51.100.1", assistant.replace(" ReadingTool", ""));
    expect(counts()).toEqual({ crawler: 1, claimed: 1, newcomer: 1 });
  });

  test("has its file read again; a broken one leaves the addresses, and /ready says so", async () => {
    const file = rangesFile("changing.json", prefixes("192.0.2.0/25"));
    const { app, ask, counts } = await crawled(`{ name: Googlebot, agent: googlebot, ranges_file: ${file} }`);
    writeFileSync(JSON.parse(file) as string, prefixes("198.51.100.0/24"));
    await expect.poll(async () => (await ask("198.51.100.1")) && counts().crawler).toBeGreaterThan(0);
    writeFileSync(JSON.parse(file) as string, "<html>");
    await expect
      .poll(async () => (await app.get("/ready")).json())
      .toMatchObject({ status: "ready", crawlers: [{ name: "Googlebot", healthy: false }] });
    const { crawler } = counts() as { crawler: number };
    await ask("198.51.100.1");
    expect(counts().crawler).toBe(crawler + 1);
  });
});

describe("a crawler with domains", () => {
  test("is unknown until DNS has responded, and no request waits for that", async () => {
    let release = () => {};
    names.hold = new Promise((resolve) => {
      release = resolve;
    });
    onTestFinished(release);
    const { ask, counts } = await crawled("{ name: Googlebot, agent: googlebot, domains: [googlebot.com] }");
    expect((await ask("192.0.2.1")).status).toBe(200);
    expect((await ask("203.0.113.2")).status).toBe(200);
    expect(counts()).toEqual({ crawler: 2 });
    release();
    // Its name is that of the other one.
    await expect.poll(async () => (await ask("203.0.113.2")) && counts().claimed).toBeGreaterThan(0);
  });

  test("is welcome once its name has led back to its address", async () => {
    const row = "{ name: Googlebot, agent: googlebot, domains: [googlebot.com], welcome: true }";
    const { ask, counts } = await crawled(row);
    await expect.poll(async () => (await ask("192.0.2.1")) && counts().known).toBeGreaterThan(0);
  });

  test("is never verified on workerd, which the configuration is warned of", () => {
    const { config } = loadConfig(
      "crawlers: { verified: [{ name: G, agent: googlebot, domains: [googlebot.com] }] }",
      {},
    );
    const texts = (runtime: "workerd" | "node") =>
      configWarnings(config as NonNullable<typeof config>, runtime).filter(({ where }) =>
        /verified/.test(where ?? ""),
      );
    expect(texts("workerd")).toHaveLength(1);
    expect(texts("node")).toEqual([]);
  });
});

test("off, crawlers are not verified", async () => {
  const file = rangesFile("off.json", prefixes("192.0.2.0/25"));
  const app = await served(`crawlers: { verified: [{ name: G, agent: gbot, ranges_file: ${file} }] }`);
  expect((await app.get(tile, { headers: { "User-Agent": "gbot" } })).status).toBe(200);
  expect(app.service.visitors.current()).toBeUndefined();
});

test.each([
  ["nothing that verifies it", "{ name: G, agent: googlebot }", "ranges_file or domains"],
  ["an agent of all browsers", "{ name: G, agent: Mozilla, domains: [a.org] }", "browsers"],
  ["a domain of a whole country", "{ name: G, agent: gbot, domains: [com] }", "expected a domain"],
  ["a domain with a star", '{ name: G, agent: gbot, domains: ["*.a.org"] }', "expected a domain"],
  ["an empty name", '{ name: "", agent: gbot, domains: [a.org] }', "printable"],
  ["a file that does not exist", "{ name: G, agent: gbot, ranges_file: none.json }", "crawlers.verified"],
])("a crawler may not have %s", async (_, row, message) => {
  await expect(served(`crawlers: { verified: [${row}] }`)).rejects.toThrow(message);
});
