// @module-tag slow
import { execFile } from "node:child_process";
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { concatenate } from "../../../../src/base/bytes/concatenate.ts";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemStore } from "../../../../src/server/stores/filesystem/filesystem.ts";
import { storeContract } from "../../../contracts/store.ts";
import { bytesBelow, type Folder, fileHolding, filesBelow, temporaryFolder } from "./folder.ts";

const files = nodeFiles();

storeContract("filesystem", async (options) => {
  const folder = await temporaryFolder();
  return { store: filesystemStore({ files, path: folder.path, ...options }), cleanUp: folder.remove };
});

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const open = (maxBytes = 1 << 20, over: FileSystem = files) =>
  filesystemStore({ files: over, path: join(folder.path, "cache"), maxBytes });

/** Makes a file look as if it was last used the given number of hours ago. */
async function age(file: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(file, then, then);
}

describe("the folder of a filesystem store", () => {
  it("is not created before the first entry is written", async () => {
    const store = open();
    expect(await store.get("a", "")).toBeUndefined();
    expect(await store.delete("a")).toBe(0);
    expect(await store.usage?.()).toEqual({ entries: 0, bytes: 0 });
    await store.clear?.();
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("holds one file for each entry, named by hashes alone", async () => {
    const store = open();
    await store.set("../../../etc/passwd", "/tmp/x", new Uint8Array(3));
    await store.set("images:a/b.jpg", "", new Uint8Array(3));
    const names = (await filesBelow(folder.path)).map((file) => file.slice(folder.path.length));
    expect(names.length).toBe(2);
    for (const name of names)
      expect(name).toMatch(/^\/cache\/v1\/([0-9a-f]{2})\/\1[0-9a-f]{30}\/[0-9a-f]{64}$/);
  });

  it("outlives the store", async () => {
    await open().set("a", "x", Uint8Array.of(1, 2));
    const later = open();
    expect(await later.get("a", "x")).toEqual(Uint8Array.of(1, 2));
    expect((await later.usage?.())?.entries).toBe(1);
  });

  it("keeps files that are not ours when it is cleared", async () => {
    const store = open();
    await store.set("a", "", new Uint8Array(3));
    const strangers = [
      join(folder.path, "cache", "notes.txt"),
      join(folder.path, "cache", "v1", "notes.txt"),
    ];
    for (const stranger of strangers) await writeFile(stranger, "mine");
    await store.clear?.();
    expect(await filesBelow(folder.path)).toEqual(strangers.sort());
  });

  it("reports that it cannot be used if a file is in its place", async () => {
    await writeFile(join(folder.path, "cache"), "a file");
    await expect(open().check()).rejects.toThrow("cannot be written");
  });
});

describe("an entry that is damaged", () => {
  const value = Uint8Array.of(5, 6, 7, 8);
  let file: string;
  let whole: Uint8Array;
  beforeEach(async () => {
    await open().set("name", "variant", value);
    file = await fileHolding(folder.path, '["name","variant"]');
    whole = await readFile(file);
  });

  const expectGone = async (damaged: Uint8Array, what: string) => {
    await writeFile(file, damaged);
    expect(await open().get("name", "variant"), what).toBeUndefined();
    expect(await filesBelow(folder.path), what).toEqual([]);
  };

  it("is a miss and is removed, whichever byte changed", async () => {
    for (let at = 0; at < whole.length; at++)
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = Uint8Array.from(whole);
        damaged[at] = (damaged[at] as number) ^ mask;
        await expectGone(damaged, `byte ${at} with ${mask}`);
      }
  });

  it("is a miss and is removed, wherever it was cut, and when something was appended", async () => {
    for (let length = 0; length < whole.length; length++)
      await expectGone(whole.slice(0, length), `cut at ${length}`);
    await expectGone(Uint8Array.of(...whole, 0), "one more byte");
    await expectGone(new Uint8Array(whole.length), "zeros, as after a power cut");
  });

  it("is a miss when it is another entry's file", async () => {
    const store = open();
    await store.set("other", "variant", Uint8Array.of(1));
    await copyFile(await fileHolding(folder.path, '["other","variant"]'), file);
    expect(await store.get("name", "variant")).toBeUndefined();
    expect(await store.get("other", "variant")).toEqual(Uint8Array.of(1));
  });

  it("can be written again", async () => {
    const store = open();
    await truncate(file, 10);
    expect(await store.get("name", "variant")).toBeUndefined();
    await store.set("name", "variant", value);
    expect(await store.get("name", "variant")).toEqual(value);
  });
});

describe("something other than an entry", () => {
  const value = Uint8Array.of(5, 6, 7, 8);
  const kinds: [string, (place: string) => Promise<unknown>][] = [
    ["a pipe", (place) => promisify(execFile)("mkfifo", [place])],
    ["a folder", (place) => mkdir(join(place, "with/more"), { recursive: true })],
    ["a link to a device", (place) => symlink("/dev/zero", place)],
    ["a link to nothing", (place) => symlink("nowhere", place)],
    ["a link to a whole entry", (place) => symlink(`${folder.path}/moved`, place)],
  ];
  it.each(kinds)("is skipped and replaced: %s", async (_, make) => {
    const store = open();
    await store.set("name", "variant", value);
    await store.set("name", "other", value);
    const file = await fileHolding(folder.path, '["name","variant"]');
    await rename(file, `${folder.path}/moved`);
    await make(file);
    expect(await store.get("name", "variant")).toBeUndefined();
    expect((await open().usage?.())?.entries).toBe(1);
    await store.set("name", "variant", value);
    expect(await store.get("name", "variant")).toEqual(value);
    expect((await lstat(file)).isFile()).toBe(true);
    expect((await open().usage?.())?.entries).toBe(2);
  });

  it.each(kinds)("survives a removal and is removed when everything is cleared: %s", async (_, make) => {
    const store = open();
    await store.set("name", "variant", value);
    const file = await fileHolding(folder.path, '["name","variant"]');
    await rename(file, `${folder.path}/moved`);
    await make(file);
    await make(dirname(dirname(file)).replace(/..$/, (shard) => (shard === "00" ? "01" : "00")));
    await store.delete("name");
    expect(await store.get("name", "variant")).toBeUndefined();
    await store.clear?.();
    expect(await readdir(join(folder.path, "cache/v1"))).toEqual([]);
  });
});

describe("a folder that does not respond", () => {
  it("fails a read and a write within their deadlines, and a purge that a late write may follow", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const hanging: FileSystem = {
      ...files,
      readFile: () => new Promise(() => {}),
      async writeFile(path, data) {
        await released;
        await files.writeFile(path, data);
      },
    };
    const deadlines = { read: 10, look: 60_000, write: 10, remove: 60_000 };
    const store = filesystemStore({
      files: hanging,
      path: folder.path,
      maxBytes: 1 << 20,
      deadlines,
      calls: 8,
    });
    await expect(store.get("a", "")).rejects.toThrow("does not respond");
    await expect(store.set("a", "", Uint8Array.of(1))).rejects.toThrow("does not respond");
    let purged = false;
    const purging = store.delete("a").then((removed) => {
      purged = true;
      return removed;
    });
    // A purge that waits for nothing is over by then.
    await filesystemStore({ files, path: folder.path, maxBytes: 1 << 20 }).delete("b");
    expect(purged).toBe(false);
    release();
    expect(await purging).toBe(1);
    expect(await filesBelow(folder.path)).toEqual([]);
  });
});

