import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileSystem } from "../../../src/base/platform.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../src/server/sources/filesystem.ts";
import type { Source } from "../../../src/server/sources/source.ts";
import { sourceContract } from "../../contracts/source.ts";
import { readCounts } from "../../counts.ts";
import fc from "../../properties.ts";

const files = nodeFiles();
/** Files of a runtime that does not know the paths of open files, for tests that replace its functions. */
const { openPlain: _, ...closedFiles } = files;
const content = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256);

// base/root is the root; base/secret.jpg and base/root-sibling/s.jpg must never be read.
let base: string;
let root: string;
let source: Source;

const make = (over: FileSystem = files, at = root) =>
  filesystemSource({ name: "images", root: at, prefix: "", files: over });

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "smalti-source-")));
  root = join(base, "root");
  await mkdir(join(root, "book", "pages"), { recursive: true });
  await mkdir(join(root, ".git"));
  await mkdir(join(root, "@eaDir"));
  await mkdir(join(base, "root-sibling"));
  const put = (path: string, bytes: Uint8Array | string = content) => writeFile(join(base, path), bytes);
  await put("secret.jpg", "secret");
  await put("root-sibling/s.jpg", "secret");
  await put("root/a.jpg");
  await put("root/book/pages/1.tif", "page one");
  await put("root/book/manifest.yaml", "label: Book");
  await put("root/book/Ünïcode 写真.JPG", "unicode");
  await put("root/.hidden.jpg", "hidden");
  await put("root/.git/x.jpg", "hidden");
  await put("root/Thumbs.db", "system");
  await put("root/noextension", "plain");
  await symlink(join(base, "secret.jpg"), join(root, "out.jpg"));
  await symlink("../secret.jpg", join(root, "out-relative.jpg"));
  await symlink(base, join(root, "out-directory"));
  await symlink(join(base, "root-sibling"), join(root, "sibling"));
  await symlink("a.jpg", join(root, "in.jpg"));
  await symlink("book/pages", join(root, "pages"));
  await symlink("nowhere.jpg", join(root, "dangling.jpg"));
  await symlink("circle-b.jpg", join(root, "circle-a.jpg"));
  await symlink("circle-a.jpg", join(root, "circle-b.jpg"));
  await symlink(".hidden.jpg", join(root, "to-hidden.jpg"));
  await symlink(".git", join(root, "to-git"));
  await symlink(root, join(base, "root-link"));
  execFileSync("mkfifo", [join(root, "pipe.jpg")]);
  await symlink("pipe.jpg", join(root, "to-pipe.jpg"));
  await symlink("/dev/null", join(root, "device.jpg"));
  source = make();
});
afterAll(() => rm(base, { recursive: true, force: true }));

sourceContract("filesystem", { source: () => source, key: "a.jpg", content: () => content });
describe("without the paths of open files", () => {
  let plain: Source;
  beforeAll(() => {
    plain = make(closedFiles);
  });
  sourceContract("filesystem", { source: () => plain, key: "a.jpg", content: () => content });
});

/** All bytes of a master as text; undefined when it is not there. */
async function textOf(from: Source, key: string): Promise<string | undefined> {
  const image = await from.open(key);
  if (!image) return undefined;
  const text = new TextDecoder().decode(await image.bytes.read(0, 1000));
  await image.close();
  return text;
}

