// The files of a worker, over real files: which are read, and which are refused.

import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JobClock } from "../../../src/base/telemetry/job-clock.ts";
import { openFileAtOnce } from "../../../src/server/platform/files/node-files.ts";
import type { JobFile } from "../../../src/server/workers/messages.ts";
import { openFiles } from "../../../src/server/workers/open-files.ts";

let top: string;
let opened: string[];
let closed: number;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-open-"));
  opened = [];
  closed = 0;
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(top, { recursive: true, force: true });
});

const filesOf = () =>
  openFiles((path) => {
    opened.push(path);
    const file = openFileAtOnce(path);
    return {
      ...file,
      close() {
        closed++;
        file.close();
      },
    };
  });
const openNow = () => opened.length - closed;

/** A file as the main thread has checked it. */
function written(name: string, content: string | Uint8Array): JobFile {
  const path = join(top, name);
  writeFileSync(path, content);
  return fileAt(path);
}

const text = async (bytes: Promise<Uint8Array>) => new TextDecoder().decode(await bytes);
const changed = expect.objectContaining({ kind: "changed", code: "source_changed" });

describe("a worker's files", () => {
  it("are opened once for one job after another", async () => {
    const files = filesOf();
    const file = written("a", "0123456789");
    for (let i = 0; i < 3; i++) {
      expect(await text(files.open(file).read(i, 2))).toBe(`${i}${i + 1}`);
      files.rest();
    }
    expect(opened).toEqual([file.path]);
  });

  it("return ranges that the caller may change, fewer bytes at the end and none after it", async () => {
    const bytes = filesOf().open(written("a", "0123456789"));
    const first = await bytes.read(0, 4);
    first.fill(0);
    expect(await text(bytes.read(2, 4))).toBe("2345");
    expect(await text(bytes.read(8, 9))).toBe("89");
    expect(await text(bytes.read(10, 1))).toBe("");
    expect(await text(bytes.read(0, 0))).toBe("");
  });

  it("return long ranges and many short ones completely", async () => {
    const all = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
    const bytes = filesOf().open(written("a", all));
    expect(Buffer.from(await bytes.read(0, all.length)).equals(all)).toBe(true);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < all.length; at += 7001) parts.push(await bytes.read(at, 7001));
    expect(Buffer.concat(parts).equals(all)).toBe(true);
  });

  it("lend several ranges at a time, fewer bytes at the end and none after it", () => {
    const clock = new JobClock();
    const bytes = filesOf().open(written("a", "0123456789"), clock);
    const lent = bytes.borrow?.([
      { offset: 7, length: 2 },
      { offset: 0, length: 4 },
      { offset: 8, length: 9 },
      { offset: 10, length: 1 },
      { offset: 3, length: 0 },
    ]);
    expect(lent?.map((part) => new TextDecoder().decode(part))).toEqual(["78", "0123", "89", "", ""]);
    expect(clock).toMatchObject({ reads: 5, readBytes: 8 });
  });

  it("read and lend nothing outside of the section that a job names, and stay open for other sections", async () => {
    const files = filesOf();
    const file = written("a", "0123456789");
    const bytes = files.open({ ...file, section: { offset: 3, length: 4 } });
    expect(bytes.size).toBe(4);
    expect(await text(bytes.read(0, 10))).toBe("3456");
    expect(await text(bytes.read(2, 1))).toBe("5");
    expect(await text(bytes.read(4, 1))).toBe("");
    const lent = bytes.borrow?.([
      { offset: 1, length: 9 },
      { offset: 9, length: 1 },
    ]);
    expect(lent?.map((part) => new TextDecoder().decode(part))).toEqual(["456", ""]);
    const other = files.open({ ...file, section: { offset: 8, length: 2 } });
    expect(await text(other.read(0, 10))).toBe("89");
    expect(files.isUnchanged()).toBe(true);
    expect(opened).toEqual([file.path]);
  });

  it("lend the rest of a file that was cut while it was read", () => {
    const file = written("a", "0123456789");
    const bytes = filesOf().open(file);
    truncateSync(file.path, 5);
    const ranges = [3, 0, 8].map((offset) => ({ offset, length: 4 }));
    const lent = bytes.borrow?.(ranges) ?? [];
    expect(lent.map((part) => new TextDecoder().decode(part))).toEqual(["34", "0123", ""]);
  });

  it("lend few bytes and many, one file after another, and cache reads", async () => {
    const files = filesOf();
    const all = Uint8Array.from({ length: 9_000_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
    const [many, few] = [written("many", all), written("few", "0123456789")];
    const read = await files.open(few).read(2, 4);
    for (const lengths of [[10], [5000, 70_000], [4_000_000, 4_500_000], [300_000, 1]]) {
      const ranges = lengths.map((length, i) => ({ offset: 11 + i * 4_100_000, length }));
      const lent = files.open(many).borrow?.(ranges) ?? [];
      for (const [i, { offset, length }] of ranges.entries())
        expect(Buffer.compare(lent[i] as Uint8Array, all.subarray(offset, offset + length))).toBe(0);
      const [other] = files.open(few).borrow?.([{ offset: 1, length: 3 }]) ?? [];
      expect(new TextDecoder().decode(other)).toBe("123");
    }
    expect(new TextDecoder().decode(read)).toBe("2345");
  });

  it.each([
    [
      "that took its place",
      (path: string) => {
        writeFileSync(`${path}.new`, "abcdefghij");
        renameSync(`${path}.new`, path);
      },
    ],
    ["that was written over it", (path: string) => writeFileSync(path, "abcdefghij")],
    ["of another length", (path: string) => writeFileSync(path, "abc")],
  ])("do not read one %s, whether it was open or not", async (_, replace) => {
    for (const before of [true, false]) {
      const files = filesOf();
      const file = written("a", "0123456789");
      if (before) expect(await text(files.open(file).read(0, 1))).toBe("0");
      await new Promise((resolve) => setTimeout(resolve, 10)); // a distinct change time
      replace(file.path);
      expect(() => files.open(file)).toThrow(changed);
      expect(await text(files.open(fileAt(file.path)).read(0, 1))).toBe("a");
    }
  });

  it("are read to their end when they grew between two jobs", async () => {
    const files = filesOf();
    const file = written("a", "01234");
    expect(await text(files.open(file).read(0, 10))).toBe("01234");
    files.rest();
    appendFileSync(file.path, "56789");
    expect(await text(files.open(fileAt(file.path)).read(3, 10))).toBe("3456789");
  });

  it.each([
    ["nothing happened to", () => {}, true],
    ["that was written over", (path: string) => writeFileSync(path, "abcdefghij"), false],
    ["that another one replaced", (path: string) => renameSync(written("b", "abc").path, path), false],
    ["that grew", (path: string) => appendFileSync(path, "x"), false],
  ])("detect if a file is unchanged: one %s", async (_, happens, unchanged) => {
    const files = filesOf();
    expect(files.isUnchanged()).toBe(false);
    const file = written("a", "0123456789");
    await files.open(file).read(0, 1);
    await new Promise((resolve) => setTimeout(resolve, 10)); // a distinct change time
    happens(file.path);
    expect(files.isUnchanged()).toBe(unchanged);
  });

  it("never count as unchanged if files have no number", async () => {
    const files = openFiles((path) => {
      const file = openFileAtOnce(path);
      return { ...file, stat: () => ({ size: file.stat().size }) };
    });
    const { path, size } = written("a", "0123456789");
    await files.open({ path, size }).read(0, 1);
    expect(files.isUnchanged()).toBe(false);
  });

  it("report a source error for a missing file, and continue", async () => {
    const files = filesOf();
    const unreadable = expect.objectContaining({ kind: "source" });
    expect(() => files.open({ path: join(top, "none"), size: 1, id: "1:1:1" })).toThrow(unreadable);
    expect(await text(files.open(written("a", "x")).read(0, 1))).toBe("x");
  });

  it("cannot be read after they were closed", async () => {
    vi.useFakeTimers();
    const files = filesOf();
    const bytes = files.open(written("a", "x"));
    files.rest();
    vi.advanceTimersByTime(60_000);
    await expect(bytes.read(0, 1)).rejects.toMatchObject({ kind: "source" });
    const unreadable = expect.objectContaining({ kind: "source" });
    expect(() => bytes.borrow?.([{ offset: 0, length: 1 }])).toThrow(unreadable);
  });

  it("stay open through a long job, and close some time after the last", () => {
    vi.useFakeTimers();
    const files = filesOf();
    files.open(written("a", "x"));
    vi.advanceTimersByTime(60_000);
    expect(openNow()).toBe(1);
    files.rest();
    vi.advanceTimersByTime(60_000);
    expect(openNow()).toBe(0);
  });

  it("are limited in number", () => {
    const files = filesOf();
    for (let i = 0; i < 40; i++) {
      files.open(written(`f${i}`, "x"));
      files.rest();
    }
    expect(openNow()).toBeLessThanOrEqual(8);
  });
});

function fileAt(path: string): JobFile {
  const { size, dev, ino, ctimeMs } = statSync(path);
  return { path, size, id: `${dev}:${ino}:${ctimeMs}` };
}
