// Sources whose archives are folders: over files, a web server and a bucket.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { nativeZlib } from "../../../../src/server/platform/process/zlib.ts";
import { archiveKeys } from "../../../../src/server/sources/archive/archive-key.ts";
import { createArchives } from "../../../../src/server/sources/archive/archives.ts";
import { withArchives } from "../../../../src/server/sources/archive/source-with-archives.ts";
import { filesystemSource } from "../../../../src/server/sources/filesystem.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { sourceContract } from "../../../contracts/source.ts";
import { readCounts } from "../../../counts.ts";
import { masterOf } from "../../../servers/origin.ts";
import { httpSource, open, originWith, pattern } from "../origin/over-origin.ts";
import { writeZip } from "./written-zip.ts";

const page = pattern(5000);
const text = new TextEncoder().encode("<alto/>");
const zip = writeZip([
  { name: "page-001.jp2", data: page },
  { name: "page-001.xml", data: text, deflated: true },
  { name: "volume 2/page.jpg", data: text },
  { name: "inner.zip", data: writeZip([{ name: "a.jpg", data: page }]) },
  { name: "locked.jpg", data: text, says: { flags: 1 } },
]);

let root: string;
let source: Source;

const makeSource = (revalidateMs = 0, memoryBytes = 2 ** 32) =>
  withArchives(
    filesystemSource({ name: "images", root, prefix: "", files: nodeFiles(), revalidateMs }),
    createArchives({ memoryBytes, zlib: nativeZlib }),
  );

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "smalti-archives-"));
  writeFileSync(join(root, "scans.zip"), zip);
  source = makeSource();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The bytes of a master; undefined if it is not there. */
async function bytesOf(from: Source, key: string): Promise<Uint8Array | undefined> {
  const image = await from.open(key);
  const bytes = await image?.bytes.read(0, 1_000_000);
  await image?.close();
  return bytes;
}

describe("a key below an archive", () => {
  it("names a member, stored or deflated, in a folder or not", async () => {
    expect(await bytesOf(source, "scans.zip/page-001.jp2")).toEqual(page);
    expect(await bytesOf(source, "scans.zip/page-001.xml")).toEqual(text);
    expect(await bytesOf(source, "scans.zip/volume 2/page.jpg")).toEqual(text);
  });

  it.each(["scans.zip/page-002.jp2", "scans.zip/volume 2", "scans.zip/PAGE-001.jp2", "none.zip/a.jpg"])(
    "names nothing if there is no such member: %s",
    async (key) => {
      expect(await source.open(key)).toBeUndefined();
    },
  );

  it("names a section of the archive that a worker can open itself, if the member is stored", async () => {
    const { file, bytes } = await open(source, "scans.zip/page-001.jp2");
    const { offset = 0, length = 0 } = file?.section ?? {};
    expect(readFileSync(file!.path).subarray(offset, offset + length)).toEqual(Buffer.from(page));
    expect([file?.size, bytes.size]).toEqual([zip.length, page.length]);
    expect((await open(source, "scans.zip/page-001.xml")).file).toBeUndefined();
  });

  it("does not lead into an archive in an archive", async () => {
    expect((await bytesOf(source, "scans.zip/inner.zip"))?.length).toBeGreaterThan(page.length);
    expect(await source.open("scans.zip/inner.zip/a.jpg")).toBeUndefined();
  });

  it("of a refused member says why", async () => {
    await expect(source.open("scans.zip/locked.jpg")).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining("without a password"),
    });
  });

  it("leads into folders with the name of an archive, too, and into archives in them", async () => {
    mkdirSync(join(root, "folder.zip"));
    writeFileSync(join(root, "folder.zip", "a.jpg"), text);
    writeFileSync(join(root, "folder.zip", "b.cbz"), zip);
    expect(await bytesOf(source, "folder.zip/a.jpg")).toEqual(text);
    expect(await bytesOf(source, "folder.zip/b.cbz/page-001.jp2")).toEqual(page);
    expect((await source.list?.("folder.zip"))?.map(({ name }) => name)).toEqual(["a.jpg", "b.cbz"]);
  });

  it.each([
    "scans.zip/../scans.zip/page-001.jp2",
    "scans.zip//page-001.jp2",
    "scans.zip/./page-001.jp2",
    "scans.zip/",
  ])("is refused if it may lead elsewhere: %s", async (key) => {
    await expect(source.open(key)).rejects.toMatchObject({ kind: "bad-request" });
  });

  it("of a file that is no archive says so", async () => {
    writeFileSync(join(root, "photo.zip"), page);
    expect(await bytesOf(source, "photo.zip")).toEqual(page);
    await expect(source.open("photo.zip/a.jpg")).rejects.toMatchObject({ code: "archive_damaged" });
    await expect(source.list?.("photo.zip")).rejects.toMatchObject({ code: "archive_damaged" });
  });

  it("tries two archives on its way at most, and none in the host of an address", () => {
    expect(archiveKeys("a.zip/b.ZIP/c.cbz/d.zip/e")).toEqual([
      { archive: "a.zip", path: "b.ZIP/c.cbz/d.zip/e" },
      { archive: "a.zip/b.ZIP", path: "c.cbz/d.zip/e" },
    ]);
    expect(archiveKeys("https://a.zip/b/c.zip/d%20e.jpg")).toEqual([
      { archive: "https://a.zip/b/c.zip", path: "d e.jpg" },
    ]);
    // Each member has one address, so that no rule for its name is evaded by another one.
    for (const path of ["%2E%2E/x", "d%2Fe.jpg", "d%2Be.jpg", "%64.jpg", "%"])
      expect(archiveKeys(`https://a.zip/b/c.zip/${path}`), path).toEqual([]);
    expect([archiveKeys(".zip/a"), archiveKeys("a.zipper/b"), archiveKeys("azip/b")]).toEqual([[], [], []]);
  });
});

