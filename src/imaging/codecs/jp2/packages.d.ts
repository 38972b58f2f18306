// The two JPEG 2000 packages come without types: their factories.

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
