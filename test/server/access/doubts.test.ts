// Doubts about access settings: which settings have none, and how rules and ranges are compared.
// test/cli/commands/access-mistakes.test.ts tests the messages about mistakes.

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseRange } from "../../../src/base/network/ip-range.ts";
import { coveredSpaces, isPrivate, isWithin, overlap } from "../../../src/server/access/doubts/ranges.ts";
import { indexRules } from "../../../src/server/access/doubts/rule-index.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { accessWarnings } from "../../../src/server/config/reading/warnings.ts";

const click = { pattern: "clickthrough", access_service: { backend: "builtin" } };
const room = (...allowed_ips: string[]) => ({
  pattern: "kiosk",
  access_service: { backend: "builtin" },
  kiosk: { allowed_ips },
});
const files = (name: string, prefix: string, root: string) => ({ name, type: "filesystem", prefix, root });

const rules = (...matches: string[]) => matches.map((match) => ({ match, profile: "p" }));

test.each<[string, object]>([
  ["no section", {}],
  ["a page before its file", { auth: { profiles: { p: click }, rules: rules("a.tif;2", "a.tif") } }],
  [
    "a longer prefix before a shorter",
    { auth: { profiles: { p: click }, rules: rules("a/b/*", "a/*", "a2", "*") } },
  ],
  ["a file with a percent sign", { auth: { profiles: { p: click }, rules: rules("100%.tif", "5% off/*") } }],
  [
    "a private network behind a named proxy elsewhere",
    { trusted_proxies: ["10.0.0.5"], auth: { profiles: { p: room("10.1.0.0/16") }, rules: rules("a/*") } },
  ],
  [
    "a private network without a proxy, and a service in it",
    { base_url: "http://10.0.0.2:8080", auth: { profiles: { p: room("10.0.0.0/8") }, rules: rules("a/*") } },
  ],
  [
    "one address of a room",
    { auth: { profiles: { p: room("198.51.100.7", "2001:db8::7") }, rules: rules("a/*") } },
  ],
  [
    "half a network twice",
    { auth: { profiles: { p: room("64.0.0.0/8", "64.0.0.0/9") }, rules: rules("a/*") } },
  ],
  [
    "a folder of two sources that is protected in both",
    {
      sources: [files("a", "", "/srv/a"), files("b", "b/", "/srv/a/b")],
      auth: { profiles: { p: click }, rules: rules("b/*") },
    },
  ],
  [
    "folders beside each other whose names begin alike",
    {
      sources: [files("a", "", "/srv/a"), files("b", "b/", "/srv/ab")],
      auth: { profiles: { p: click }, rules: rules("b/*") },
    },
  ],
  [
    "a default source with a prefix, by one of its names",
    { sources: [files("a", "a/", "/srv/a")], auth: { profiles: { p: click }, rules: rules("x/*", "a/y/*") } },
  ],
  [
    "a URL by both schemes",
    {
      sources: [{ name: "w", type: "http", url: "{identifier}", allowed_hosts: ["example.org"] }],
      auth: { profiles: { p: click }, rules: rules("https://example.org/*", "http://example.org/*") },
    },
  ],
  [
    "a prefix of no source, if a hook may map it",
    {
      hook: { engine: "lookup", lookup: { file: "/srv/mapping.csv" } },
      sources: [files("a", "a/", "/srv/a"), files("b", "b/", "/srv/b")],
      auth: { profiles: { p: click }, rules: rules("nowhere/*") },
    },
  ],
  [
    "a cookie of the path of the service",
    {
      base_url: "https://example.org/images",
      auth: { cookie: { path: "/images/" }, profiles: { p: click }, rules: rules("a/*") },
    },
  ],
])("%s has no doubt", (_, settings) => {
  const { auth } = settings as { auth?: object };
  const strict = auth ? { ...settings, auth: { strict_profiles: true, ...auth } } : settings;
  const loaded = loadConfig(stringify(strict), {});
  expect(loaded.problems).toBeUndefined();
  if (loaded.config) expect(accessWarnings(loaded.config).map(({ text }) => text)).toEqual([]);
});

describe("the first rule that matches all that a match does", () => {
  test.each<[string, readonly string[], number | undefined]>([
    ["a/b.tif", ["a/*", "*"], 0],
    ["a/b.tif;3", ["x", "a/b.tif"], 1],
    ["a/b.tif", ["a/b.tif;3"], undefined],
    ["a/b/*", ["a/b", "a/b/c", "a/*"], 2],
    ["a/*", ["a/b/*", "ab/*", "a"], undefined],
    ["a/b.tif;3/*", ["a/b.tif/*"], undefined],
    ["*", ["a/*"], undefined],
    ["a.zip/b.tif", ["a.zip"], 0],
    ["a.zip/*", ["a.zip"], 0],
    ["a.zip", ["a.zip/*"], 0],
    ["a.zip", ["a.zip/b.tif"], undefined],
    ["HTTPS://Example.org:443/a", ["https://example.org/a"], 0],
    ["https://example.org/%61/b", ["https://example.org/a/*"], 0],
    ["https://example.org/a", ["https://example.org/*"], 0],
    ["https://example.org/*", ["https://example.org"], undefined],
    ["https://example.org.evil.example/*", ["https://example.org/*"], undefined],
  ])("%s among %j is %s", (match, matches, found) => {
    expect(
      indexRules(
        matches.map((match) => ({ match })),
        [],
      )(match),
    ).toBe(found);
  });
});

describe("ranges", () => {
  const ranges = (...texts: string[]) => texts.map(parseRange);

  test.each<[string, readonly string[], readonly string[]]>([
    ["nothing", [], []],
    ["a quarter and a bit", ["0.0.0.0/2", "64.0.0.0/3"], []],
    ["one half", ["128.0.0.0/1"], ["IPv4"]],
    ["half in parts that overlap", ["0.0.0.0/2", "0.0.0.0/3", "64.0.0.0/2"], ["IPv4"]],
    ["a quarter twice", ["0.0.0.0/2", "0.0.0.0/2"], []],
    ["half of IPv6 as it is given out", ["2000::/4"], ["IPv6"]],
    ["IPv6 that nobody has", ["8000::/1"], []],
    ["all", ["0.0.0.0/0", "::/0"], ["IPv4", "IPv6"]],
  ])("%s", (_, texts, spaces) => {
    expect(coveredSpaces(ranges(...texts))).toEqual(spaces);
  });

  test("are compared by their addresses", () => {
    const [small, large, beside, other] = ranges("10.1.2.3/24", "10.1.0.0/16", "10.2.0.0/16", "::/0");
    expect([overlap(small!, large!), overlap(large!, small!)]).toEqual([true, true]);
    expect([overlap(large!, beside!), overlap(large!, other!)]).toEqual([false, false]);
    expect([isWithin(small!, large!), isWithin(large!, small!)]).toEqual([true, false]);
    expect(
      ranges("172.31.0.1", "172.32.0.1", "fd00::1", "::ffff:10.0.0.1", "10.0.0.0/7").map(isPrivate),
    ).toEqual([true, false, true, true, false]);
  });
});