describe("an archive", () => {
  it("is listed as a folder, with the validators that opening returns", async () => {
    const entries = await source.list?.("scans.zip");
    const named = (name: string) => entries?.find((entry) => entry.name === name);
    expect(entries?.map(({ name, kind }) => [name, kind])).toEqual([
      ["inner.zip", "other"],
      ["page-001.jp2", "image"],
      ["page-001.xml", "other"],
      ["volume 2", "directory"],
    ]);
    expect(named("page-001.jp2")?.validator).toBe((await open(source, "scans.zip/page-001.jp2")).validator);
    expect((await source.list?.("scans.zip/volume 2/"))?.map(({ name }) => name)).toEqual(["page.jpg"]);
    expect(await source.list?.("scans.zip/none")).toBeUndefined();
  });

  it("ends a listing early if that is enough, and lists all the next time", async () => {
    let calls = 0;
    const some = await source.list?.("scans.zip", () => ++calls >= 2);
    expect(some).toHaveLength(2);
    expect(await source.list?.("scans.zip")).toHaveLength(4);
  });

  it("is listed once for each of its versions", async () => {
    const before = await source.list?.("scans.zip");
    expect(await source.list?.("scans.zip")).toBe(before);
    writeFileSync(join(root, "scans.zip"), writeZip([{ name: "other.jpg", data: page }]));
    expect((await source.list?.("scans.zip"))?.map(({ name }) => name)).toEqual(["other.jpg"]);
  });

  it("is a folder of the folder that holds it, unless that has images itself; at the top it always is", async () => {
    mkdirSync(join(root, "book"));
    writeFileSync(join(root, "book", "scans.zip"), zip);
    const kindOf = async (folder: string) =>
      (await source.list?.(folder))?.find(({ name }) => name === "scans.zip")?.kind;
    expect([await kindOf(""), await kindOf("book")]).toEqual(["directory", "directory"]);
    writeFileSync(join(root, "book", "page.jpg"), page);
    writeFileSync(join(root, "page.jpg"), page);
    expect([await kindOf(""), await kindOf("book")]).toEqual(["directory", "other"]);
    expect(await bytesOf(source, "book/scans.zip/page-001.jp2")).toEqual(page);
  });

  it("has what it has, and nothing else", async () => {
    const has = (key: string) => source.has?.(key);
    for (const key of ["scans.zip", "scans.zip/page-001.jp2", "scans.zip/volume 2"])
      expect(await has(key), key).toBe(true);
    for (const key of ["scans.zip/none", "scans.zip/volume", "none.zip/a", "none"])
      expect(await has(key), key).toBe(false);
  });

  it("has a state for each member, which changes with the archive", async () => {
    const path = join(root, "scans.zip");
    const age = (seconds: number) =>
      utimesSync(path, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
    const stateOf = (key: string) => source.stateOf?.(key);
    age(100);
    await expect.poll(() => stateOf("scans.zip/page-001.jp2")).toBeDefined();
    const before = await stateOf("scans.zip/page-001.jp2");
    expect(await stateOf("scans.zip/none")).toBeUndefined();
    age(90);
    await expect.poll(() => stateOf("scans.zip/page-001.jp2")).toBeDefined();
    expect(await stateOf("scans.zip/page-001.jp2")).not.toBe(before);
  });

  it("that is replaced is read again, while its members have other validators", async () => {
    const before = await open(source, "scans.zip/page-001.jp2");
    const other = writeZip([{ name: "page-001.jp2", data: text }]);
    writeFileSync(join(root, "new"), other);
    renameSync(join(root, "new"), join(root, "scans.zip"));
    const after = await open(source, "scans.zip/page-001.jp2");
    expect(await after.bytes.read(0, 100)).toEqual(text);
    expect(after.validator).not.toBe(before.validator);
    expect(await before.hasChanged?.()).toBe(true);
  });

  it("that is replaced while its facts count as known is read again, too", async () => {
    const slow = makeSource(60_000);
    expect((await slow.list?.("scans.zip"))?.length).toBe(4);
    const other = [
      { name: "another.jpg", data: page },
      { name: "page-001.jp2", data: text },
    ];
    writeFileSync(join(root, "new"), writeZip(other));
    renameSync(join(root, "new"), join(root, "scans.zip"));
    expect(await bytesOf(slow, "scans.zip/page-001.jp2")).toEqual(text);
  });

  it("is read once for all who ask at the same time, and again after a change alone", async () => {
    await source.open("scans.zip");
    const before = readCounts(source.counts);
    await Promise.all(Array.from({ length: 20 }, () => open(source, "scans.zip/page-001.jp2")));
    // The end, the directory, and at most the local header for each of them.
    expect(readCounts(source.counts).reads - before.reads).toBeLessThanOrEqual(22);
    const later = readCounts(source.counts).reads;
    await open(source, "scans.zip/page-001.jp2");
    expect(readCounts(source.counts).reads - later).toBe(0);
  });

  it("that cannot be read is not read again until it changes", async () => {
    writeFileSync(join(root, "bad.zip"), page);
    await expect(source.open("bad.zip/a.jpg")).rejects.toThrow(/end is missing/);
    const before = readCounts(source.counts).reads;
    await expect(source.open("bad.zip/b.jpg")).rejects.toThrow(/end is missing/);
    expect(readCounts(source.counts).reads).toBe(before);
  });

  it("has deflated members that are inflated once", async () => {
    const first = await open(source, "scans.zip/page-001.xml");
    await Promise.all([first.bytes.read(0, 3), first.bytes.read(3, 3)]);
    const before = readCounts(source.counts).reads;
    const again = await open(source, "scans.zip/page-001.xml");
    expect(await again.bytes.read(2, 3)).toEqual(text.slice(2, 5));
    expect(readCounts(source.counts).reads).toBe(before);
  });

  it("has several large deflated members in memory, so that readers who alternate inflate each once", async () => {
    const data = new Uint8Array(63 * 2 ** 20);
    const members = ["a.tif", "b.tif", "c.tif", "d.tif"];
    writeFileSync(join(root, "large.zip"), writeZip(members.map((name) => ({ name, data, deflated: true }))));
    const images = await Promise.all(members.map((name) => open(source, `large.zip/${name}`)));
    for (const { bytes } of images) await bytes.read(0, 3);
    const before = readCounts(source.counts).reads;
    for (const { bytes } of images) await bytes.read(data.length - 3, 3);
    expect(readCounts(source.counts).reads).toBe(before);
  });

  it("has no deflated member of more than 64 MiB, and says how to store it", async () => {
    const data = new Uint8Array(64 * 2 ** 20 + 1);
    writeFileSync(join(root, "large.zip"), writeZip([{ name: "a.tif", data, deflated: true }]));
    const { bytes } = await open(source, "large.zip/a.tif");
    await expect(bytes.read(0, 10)).rejects.toMatchObject({
      code: "deflated_too_large",
      message: expect.stringContaining("zip -0"),
    });
  });
});

describe("on a small machine", () => {
  it("deflated members have to be smaller, and directories too", async () => {
    const data = pattern(3_000_000);
    writeFileSync(join(root, "large.zip"), writeZip([{ name: "a.tif", data, deflated: true }]));
    const names = Array.from({ length: 9000 }, (_, n) => ({ name: `page-${n}.jpg` }));
    writeFileSync(join(root, "many.zip"), writeZip(names));
    const bytesAt = async (memory: number, key: string) => bytesOf(makeSource(0, memory), key);
    expect((await bytesAt(2 ** 25, "large.zip/a.tif"))?.length).toBe(1_000_000);
    await expect(bytesAt(2 ** 24, "large.zip/a.tif")).rejects.toMatchObject({ code: "deflated_too_large" });
    expect((await bytesAt(2 ** 25, "many.zip/page-1.jpg"))?.length).toBe(0);
    await expect(bytesAt(2 ** 20, "many.zip/page-1.jpg")).rejects.toMatchObject({
      code: "archive_unsupported",
      message: expect.stringContaining("memory"),
    });
  });
});

describe("with archives, all else is as before", () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-archives-contract-"));
  writeFileSync(join(folder, "a.jpg"), page);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const plain = withArchives(
    filesystemSource({ name: "images", root: folder, prefix: "", files: nodeFiles() }),
    createArchives({ memoryBytes: 2 ** 32 }),
  );
  sourceContract("filesystem", { source: () => plain, key: "a.jpg", content: () => page });
});