describe("a key", () => {
  it.each([
    ["book/pages/1.tif", "page one"],
    ["book/Ünïcode 写真.JPG", "unicode"],
    ["noextension", "plain"],
    ["pages/1.tif", "page one"],
  ])("%s is the exact name of a file below the root", async (key, text) => {
    expect(await textOf(source, key)).toBe(text);
  });

  it.each([
    ["of a directory", "book"],
    ["of a pipe, whose other end is not waited for", "pipe.jpg"],
    ["of a link to a pipe", "to-pipe.jpg"],
    ["of a link to a device", "device.jpg"],
    ["without its extension", "a"],
    ["below a file", "a.jpg/b.jpg"],
    ["of a hidden file", ".hidden.jpg"],
    ["below a hidden directory", ".git/x.jpg"],
    ["of a link to a hidden file", "to-hidden.jpg"],
    ["below a link to a hidden directory", "to-git/x.jpg"],
    ["of dots", "..."],
    ["of a link out of the root", "out.jpg"],
    ["of a relative link out of the root", "out-relative.jpg"],
    ["below a link out of the root", "out-directory/secret.jpg"],
    ["below a link out of the root and back", "out-directory/root/a.jpg/x"],
    ["below a link to a directory that begins as the root does", "sibling/s.jpg"],
    ["of a link to nothing", "dangling.jpg"],
    ["of links in a circle", "circle-a.jpg"],
    ["that is still percent-encoded", "%2e%2e/secret.jpg"],
    ["that is still percent-encoded, slash and all", "..%2fsecret.jpg"],
    ["that looks like another spelling of a slash", "..\u2215secret.jpg"],
    ["whose name is longer than any file's", "x".repeat(5000)],
    ["of more directories than a path may have", Array(3000).fill("d").join("/")],
    ["with a lone surrogate", "\ud800.jpg"],
    ["with a line break", "a.jpg\n"],
    ["with a final blank", "a.jpg "],
  ])("%s finds nothing", async (_, key) => {
    expect(await source.open(key)).toBeUndefined();
  });

  it("never reads outside the root, whatever it is made of", async () => {
    const inside = new Set(["a.jpg", "page one", "label: Book", "unicode", "plain", "system"]);
    inside.add(new TextDecoder().decode(content.slice(0, 1000)));
    const piece = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "out-directory",
        "out.jpg",
        "sibling",
        "root",
        "secret.jpg",
        "s.jpg",
        "a.jpg",
        "book",
        "pages",
      ),
      fc.constantFrom(
        "1.tif",
        ".git",
        "%2e%2e",
        "..\\",
        "\0",
        "root-sibling",
        "noextension",
        "etc",
        "passwd",
        "tmp",
        base.slice(1),
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    );
    const key = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join("/"));
    await fc.assert(
      fc.asyncProperty(key, async (each) => {
        const image = await source.open(each).catch((error) => {
          expect(error).toMatchObject({ kind: "bad-request" });
          return undefined;
        });
        if (!image) return;
        expect(`${await realpath(image.file?.path ?? "")}/`.startsWith(`${root}/`)).toBe(true);
        expect(inside).toContain(new TextDecoder().decode(await image.bytes.read(0, 1000)));
        await image.close();
      }),
      { numRuns: 1500 },
    );
  });

  it("may be below a root that is itself a link", async () => {
    expect(await textOf(make(files, join(base, "root-link")), "noextension")).toBe("plain");
    expect(await textOf(make(files, `${root}//`), "noextension")).toBe("plain");
  });
});

describe("a master", () => {
  it("has its resolved path, for a worker that opens it itself", async () => {
    const image = await source.open("in.jpg");
    const { size, dev, ino } = await stat(join(root, "a.jpg"));
    expect(image?.file).toMatchObject({ path: join(root, "a.jpg"), size });
    expect(image?.file?.id).toContain(`${dev}:${ino}:`);
    // Other machines number the same volume differently.
    expect(image?.validator).toContain(`-${ino}:`);
    expect(image?.validator).not.toContain(`${dev}:${ino}`);
    await image?.close();
  });

  it("has another validator when its bytes, its time or its file changes", async () => {
    const path = join(root, "changing.jpg");
    const seen: string[] = [];
    const look = async () => {
      const image = await source.open("changing.jpg");
      seen.push(image?.validator ?? "");
      await image?.close();
    };
    const time = new Date(Date.UTC(2020, 0, 1));
    await writeFile(path, "one");
    await utimes(path, time, time);
    await look();
    await writeFile(path, "longer");
    await utimes(path, time, time);
    await look();
    await utimes(path, time, new Date(time.getTime() + 1));
    await look();
    await writeFile(join(base, "new.jpg"), "LONGER");
    await utimes(join(base, "new.jpg"), time, new Date(time.getTime() + 1));
    await rename(join(base, "new.jpg"), path);
    await look();
    expect(new Set(seen).size).toBe(4);
    await rm(path);
  });

  it("that becomes shorter while it is open is an error, not a short read and not a hang", async () => {
    const path = join(root, "shrinking.jpg");
    await writeFile(path, content);
    const image = await source.open("shrinking.jpg");
    expect(await image?.bytes.read(0, 1)).toEqual(content.slice(0, 1));
    await truncate(path, 100);
    expect(await image?.bytes.read(0, 100)).toEqual(content.slice(0, 100));
    await expect(image?.bytes.read(50, 100)).rejects.toMatchObject({
      kind: "changed",
      code: "source_changed",
    });
    await expect(image?.bytes.read(4000, 100)).rejects.toMatchObject({ kind: "changed" });
    await image?.close();
    await rm(path);
  });

  it("can be closed twice, and is opened again for a later read", async () => {
    const image = await source.open("a.jpg");
    const before = await image?.bytes.read(0, 4);
    await image?.close();
    await image?.close();
    expect(await image?.bytes.read(0, 4)).toEqual(before);
  });

  it("is not opened for a caller that has left", async () => {
    await expect(source.open("a.jpg", AbortSignal.abort())).rejects.toMatchObject({ kind: "cancelled" });
  });
});

