// Keys and entity tags of masters that share a validator, as objects of a remote source may: two copies of
// one file have the same ETag.

import { describe, expect, test } from "vitest";
import type { OutputPolicy } from "../../../src/imaging/plan/policy.ts";
import { publicGrant } from "../../../src/server/access/access.ts";
import {
  type EntryKey,
  entityTag,
  factsKey,
  renderKey,
  renderName,
  settledVersion,
  sidecarKey,
} from "../../../src/server/images/cache-keys.ts";

const source = { name: "scans", fingerprint: "filesystem /scans" };
const masterAt = (key: string) => ({ source, key, page: 1, validator: '"same"', grant: publicGrant });
const geometry = {
  scaleFactor: 1,
  region: { x: 0, y: 0, width: 8, height: 8 },
  size: { width: 8, height: 8 },
};
const policy = {} as OutputPolicy;
const parameters = "full/max/0/default.jpg";
const rendered = (key: string) =>
  renderKey({ version: 3, canonical: parameters }, masterAt(key), policy, geometry);

/** Returns two keys of one source whose entry names have the same quick hash in entity tags. */
function alikeKeys(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let nth = 0; nth < 1_000_000; nth++) {
    const key = `${nth}.tif`;
    const name = renderName(masterAt(key), 3, parameters, "public");
    const quick = entityTag({ name, variant: "" });
    const before = seen.get(quick);
    if (before !== undefined) return [before, key];
    seen.set(quick, key);
  }
  throw new Error("no two names were alike");
}

test("derivatives of limited detail have entries by their visible part, and share none with unlimited ones", async () => {
  const size = { width: 2, height: 2 };
  const limited = [
    { grid: { width: 8, height: 8 }, cells: { x: 0, y: 0, width: 2, height: 2 } },
    { grid: { width: 8, height: 8 }, cells: { x: 1, y: 0, width: 2, height: 2 } },
    { grid: { width: 6, height: 8 }, cells: { x: 0, y: 0, width: 2, height: 2 } },
    undefined,
  ].map((detail) =>
    renderKey({ version: 3, canonical: parameters }, masterAt("a.tif"), policy, {
      ...(detail && { detail }),
      size,
    }),
  );
  const variants = (await Promise.all(limited)).map(({ variant }) => variant);
  expect(new Set(variants).size).toBe(4);
});

test("the bytes of a file have an identity of their own once they are two seconds old", () => {
  const changed = new Date("2026-01-31T12:00:00Z");
  const after = (ms: number) => settledVersion(masterAt("a.tif"), changed, changed.getTime() + ms);
  expect(after(1999)).toBeUndefined();
  const version = after(2000);
  expect(version).toBeDefined();
  expect(settledVersion(masterAt("a.tif"), undefined, 0)).toBe(version);
  const others = [
    masterAt("b.tif"),
    { ...masterAt("a.tif"), validator: '"other"' },
    { ...masterAt("a.tif"), source: { ...source, fingerprint: "filesystem /others" } },
  ];
  for (const other of others) expect(settledVersion(other, undefined, 0)).not.toBe(version);
});

test("each layer of a sidecar has an entry of its own", async () => {
  const layers = ["ground", "overview", "pyramid", "level4", "level2"] as const;
  const keys = await Promise.all(layers.map((layer) => sidecarKey(masterAt("a.tif"), layer)));
  expect(new Set(keys.map(({ variant }) => variant)).size).toBe(layers.length);
  expect(new Set(keys.map(({ name }) => name)).size).toBe(1);
});

describe("two masters of one source with the same validator", () => {
  test("under one identifier for different clients have different entity tags, whatever their names add up to", async () => {
    const [one, other] = alikeKeys();
    expect(entityTag(await rendered(one))).not.toBe(entityTag(await rendered(other)));
  });

  test.each<[string, (key: string) => Promise<EntryKey>]>([
    ["derivatives", rendered],
    ["facts", (key) => factsKey(masterAt(key))],
    ["sidecars", (key) => sidecarKey(masterAt(key), "ground")],
  ])("have different variants of %s", async (_, keyOf) => {
    expect((await keyOf("a.tif")).variant).not.toBe((await keyOf("b.tif")).variant);
  });
});
