// /robots.txt from the configuration, and headers for crawlers.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { outputOf } from "../../programs.ts";
import { served } from "../../served.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-robots-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const robotsOf = async (yaml: string) => (await (await served(yaml)).get("/robots.txt")).text();

interface Rule {
  readonly path: string;
  readonly isAllowed: boolean;
}

/** The rules of the group of all crawlers (RFC 9309, section 2.2.1). */
function rulesForAll(text: string): Rule[] {
  const group = text.slice(text.indexOf("User-agent: *"));
  return [...group.matchAll(/^(Allow|Disallow): (.*)$/gm)].map(([, word, path = ""]) => ({
    path,
    isAllowed: word === "Allow",
  }));
}

/** True if a path fits a pattern (RFC 9309, section 2.2.3). */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const escaped = (isWhole ? pattern.slice(0, -1) : pattern)
    .split("*")
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${escaped}${isWhole ? "$" : ""}`).test(path);
}

/** RFC 9309, section 2.2.2: the longest rule that fits decides, an allowing one if two are as long. */
function isAllowed(text: string, path: string): boolean {
  const [best] = rulesForAll(text)
    .filter((rule) => fits(rule.path, path))
    .sort((a, b) => b.path.length - a.path.length || Number(b.isAllowed) - Number(a.isAllowed));
  return best?.isAllowed ?? true;
}

/** Python's parser, which knows groups and whole paths, but no patterns. */
const askPython = (text: string, agent: string, path: string) =>
  Buffer.from(
    outputOf(
      "python3",
      [
        "-c",
        "import sys, urllib.robotparser as r; p = r.RobotFileParser(); p.parse(sys.stdin.read().splitlines()); print(p.can_fetch(sys.argv[1], sys.argv[2]))",
        agent,
        path,
      ],
      { input: text },
    ),
  )
    .toString()
    .trim() === "True";

const page = "/view/a.png";
const info = "/iiif/3/a%2Fb.png/info.json";
const thumbnail = "/iiif/3/a.png/full/!200,200/0/default.jpg";
const tile = "/iiif/3/a.png/0,0,512,512/512,/0/default.jpg";
const tileByPercent = "/old/iiif/a.png/pct:0,0,50,50/512,/0/default.jpg";
const download = "/iiif/download/pdf/a.png";
const full = "/iiif/2/a.png/full/full/0/default.jpg";
const all = [page, info, thumbnail, tile, tileByPercent, download, full];

describe("robots.allow", () => {
  test.each([
    ["nothing", []],
    ["pages", [page, info]],
    ["sizes", [page, info, thumbnail]],
    ["tiles", [page, info, thumbnail, tile, tileByPercent, download]],
    ["all", all],
  ])("%s lets crawlers fetch what it names and nothing else", async (allow, allowed) => {
    const text = await robotsOf(`robots: { allow: ${allow} }\naliases: [{ prefix: /old/iiif/, version: 2 }]`);
    expect(all.filter((path) => isAllowed(text, path))).toEqual(allowed);
  });

  test("writes the path of the public URL into its rules, so that the host's own file may be this one", async () => {
    const rules = (text: string) => rulesForAll(text).map(({ path }) => path);
    const base = "base_url: https://example.org/img";
    expect(rules(await robotsOf(`${base}\nrobots: { allow: nothing }`))).toEqual(["/img/"]);
    const text = await robotsOf(base);
    expect([isAllowed(text, `/img${full}`), isAllowed(text, full)]).toEqual([false, true]);
    const app = await served("robots: { allow: nothing }");
    const response = await app.get("/robots.txt", { headers: { "X-Forwarded-Prefix": "/outer" } });
    expect(rules(await response.text())).toEqual(["/outer/"]);
    expect(response.headers.get("Vary")).toContain("X-Forwarded-Prefix");
  });

  test("is read with each request", async () => {
    const app = await served("robots: { allow: all }");
    app.service.reload({
      ...app.service.config(),
      robots: { ...app.service.config().robots, allow: "nothing" },
    });
    expect(isAllowed(await (await app.get("/robots.txt")).text(), page)).toBe(false);
  });
});

describe("robots.agents_file", () => {
  const open = async (content: string) => {
    const path = join(folder, `${Math.abs(content.length)}-agents`);
    writeFileSync(path, content);
    return { path, app: await served(`robots: { agents_file: ${JSON.stringify(path)}, allow: all }`) };
  };

  test("names crawlers that may fetch nothing, by a parser of Python's too", async () => {
    const { app } = await open('{ "GPTBot": {}, "Terra Cotta": {} }');
    const text = await (await app.get("/robots.txt")).text();
    expect(text).toMatch(/^User-agent: GPTBot\nUser-agent: Terra Cotta\nDisallow: \/\n\nUser-agent: \*\n/m);
    expect(["GPTBot/1.3", "Terra Cotta", "Googlebot"].map((agent) => askPython(text, agent, page))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("is read again when it changes; a broken one leaves the list, and /ready says so", async () => {
    const { path, app } = await open("GPTBot");
    const agents = async () =>
      [...(await (await app.get("/robots.txt")).text()).matchAll(/^User-agent: (\w+)$/gm)].map(
        ([, name]) => name,
      );
    expect(await agents()).toEqual(["GPTBot"]);
    writeFileSync(path, "CCBot\nClaudeBot");
    await expect.poll(agents).toEqual(["CCBot", "ClaudeBot"]);
    writeFileSync(path, "{ broken");
    const health = async () => (await app.get("/ready")).json() as Promise<Record<string, unknown>>;
    await expect
      .poll(health)
      .toMatchObject({ status: "ready", crawlers: [{ name: "agents", healthy: false }] });
    expect(await agents()).toEqual(["CCBot", "ClaudeBot"]);
  });

  test("has to be there at the start", async () => {
    await expect(served(`robots: { agents_file: ${JSON.stringify(join(folder, "none"))} }`)).rejects.toThrow(
      "robots.agents_file",
    );
  });
});

describe("robots.lines", () => {
  test("are the end of the group of all crawlers", async () => {
    const text = await robotsOf('robots: { allow: all, lines: ["Content-Signal: ai-train=no", "Größe: 1"] }');
    expect(text.endsWith("User-agent: *\nAllow: /\nContent-Signal: ai-train=no\nGröße: 1\n")).toBe(true);
    expect(askPython(text, "Googlebot", page)).toBe(true);
  });

  test.each([
    ["a line break", '"a\\nUser-agent: *"'],
    ["a carriage return", '"a\\rb"'],
    ["a line separator", '"a\\u2028b"'],
    ["a control character", '"a\\u0000"'],
    ["nothing", '" "'],
    ["half a character", '"a\\ud800"'],
    ["more than 1000 characters", `"${"x".repeat(1001)}"`],
  ])("have no %s", async (_, line) => {
    await expect(served(`robots: { lines: [${line}] }`)).rejects.toThrow("robots.lines.0");
  });
});

describe("robots.headers", () => {
  const yaml = "robots: { headers: { X-Robots-Tag: noai, tdm-reservation: 1 } }";

  test("are on images, documents and pages, and on nothing else", async () => {
    const app = await served(yaml);
    const has = async (path: string) => {
      const { status, headers } = await app.get(path);
      return [path, status, headers.get("X-Robots-Tag"), headers.get("TDM-Reservation")];
    };
    for (const path of ["/", "/iiif/3/base.png/info.json", "/iiif/3/base.png/full/max/0/default.jpg"])
      expect(await has(path)).toEqual([path, 200, "noai", "1"]);
    for (const path of ["/robots.txt", "/health", "/static/home/home.css"])
      expect(await has(path)).toEqual([path, 200, null, null]);
  });

  test("are on a 304, so that caches take a changed value", async () => {
    const app = await served(yaml);
    const path = "/iiif/3/base.png/info.json";
    const tag = (await app.get(path)).headers.get("ETag") as string;
    const again = await app.get(path, { headers: { "If-None-Match": tag } });
    expect([again.status, again.headers.get("X-Robots-Tag")]).toEqual([304, "noai"]);
  });

  test.each([
    ["one that the service sets", '{ "cache-control": "public" }', "sets cache-control by itself"],
    ["one of CORS", '{ "Access-Control-Allow-Origin": "x" }', "by itself"],
    ["one that splits the response", '{ "X-A": "b\\r\\nSet-Cookie: c" }', "printable"],
    ["a name with spaces", '{ "X A": "b" }', "expected the name"],
    ["no value", '{ "X-A": "" }', "printable"],
    ["a value that is no ASCII", '{ "X-A": "ü" }', "printable"],
    ["a header twice", '{ "X-A": "b", "x-a": "c" }', "each header once"],
  ])("are not %s", async (_, headers, message) => {
    await expect(served(`robots: { headers: ${headers} }`)).rejects.toThrow(message);
  });
});