describe("a crash while an entry is written", () => {
  /**
   * Files whose `writeFile` proceeds in small steps and stops for good before step `last`, as in a power cut.
   */
  function dyingFiles(last: number): FileSystem & { readonly died: () => boolean } {
    let step = 0;
    const tick = () => {
      if (step++ >= last) throw new Error("power cut");
    };
    return {
      ...files,
      died: () => step > last,
      async writeFile(path, data) {
        tick();
        await mkdir(dirname(path), { recursive: true });
        tick();
        const temporary = `${path}.part`;
        await writeFile(temporary, "");
        const bytes = concatenate(data instanceof Uint8Array ? [data] : data);
        for (let at = 0; at < bytes.length; at += 16) {
          tick();
          await writeFile(temporary, bytes.subarray(at, at + 16), { flag: "a" });
        }
        tick();
        await rename(temporary, path);
        tick();
      },
    };
  }

  it.each([
    ["nothing stood there before", undefined],
    ["an older value stood there", Uint8Array.of(9, 9)],
  ])("leaves a whole entry, at whichever step it comes, when %s", async (_, older) => {
    const value = new Uint8Array(40).fill(3);
    const outcomes = new Set<string>();
    for (let last = 0; ; last++) {
      await open().clear?.();
      if (older) await open().set("a", "", older);
      const dying = dyingFiles(last);
      await open(1 << 20, dying)
        .set("a", "", value)
        .catch(() => {});
      const found = await open().get("a", "");
      expect([older, value]).toContainEqual(found);
      outcomes.add(String(found));
      // Half-written files are removed by the first sweep that finds them an hour old.
      const strays = (await filesBelow(folder.path)).filter((file) => file.endsWith(".part"));
      for (const stray of strays) await age(stray, 2);
      await open().usage?.();
      expect((await filesBelow(folder.path)).length).toBe(found ? 1 : 0);
      if (!dying.died()) break;
    }
    expect(outcomes.size).toBe(2);
  });

  it("does not touch a write of another process in progress", async () => {
    await open().set("a", "", new Uint8Array(3));
    const [entry = ""] = await filesBelow(folder.path);
    await writeFile(`${entry}.part`, "half");
    await open().usage?.();
    expect(await filesBelow(folder.path)).toContain(`${entry}.part`);
  });
});

