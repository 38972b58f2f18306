// The schema's descriptions of itself, which the reference page, the reload and the masked view depend on.

import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { configTree } from "../../../src/server/config/schema.ts";
import { leaves } from "../../../src/server/config/walk.ts";

const all = leaves(configTree());

test("the tree is the same after a build has written it as JSON", () => {
  expect(JSON.parse(JSON.stringify(configTree()))).toEqual(configTree());
});

describe("every key of the schema", () => {
  test("has a description that is a sentence", () => {
    const without = all.filter(({ node }) => !/^[A-Z0-9`].*\.$/s.test(node.description ?? ""));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  test("states whether a change takes effect at once or at the next start", () => {
    const without = all.filter(({ node }) => node.edit === undefined).map(({ path }) => path);
    // The kind of a source is shown as one key of all kinds.
    expect(without).toEqual(["sources[].type"]);
  });

  test("has a default, unless it is required in a list item, a profile or of one backend, or follows another key", () => {
    const without = all.filter(({ node }) => node.default === undefined);
    expect(
      without
        .map(({ path }) => path)
        .filter(
          (path) => !/\[\]|\*|^auth\.session\.s3\.|^cache\.\w+\.bucket$|^content_state\.enabled$/.test(path),
        ),
    ).toEqual([]);
  });
});

test("the words that distinguish the members of a union are one key", () => {
  const backend = all.filter(({ path }) => path === "cache.origin.backend");
  expect(backend.map(({ node }) => [node.enum, node.default])).toEqual([
    [["heap", "filesystem", "redis", "s3", "none"], "filesystem"],
  ]);
});

test("a key names the backends that accept it, unless all do", () => {
  const backends = ["heap", "filesystem", "redis", "s3", "none"];
  const keys = all.filter(({ path }) => path.startsWith("cache.render."));
  expect(keys.length).toBeGreaterThan(10);
  for (const { path, of } of keys) {
    const key = path.split(".").at(-1);
    if (key === "backend") continue;
    // a value of the wrong form is refused too, but not as an unknown key
    const accepting = backends.filter((backend) => {
      const { problems } = loadConfig(`cache: { render: { backend: ${backend}, ${key}: {} } }`, {});
      return !problems?.some((problem) => problem.where === path && /unknown/i.test(problem.text));
    });
    expect([path, of ?? backends]).toEqual([path, accepting]);
  }
});

test("the variables that override the file are the documented four", () => {
  expect(all.flatMap(({ node }) => node.env ?? []).sort()).toEqual([
    "SERVICE_ADDR",
    "SERVICE_LOG_FORMAT",
    "SERVICE_LOG_LEVEL",
    "SERVICE_MAX_PIXEL_AREA",
  ]);
});

test("a key with different meanings for different backends has all of them, with their backends", () => {
  const revalidate = all.find(({ path }) => path === "sources[].revalidate");
  expect(revalidate?.node.description).toMatch(/^`filesystem`: .*file .* `http`, `s3`: .*server/);
});