describe.runIf(files.openPlain)("a file whose own path is known once it is open", () => {
  it("needs no other look at its path, and is the one that was opened", async () => {
    const path = join(root, "held.jpg");
    await writeFile(path, "held");
    const calls: string[] = [];
    const noting = new Proxy(files, {
      get: (target, name: keyof FileSystem) => {
        const act = target[name] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => {
          if (given[0] !== root) calls.push(name);
          return act.apply(target, given);
        };
      },
    });
    const lone = make(noting);
    await (await lone.open("held.jpg"))?.close(); // the spelling of its folder is checked once
    calls.length = 0;
    const image = await lone.open("held.jpg");
    expect(calls).toEqual(["openPlain"]);
    await rm(path);
    await symlink(join(base, "secret.jpg"), path);
    expect(new TextDecoder().decode(await image?.bytes.read(0, 6))).toBe("held");
    await image?.close();
    expect(await image?.hasChanged?.()).toBe(true);
    expect(await lone.open("held.jpg")).toBeUndefined();
    await rm(path);
  });

  it.each(["in.jpg", "pages/1.tif", "out.jpg", "sibling/s.jpg", "to-hidden.jpg", "pipe.jpg", "device.jpg"])(
    "%s is as it is by the paths of links",
    async (key) => {
      expect(await textOf(source, key)).toBe(await textOf(make(closedFiles), key));
    },
  );

  it("stays open for few images at a time", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    const images = await Promise.all(Array.from({ length: 200 }, () => source.open("a.jpg")));
    expect(open() - before).toBeLessThanOrEqual(70);
    expect(await images.at(-1)!.bytes.read(0, 5000)).toEqual(content);
    for (const image of images) await image!.close();
    await expect.poll(open).toBeLessThanOrEqual(before);
  });

  it("is closed after the reads that were under way", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    const images = await Promise.all(Array.from({ length: 20 }, () => source.open("a.jpg")));
    const reads = images.map((image) => image!.bytes.read(0, 5000));
    await Promise.all(images.map((image) => image!.close()));
    for (const bytes of await Promise.all(reads)) expect(bytes).toEqual(content);
    for (const key of ["book", "pipe.jpg", "in.jpg", "missing.jpg"]) await (await source.open(key))?.close();
    await expect.poll(open).toBeLessThanOrEqual(before);
  });
});

