import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callsOf } from "../../../../src/base/concurrency/lane.ts";
import type { FileSystem, Platform } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { boundMasterFiles } from "../../../../src/server/sources/folder/bounded-files.ts";
import { buildSources } from "../../../../src/server/sources/index.ts";
import { sourceOptions } from "../../../../src/server/sources/options.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-bounded-"));
  await writeFile(join(folder, "a.jpg"), "bytes of a file");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Files whose calls with these names hang while `hangs`, as on a dead mount; `closed` counts closed files.
 */
function onMount(...names: (keyof FileSystem)[]) {
  const state = { hangs: true, calls: 0, closed: 0, revive: () => {} };
  const revived = new Promise<void>((resolve) => {
    state.revive = () => {
      state.hangs = false;
      resolve();
    };
  });
  const files = nodeFiles();
  const mount = new Proxy(files, {
    get(target, name: keyof FileSystem) {
      const act = target[name] as (...given: unknown[]) => unknown;
      return async (...given: unknown[]) => {
        if (names.includes(name)) {
          state.calls++;
          if (state.hangs) await revived;
        }
        const found = await act.apply(target, given);
        if (name !== "open") return found;
        const file = found as Awaited<ReturnType<FileSystem["open"]>>;
        const close = async () => {
          state.closed++;
          await file.close();
        };
        return { ...file, close };
      };
    },
  });
  return { state, mount };
}

describe("files of a source", () => {
  it("fail after their time limit, and immediately when all allowed calls hang", async () => {
    const { state, mount } = onMount("stat");
    const bound = boundMasterFiles(mount, 2, 20);
    const looks = Array.from({ length: 10 }, () => bound.stat(join(folder, "a.jpg")));
    for (const each of await Promise.allSettled(looks))
      expect(each).toMatchObject({ status: "rejected", reason: { code: "ETIMEDOUT" } });
    expect(state.calls).toBe(2);
    await expect(bound.realPath(folder)).rejects.toMatchObject({ code: "ETIMEDOUT" });
    state.revive();
    const stat = () => bound.stat(join(folder, "a.jpg")).catch(String);
    await expect.poll(stat).toMatchObject({ kind: "file", size: 15 });
  });

  it("are closed when they open after their time limit", async () => {
    const { state, mount } = onMount("open");
    const bound = boundMasterFiles(mount, 1, 20);
    await expect(bound.open(join(folder, "a.jpg"))).rejects.toMatchObject({ code: "ETIMEDOUT" });
    state.revive();
    await expect.poll(() => state.closed).toBe(1);
  });

  it("are read directly, and wait forever without a limit", async () => {
    const bound = boundMasterFiles(nodeFiles(), 1, 1000);
    const file = await bound.open(join(folder, "a.jpg"));
    expect(new TextDecoder().decode(await file.read(9, 100))).toBe("a file");
    await file.close();
    const names: string[] = [];
    for await (const { name } of bound.list(folder)) names.push(name);
    expect(names).toEqual(["a.jpg"]);
    const files = nodeFiles();
    expect(boundMasterFiles(files, 1, 0)).toBe(files);
  });

  it.each([
    { threads: 4, sources: 1, calls: 3 },
    { threads: 4, sources: 3, calls: 1 },
    { threads: 2, sources: 2, calls: 1 },
    { threads: 32, sources: 1, calls: 8 },
    { threads: undefined, sources: 1, calls: Number.POSITIVE_INFINITY },
  ])("$sources sources leave one of $threads threads to others", ({ threads, sources, calls }) => {
    expect(callsOf(threads, sources)).toBe(calls);
  });
});

describe("a source on a dead mount", () => {
  const sourceOver = (files: FileSystem, timeout = "30ms") => {
    const options = sourceOptions.parse([{ name: "scans", type: "filesystem", root: folder, timeout }]);
    const platform = { files, fileThreads: 4 } as unknown as Platform;
    return buildSources(options, platform, undefined as never).default;
  };

  it("refuses requests, listings and its check by an error of the source", async () => {
    const { mount } = onMount("realPath", "stat");
    const source = sourceOver(mount);
    const unreadable = { kind: "source", code: "source_unreadable" };
    await expect(source.open("a.jpg")).rejects.toMatchObject(unreadable);
    await expect(source.list?.("")).rejects.toMatchObject(unreadable);
    await expect(source.check()).rejects.toThrow(/does not respond.*mount/);
  });

  it("serves again when the mount is back", async () => {
    const { state, mount } = onMount("realPath");
    const source = sourceOver(mount, "1s");
    await expect(source.open("a.jpg")).rejects.toMatchObject({ code: "source_unreadable" });
    state.revive();
    const first = async () => {
      const image = await source.open("a.jpg");
      return image?.bytes.read(0, 5).finally(image.close);
    };
    await expect.poll(() => first().catch(String)).toEqual(new TextEncoder().encode("bytes"));
  });
});
