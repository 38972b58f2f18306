// Work on whole collections: an archive has the results of a folder of the same files.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportCollection } from "../../../src/cli/collection/export/export.ts";
import { Target } from "../../../src/cli/collection/export/target.ts";
import { warm } from "../../../src/cli/collection/warm/warm.ts";
import { purgeFolder } from "../../../src/server/images/purge-folder.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";
import { writeZip } from "../../server/sources/archive/written-zip.ts";

const names = ["jpg-gray.jpg", "jp2-tiled-128.jp2", "tif-multipage-3sizes.tif"];
/** Names of the folder and the archive, of equal length, in collections of their own. */
const [folderName, archiveName] = ["pages.dir", "pages.zip"];

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-archive-collection-"));
  mkdirSync(join(top, "one", folderName), { recursive: true });
  mkdirSync(join(top, "other"));
  for (const name of names) cpSync(join(fixturesFolder, name), join(top, "one", folderName, name));
  const members = names.map((name) => ({ name, data: readFileSync(join(fixturesFolder, name)) }));
  writeFileSync(join(top, "other", archiveName), writeZip(members));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Runs work on each of the two collections, and returns both results. */
async function onBoth<T>(work: (app: Awaited<ReturnType<typeof served>>, name: string) => Promise<T>) {
  const results: T[] = [];
  for (const [folder, name] of [
    ["one", folderName],
    ["other", archiveName],
  ] as const) {
    const root = JSON.stringify(join(top, folder));
    const store = `{ backend: filesystem, path: ${JSON.stringify(join(top, `cache-${name}`))} }`;
    const app = await served(
      `sources: [{ name: masters, type: filesystem, root: ${root} }]\ncache: { render: ${store}, info: ${store}, origin: ${store} }`,
    );
    results.push(await work(app, name));
    await app.service.close();
  }
  return results as [T, T];
}

test("an export has the same files with the same content", async () => {
  const exported = async ({ service }: Awaited<ReturnType<typeof served>>, name: string) => {
    const out = join(top, `out-${name}`);
    const report = await exportCollection(service, {
      selection: [],
      target: new Target(nodeFiles(), out),
      version: 3,
      base: "https://static.test",
      concurrency: 2,
      pages: "all",
      signal: new AbortController().signal,
    });
    expect([report.images, report.failed]).toEqual([5, 0]);
    const found = readdirSync(out, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const contents = found.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      const content = readFileSync(path, "latin1").replaceAll(name, "{name}");
      return [path.slice(out.length).replaceAll(name, "{name}"), content] as const;
    });
    return contents.filter(([path]) => !/export|\.smalti/.test(path)).sort(([a], [b]) => (a < b ? -1 : 1));
  };
  const [folder, archive] = await onBoth(exported);
  expect(folder.length).toBeGreaterThan(20);
  expect(archive.map(([path]) => path)).toEqual(folder.map(([path]) => path));
  for (const [i, [path, content]] of archive.entries()) expect(content === folder[i]?.[1], path).toBe(true);
});

test("warming makes as much, and a purge of the folder removes as much", async () => {
  const [folder, archive] = await onBoth(async ({ service }, name) => {
    const signal = new AbortController().signal;
    const options = {
      selection: [name],
      concurrency: 2,
      levels: 2,
      pages: "all",
      texts: false,
      signal,
    } as const;
    const { seconds: _, slowest: __, ...report } = await warm(service, options);
    await Promise.all(service.slots.all.map((slot) => slot.whenSettled()));
    const { purged, masters } = await purgeFolder({ ...service, aliases: [] }, name);
    return JSON.parse(JSON.stringify({ report, purged, masters }).replaceAll(name, "{name}"));
  });
  expect(folder.masters).toBe(3);
  expect(folder.purged.render).toBeGreaterThan(3);
  expect(archive).toEqual(folder);
});
