// Folders as the operator sees them: all that the source lists, in natural order, by pages, whatever the
// access rules say.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createOperatorFolders,
  type OperatorFolders,
} from "../../../src/server/manifests/browse/operator-folder.ts";
import { type Served, served } from "../../served.ts";

let top: string;
let app: Served;
let operator: OperatorFolders;
/** Milliseconds, as the remembered listings see them. */
let time = 0;

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "smalti-operator-"));
  for (const folder of ["main/Box 10", "main/Box 9/inner", "main/gated", "other/deep", "outside"])
    mkdirSync(join(top, folder), { recursive: true });
  for (const file of [
    "main/b 10.png",
    "main/b 9.tif",
    "main/notes.txt",
    "main/manifest.yaml",
    "main/.hidden.png",
    "main/Thumbs.db",
    "main/back\\slash.png",
    "main/gated/secret.png",
    "main/Box 9/inner/needle 1.png",
    "other/deep/needle 2.jp2",
    "outside/never.png",
  ])
    writeFileSync(join(top, file), "");
  const root = (name: string) => JSON.stringify(join(top, name));
  app = await served(`
sources:
  - { name: main, type: filesystem, root: ${root("main")} }
  - { name: shelf, type: filesystem, root: ${root("other")}, prefix: shelf/ }
  - { name: web, type: http, url: "http://127.0.0.1:9/{identifier}", prefix: web/ }
auth:
  profiles: { staff: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } } }
  rules: [{ match: gated/*, profile: staff }]
`);
  operator = createOperatorFolders(app.service, () => time);
});
afterAll(async () => {
  await app.service.close();
  rmSync(top, { recursive: true, force: true });
});

const page = (identifier: string, from = 0, count = 100, words: readonly string[] = []) =>
  operator.open({ identifier, from, count, words });
const names = async (identifier: string, from?: number, count?: number) =>
  (await page(identifier, from, count)).entries.map(({ kind, name }) => `${kind} ${name}`);

test("a folder shows its folders, its images and its other files, each in natural order, gated ones too", async () => {
  expect(await names("")).toEqual([
    "folder Box 9",
    "folder Box 10",
    "folder gated",
    "image b 9.tif",
    "image b 10.png",
    "other back\\slash.png",
    "other manifest.yaml",
    "other notes.txt",
  ]);
  expect((await page("")).counts).toEqual({ folder: 3, image: 2, other: 3 });
  expect(await names("gated")).toEqual(["image secret.png"]);
});

test("identifiers are those that requests use, with the prefix of their source", async () => {
  const { entries, source, trail } = await page("shelf/deep");
  expect(entries).toEqual([{ kind: "image", identifier: "shelf/deep/needle 2.jp2", name: "needle 2.jp2" }]);
  expect(source.name).toBe("shelf");
  expect(trail).toEqual([
    { identifier: "shelf", name: "shelf" },
    { identifier: "shelf/deep", name: "deep" },
  ]);
  expect((await page("Box 9/inner")).trail).toEqual([
    { identifier: "Box 9", name: "Box 9" },
    { identifier: "Box 9/inner", name: "inner" },
  ]);
});

test("pages follow one another, and one behind the end is the last", async () => {
  expect(await names("", 0, 3)).toEqual(["folder Box 9", "folder Box 10", "folder gated"]);
  const second = await page("", 3, 3);
  expect([second.from, second.total]).toEqual([3, 8]);
  expect(second.entries.map(({ name }) => name)).toEqual(["b 9.tif", "b 10.png", "back\\slash.png"]);
  expect((await page("", 1000, 3)).from).toBe(6);
});

test("a search finds names in the folder and all below it, in the tops of other sources from the root", async () => {
  // On a busy machine the first search does not wait for the whole index.
  const found = async () => (await page("", 0, 100, ["needle"])).entries.map(({ identifier }) => identifier);
  await expect.poll(found).toEqual(["Box 9/inner/needle 1.png", "shelf/deep/needle 2.jp2"]);
  expect((await page("Box 9", 0, 100, ["needle"])).total).toBe(1);
  expect((await page("", 0, 100, ["never"])).total).toBe(0);
});

test("the pages of one folder are pages of one listing for ten seconds", async () => {
  expect(await names("shelf")).toEqual(["folder deep"]);
  writeFileSync(join(top, "other/new.png"), "");
  time += 9_000;
  expect(await names("shelf")).toEqual(["folder deep"]);
  time += 1_000;
  expect(await names("shelf")).toEqual(["folder deep", "image new.png"]);
});

test.each(["web", "web/any"])("%s: a source that cannot list says so", async (identifier) => {
  await expect(page(identifier)).rejects.toMatchObject({ code: "source_cannot_list", kind: "unsupported" });
});

test.each(["nowhere", "b 9.tif", "Box 9/nowhere", "outside"])("%s is not a folder", async (identifier) => {
  await expect(page(identifier)).rejects.toMatchObject({ code: "no_such_folder", kind: "not-found" });
});

test("a folder of 20,000 files is listed once, and each of its pages has the requested entries", async () => {
  mkdirSync(join(top, "main/long"));
  for (let n = 0; n < 20_000; n++) writeFileSync(join(top, `main/long/${n}.png`), "");
  const last = await page("long", 19_990, 60);
  expect([last.total, last.entries.length, last.entries.at(-1)?.name]).toEqual([20_000, 10, "19999.png"]);
});
