// Cached listings of folders: listed once for all concurrent callers, and no longer than they are valid.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgetHeaders } from "../../../src/server/images/describe.ts";
import { Folders } from "../../../src/server/manifests/folders/folders.ts";
import { createYamlReader } from "../../../src/server/manifests/folders/yaml-reader.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../src/server/sources/filesystem.ts";
import type { Source } from "../../../src/server/sources/source.ts";
import { slotOver } from "../sources/origin/over-origin.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "smalti-folders-"));
  for (const name of ["page 10.jpg", "Page 2.jpg", "page 1.jpg", "a.txt"])
    await writeFile(join(root, name), "");
});
afterAll(() => rm(root, { recursive: true }));

/** A source that counts its listings and waits with each for `gate`. */
function counting(gate: Promise<void> = Promise.resolve()) {
  const files = filesystemSource({ name: "f", root, prefix: "", files: nodeFiles() });
  let listings = 0;
  const stopped: boolean[] = [];
  const list: Source["list"] = async (prefix, enough, validators) => {
    listings++;
    await gate;
    stopped.push(enough?.() ?? false);
    return files.list?.(prefix, enough, validators);
  };
  return { source: { ...files, list }, listings: () => listings, stopped };
}

/** Creates a source whose listings wait until it is opened. */
function gated() {
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  return { ...counting(gate), open: () => open() };
}

const readYaml = createYamlReader({ platform: {} }).read;
const folders = (now: () => number = () => 0, info = slotOver()) =>
  new Folders({ info, readYaml, times: () => ({ revalidateMs: 1000, staleMs: 0 }), now });

test("images are listed in natural order, each with its validator", async () => {
  const { source } = counting();
  const folder = await folders().find(source, "");
  expect(folder?.listing.images.map(({ name }) => name)).toEqual(["page 1.jpg", "Page 2.jpg", "page 10.jpg"]);
  const master = await source.open("page 1.jpg");
  expect(folder?.listing.images[0]?.validator).toBe(master?.validator);
});

test("concurrent callers share one listing, and all callers use it while it is valid", async () => {
  let time = 0;
  const { source, listings } = counting();
  const kept = folders(() => time);
  const found = await Promise.all(Array.from({ length: 20 }, () => kept.find(source, "")));
  expect(new Set(found).size).toBe(1);
  time = 999;
  expect(await kept.find(source, "")).toBe(found[0]);
  expect(listings()).toBe(1);
  time = 1000;
  await kept.find(source, "");
  expect(listings()).toBe(2);
});

test("a folder that is not there is not asked for again while that counts", async () => {
  const { source, listings } = counting();
  const kept = folders();
  expect([await kept.find(source, "none"), await kept.find(source, "none")]).toEqual([undefined, undefined]);
  expect(listings()).toBe(1);
});

test("a listing ends when all who wait for it have left, and the next one asks again", async () => {
  let open = () => {};
  const { source, listings, stopped } = counting(new Promise((resolve) => (open = resolve)));
  const kept = folders();
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [one, other].map(({ signal }) => kept.find(source, "", signal));
  one.abort();
  await expect(waiting[0]).rejects.toMatchObject({ kind: "cancelled" });
  other.abort();
  await expect(waiting[1]).rejects.toMatchObject({ kind: "cancelled" });
  open();
  expect((await kept.find(source, ""))?.listing.images).toHaveLength(3);
  expect([listings(), stopped]).toEqual([2, [true, false]]);
});

test("facts of an image are cached while its validator is the same", async () => {
  let time = 0;
  const kept = folders(() => time);
  const { source } = counting();
  const facts = { size: { width: 1, height: 2 }, pages: 1 };
  const before = await kept.find(source, "");
  for (const { name, validator = "" } of before?.listing.images ?? [])
    before?.facts.set(name, { validator, facts });
  await writeFile(join(root, "page 10.jpg"), "longer");
  time = 1000;
  const after = await kept.find(source, "");
  expect([...(after?.facts.keys() ?? [])]).toEqual(["page 1.jpg", "Page 2.jpg"]);
});

test("nothing from before a purge of facts is used, nor shared with listings in progress", async () => {
  const info = slotOver();
  const kept = folders(undefined, info);
  const first = await kept.find(counting().source, "");
  forgetHeaders(info);
  const [before, after] = [gated(), gated()];
  const early = kept.find(before.source, "");
  forgetHeaders(info);
  const late = kept.find(after.source, "");
  before.open();
  const serials = [first?.serial, (await early)?.serial];
  after.open();
  serials.push((await late)?.serial);
  expect(new Set(serials).size).toBe(3);
  expect([before.listings(), after.listings()]).toEqual([1, 1]);
});

test("a folder that is listed again is another one only when something in it changed", async () => {
  let now = 0;
  const { source } = counting();
  const known = folders(() => now);
  const first = await known.find(source, "");
  now += 1000;
  expect(await known.find(source, "")).toBe(first);
  await writeFile(join(root, "page 1.jpg"), "changed");
  now += 1000;
  const changed = await known.find(source, "");
  expect(changed?.serial).not.toBe(first?.serial);
  await writeFile(join(root, "manifest.yaml"), "label: x");
  now += 1000;
  expect((await known.find(source, ""))?.serial).not.toBe(changed?.serial);
  await rm(join(root, "manifest.yaml"));
});
