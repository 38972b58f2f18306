// Files of Node, in a temporary directory.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";

const files = nodeFiles();
let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-files-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

describe("writeFile", () => {
  it("fails below a file, with the reason of the system", async () => {
    writeFileSync(join(top, "file"), "");
    await expect(files.writeFile(join(top, "file/a/b"), bytes("x"))).rejects.toMatchObject({
      code: "ENOTDIR",
    });
  });

  it.runIf(process.platform === "linux")("fails if no folder can be made, instead of retrying", async () => {
    await expect(files.writeFile("/proc/none/a/b", bytes("x"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("makes the directories above and leaves nothing but the file", async () => {
    await files.writeFile(join(top, "a/b/c"), bytes("one"));
    await files.writeFile(join(top, "a/b/c"), bytes("two"));
    expect(readFileSync(join(top, "a/b/c"), "utf8")).toBe("two");
    expect(readdirSync(join(top, "a/b"))).toEqual(["c"]);
  });

  it("keeps the old file and no temporary one when the new one cannot take its place", async () => {
    mkdirSync(join(top, "taken/full"), { recursive: true });
    await expect(files.writeFile(join(top, "taken"), bytes("x"))).rejects.toThrow();
    expect(readdirSync(top)).toEqual(["taken"]);
  });

  it("shows a reader either the old or the new bytes while many write", async () => {
    const path = join(top, "f");
    const versions = ["a", "b", "c", "d"].map((letter) => bytes(letter.repeat(100_000)));
    await files.writeFile(path, versions[0]!);
    const writes = Promise.all(versions.map((version) => files.writeFile(path, version)));
    for (let i = 0; i < 20; i++) {
      const seen = new Set((await files.readFile(path))!);
      expect(seen.size).toBe(1);
    }
    await writes;
    expect((await files.stat(path))?.size).toBe(100_000);
  });
});

describe("reading", () => {
  it("returns ranges, fewer bytes at the end and none beyond it", async () => {
    writeFileSync(join(top, "f"), "0123456789");
    const file = await files.open(join(top, "f"));
    const text = async (offset: number, length: number) =>
      new TextDecoder().decode(await file.read(offset, length));
    expect(file.size).toBe(10);
    expect([
      await text(0, 3),
      await text(8, 5),
      await text(10, 5),
      await text(99, 1),
      await text(3, 0),
    ]).toEqual(["012", "89", "", "", ""]);
    await file.close();
  });

  it("returns undefined for a missing file and throws for a directory", async () => {
    expect(await files.readFile(join(top, "none"))).toBeUndefined();
    expect(await files.stat(join(top, "none/below"))).toBeUndefined();
    expect(await files.realPath(join(top, "none"))).toBeUndefined();
    await expect(files.readFile(top)).rejects.toThrow("EISDIR");
  });

  it("follows symbolic links in stat, realPath and list", async () => {
    mkdirSync(join(top, "d"));
    writeFileSync(join(top, "d/f"), "x");
    symlinkSync(join(top, "d"), join(top, "link"));
    symlinkSync(join(top, "gone"), join(top, "broken"));
    expect((await files.stat(join(top, "link")))?.kind).toBe("directory");
    expect(await files.realPath(join(top, "link/f"))).toBe(await files.realPath(join(top, "d/f")));
    const kinds: Record<string, string> = {};
    for await (const { name, kind } of files.list(top)) kinds[name] = kind;
    expect(kinds).toEqual({ d: "directory", link: "directory", broken: "other" });
  });

  it("recognises a replaced file by its id, even with the same size and time", async () => {
    const path = join(top, "f");
    const then = new Date(1_000_000);
    writeFileSync(path, "one");
    utimesSync(path, then, then);
    const before = await files.stat(path);
    await files.writeFile(path, bytes("two"));
    utimesSync(path, then, then);
    const after = await files.stat(path);
    expect(after).toMatchObject({ size: before?.size, modified: before?.modified });
    expect(after?.id).not.toBe(before?.id);
  });
});

describe("touch and remove", () => {
  it("sets the time of a file to now", async () => {
    const path = join(top, "f");
    writeFileSync(path, "x");
    utimesSync(path, 1, 1);
    await files.touch?.(path);
    expect(statSync(path).mtimeMs).toBeGreaterThan(1e12);
  });

  it("removes files and directories, and ignores missing ones", async () => {
    mkdirSync(join(top, "d/e"), { recursive: true });
    writeFileSync(join(top, "d/e/f"), "x");
    await files.remove(join(top, "d"));
    await files.remove(join(top, "d"));
    expect(existsSync(join(top, "d"))).toBe(false);
  });
});

describe("removal of one thing", () => {
  it("takes a link and not its target, and no folder that has contents", async () => {
    mkdirSync(join(top, "full"));
    writeFileSync(join(top, "full/file"), "x");
    symlinkSync(join(top, "full/file"), join(top, "link"));
    await files.unlink?.(join(top, "link"));
    expect(readdirSync(top)).toEqual(["full"]);
    await expect(files.unlink?.(join(top, "full"))).rejects.toThrow();
    expect(await files.removeEmpty?.(join(top, "full"))).toBe(false);
    await files.unlink?.(join(top, "full/file"));
    expect(await files.removeEmpty?.(join(top, "full"))).toBe(true);
    expect(existsSync(join(top, "full"))).toBe(false);
  });
});
