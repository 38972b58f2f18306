// The configuration file: what is shown of it, saves, and what a killed process leaves.
// @module-tag slow

import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createConfigFile } from "../../../src/admin/editing/file.ts";
import type { FileSystem } from "../../../src/base/platform.ts";
import type { ConfigFileView } from "../../../src/server/config/config-file.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { withAbsolutePaths } from "../../../src/server/config/reading/paths.ts";
import type { Config } from "../../../src/server/config/schema.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { everything, seedOf } from "../../sampled.ts";
import { seeded } from "../../seeded.ts";

let top: string;
let path: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "smalti-config-"));
  path = join(top, "smalti.yaml");
  writeFileSync(path, original);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const original = `sources: [{ name: scans, type: filesystem, root: ./scans }]
content_state: { store: { enabled: true, dir: kept, write_token: hunter2 } }
`;

const open = (files: FileSystem = nodeFiles(), env: Readonly<Record<string, string>> = {}) =>
  createConfigFile({ path, files, env, complete: (config) => withAbsolutePaths(config, top) });

/** Returns the form of a view with the typed values. */
function form({ fields }: ConfigFileView, typed: Readonly<Record<string, string>>) {
  const shown = fields.map(({ field, value }) => [field.path, value] as const);
  return new Map<string, string>([...shown, ...Object.entries(typed)]);
}

const load = (text: string) => {
  const { config, problems } = loadConfig(text, {});
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};
const loadFile = () => load(readFileSync(path, "utf8"));
const none = () => [];

describe("a save", () => {
  test("writes the file, applies it with absolute paths, and lists the keys that wait", async () => {
    const file = open();
    const view = await file.view();
    const taken: Config[] = [];
    const saved = await file.save(form(view, { "image.tile_size": "256" }), view.digest, (config) => {
      taken.push(config);
      return ["image.tile_size"];
    });
    expect(saved).toEqual({ kind: "saved", changed: ["image.tile_size"], waits: ["image.tile_size"] });
    expect(taken[0]?.sources[0]).toMatchObject({ root: join(top, "scans") });
    const text = readFileSync(path, "utf8");
    expect(text).toContain("root: ./scans");
    expect(text).toContain("write_token: hunter2");
    expect(loadFile()).toEqual({ ...load(original), image: { ...load(original).image, tile_size: 256 } });
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  test("of the current values writes nothing", async () => {
    const file = open();
    const { mtimeMs, ino } = statSync(path);
    expect(await file.save(form(await file.view(), {}), undefined, none)).toEqual({ kind: "unchanged" });
    expect(statSync(path)).toMatchObject({ mtimeMs, ino });
  });

  test("that is refused writes nothing, and applies nothing", async () => {
    const file = open();
    const saved = await file.save(
      form(await file.view(), { addr: "x", "log.level": "warn" }),
      undefined,
      () => {
        throw new Error("taken");
      },
    );
    expect(saved).toMatchObject({ kind: "refused", others: [] });
    expect(readFileSync(path, "utf8")).toBe(original);
  });

  test("of a form for another file is refused", async () => {
    const file = open();
    const view = await file.view();
    writeFileSync(path, `${original}read_timeout: 5s\n`);
    expect(await file.save(form(view, { "log.level": "warn" }), view.digest, none)).toEqual({
      kind: "stale",
    });
    expect(readFileSync(path, "utf8")).toBe(`${original}read_timeout: 5s\n`);
  });

  test("is cancelled if somebody changes the file during the write", async () => {
    const files = nodeFiles();
    const replacement = files.replacement as NonNullable<typeof files.replacement>;
    const file = open({
      ...files,
      replacement: {
        ...replacement,
        replace: (path, data, still) =>
          replacement.replace(path, data, () => {
            writeFileSync(path, "addr: :1\n");
            return still();
          }),
      },
    });
    const view = await file.view();
    expect(await file.save(form(view, { "log.level": "warn" }), view.digest, none)).toEqual({
      kind: "stale",
    });
    expect(readFileSync(path, "utf8")).toBe("addr: :1\n");
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
  });

  test("waits for earlier ones: of many concurrent saves with one form the first wins", async () => {
    const file = open();
    const view = await file.view();
    const kinds = await Promise.all(
      [1, 2, 3, 4, 5].map((count) =>
        file.save(form(view, { "image.max_concurrent": String(count) }), view.digest, none),
      ),
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(["saved", "stale", "stale", "stale", "stale"]);
    expect(loadFile().image.max_concurrent).toBe(1);
  });

  test("and a concurrent reload run one at a time", async () => {
    const file = open();
    const view = await file.view();
    const taken: number[] = [];
    const take = ({ image }: Config) => {
      taken.push(image.max_concurrent);
      return [];
    };
    await Promise.all([
      file.reload(take),
      file.save(form(view, { "image.max_concurrent": "7" }), undefined, take),
      file.reload(take),
    ]);
    expect(taken).toEqual([0, 7, 7]);
  });

  test("through a link preserves the link", async () => {
    const link = join(top, "link.yaml");
    symlinkSync("smalti.yaml", link);
    const file = createConfigFile({ path: link, files: nodeFiles(), env: {}, complete: (config) => config });
    await file.save(form(await file.view(), { "log.level": "warn" }), undefined, none);
    expect(loadFile().log.level).toBe("warn");
    expect(readdirSync(top, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())).toHaveLength(
      1,
    );
  });

  test("that cannot be applied is still saved, and says so", async () => {
    const file = open();
    const saved = await file.save(form(await file.view(), { "log.level": "warn" }), undefined, () => {
      throw new Error("no folder");
    });
    expect(saved).toMatchObject({ kind: "saved", notApplied: "no folder" });
    expect(loadFile().log.level).toBe("warn");
  });

  test("explains why the system refused it, without a path", async () => {
    const files = nodeFiles();
    const fails = (code: string) =>
      open({
        ...files,
        replacement: {
          ...(files.replacement as NonNullable<typeof files.replacement>),
          replace: () => Promise.reject(Object.assign(new Error(`${code}: ${path}`), { code })),
        },
      });
    for (const [code, reason] of [
      ["ENOSPC", "the disk is full"],
      ["EBUSY", "mount its folder"],
      ["EIO", "EIO"],
    ] as const) {
      const file = fails(code);
      const saved = await file.save(form(await file.view(), { "log.level": "warn" }), undefined, none);
      expect(saved).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) });
      expect(saved.kind === "failed" && saved.reason).not.toContain(top);
    }
  });
});

