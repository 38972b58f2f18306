// The lookup engine: templates and mapping files, and what becomes of a mapping that changes.

import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FileSystem } from "../../../src/base/platform.ts";
import { silentLog } from "../../../src/base/telemetry/log.ts";
import { watchFile } from "../../../src/base/watched-file.ts";
import { createLookupEngine, lookupOptions } from "../../../src/server/hooks/lookup.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { hookEngineContract, inputOf } from "../../contracts/hook-engine.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-lookup-"));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const files = nodeFiles();
const put = (name: string, text: string) => {
  const path = join(folder, name);
  // Replaces the whole file atomically, like an editor.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
};
const engineOf = (options: Record<string, unknown>) =>
  createLookupEngine(lookupOptions.parse(options), { files }, silentLog);

hookEngineContract("lookup", {
  build: () =>
    engineOf({
      file: put("contract.yaml", "a: masters/a.tif\nb/c: masters/b/c.tif\nms 1: masters/ms 1.tif\n"),
    }),
});

describe("a template", () => {
  test("makes the key of every identifier, in the source that is named", async () => {
    const engine = await engineOf({ template: "{{ .Segments | at 1 }}.tif", source: "vault" });
    expect(engine.has("authorize")).toBe(false);
    expect(await engine.call("resolve", inputOf("a/b"))).toEqual({ key: "b.tif", source: "vault" });
    expect(await engine.call("resolve", inputOf("a"))).toBe(false);
  });
});

describe("a template with an arbitrary identifier", () => {
  test.each([
    ["_", "/.png"],
    ["a_.._b", "a/../b.png"],
    ["a__b", "a//b.png"],
    ["a\nb", "a line break"],
    ["a\\b", "a backslash"],
  ])("names nothing for %j, which would make %s", async (identifier) => {
    const engine = await engineOf({ template: '{{ .Identifier | replace "_" "/" }}.png' });
    expect(await engine.call("resolve", inputOf(identifier))).toBe(false);
  });

  test("takes a URL as it is", async () => {
    const engine = await engineOf({ template: "{{ .Identifier }}.png" });
    const identifier = "https://example.org/a";
    expect(await engine.call("resolve", inputOf(identifier))).toEqual({ key: `${identifier}.png` });
  });
});

describe("a mapping", () => {
  test("sends identifiers that it does not hold the way that is set", async () => {
    const file = put("unmapped.json", '{ "a": { "allow": false }, "b": "b.tif" }');
    const strict = await engineOf({ file });
    const lenient = await engineOf({ file, unmapped: "pass", source: "vault" });
    expect(await strict.call("resolve", inputOf("x"))).toBe(false);
    expect(await lenient.call("resolve", inputOf("x"))).toBeUndefined();
    // A row without a key is about access alone.
    expect(await strict.call("resolve", inputOf("a"))).toBeUndefined();
    expect(await lenient.call("resolve", inputOf("b"))).toEqual({ key: "b.tif", source: "vault" });
    expect(await strict.call("authorize", inputOf("a"))).toEqual({ allow: false });
    expect(await strict.call("authorize", inputOf("b"))).toBeUndefined();
  });

  test("has the functions that its rows mention", async () => {
    const plain = await engineOf({ file: put("plain.csv", "identifier,key\na,b\n") });
    expect([plain.has("resolve"), plain.has("authorize"), plain.has("overlay")]).toEqual([
      true,
      false,
      false,
    ]);
    const rich = await engineOf({ file: put("rich.yaml", "a: { allow: true, overlay: {} }") });
    expect([rich.has("resolve"), rich.has("authorize"), rich.has("overlay")]).toEqual([true, true, true]);
  });

  test.each([
    [{}, /hook\.lookup: expected either template or file/],
    [{ template: "x", file: "/a.yaml" }, /hook\.lookup: expected either template or file/],
    [
      { file: "/nowhere/mapping.yaml" },
      /hook\.lookup\.file: \/nowhere\/mapping\.yaml: the file does not exist/,
    ],
  ])("is refused at start: %j", async (options, message) => {
    await expect(engineOf(options)).rejects.toThrow(message);
  });

  test("that is broken at start is refused with the position", async () => {
    const file = put("broken.yaml", "a: b\na: c\n");
    await expect(engineOf({ file })).rejects.toThrow(/hook\.lookup\.file: .*broken\.yaml: line 2: /);
  });

  test("on a runtime without files is refused", async () => {
    await expect(createLookupEngine(lookupOptions.parse({ file: "/a.yaml" }), {}, silentLog)).rejects.toThrow(
      /hook\.lookup\.file: this runtime has no access to files/,
    );
  });
});

