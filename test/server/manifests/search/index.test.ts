// The search index over a real folder: what it finds after files are added, removed and changed, and what it
// reports if it lacks something.

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { Folders } from "../../../../src/server/manifests/folders/folders.ts";
import { createYamlReader } from "../../../../src/server/manifests/folders/yaml-reader.ts";
import { createSearch } from "../../../../src/server/manifests/search/search.ts";
import { wordsOf } from "../../../../src/server/manifests/search/words.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../../src/server/sources/filesystem.ts";
import { createSources } from "../../../../src/server/sources/index.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { fixturesFolder } from "../../../host.ts";
import { slotOver } from "../../sources/origin/over-origin.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "smalti-index-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Writes a file, with its folders. */
function put(path: string, text = ""): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const readYaml = createYamlReader({ platform: {} }).read;
const revalidateMs = 60_000;

function searching(over: Partial<Source> = {}, mostBytes?: number) {
  let time = 1_700_000_000_000;
  const lists: string[] = [];
  const files = filesystemSource({ name: "a", root, prefix: "", files: nodeFiles() });
  const source: Source = {
    ...files,
    list: (key, ...rest) => {
      lists.push(key);
      return files.list?.(key, ...rest) ?? Promise.resolve(undefined);
    },
    ...over,
  };
  const sources = createSources([source], source);
  const info = slotOver();
  const folders = new Folders({ info, readYaml, times: () => ({ revalidateMs, staleMs: 0 }) });
  const search = createSearch({
    sources,
    folders,
    info,
    revalidateMs: () => revalidateMs,
    hasIndex: true,
    now: () => time,
    ...(mostBytes !== undefined && { maxBytes: mostBytes }),
  });
  const find = async (words: string, showsHidden = false) => {
    const { entries, ...rest } = await search.find({
      location: { source, key: "" },
      isRoot: true,
      words: wordsOf(words),
      mayLookInto: () => true,
      mayHave: () => true,
      showsHidden,
    });
    return { found: entries.map(({ identifier }) => identifier), ...rest };
  };
  /** The result once the index has been read: a machine under load may take longer than a search waits. */
  const settled = async (words: string, showsHidden?: boolean) => {
    for (;;) {
      const result = await find(words, showsHidden);
      if (result.lack !== "reading") return result;
    }
  };
  return { find, settled, lists, later: (ms = revalidateMs) => (time += ms) };
}

describe("an index", () => {
  test("finds added, renamed and removed files, once `revalidate` has passed", async () => {
    for (const path of ["a/1.png", "b/c/2.png"]) put(path);
    const { settled, later } = searching();
    expect((await settled("png")).found).toEqual(["a/1.png", "b/c/2.png"]);
    put("b/c/3.png");
    put("d/4.png");
    renameSync(join(root, "a/1.png"), join(root, "a/one.png"));
    rmSync(join(root, "b/c/2.png"));
    expect((await settled("png")).found).toEqual(["a/1.png", "b/c/2.png"]);
    later();
    expect((await settled("png")).found).toEqual(["a/one.png", "d/4.png", "b/c/3.png"]);
    rmSync(join(root, "b"), { recursive: true });
    later();
    expect((await settled("png")).found).toEqual(["a/one.png", "d/4.png"]);
  });

  test("finds the new texts of a manifest file after it was edited in place", async () => {
    put("book/1.png");
    put("book/manifest.yaml", "label: A psalter\n");
    // In place, so that the time of the folder stays.
    let state = "1";
    const { settled, later } = searching({
      stateOf: async (key) => (key === "book/manifest.yaml" ? state : "unchanged"),
    });
    expect((await settled("psalter")).found).toEqual(["book"]);
    appendFileSync(join(root, "book/manifest.yaml"), "metadata: { Scribe: Eadfrith }\n");
    state = "2";
    later();
    expect((await settled("eadfrith")).found).toEqual(["book"]);
  });

  test("finds hidden entries for operators only, and searches below them for them", async () => {
    put("drafts/1.png");
    put("manifest.yaml", "items: { drafts: { hide: true } }");
    const { settled } = searching();
    expect((await settled("png")).found).toEqual([]);
    expect((await settled("png", true)).found).toEqual(["drafts/1.png"]);
  });

  test("lists a folder again only if its source says that something changed", async () => {
    for (const path of ["a/1.png", "b/2.png"]) put(path);
    const states = new Map([
      ["", "1"],
      ["a", "1"],
      ["b", "1"],
    ]);
    const { settled, later, lists } = searching({ stateOf: async (key) => states.get(key) });
    await settled("png");
    expect(lists.splice(0).sort()).toEqual(["", "a", "b"]);
    states.set("b", "2");
    later();
    await settled("png");
    expect(lists.splice(0)).toEqual(["b"]);
    // Links may lead to what changes without a sign.
    later(600_000);
    await settled("png");
    expect(lists.splice(0).sort()).toEqual(["", "a", "b"]);
  });

  test("reports that it is being read, and later finds everything", async () => {
    for (const path of ["a/1.png", "b/2.png"]) put(path);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const files = filesystemSource({ name: "a", root, prefix: "", files: nodeFiles() });
    const { find, settled } = searching({
      list: async (key, ...rest) => {
        if (key === "b") await released;
        return files.list?.(key, ...rest);
      },
    });
    expect(await find("png")).toMatchObject({ lack: "reading" });
    release();
    expect(await settled("png")).toEqual({ found: ["a/1.png", "b/2.png"] });
  });

  test("reports that folders could not be read, and keeps their last contents", async () => {
    for (const path of ["a/1.png", "b/2.png"]) put(path);
    const files = filesystemSource({ name: "a", root, prefix: "", files: nodeFiles() });
    let isAway = false;
    const { settled, later } = searching({
      list: async (key, ...rest) => {
        if (isAway && key === "b")
          throw new ServiceError("source", "It does not respond.", { code: "source_unreadable" });
        return files.list?.(key, ...rest);
      },
    });
    expect(await settled("png")).toEqual({ found: ["a/1.png", "b/2.png"] });
    isAway = true;
    later();
    expect(await settled("png")).toEqual({ found: ["a/1.png", "b/2.png"], lack: "unreadable" });
    isAway = false;
    later();
    expect(await settled("png")).not.toHaveProperty("lack");
  });

  test("holds no more than its bound, and looks into folders beyond it while it searches", async () => {
    for (let n = 0; n < 9; n++) put(`${n}/${"long name ".repeat(20)}.png`);
    const { settled } = searching({}, 3000);
    expect((await settled("name")).found).toHaveLength(9);
  });

  test("ends at a link that leads up", async () => {
    put("a/1.png");
    symlinkSync("..", join(root, "a/up"));
    const { settled } = searching();
    expect((await settled("1.png")).found[0]).toBe("a/1.png");
  });
});

test("a folder of files has a state only once it is old enough to show the next change", async () => {
  put("a/1.png");
  const young = filesystemSource({ name: "a", root, prefix: "", files: nodeFiles() });
  expect(await young.stateOf?.("a")).toBeUndefined();
  expect(await young.stateOf?.("none")).toBeUndefined();
  const old = filesystemSource({ name: "b", root: fixturesFolder, prefix: "", files: nodeFiles() });
  const state = await old.stateOf?.("");
  expect(state).toEqual(expect.any(String));
  expect(await old.stateOf?.("")).toBe(state);
  expect(await old.stateOf?.("base.png")).not.toBe(state);
});
