// Replacing a file of the operator's, in a temporary folder.

import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileReplacement } from "../../../../src/server/platform/files/file-replacement.ts";

let top: string;
let path: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-replace-"));
  path = join(top, "smalti.yaml");
  writeFileSync(path, "old");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const yes = async () => true;
const isRoot = process.getuid?.() === 0;

describe("replace", () => {
  it("puts the new bytes in place and leaves nothing else behind", async () => {
    expect(await fileReplacement.replace(path, bytes("new"), yes)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  it.each([0o600, 0o640, 0o664, 0o604])("keeps the permissions and the owner: mode %o", async (mode) => {
    // Only a privileged user can change a file's owner; others can use only their own.
    if (isRoot) chownSync(path, 1234, 4321);
    chmodSync(path, mode);
    const { uid, gid } = statSync(path);
    await fileReplacement.replace(path, bytes("new"), yes);
    expect(statSync(path)).toMatchObject({ uid, gid });
    expect((statSync(path).mode & 0o7777).toString(8)).toBe(mode.toString(8));
  });

  it("replaces the target of a link, and leaves the link", async () => {
    mkdirSync(join(top, "links"));
    const link = join(top, "links", "config.yaml");
    symlinkSync("../smalti.yaml", link);
    await fileReplacement.replace(link, bytes("new"), yes);
    expect(lstatSync(link).isSymbolicLink() && readlinkSync(link)).toBe("../smalti.yaml");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(readdirSync(join(top, "links"))).toEqual(["config.yaml"]);
  });

  it("keeps the old file when it is called off at the last moment", async () => {
    let beside: string[] = [];
    const replaced = await fileReplacement.replace(path, bytes("new"), async () => {
      beside = readdirSync(top);
      return false;
    });
    expect(replaced).toBe(false);
    expect(beside).toHaveLength(2);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  it("keeps the old file and removes the new one if something fails", async () => {
    await expect(
      fileReplacement.replace(path, bytes("new"), () => Promise.reject(new Error("gone"))),
    ).rejects.toThrow("gone");
    rmSync(path);
    mkdirSync(join(path, "full"), { recursive: true });
    await expect(fileReplacement.replace(path, bytes("new"), yes)).rejects.toThrow();
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  it("makes no file if there was none", async () => {
    rmSync(path);
    await expect(fileReplacement.replace(path, bytes("new"), yes)).rejects.toMatchObject({ code: "ENOENT" });
    expect(readdirSync(top)).toEqual([]);
  });
});

describe("sweep", () => {
  it("removes leftovers of this file, and nothing else", async () => {
    writeFileSync(join(top, ".smalti.yaml.1.smalti-tmp"), "secret");
    const others = [".smalti.yaml.swp", ".other.yaml.1.smalti-tmp", "smalti.yaml.1.smalti-tmp"];
    for (const name of others) writeFileSync(join(top, name), "");
    await fileReplacement.sweep(path);
    expect(readdirSync(top).sort()).toEqual([...others, "smalti.yaml"].sort());
  });
});

describe("obstacle", () => {
  it("is undefined for a writable file", async () => {
    expect(await fileReplacement.obstacle(path)).toBeUndefined();
  });

  it("is reported for a missing file, something other than a file, or one read-only by its permissions", async () => {
    chmodSync(path, 0o444);
    symlinkSync("gone", join(top, "broken"));
    expect(await fileReplacement.obstacle(path)).toBe("read-only");
    expect(await fileReplacement.obstacle(top)).toBe("not-a-file");
    expect(await fileReplacement.obstacle(join(top, "none"))).toBe("absent");
    expect(await fileReplacement.obstacle(join(top, "broken"))).toBe("absent");
  });
});