describe("a watched file", () => {
  const watching = async (name: string) => {
    let time = 0;
    const lines: string[] = [];
    const log = {
      info: (message: string) => void lines.push(`info ${message}`),
      error: (message: string, fields = {}) => void lines.push(`error ${message} ${JSON.stringify(fields)}`),
    };
    const read = (bytes: Uint8Array) => {
      const text = new TextDecoder().decode(bytes);
      if (text.startsWith("bad")) throw new Error(`line 1: ${text}`);
      return text;
    };
    const path = join(folder, name);
    const watched = await watchFile({
      path,
      files,
      log,
      of: "hook",
      key: "hook.x.file",
      read,
      now: () => time,
    });
    return { watched, lines, later: (ms: number) => (time += ms) };
  };

  test("is checked at most once a second, and read if it has changed", async () => {
    put("seen.txt", "one");
    const { watched, lines, later } = await watching("seen.txt");
    put("seen.txt", "two");
    expect(watched.refresh()).toBeUndefined();
    later(999);
    expect(watched.refresh()).toBeUndefined();
    expect(watched.current()).toBe("one");
    later(1);
    await watched.refresh();
    expect(watched.current()).toBe("two");
    expect(watched.refresh()).toBeUndefined();
    later(1000);
    await watched.refresh();
    expect(lines).toEqual(["info the file of the hook was read again"]);
  });

  test("that is written twice within one second of its disk's clock is read again", async () => {
    const path = put("coarse.txt", "one");
    let time = 0;
    // A time as from a disk that knows whole seconds and no file numbers.
    const modified = new Date(Math.floor(Date.now() / 1000) * 1000);
    const coarse = { ...files, stat: async () => ({ kind: "file", size: 3, modified }) as const };
    const read = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const log = { info() {}, error() {} };
    const watched = await watchFile({
      path,
      files: coarse,
      log,
      of: "hook",
      key: "x",
      read,
      now: () => time,
    });
    writeFileSync(path, "two");
    time += 1000;
    await watched.refresh();
    expect(watched.current()).toBe("two");
  });

  test("that is broken or missing leaves the last one in effect, is reported once, and takes effect again when repaired", async () => {
    put("worse.txt", "one");
    const { watched, lines, later } = await watching("worse.txt");
    for (const bad of ["bad", undefined]) {
      if (bad) put("worse.txt", bad);
      else rmSync(join(folder, "worse.txt"));
      for (let looks = 0; looks < 3; looks++) {
        later(1000);
        await watched.refresh();
        expect(watched.current()).toBe("one");
        expect(watched.problem()).toMatch(
          bad ? /stays in effect: line 1: bad/ : /stays in effect: .*does not exist/,
        );
        expect(watched.problem()).not.toContain(folder);
      }
    }
    expect(lines.map((line) => line.slice(0, 5))).toEqual(["error", "error"]);
    expect(lines[0]).toContain(join(folder, "worse.txt"));
    put("worse.txt", "three");
    later(1000);
    await watched.refresh();
    expect(watched.current()).toBe("three");
    expect(watched.problem()).toBeUndefined();
  });

  test.each(["stat", "readFile"] as const)(
    "whose %s fails once takes effect again without a change",
    async (act) => {
      const path = put(`once-${act}.txt`, "one");
      const old = new Date(Date.now() - 60_000);
      utimesSync(path, old, old); // too old to be read again for its age alone
      let [time, fails] = [0, false];
      const failing: FileSystem = {
        ...files,
        [act]: (of: string) => (fails ? Promise.reject(new Error("I/O error")) : files[act](of)),
      };
      const read = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      const log = { info() {}, error() {} };
      const watched = await watchFile({
        path,
        files: failing,
        log,
        of: "hook",
        key: "x",
        read,
        now: () => time,
      });
      const look = async (change: () => void) => {
        change();
        time += 1000;
        await watched.refresh();
      };
      if (act === "readFile") utimesSync(path, new Date(), new Date()); // the file is read only if it seems to have changed
      await look(() => (fails = true));
      expect(watched.problem()).toMatch(/I\/O error/);
      await look(() => (fails = false));
      expect(watched.problem()).toBeUndefined();
      expect(watched.current()).toBe("one");
    },
  );
});
