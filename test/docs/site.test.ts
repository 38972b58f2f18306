// The site: every page is in the contents, every link and anchor leads somewhere, and nothing is inline.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { buildSite } from "../../scripts/site/site.mjs";
import { docsFolder, docsPages } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-site-"));
const pages = new Map<string, string>();
/** Anchors by page. */
const anchors = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  await buildSite(folder);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".html")) continue;
    const html = readFileSync(join(folder, name), "utf8");
    pages.set(name, html);
    anchors.set(name, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id)));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const root = `${docsFolder}../`;
const moved = parse(readFileSync(`${docsFolder}moved.yaml`, "utf8")) as Record<string, string>;

/**
 * What is wrong with a link to `target` in the page `from` of the site; undefined if nothing is. A page that
 * has moved leads to the new one from all of its former anchors.
 */
function faultOf(from: string, target: string): string | undefined {
  const [, file = "", anchor = ""] = /^([^#]*)#?(.*)$/.exec(target) ?? [];
  const page = file === "" ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(folder, page))) return `${from}: ${target} leads to no file`;
  if (anchor === "" || !page.endsWith(".html") || page.slice(0, -".html".length) in moved) return undefined;
  return anchors.get(page)?.has(decodeURIComponent(anchor)) ? undefined : `${from}: ${target} has no anchor`;
}

test.each(Object.entries(moved))("the old address %s leads to %s", (from, to) => {
  const up = "../".repeat(from.split("/").length - 1);
  const target = `${up}${to.replace(/(?=#|$)/, ".html")}`;
  expect(pages.get(`${from}.html`)).toContain(`<meta http-equiv="refresh" content="0; url=${target}">`);
  expect(faultOf(`${from}.html`, target)).toBeUndefined();
});

test("only the pages for contributors have pages for contributors in their sidebar", () => {
  const names = [...pages.keys()].filter((name) => !(name.slice(0, -".html".length) in moved));
  const listing = names.filter((name) => {
    const sidebar = /<nav id="contents".*?<\/nav>/s.exec(pages.get(name) ?? "")?.[0] ?? "";
    return sidebar.includes("<summary>Contributing</summary>");
  });
  expect(listing).toEqual(names.filter((name) => name.startsWith("contributing/")));
  expect(pages.get("index.html")).toContain('href="contributing/architecture.html"');
});

test("the contents name every page once", () => {
  const contents = parse(readFileSync(`${docsFolder}contents.yaml`, "utf8")) as Record<string, string[]>;
  expect(Object.values(contents).flat().sort()).toEqual(docsPages.map(({ path }) => path));
});

test("names of pages are unique, so that a link says what it leads to", () => {
  const names = docsPages.map(({ path }) => path.split("/").at(-1));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every link, picture and style sheet of the site is there, with its anchor", () => {
  const faults = [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, target = ""]) => target.replaceAll("&amp;", "&"))
      .filter((target) => !/^[a-z]+:/.test(target))
      .flatMap((target) => faultOf(name, target) ?? []),
  );
  expect(pages.size).toBe(docsPages.length + Object.keys(moved).length);
  expect(faults).toEqual([]);
});

test("every link of a page to the repository leads to a file", () => {
  const faults = docsPages.flatMap(({ path, text }) =>
    [...text.replaceAll(/^ *```.*?^ *```$/gms, "").matchAll(/\]\(([^)#\s]+)[^)\s]*\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(docsFolder, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  expect(faults).toEqual([]);
});

describe("links into the documentation", () => {
  const markdown = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

  test.each(markdown)("of %s lead to a page, with their anchors", (name) => {
    const faults = [...readFileSync(root + name, "utf8").matchAll(/\]\(docs\/([^)\s]*)\)/g)].flatMap(
      ([, target = ""]) => faultOf("index.html", target.replace(/\.md/, ".html")) ?? [],
    );
    expect(faults).toEqual([]);
  });

  test("of the alert rules lead to the entry of the alert", () => {
    const rules = readFileSync(`${docsFolder}examples/operations/alerts.yml`, "utf8");
    const links = [...rules.matchAll(/static\/docs\/([^"\s]*)/g)].map(([, target = ""]) => target);
    expect(links.length).toBeGreaterThan(0);
    expect(links.flatMap((target) => faultOf("index.html", target) ?? [])).toEqual([]);
  });
});

test("no page has a script, a style or a handler of events inline", () => {
  for (const [name, html] of pages)
    expect([name, /<style|\sstyle=|<script(?![^>]*\ssrc=)|<[^>]*\son[a-z]+=/.exec(html)?.[0]]).toEqual([
      name,
      undefined,
    ]);
});

test("the search knows settings, errors and metrics by name, and every section that it lists is there", () => {
  const sections = JSON.parse(readFileSync(join(folder, "assets/sections.json"), "utf8")) as readonly {
    readonly address: string;
    readonly heading: string;
  }[];
  expect(sections.flatMap(({ address }) => faultOf("index.html", address) ?? [])).toEqual([]);
  const addressOf = (heading: string) => sections.find((section) => section.heading === heading)?.address;
  expect(["limits.max_in_flight_per_ip", "bad_host", "smalti_http_requests_total"].map(addressOf)).toEqual([
    "reference/configuration.html#limits.max_in_flight_per_ip",
    "reference/errors.html#bad_host",
    "reference/metrics.html#smalti_http_requests_total",
  ]);
});
