// Compiles our own WebAssembly modules (wasm/*/assembly) with AssemblyScript.
//
//   node scripts/wasm.mjs [NAME ...]      into node_modules/.cache/wasm; only what changed

import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import asc from "assemblyscript/asc";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, "node_modules/.cache/wasm");

/** The table of wasm/modules.json: name in dist/wasm to entry file. */
export const ownModules = JSON.parse(readFileSync(join(root, "wasm/modules.json"), "utf8"));

const flags = [
  "-O3",
  "--noAssert",
  "--converge",
  "--enable",
  "simd",
  "--enable",
  "bulk-memory",
  "--runtime",
  "stub",
  "--use",
  "abort=",
];

/** Compiles the named modules where their sources are newer than what is there; the file of each. */
export async function buildWasm(names = Object.keys(ownModules)) {
  mkdirSync(cache, { recursive: true });
  const files = {};
  for (const name of names) {
    const entry = join(root, ownModules[name]);
    const target = join(cache, `${name}.wasm`);
    files[name] = target;
    if (modified(target) > newest(dirname(entry))) continue;
    const { error, stderr } = await asc.main([entry, "--outFile", target, "--baseDir", root, ...flags]);
    if (error) throw new Error(`${name}: ${error.message}\n${stderr.toString()}`);
  }
  return files;
}

function modified(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

const newest = (folder) =>
  Math.max(
    modified(fileURLToPath(import.meta.url)),
    ...readdirSync(folder).map((name) => modified(join(folder, name))),
  );

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.slice(2);
  const files = await buildWasm(wanted.length > 0 ? wanted : undefined);
  for (const [name, file] of Object.entries(files))
    console.log(`${name.padEnd(16)} ${statSync(file).size} bytes`);
}