describe("room in a filesystem store", () => {
  it("is made by removing the least recently used entries, a read being a use", async () => {
    const names = ["a", "b", "c", "d"];
    const first = open(5000);
    for (const name of names) await first.set(name, "", new Uint8Array(900));
    for (const [i, name] of names.entries())
      await age(await fileHolding(folder.path, `["${name}",""]`), 48 - i);
    const later = open(5000);
    await later.get("a", "");
    await later.set("e", "", new Uint8Array(900));
    await later.close?.();
    const held = await Promise.all(
      [...names, "e"].map(async (name) => (await later.get(name, "")) !== undefined),
    );
    expect(held[0]).toBe(true);
    expect(held[1]).toBe(false);
    expect(held[4]).toBe(true);
    // The removed entries are the oldest: none is newer than a remaining one.
    expect(held.slice(1, 4)).toEqual([...held.slice(1, 4)].sort());
  });

  it("is bounded within a sixteenth, even for two stores that write to one folder", async () => {
    const maxBytes = 64 * 1024;
    const stores = [open(maxBytes), open(maxBytes)] as const;
    for (let i = 0; i < 120; i++) {
      await Promise.all(stores.map((store, s) => store.set(`s${s} n${i}`, "", new Uint8Array(1000).fill(i))));
      expect(await bytesBelow(folder.path)).toBeLessThanOrEqual(maxBytes * (17 / 16));
    }
    for (const store of stores) await store.close?.();
    expect(await bytesBelow(folder.path)).toBeGreaterThan(maxBytes / 2);
  });

  it("is bounded for many concurrent writers of large entries", async () => {
    const maxBytes = 64 * 1024;
    const store = open(maxBytes);
    await Promise.all(
      Array.from({ length: 24 }, (_, i) => store.set(`n${i}`, "", new Uint8Array(12_000).fill(i))),
    );
    expect(await bytesBelow(folder.path)).toBeLessThanOrEqual(maxBytes);
    expect((await store.usage?.())?.bytes).toBe(await bytesBelow(folder.path));
  });

  it("stays above four fifths of the limit while sixteen writers wait for the disk", async () => {
    const maxBytes = 64 * 1024;
    let writes = 0;
    let least = maxBytes;
    const measured: FileSystem = {
      ...files,
      async writeFile(path, data) {
        // 32 entries are half again as much as the bound.
        if (++writes > 32) least = Math.min(least, await bytesBelow(folder.path));
        await files.writeFile(path, data);
      },
    };
    const store = open(maxBytes, measured);
    for (let round = 0; round < 5; round++)
      await Promise.all(
        Array.from({ length: 16 }, (_, i) => store.set(`${round} ${i}`, "", new Uint8Array(3000).fill(i))),
      );
    await store.close?.();
    expect(writes).toBe(80);
    expect(least).toBeGreaterThan(maxBytes * (4 / 5));
  });

  it("is made for an entry of nearly the whole limit", async () => {
    const store = open(64 * 1024);
    for (let i = 0; i < 20; i++) await store.set(`n${i}`, "", new Uint8Array(3000));
    const large = new Uint8Array(65_000).fill(7);
    await store.set("large", "", large);
    expect(await store.get("large", "")).toEqual(large);
    await store.close?.();
    expect(await bytesBelow(folder.path)).toBeLessThanOrEqual(64 * 1024);
  });

  it("is bounded even if there are too many files to count for each write", async () => {
    // Written without sync, for speed: this is about counting.
    const quick: FileSystem = {
      ...files,
      async writeFile(path, data) {
        await mkdir(dirname(path), { recursive: true });
        const temporary = `${path}.${crypto.randomUUID()}`;
        await writeFile(temporary, data);
        await rename(temporary, path);
      },
    };
    const maxBytes = 400_000;
    const stores = [open(maxBytes, quick), open(maxBytes, quick)] as const;
    const value = new Uint8Array(100);
    const entryBytes = await (async () => {
      await stores[0].set("s0 n0000", "", value);
      return bytesBelow(folder.path);
    })();
    expect(maxBytes / entryBytes).toBeGreaterThan(2000);
    const name = (s: number, i: number) => `s${s} n${String(i).padStart(4, "0")}`;
    for (let i = 1; i < 2200; i++) {
      await Promise.all(stores.map((store, s) => store.set(name(s, i), "", value)));
      if (i % 100 === 0) expect(await bytesBelow(folder.path)).toBeLessThanOrEqual(maxBytes * (17 / 16));
    }
    for (const store of stores) await store.close?.();
    expect(await bytesBelow(folder.path)).toBeGreaterThan(maxBytes * (3 / 4));
    const held = async (from: number, to: number) => {
      let n = 0;
      for (let i = from; i < to; i++) if (await stores[0].get(name(0, i), "")) n++;
      return n;
    };
    expect(await held(0, 100)).toBe(0);
    expect(await held(2100, 2200)).toBe(100);
  });

  it("is counted correctly if a removal begins during a count and ends after it", async () => {
    let removed = () => {};
    let counted = () => {};
    const whenRemoved = new Promise<void>((resolve) => (removed = resolve));
    const whenCounted = new Promise<void>((resolve) => (counted = resolve));
    const store = open(1 << 20, {
      ...files,
      async *list(path) {
        await whenRemoved;
        yield* files.list(path);
      },
      async remove(path) {
        await files.remove(path);
        removed();
        await whenCounted;
      },
    });
    await store.set("a", "", new Uint8Array(3)); // the first write begins a count
    const removing = store.delete("a", "");
    await store.close?.(); // waits for the count
    counted();
    expect(await removing).toBe(1);
    expect(await store.usage?.()).toEqual({ entries: 0, bytes: 0 });
  });

  it("is listed once for concurrent callers while it is counted", async () => {
    await open().set("a", "", new Uint8Array(3));
    let go = () => {};
    const whenAsked = new Promise<void>((resolve) => (go = resolve));
    let lists = 0;
    const slow = (counted: () => void): FileSystem => ({
      ...files,
      async *list(path) {
        counted();
        await whenAsked;
        yield* files.list(path);
      },
    });
    const store = open(
      1 << 20,
      slow(() => lists++),
    );
    const asking = [store.usage?.(), store.usage?.(), store.usage?.()];
    go();
    const [once, ...others] = await Promise.all(asking);
    expect(once?.entries).toBe(1);
    expect(others).toEqual([once, once]);
    const whole = lists;
    lists = 0;
    await open(
      1 << 20,
      slow(() => lists++),
    ).usage?.();
    expect(whole).toBe(lists);
  });

  it("is counted correctly after another store emptied the folder", async () => {
    const [one, two] = [open(20_000), open(20_000)];
    for (let i = 0; i < 10; i++) await one.set(`n${i}`, "", new Uint8Array(1000));
    await two.clear?.();
    for (let i = 0; i < 10; i++) await one.set(`m${i}`, "", new Uint8Array(1000));
    for (let i = 0; i < 10; i++) expect(await one.get(`m${i}`, "")).toEqual(new Uint8Array(1000));
  });
});

