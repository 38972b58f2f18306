// /admin/visitors: who uses what, and nothing that names a person.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { ruleFor, ruleForAgent } from "../../src/admin/visitors/rules.ts";
import { type CrawlerOptions, crawlerOptions } from "../../src/server/visitors/options.ts";
import fc from "../properties.ts";
import { served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

const agent = "ExampleBot/1.0 (+https://bot.example/<script>)";

async function used(mode: string) {
  const app = await served(
    `crawlers: { mode: ${mode}, listed_origins: ["https://www.example.org"] }`,
    operator,
  );
  const ask = (headers: Record<string, string>) =>
    app.get("/iiif/3/base.png/full/max/0/default.jpg", { peer: "192.0.2.77", headers });
  expect((await ask({ "User-Agent": agent })).status).toBe(200);
  const { origin } = new URL("https://www.example.org/page");
  await app.get("/iiif/3/base.png/full/100,/0/default.jpg", {
    peer: "2001:db8:1:2::3",
    headers: { "User-Agent": "Mozilla/5.0", Referer: `${origin}/page?reader=ann` },
  });
  const response = await app.get("/admin/visitors", { headers: asOperator });
  expect(response.status).toBe(200);
  return response.text();
}

test("the page shows classes, shortened networks, sites and crawlers", async () => {
  const html = await used("observe");
  for (const text of ["192.0.2.0/24", "2001:db8:1::/48", "https://www.example.org", "ExampleBot/1.0"])
    expect(html).toContain(text);
  expect(html).toContain("Would wait");
  // No address, no page of a reader, no markup of others.
  for (const text of ["192.0.2.77", "2001:db8:1:2", "reader=ann", "/<script>"])
    expect(html).not.toContain(text);
});

test("with mode: limit it says what happened, and without a mode how to begin", async () => {
  expect(await used("limit")).not.toContain("Would wait");
  const app = await served("", operator);
  expect(await (await app.get("/admin/visitors", { headers: asOperator })).text()).toContain("observe");
});

test("the page has rules for who uses most, which can be read without a script, and says what is listed", async () => {
  const html = await used("observe");
  for (const entry of ["192.0.2.0/24", "2001:db8:1::/48", "ExampleBot"])
    expect(html).toContain(`    - &quot;${entry}&quot;\n</pre>`);
  expect(html).toMatch(/https:\/\/www\.example\.org<\/span> <span class="quiet">listed<\/span><\/td>/);
});

test("a crawler whose name somebody took is shown with the verdict, and no rule denies the real one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-visitors-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "ranges.json");
  writeFileSync(file, '{ "prefixes": [{ "ipv4Prefix": "198.51.100.0/24" }] }');
  const row = `{ name: Ours, agent: ExampleBot, ranges_file: ${JSON.stringify(file)} }`;
  const app = await served(`crawlers: { mode: observe, verified: [${row}] }`, operator);
  await app.get("/iiif/3/base.png/full/max/0/default.jpg", { headers: { "User-Agent": agent } });
  const html = await (await app.get("/admin/visitors", { headers: asOperator })).text();
  expect(html).toContain("Ours (claimed)");
  expect(html).not.toContain("Copy the rule for Ours");
});

describe("a rule", () => {
  const lists = ["known_networks", "listed_origins", "denied_agents"] as const;

  test("has the present entries and the new one, as the configuration reads them, or there is none", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((host) => `https://${host}.example`),
      fc.string({ unit: "grapheme", minLength: 3 }).map((name) => `Ex${name}Bot`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...lists), text, (list, entry) => {
        const present: CrawlerOptions = crawlerOptions.parse({
          known_networks: ["192.0.2.0/24"],
          listed_origins: ["https://*.example.org"],
          denied_agents: ["OtherBot"],
        });
        const rule = ruleFor(list, present, entry);
        if (rule === undefined) return;
        const { crawlers } = parse(rule) as { crawlers: unknown };
        expect(crawlers).toEqual({ [list]: [...present[list], entry] });
        expect(crawlerOptions.safeParse(crawlers).success).toBe(true);
      }),
    );
  });

  const crawlers = crawlerOptions.parse({ denied_agents: ["Bytespider"] });

  test("does not repeat an entry, and lists no site or network that is none", () => {
    expect(ruleFor("denied_agents", crawlers, "Bytespider")).toBeUndefined();
    for (const entry of ["", "https://www.example.org/page", "http://a b"])
      expect(ruleFor("listed_origins", crawlers, entry)).toBeUndefined();
    expect(ruleFor("known_networks", crawlers, "")).toBeUndefined();
  });

  test.each([
    ["Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "GPTBot"],
    [
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +mailto:a@b.c)",
      "OAI-SearchBot",
    ],
    ["python-requests/2.32.3", "python-requests"],
    ["Go-http-client/2.0", "Go-http-client"],
    ["curl/8.5.0", "curl"],
    ["my bot 1.0 ExampleCrawler", "ExampleCrawler"],
    // What it calls itself is what many do, or what browsers do.
    ["bot", undefined],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", undefined],
    ["", undefined],
  ])("of the agent %j denies %j", (agent, name) => {
    const rule = ruleForAgent(crawlers, agent);
    expect(rule && parse(rule)).toEqual(
      name === undefined ? undefined : { crawlers: { denied_agents: ["Bytespider", name] } },
    );
  });
});