describe("a file that is exchanged after it was checked", () => {
  const cases = [
    [
      "a link that leads out of the root",
      async (path: string) => {
        await rm(path);
        await symlink(join(base, "secret.jpg"), path);
      },
    ],
    [
      "another file of the same size",
      async (path: string) => {
        await writeFile(join(base, "new.jpg"), "public");
        await rename(join(base, "new.jpg"), path);
      },
    ],
    [
      "a directory",
      async (path: string) => {
        await rm(path);
        await mkdir(path);
      },
    ],
    [
      "a pipe",
      async (path: string) => {
        await rm(path);
        execFileSync("mkfifo", [path]);
      },
    ],
    ["nothing", (path: string) => rm(path)],
  ] as const;

  it.each(cases)("is not read if %s has replaced it", async (_, exchange) => {
    const path = join(root, "swapped.jpg");
    await writeFile(path, "secret");
    const image = await make(closedFiles).open("swapped.jpg");
    await exchange(path);
    await expect(image?.bytes.read(0, 6)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(source|changed)$/),
    });
    await image?.close();
    await rm(path, { recursive: true, force: true });
  });

  it("is not read from a link to a file of the same size and time if files have no number", async () => {
    const time = new Date(Date.UTC(2020, 0, 1));
    const path = join(root, "swapped.jpg");
    await writeFile(path, "secret");
    for (const each of [path, join(base, "secret.jpg")]) await utimes(each, time, time);
    const numberless: FileSystem = {
      ...closedFiles,
      stat: async (at) => {
        const found = await files.stat(at);
        return found && { kind: found.kind, size: found.size, modified: found.modified };
      },
      open: async (at) => {
        const file = await files.open(at);
        const { kind, size, modified } = file.stat;
        return { ...file, stat: { kind, size, modified } };
      },
    };
    const image = await make(numberless).open("swapped.jpg");
    await rm(path);
    await symlink(join(base, "secret.jpg"), path);
    await expect(image?.bytes.read(0, 6)).rejects.toMatchObject({ kind: "changed", code: "source_changed" });
    await rm(path);
  });

  it("continues to be read if it was opened before", async () => {
    const path = join(root, "replaced.jpg");
    await writeFile(path, "old");
    const image = await source.open("replaced.jpg");
    expect(new TextDecoder().decode(await image?.bytes.read(0, 1))).toBe("o");
    await writeFile(join(base, "new.jpg"), "new!");
    await rename(join(base, "new.jpg"), path);
    expect(new TextDecoder().decode(await image?.bytes.read(0, 3))).toBe("old");
    await image?.close();
    expect(await textOf(source, "replaced.jpg")).toBe("new!");
    await rm(path);
  });

  it("is an error when links change endlessly", async () => {
    const path = join(root, "busy.jpg");
    const other = join(root, "other.jpg");
    await writeFile(other, "x");
    let n = 0;
    const turning: FileSystem = {
      ...closedFiles,
      realPath: async (at) => (at.endsWith("busy.jpg") ? `${path}${n++}` : files.realPath(at)),
      stat: () => files.stat(other),
    };
    await expect(make(turning).open("busy.jpg")).rejects.toMatchObject({
      kind: "changed",
      code: "source_changed",
    });
    await rm(other);
  });
});

