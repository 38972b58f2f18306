// Names with path parameters, as servers that leave those out read them (Jakarta Servlet 6.0, section 3.5.2).

import { describe, expect, test } from "vitest";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import { createSources } from "../../../src/server/sources/index.ts";
import { leadsUp, withoutParameters } from "../../../src/server/sources/path-parameters.ts";
import type { Source } from "../../../src/server/sources/source.ts";

test.each([
  ["a.jpg", []],
  ["a/b.jpg", []],
  ["a.jpg;x", ["a.jpg"]],
  ["secret;x.jpg", ["secret"]],
  ["a;jsessionid=1/b.jpg", ["a/b.jpg"]],
  ["a;x;y=1/b.jpg;v=2", ["a/b.jpg"]],
  [";x/a.jpg", ["a.jpg"]],
  ["a/;x/b.jpg", ["a/b.jpg"]],
  ["a.jpg/;x", ["a.jpg"]],
  [";x", []],
  // Sent as %253B, which no server takes for a semicolon.
  ["a%3Bx.jpg", []],
])("the key %s may be read as %j", (key, keys) => {
  expect(withoutParameters(key)).toEqual(keys);
});

test.each([
  ["http://h/a/b.jpg?x;y", []],
  ["http://h/a/b.jpg;x", ["http://h/a/b.jpg"]],
  ["http://h/a;x/b.jpg?q", ["http://h/a/b.jpg?q"]],
  ["http://h/a%3Bx/b.jpg", ["http://h/a/b.jpg"]],
  ["http://h/a%3bx/b.jpg", ["http://h/a/b.jpg"]],
  ["http://h/a/;x/b.jpg", ["http://h/a/b.jpg"]],
  ["http://h/a/b.jpg/;x", ["http://h/a/b.jpg"]],
  ["http://h/a;x%2Fb.jpg", ["http://h/a", "http://h/a/b.jpg"]],
  ["http://h/a/b.jpg;x%5cy", ["http://h/a/b.jpg", "http://h/a/b.jpg/y"]],
])("the URL %s may be read as %j", (key, keys) => {
  expect(withoutParameters(key)).toEqual(keys);
});

test.each([
  ["a/b.jpg", false],
  ["a..;x/b.jpg", false],
  ["a/..x;y/b.jpg", false],
  ["..;/b.jpg", true],
  ["a/..;x/b.jpg", true],
  ["a/.;x/b.jpg", true],
  ["http://h/a/..;/b.jpg", true],
  ["http://h/a/%2e.;x/b.jpg", true],
  ["http://h/a/.\t.;x/b.jpg", true],
  ["http://h/a/%2e%2E%3bx/b.jpg", true],
  ["http://h/a%2f..;%2fb.jpg", true],
  ["http://h/a/b.jpg?/..;/", false],
])("%j leads to a folder above: %s", (key, expected) => {
  expect(leadsUp(key)).toBe(expected);
});

const source = (name: string, prefix: string, backend: Source["backend"]): Source => ({
  name,
  prefix,
  backend,
  fingerprint: name,
  counts: createCounts(),
  open: async () => undefined,
  check: async () => {},
});

describe("the other names of an identifier", () => {
  const named = (list: readonly Source[], identifier: string) =>
    createSources(list, list[0] as Source).otherNames(identifier);
  const scans = source("scans", "museum/", "filesystem");

  test("include those without parameters if its source is a web server", () => {
    const list = [source("files", "", "filesystem"), source("web", "web/", "http")];
    expect(named(list, "web/a;x/b.jpg")).toEqual(["web/a/b.jpg"]);
    expect(named(list, "a;x/b.jpg")).toEqual([]);
    expect(named(list, "web/a/b.jpg")).toEqual([]);
  });

  test("are those with and without the prefix of the default source", () => {
    expect(named([scans], "a.jpg")).toEqual(["museum/a.jpg"]);
    expect(named([scans], "museum/a.jpg")).toEqual(["a.jpg"]);
    expect(named([scans], "museum/museum/a.jpg")).toEqual([]);
    expect(named([scans, source("vault", "vault/", "filesystem")], "vault/a.jpg")).toEqual([]);
  });

  test("exclude those that belong to another source", () => {
    const list = [scans, source("vault", "museum/vault/", "filesystem")];
    expect(named(list, "vault/a.jpg")).toEqual([]);
  });

  test("are both if the default source is a web server with a prefix", () => {
    const names = named([source("web", "web/", "http")], "a;x.jpg");
    expect([...names].sort()).toEqual(["a", "web/a", "web/a;x.jpg"]);
    expect(named([source("web", "web/", "http")], "web;x/a.jpg")).toEqual([
      "web/web;x/a.jpg",
      "web/web/a.jpg",
    ]);
  });
});
