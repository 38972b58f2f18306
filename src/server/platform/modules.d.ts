// Written by the build for workerd, which takes WebAssembly modules by import only.

declare module "smalti:modules" {
  const modules: Readonly<Record<string, WebAssembly.Module>>;
  export default modules;
  /** Imports of those that are loaded on demand. Each rejects if its file was left out of the upload. */
  export const onDemand: Readonly<Record<string, () => Promise<{ readonly default: WebAssembly.Module }>>>;
}

declare module "cloudflare:workers" {
  /** Keeps the request that is being handled alive until `work` has ended. */
  export function waitUntil(work: Promise<unknown>): void;
}
