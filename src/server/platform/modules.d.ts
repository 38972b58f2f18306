// Written by the build for workerd, which takes WebAssembly modules by static import only.

declare module "smalti:modules" {
  const modules: Readonly<Record<string, WebAssembly.Module>>;
  export default modules;
}

declare module "cloudflare:workers" {
  /** Keeps the request that is being handled alive until `work` has ended. */
  export function waitUntil(work: Promise<unknown>): void;
}