describe("if nothing can be saved", () => {
  const cases: readonly [string, () => FileSystem, string][] = [
    ["a runtime without renames", () => ({ ...nodeFiles(), replacement: undefined }) as never, "runtime"],
    [
      "a read-only file",
      () => {
        chmodSync(path, 0o444);
        return nodeFiles();
      },
      "read-only",
    ],
    [
      "a file that is gone",
      () => {
        rmSync(path);
        return nodeFiles();
      },
      "no longer exists",
    ],
    [
      "a file that is no UTF-8",
      () => {
        writeFileSync(path, Buffer.of(0x23, 0xff));
        return nodeFiles();
      },
      "UTF-8",
    ],
  ];
  test.each(cases)("%s: the fields are shown, with the reason", async (_, files, reason) => {
    const file = open(files());
    const view = await file.view();
    expect(view.fields).toHaveLength(12);
    expect(view.obstacle).toContain(reason);
    const saved = await file.save(form(view, { "log.level": "warn" }), undefined, none);
    expect(saved).toMatchObject({ kind: "failed", reason: expect.stringContaining(reason) });
  });

  test("a file that does not respond is not waited for", async () => {
    const file = open({ ...nodeFiles(), readFile: () => new Promise(() => {}) });
    const view = await file.view();
    expect(view.fields).toHaveLength(12);
    expect(view.obstacle).toContain("did not respond");
  });
});

describe("a process that is killed", () => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "smalti-saving-"));
    script = join(folder, "saving.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("saving.ts", import.meta.url))],
      outfile: script,
      bundle: true,
      platform: "node",
      format: "esm",
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.on("close", () => resolve()));

  /** The whole file with one of the two values that are saved alternately. */
  function expectWhole() {
    const { image, ...rest } = loadFile();
    expect([256, 512, 1024]).toContain(image.tile_size);
    const { image: before, ...others } = load(original);
    expect({ ...image, tile_size: 0 }).toEqual({ ...before, tile_size: 0 });
    expect(rest).toEqual(others);
  }

  test("during many saves leaves a complete file, the old one or the new one", async () => {
    const below = seeded(seedOf("pauses between saves"));
    for (let round = 0; round < (everything ? 20 : 5); round++) {
      const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] });
      const gone = ended(child);
      const first = await new Promise<string>((resolve) =>
        child.stdout.once("data", (data) => resolve(`${data}`)),
      );
      expect(first).toMatch(/^(saved|unchanged)\n/);
      await new Promise((resolve) => setTimeout(resolve, below(40)));
      child.kill("SIGKILL");
      await gone;
      expectWhole();
      await open().sweep();
      expect(readdirSync(top)).toEqual(["smalti.yaml"]);
    }
  });

  test("when all is written but the rename leaves the old file, and the next save clears up", async () => {
    const child = spawn(process.execPath, [script, path, "before-rename"], { stdio: "ignore" });
    await ended(child);
    expect(child.signalCode).toBe("SIGKILL");
    expect(readFileSync(path, "utf8")).toBe(original);
    expect(readdirSync(top)).toHaveLength(2);
    const file = open();
    await file.save(form(await file.view(), { "log.level": "warn" }), undefined, none);
    expect(readdirSync(top)).toEqual(["smalti.yaml"]);
    expect(loadFile().log.level).toBe("warn");
  });
});
