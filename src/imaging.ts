// The imaging library on Node, Deno and Bun, exported as `smalti/imaging`, with its modules in dist/wasm/.

import { fileURLToPath } from "node:url";
import { createImaging } from "./imaging/imaging.ts";
import type * as library from "./imaging/library.d.ts";
import { moduleLoader, onDemandLoader } from "./server/platform/files/dist-files.ts";
import { distFolder } from "./server/platform/files/dist-folder.ts";
import { nodeFiles } from "./server/platform/files/node-files.ts";
import { deflate, nativeZlib } from "./server/platform/process/zlib.ts";

export { ImagingError } from "./base/imaging-error.ts";

let files: string | undefined;
let loader: ReturnType<typeof moduleLoader> | undefined;
let onDemand: ReturnType<typeof onDemandLoader> | undefined;

const imaging = createImaging({
  wasm(name) {
    loader ??= moduleLoader(distFolder(import.meta.url, files));
    return loader(name);
  },
  loadWasm(name) {
    onDemand ??= onDemandLoader(distFolder(import.meta.url, files));
    return onDemand(name);
  },
  deflate,
  zlib: nativeZlib,
});

/** See imaging/library.d.ts, which describes all exports of this file. */
export const open: typeof library.open = imaging.open;
export const probe: typeof library.probe = imaging.probe;
export const useFiles: typeof library.useFiles = (folder) => {
  files = folder instanceof URL ? fileURLToPath(folder) : folder;
  loader = undefined;
  onDemand = undefined;
};
export const openFile: typeof library.openFile = (path) => nodeFiles().open(path);
