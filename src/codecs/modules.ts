// The WebAssembly modules that codecs ask for: package files, and our own from wasm/.

/** Name in `dist/wasm/` (without .wasm) to file in node_modules. */
export const wasmModules = {
  "jpeg-turbo": "@cwasm/jpeg-turbo/jpeg-turbo.wasm",
  "jpeg-turbo-8bit": "@cornerstonejs/codec-libjpeg-turbo-8bit/dist/libjpegturbowasm.wasm",
  "mozjpeg-encode": "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm",
  "webp-decode": "@jsquash/webp/codec/dec/webp_dec.wasm",
  "webp-encode": "@jsquash/webp/codec/enc/webp_enc_simd.wasm",
  openjpeg: "@cornerstonejs/codec-openjpeg/dist/openjpegwasm.wasm",
  lcms: "lcms-wasm/dist/lcms.wasm",
  openjph: "@cornerstonejs/codec-openjph/dist/openjphjs.wasm",
} as const;

/** Modules of wasm/modules.json, which the build compiles into `dist/wasm/`. */
export const ownModules = [
  "jpeg-decode", // JPEG by regions: codecs/jpg/random/
  "jpeg-transcode", // progressive to baseline JPEG: codecs/jpg/twin.ts
  "jpeg-turn", // orientation of lossless cuts: codecs/jpg/turner.ts
  "jpeg-encode", // baseline JPEG: codecs/jpg/fast-encode.ts
  "colour", // colour/kernel.ts
  "pixels", // pipeline/sharpen-wasm.ts, rotate-wasm.ts, light-wasm.ts
  "resample", // pipeline/resample-wasm.ts
] as const;

export type WasmName = keyof typeof wasmModules | (typeof ownModules)[number];

/** All of them. */
export const wasmNames = [...Object.keys(wasmModules), ...ownModules] as readonly WasmName[];
