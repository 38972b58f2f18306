// All of src/ in one file for the tests: a process of tests loads it in half a second, where the thousand
// modules one by one take 3 s, and 8 s more if nothing of them is transformed yet.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, version } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "node_modules/.cache/prebuilt-tests");

/** Entries, which act when they are loaded, and what only workerd can load. */
const leftOut =
  /^(main|program|index|imaging|workerd|site-search|((hook|password|text)-)?thread)\.ts$|workerd\.tsx?$|\.d\.ts$/;

/** A module of the bundle. */
export interface Prebuilt {
  /** The name under which the bundle exports the module's namespace. */
  readonly as: string;
  /** The names that the module exports. */
  readonly names: readonly string[];
}

/** The bundle: its file, and the modules in it by their absolute paths. */
export interface Bundle {
  readonly file: string;
  readonly modules: Readonly<Record<string, Prebuilt>>;
}

/** Returns the bundle of the sources as they are now, and builds it first if there is none. */
export async function prebuilt(): Promise<Bundle> {
  const sources = (readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }) as string[])
    .filter((name) => /\.tsx?$/.test(name) && !leftOut.test(name))
    .sort();
  const hash = createHash("sha256").update(`${version} ${process.version} ${root}`);
  for (const file of ["tsconfig.json", "package.json", "test/prebuilt/bundle.ts"])
    hash.update(readFileSync(join(root, file)));
  for (const name of readdirSync(join(root, "translations")).sort())
    hash.update(readFileSync(join(root, "translations", name)));
  for (const name of sources) hash.update(`\n${name}\n`).update(readFileSync(join(root, "src", name)));
  const name = hash.digest("hex").slice(0, 32);
  const list = join(folder, `${name}.json`);
  if (!existsSync(list)) await write(name, list, sources);
  const bundle = JSON.parse(readFileSync(list, "utf8")) as Bundle;
  // What is in use is not old.
  for (const file of [list, bundle.file, `${bundle.file}.map`]) utimesSync(file, new Date(), new Date());
  return bundle;
}

/** Suites that start at the same time may both build: the list comes last, and each file whole. */
async function write(name: string, list: string, sources: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const own = `${name}-${process.pid}.mjs`;
  const file = join(folder, own);
  await build({
    stdin: {
      contents: sources.map((source, at) => `export * as m${at} from "./src/${source}";`).join("\n"),
      resolveDir: root,
    },
    outfile: file,
    absWorkingDir: root,
    bundle: true,
    packages: "external",
    external: ["*.wasm"],
    format: "esm",
    platform: "node",
    target: "node20",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
  });
  const spaces = (await import(pathToFileURL(file).href)) as Readonly<Record<string, object>>;
  const modules = Object.fromEntries(
    sources.map((source, at) => [
      join(root, "src", source),
      { as: `m${at}`, names: Object.keys(spaces[`m${at}`] ?? {}) },
    ]),
  );
  // Trees that share their packages share the folder; a run of today may still read its bundle.
  for (const old of readdirSync(folder).map((each) => join(folder, each)))
    if (Date.now() - (statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 86_400_000)
      rmSync(old, { force: true });
  writeFileSync(`${list}.${process.pid}`, JSON.stringify({ file, modules } satisfies Bundle));
  renameSync(`${list}.${process.pid}`, list);
}
