// The WebAssembly modules of the service: from packages, and our own. The build, workerd's imports and the
// pool read this table.

interface WasmModule {
  /**
   * The threads that run it if the platform has workers; otherwise one thread runs all of them. Workers of
   * the pool receive none for "main" or "hooks".
   */
  readonly usedBy: "worker" | "main" | "both" | "hooks";
  /** A file in node_modules. */
  readonly package?: string;
  /**
   * True if it is large and seldom needed: it is compiled when a job first asks for it (`loadWasm`), in
   * `dist/wasm/on-demand/`. Absent: workers have it from their start.
   */
  readonly onDemand?: true;
  /** Runtimes that never have it; absent if all do. */
  readonly absentOn?: readonly "workerd"[];
  /**
   * Pages of 64 KiB that the memory of an instance begins with in `dist/`, fewer than in the package: V8
   * collects garbage the more often, the larger the memories of new instances are.
   */
  readonly firstPages?: number;
  /**
   * Pages of 64 KiB of the memory that an instance begins with, which it takes from its host, so that a file
   * cannot make it grow at will (`lentMemory`).
   */
  readonly lentPages?: number;
  /** Entry file of our own module, which the build compiles. */
  readonly source?: string;
}

type ModuleTable = Readonly<Record<string, WasmModule>>;

/** Modules by name in `dist/wasm/` (without .wasm). Each row has a `package` or a `source`. */
export const wasmModules = {
  "jpeg-turbo": { usedBy: "worker", package: "@cwasm/jpeg-turbo/jpeg-turbo.wasm" },
  "jpeg-turbo-8bit": {
    usedBy: "worker",
    package: "@cornerstonejs/codec-libjpeg-turbo-8bit/dist/libjpegturbowasm.wasm",
  },
  "mozjpeg-encode": { usedBy: "worker", package: "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm" },
  // 16 MiB in the package
  "webp-decode": { usedBy: "worker", package: "@jsquash/webp/codec/dec/webp_dec.wasm", firstPages: 32 },
  "webp-encode": { usedBy: "worker", package: "@jsquash/webp/codec/enc/webp_enc_simd.wasm" },
  openjpeg: { usedBy: "worker", package: "@cornerstonejs/codec-openjpeg/dist/openjpegwasm.wasm" },
  // codecs/avif/
  "avif-encode": { usedBy: "worker", onDemand: true, package: "@jsquash/avif/codec/enc/avif_enc.wasm" },
  "avif-decode": {
    usedBy: "worker",
    onDemand: true,
    package: "@jsquash/avif/codec/dec/avif_dec.wasm",
    lentPages: 256,
  },
  // codecs/jxl/
  "jxl-encode": { usedBy: "worker", onDemand: true, package: "@jsquash/jxl/codec/enc/jxl_enc.wasm" },
  "jxl-decode": {
    usedBy: "worker",
    onDemand: true,
    package: "jxl-oxide-wasm/jxl_oxide_wasm_bg.wasm",
    lentPages: 32,
  },
  // pages of PDF that are not one image: codecs/pdf/pdfium/
  pdfium: {
    usedBy: "worker",
    onDemand: true,
    package: "@embedpdf/pdfium/dist/pdfium.wasm",
    absentOn: ["workerd"],
  },
  lcms: { usedBy: "worker", package: "lcms-wasm/dist/lcms.wasm" },
  // JPEG by regions: codecs/jpg/region/
  "jpeg-decode": { usedBy: "worker", source: "wasm/jpeg/assembly/decode.ts" },
  // progressive to baseline JPEG: codecs/jpg/transcode/transcoder.ts
  "jpeg-transcode": { usedBy: "worker", source: "wasm/jpeg/assembly/transcode.ts" },
  // orientation of lossless crops: codecs/jpg/lossless/transform.ts
  "jpeg-turn": { usedBy: "worker", source: "wasm/jpeg/assembly/turn.ts" },
  // baseline JPEG: codecs/jpg/encode/fast-encode.ts
  "jpeg-encode": { usedBy: "worker", source: "wasm/jpeg/assembly/encode.ts" },
  // coefficients of JPEG as JPEG XL: codecs/jxl/recode.ts
  "jxl-recode": { usedBy: "worker", source: "wasm/jxl/assembly/jxl.ts" },
  // JPEG 2000 by regions: codecs/jp2/region/engine.ts
  jp2k: { usedBy: "worker", source: "wasm/jp2k/assembly/jp2k.ts" },
  // PNG: codecs/png/bands.ts, filter.ts
  png: { usedBy: "worker", source: "wasm/png/assembly/png.ts" },
  // LZW and predictors of TIFF: codecs/tif/compression/
  tiff: { usedBy: "worker", source: "wasm/tiff/assembly/tiff.ts" },
  // colour/kernel.ts
  colour: { usedBy: "worker", source: "wasm/colour/assembly/colour.ts" },
  // pipeline/wasm/sharpen.ts, rotate.ts, light.ts
  pixels: { usedBy: "worker", source: "wasm/pixels/assembly/pixels.ts" },
  // pipeline/wasm/resample.ts
  resample: { usedBy: "worker", source: "wasm/resample/assembly/resample.ts" },
  // sidecar/tiles/tile-coder.ts
  tiles: { usedBy: "worker", source: "wasm/tiles/assembly/tiles.ts" },
  // server/hooks/js/sandbox.ts
  quickjs: { usedBy: "hooks", package: "@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm" },
} as const satisfies ModuleTable;

type Table = typeof wasmModules;

/** A module that codecs may load when they need it. */
export type OnDemandModule = {
  [Name in keyof Table]: Table[Name] extends { readonly onDemand: true } ? Name : never;
}[keyof Table];

/** A module that workers have from their start, so that codecs may ask for it. */
export type WorkerModule = Exclude<
  { [Name in keyof Table]: Table[Name]["usedBy"] extends "worker" | "both" ? Name : never }[keyof Table],
  OnDemandModule
>;

/** Returns the modules that workers of the pool have from their start, by name. */
export function workerModules(
  compiled: (name: WorkerModule) => WebAssembly.Module,
): Readonly<Record<WorkerModule, WebAssembly.Module>> {
  const names = Object.entries<WasmModule>(wasmModules).flatMap(([name, { usedBy, onDemand }]) =>
    !onDemand && (usedBy === "worker" || usedBy === "both") ? [name as WorkerModule] : [],
  );
  return Object.fromEntries(names.map((name) => [name, compiled(name)])) as Record<
    WorkerModule,
    WebAssembly.Module
  >;
}
