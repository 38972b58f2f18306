// Purges of all images of a folder: which ones that removes, and when it is refused.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PurgeParts } from "../../../src/server/images/purge.ts";
import { purgeFolder } from "../../../src/server/images/purge-folder.ts";
import { fixture } from "../../host.ts";
import { type Served, served } from "../../served.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-purge-folder-"));
  for (const name of ["maps/deep/er", "maps2", "atlas/one"])
    await mkdir(join(folder, name), { recursive: true });
  for (const name of [
    "maps/a.png",
    "maps/deep/er/b.png",
    "maps/without-extension",
    "maps2/c.png",
    "maps.png",
  ])
    await writeFile(join(folder, name), fixture("base.png"));
  await writeFile(join(folder, "atlas/one/p.png"), fixture("base.png"));
  await writeFile(
    join(folder, "mapping.csv"),
    "identifier,key\nms-1/1,maps/a.png\nms-1/2,maps2/c.png\nms-2/1,maps.png\n",
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const quoted = (name: string) => JSON.stringify(join(folder, name));

/** A service over files, over the folder atlas below the prefix `maps/atlas/`, and over a web server. */
async function open(more = "") {
  const app = await served(
    `sources:
  - { name: files, type: filesystem, root: ${quoted("")} }
  - { name: atlas, type: filesystem, prefix: maps/atlas/, root: ${quoted("atlas")} }
  - { name: web, type: http, prefix: web/, url: "http://127.0.0.1:9/{identifier}" }
cache: { render: { backend: heap }, info: { backend: heap }, origin: { backend: heap } }
${more}`,
  );
  const parts: PurgeParts = { ...app.service, aliases: app.service.config().aliases };
  const settled = () => Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
  return { ...app, parts, settled };
}

const pathOf = (identifier: string, width: number) =>
  `/iiif/3/${encodeURIComponent(identifier)}/full/${width},/0/default.jpg`;

/** Returns whether the derivative was in the cache. */
async function isCached({ get }: Pick<Served, "get">, path: string): Promise<boolean> {
  const response = await get(path);
  await response.arrayBuffer();
  expect([path, response.status]).toEqual([path, 200]);
  return response.headers.get("Cache-Status") === "smalti; hit";
}

const inside = ["maps/a.png", "maps/deep/er/b.png", "maps/without-extension", "maps/atlas/one/p.png"];
const outside = ["maps2/c.png", "maps.png"];

test.each(["maps", "maps/"])(
  "purging %s removes the images of it and of the folders below it, and no others",
  async (name) => {
    const app = await open();
    const paths = [...inside, ...outside].flatMap((each) => [pathOf(each, 50), pathOf(each, 60)]);
    for (const path of paths) await isCached(app, path);
    await app.settled();
    const progress: number[] = [];
    const { purged, masters } = await purgeFolder(app.parts, name, {
      onProgress: (each) => progress.push(each),
    });
    // Of each image two derivatives and its header.
    expect([purged.render, purged.info, masters]).toEqual([8, 4, 4]);
    expect(progress).toEqual([1, 2, 3, 4]);
    for (const each of outside) expect([each, await isCached(app, pathOf(each, 50))]).toEqual([each, true]);
    for (const each of inside) expect([each, await isCached(app, pathOf(each, 50))]).toEqual([each, false]);
    await app.service.close();
  },
);

test("a folder inside the prefix of a source is a folder of that source", async () => {
  const app = await open();
  for (const each of inside) await isCached(app, pathOf(each, 50));
  await app.settled();
  expect((await purgeFolder(app.parts, "maps/atlas/one")).purged.render).toBe(1);
  expect((await purgeFolder(app.parts, "maps/atlas")).purged.render).toBe(0);
  expect(await isCached(app, pathOf("maps/a.png", 50))).toBe(true);
  await app.service.close();
});

test.each(["", "/", "//", " ", " / "])(
  "a folder named %j is refused, and nothing is purged",
  async (name) => {
    const app = await open();
    for (const each of inside) await isCached(app, pathOf(each, 50));
    await app.settled();
    await expect(purgeFolder(app.parts, name)).rejects.toMatchObject({
      kind: "bad-request",
      code: "invalid_purge_request",
    });
    for (const each of inside) expect([each, await isCached(app, pathOf(each, 50))]).toEqual([each, true]);
    await app.service.close();
  },
);

test("identifiers that a hook maps have the folders of their own names", async () => {
  const app = await open(
    `hook: { engine: lookup, lookup: { file: ${quoted("mapping.csv")}, unmapped: pass } }`,
  );
  for (const each of ["ms-1/1", "ms-1/2", "ms-2/1"]) await isCached(app, pathOf(each, 50));
  await app.settled();
  expect(await purgeFolder(app.parts, "ms-1")).toMatchObject({ purged: { render: 2 }, masters: 2 });
  expect(await isCached(app, pathOf("ms-2/1", 50))).toBe(true);
  expect(await isCached(app, pathOf("ms-1/2", 50))).toBe(false);
  await app.service.close();
});

test.each([
  ["nowhere", { kind: "not-found", code: "no_such_folder" }],
  ["maps/a.png", { kind: "not-found", code: "no_such_folder" }],
  ["maps/../maps2", { kind: "not-found", code: "identifier_refused" }],
  ["/etc", { kind: "not-found", code: "identifier_refused" }],
  ["web/maps", { kind: "unsupported", code: "source_cannot_list" }],
])("purging %s is refused", async (name, error) => {
  const app = await open();
  await expect(purgeFolder(app.parts, name)).rejects.toMatchObject(error);
  await app.service.close();
});

test("a purge stops when it is told to", async () => {
  const app = await open();
  const reason = new Error("stopped");
  await expect(purgeFolder(app.parts, "maps", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  await app.service.close();
});
