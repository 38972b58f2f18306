// Compiles our own WebAssembly modules (wasm/*/assembly) with AssemblyScript.
//
//   node scripts/wasm.mjs [NAME ...]      into node_modules/.cache/wasm; only missing ones
//
// File names contain a digest of the inputs: checkouts that share a folder of packages, and concurrent runs,
// do not mix up their modules.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import asc from "assemblyscript/asc";
import { moduleTable } from "./modules.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, "node_modules/.cache/wasm");

const { wasmModules } = await moduleTable();
const ownNames = Object.keys(wasmModules).filter((name) => wasmModules[name].source);

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

/** Compiles those of our own named modules that have not been compiled yet; returns the file of each. */
export async function buildWasm(names = ownNames) {
  mkdirSync(cache, { recursive: true });
  const files = {};
  for (const name of names) {
    const entry = join(root, wasmModules[name].source);
    const target = join(cache, `${name}-${digestOf(entry)}.wasm`);
    files[name] = target;
    if (statSync(target, { throwIfNoEntry: false })) continue;
    // put in its place whole, as another run may look for it
    const part = `${target}.${process.pid}`;
    const { error, stderr } = await asc.main([entry, "--outFile", part, "--baseDir", root, ...flags]);
    if (error) throw new Error(`${name}: ${error.message}\n${stderr.toString()}`);
    renameSync(part, target);
  }
  return files;
}

/** Returns the digest of everything that the module is made of: compiler, flags, entry, and its imports. */
function digestOf(entry) {
  const hash = createHash("sha256").update(JSON.stringify([asc.version, flags, relative(root, entry)]));
  for (const [file, text] of [...withImports(entry)].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([relative(root, file), text]));
  return hash.digest("hex").slice(0, 16);
}

/** Returns the texts of a file and of all that it imports, by path. */
function withImports(file, texts = new Map()) {
  if (texts.has(file)) return texts;
  const text = readFileSync(file, "utf8");
  texts.set(file, text);
  for (const [, path] of text.matchAll(/\bfrom "(\.[^"]+)"/g))
    withImports(`${resolve(dirname(file), path)}.ts`, texts);
  return texts;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.slice(2);
  const files = await buildWasm(wanted.length > 0 ? wanted : undefined);
  for (const [name, file] of Object.entries(files))
    console.log(`${name.padEnd(16)} ${statSync(file).size} bytes`);
}