describe("two stores over one folder", () => {
  it("count the other's entries in a folder that was missing a moment ago", async () => {
    const other = open();
    // The other writes its first entry just after this one found no folder.
    let first = true;
    const late: FileSystem = {
      ...files,
      async *list(path) {
        const missing = first;
        first = false;
        if (missing) {
          await other.set("name", "a", new Uint8Array(10));
          throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
        }
        yield* files.list(path);
      },
    };
    expect((await open(1 << 20, late).usage?.())?.entries).toBe(1);
  });

  it("never read a torn entry while both write, read, remove and sweep", async () => {
    const maxBytes = 30_000;
    const stores = [open(maxBytes), open(maxBytes)] as const;
    // Each value encodes its length and key, so that any mixture of two values is detected.
    const patternOf = (key: number, mark: number) =>
      Uint8Array.of(key, mark, ...Array<number>(200 + 9 * mark).fill(mark));
    const lengthOf = (mark: number) => 202 + 9 * mark;
    let reads = 0;
    let hits = 0;
    const write = async (s: 0 | 1) => {
      for (let i = 0; i < 250; i++) {
        const key = (i * 7 + s) % 16;
        await stores[s].set(`n${key}`, "", patternOf(key, (i * 13 + s) % 256));
        if (i % 50 === 49) await stores[s].delete(`n${(key + 1) % 16}`);
      }
    };
    let writing = true;
    const read = async (s: 0 | 1) => {
      for (let i = 0; writing || i < 1500; i++) {
        const key = i % 16;
        const value = await stores[s].get(`n${key}`, "");
        reads++;
        if (!value) continue;
        hits++;
        const mark = value[1] as number;
        if (
          value[0] !== key ||
          value.length !== lengthOf(mark) ||
          value.subarray(2).some((byte) => byte !== mark)
        )
          throw new Error(`torn entry for n${key}`);
      }
    };
    const writers = Promise.all([write(0), write(1)]).finally(() => {
      writing = false;
    });
    await Promise.all([writers, read(0), read(1)]);
    expect(reads).toBeGreaterThanOrEqual(3000);
    expect(hits).toBeGreaterThan(500);
  });
});

describe("use of an entry", () => {
  it("is marked on its file at most once a minute", async () => {
    let time = 1e12;
    let touches = 0;
    const counting: FileSystem = { ...files, touch: async () => void touches++ };
    const at = () =>
      filesystemStore({ files: counting, path: folder.path, maxBytes: 1 << 20, now: () => time });
    await at().set("a", "", new Uint8Array(3));
    const store = at();
    for (let second = 0; second < 120; second++) {
      await store.get("a", "");
      time += 1000;
    }
    expect(touches).toBe(2);
  });

  it("works if files cannot be touched", async () => {
    const { touch: _, ...without } = files;
    const store = open(1 << 20, without);
    await store.set("a", "", Uint8Array.of(1));
    expect(await open(1 << 20, without).get("a", "")).toEqual(Uint8Array.of(1));
  });

  it("removes folders that have long been empty when it sweeps", async () => {
    const store = open();
    await store.set("a", "", new Uint8Array(3));
    const [entry = ""] = await filesBelow(folder.path);
    await store.delete("a");
    await age(dirname(entry), 2);
    await open().usage?.();
    await expect(stat(dirname(entry))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
