// Files next to the bundle: dist/wasm/**.wasm and dist/static/**.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAssetPath } from "./asset-path.ts";

/**
 * Modules of `dist/wasm/` by name, each compiled when it is first asked for (function bodies later still, by
 * the engine), so that start-up waits for none of them.
 */
export function moduleLoader(dist: URL): (name: string) => WebAssembly.Module {
  const modules = new Map<string, WebAssembly.Module>();
  return (name) => {
    let module = modules.get(name);
    if (!module) {
      module = new WebAssembly.Module(readFileSync(fileOfModule(dist, name, "wasm/", ".wasm")));
      modules.set(name, module);
    }
    return module;
  };
}

/**
 * Modules of `dist/wasm/on-demand/` by name, each read and compiled off this thread when it is first asked
 * for, and then shared.
 */
export function onDemandLoader(dist: URL): (name: string) => Promise<WebAssembly.Module> {
  const modules = new Map<string, Promise<WebAssembly.Module>>();
  const load = async (name: string) =>
    WebAssembly.compile(await readFile(fileOfModule(dist, name, "wasm/on-demand/", ".module")));
  return (name) => {
    let module = modules.get(name);
    if (!module) {
      module = load(name);
      modules.set(name, module);
      module.catch(() => modules.delete(name)); // the next caller tries again
    }
    return module;
  };
}

function fileOfModule(dist: URL, name: string, folder: string, extension: string): URL {
  if (!/^[\w-]+$/.test(name)) throw new Error(`No WebAssembly module has the name ${JSON.stringify(name)}.`);
  return new URL(`${folder}${name}${extension}`, dist);
}

const absent = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/**
 * Returns a reader of files in `dist/static/` by relative path; undefined if a file does not exist or the
 * path leaves the directory.
 */
export function assetReader(dist: URL): (path: string) => Promise<Uint8Array | undefined> {
  return async (path) => {
    if (!isAssetPath(path)) return undefined;
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    try {
      const data = await readFile(new URL(`static/${encoded}`, dist));
      return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
    } catch (error) {
      if (absent.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw error;
    }
  };
}