describe("a root", () => {
  const failing = (code: string): FileSystem => ({
    ...files,
    realPath: async () => Promise.reject(Object.assign(new Error(`${code}: ${root}`), { code })),
    list: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  it("that is missing is a fault, not a missing image", async () => {
    const gone = make(files, join(base, "not-mounted"));
    await expect(gone.open("a.jpg")).rejects.toMatchObject({ kind: "source", code: "source_root_missing" });
    await expect(gone.list?.("")).rejects.toMatchObject({ code: "source_root_missing" });
    await expect(gone.check()).rejects.toMatchObject({ code: "source_root_missing" });
    expect(readCounts(gone.counts).errors).toBe(2);
  });

  it("that is a file cannot be used", async () => {
    await expect(make(files, join(root, "a.jpg")).check()).rejects.toMatchObject({
      code: "source_root_no_folder",
    });
  });

  it("that may not be read cannot be used, and no message contains its path", async () => {
    const denied = make(failing("EACCES"));
    for (const act of [() => denied.check(), () => denied.open("a.jpg")]) {
      const error = await act().then(
        () => undefined,
        (thrown) => thrown,
      );
      expect(error).toMatchObject({ kind: "source" });
      expect(error.message).not.toContain(base);
    }
  });
});

describe("a listing", () => {
  it("shows images, directories and other files, but nothing hidden, of the system, or outside the root, and no pipe", async () => {
    expect(await source.list?.("")).toEqual([
      { name: "a.jpg", kind: "image" },
      { name: "book", kind: "directory" },
      { name: "in.jpg", kind: "image" },
      { name: "noextension", kind: "other" },
      { name: "pages", kind: "directory" },
    ]);
    expect(await source.list?.("book")).toEqual([
      { name: "manifest.yaml", kind: "other" },
      { name: "pages", kind: "directory" },
      { name: "Ünïcode 写真.JPG", kind: "image" },
    ]);
    expect(await source.list?.("book/pages/")).toEqual([{ name: "1.tif", kind: "image" }]);
  });

  it("leaves out a link that cannot be looked at, and shows the rest", async () => {
    const denying: FileSystem = {
      ...files,
      realPath: (path) =>
        path.endsWith("/2.tif")
          ? Promise.reject(Object.assign(new Error(`EACCES: ${path}`), { code: "EACCES" }))
          : files.realPath(path),
    };
    await symlink("1.tif", join(root, "book/pages/2.tif"));
    expect(await make(denying).list?.("book/pages")).toEqual([{ name: "1.tif", kind: "image" }]);
    await rm(join(root, "book/pages/2.tif"));
  });

  it("leaves out folders within themselves, by links of any kind", async () => {
    const top = join(base, "loops");
    await mkdir(join(top, "a", "inner"), { recursive: true });
    await mkdir(join(top, "b"));
    for (const [target, name] of [
      ["..", "a/up"],
      [".", "a/own"],
      ["../b", "a/b"],
      ["../a", "b/a"],
      ["a/inner", "inner"],
      ["..", "a/inner/up"],
    ] as const)
      await symlink(target, join(top, name));
    const looped = make(files, top);
    const paths: string[] = [];
    const folders = [""];
    for (const folder of folders)
      for (const { name } of (await looped.list?.(folder)) ?? []) {
        paths.push(`${folder}${name}`);
        folders.push(`${folder}${name}/`);
      }
    expect(paths.sort()).toEqual(
      ["a", "a/b", "a/inner", "b", "b/a", "b/a/inner", "inner", "inner/up", "inner/up/b"].sort(),
    );
  });

  it("ends early once there is enough", async () => {
    let asked = 0;
    const entries = await source.list?.("", () => ++asked === 3);
    expect(asked).toBe(3);
    expect(entries?.length).toBeLessThanOrEqual(3);
  });

  it.each(["nowhere", "a.jpg", ".git", "out-directory", "sibling"])(
    "of %s does not exist",
    async (directory) => {
      expect(await source.list?.(directory)).toBeUndefined();
    },
  );

  it.each(["..", "book/..", "/", "a\\b"])("of %s is refused", async (directory) => {
    await expect(source.list?.(directory)).rejects.toMatchObject({ kind: "bad-request" });
  });
});

it("depends on its root in the fingerprint", async () => {
  expect(make().fingerprint).not.toBe(make(files, base).fingerprint);
  expect(await readFile(join(base, "secret.jpg"), "utf8")).toBe("secret");
});

describe("a file that was found lately", () => {
  it("is not checked again too early, and its bytes are from one and the same file", async () => {
    const path = join(root, "lately.jpg");
    await writeFile(path, "old");
    let looks = 0;
    const counted: FileSystem = {
      ...closedFiles,
      stat(at) {
        looks++;
        return files.stat(at);
      },
    };
    const lazy = filesystemSource({ name: "lazy", root, prefix: "", files: counted, revalidateMs: 60_000 });
    const first = await lazy.open("lately.jpg");
    expect((await lazy.open("lately.jpg"))?.validator).toBe(first?.validator);
    expect(looks).toBe(1);
    await writeFile(join(base, "new.jpg"), "new");
    await rename(join(base, "new.jpg"), path);
    const stale = await lazy.open("lately.jpg");
    expect(stale?.validator).toBe(first?.validator);
    await expect(stale?.bytes.read(0, 3)).rejects.toMatchObject({ kind: "changed", code: "source_changed" });
    lazy.forget?.("lately.jpg");
    expect(await textOf(lazy, "lately.jpg")).toBe("new");
    await rm(path);
  });
});
