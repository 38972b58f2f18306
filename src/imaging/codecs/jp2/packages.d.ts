// Types for the factories of the two JPEG 2000 packages, which have none.

declare module "@cornerstonejs/codec-openjpeg/wasmjs" {
  const create: (
    options: import("../instance.ts").EmscriptenOptions,
  ) => Promise<import("./glue.ts").OpenJpeg>;
  export default create;
}

declare module "@cornerstonejs/codec-openjph" {
  const create: (options: import("../instance.ts").EmscriptenOptions) => Promise<import("./glue.ts").OpenJph>;
  export default create;
}