describe("a member", () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-archives-member-"));
  writeFileSync(join(folder, "scans.zip"), zip);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const own = withArchives(
    filesystemSource({ name: "images", root: folder, prefix: "", files: nodeFiles() }),
    createArchives({ memoryBytes: 2 ** 32 }),
  );
  sourceContract("filesystem", {
    source: () => own,
    key: "scans.zip/page-001.jp2",
    content: () => page,
    // A member that is not there is looked for in its archive.
    opensToMiss: 1,
  });
});

describe("an archive on a web server", () => {
  it("is read by ranges: its state, its end with the directory, and the member", async () => {
    const members = Array.from({ length: 300 }, (_, n) => ({
      name: `page-${n}.jp2`,
      data: pattern(40_000, n),
    }));
    const archive = writeZip(members);
    const origin = await originWith({ "scans.zip": masterOf(archive) });
    const remote = httpSource(origin);
    const image = await open(remote, "scans.zip/page-150.jp2");
    expect(Buffer.compare(await image.bytes.read(0, 40_000), members[150]!.data)).toBe(0);
    expect(origin.since().requests).toBe(3);
    await open(remote, "scans.zip/page-150.jp2");
    expect(origin.since().requests).toBe(0);
    expect((await open(remote, "scans.zip/page-151.jp2")).bytes.size).toBe(40_000);
    // The server may have it besides the archive, and is asked once.
    for (const requests of [1, 0]) {
      expect(await remote.open("scans.zip/none.jp2")).toBeUndefined();
      expect(origin.since().requests).toBe(requests);
    }
  });
});
