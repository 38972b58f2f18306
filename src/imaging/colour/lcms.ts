// Little CMS in WebAssembly: only its C interface (lcms2.h) and the imports that it needs, to sample a
// profile once, and to bring sRGB pixels into one.

import { hasImpossibleGrid } from "./grid-sizes.ts";
import { srgbToLinear } from "./srgb.ts";
import { srgbProfile } from "./write.ts";

interface Lcms extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  /** Returns 0 for anything but a profile. */
  cmsOpenProfileFromMem(bytes: number, length: number): number;
  /** Returns 0 if no transform can be made. */
  cmsCreateTransform(
    input: number,
    inputFormat: number,
    output: number,
    outputFormat: number,
    intent: number,
    flags: number,
  ): number;
  cmsDoTransform(transform: number, input: number, output: number, pixels: number): void;
}

/** Floats of one pixel: FLOAT_SH, COLORSPACE_SH, CHANNELS_SH, BYTES_SH; inks are 0 to 100, others 0 to 1. */
const format = (space: number, channels: number) => (1 << 22) | (space << 16) | (channels << 3) | 4;
const formats = {
  gray: { format: format(3, 1), channels: 1, full: 1 },
  rgb: { format: format(4, 3), channels: 3, full: 1 },
  cmyk: { format: format(6, 4), channels: 4, full: 100 },
} as const;

const relativeColorimetric = 1;
/**
 * cmsFLAGS_BLACKPOINTCOMPENSATION, cmsFLAGS_NOOPTIMIZE, cmsFLAGS_NOCACHE: tables as they are, in floating
 * point.
 */
const flags = 0x2000 | 0x0100 | 0x0040;
const chunk = 4096;

/**
 * Returns linear sRGB, three values for each colour, of device colours under a profile: relative colorimetric
 * with black-point compensation. `colours` has 0 to 1 for each channel; results exceed 0 to 1 for colours
 * outside sRGB. Returns undefined if the profile has an impossible grid, or if Little CMS refuses it or
 * returns something other than numbers.
 */
export function sampleProfile(
  module: WebAssembly.Module,
  profile: Uint8Array,
  space: keyof typeof formats,
  colours: Float32Array,
): Float32Array | undefined {
  if (hasImpossibleGrid(profile)) return undefined;
  const lcms = createLcms(module);
  const { format: input, channels, full } = formats[space];
  const open = (bytes: Uint8Array) => {
    const at = lcms.malloc(bytes.length);
    new Uint8Array(lcms.memory.buffer).set(bytes, at);
    return lcms.cmsOpenProfileFromMem(at, bytes.length);
  };
  const from = open(profile);
  const to = open(srgbProfile());
  const transform =
    from && to
      ? lcms.cmsCreateTransform(from, input, to, formats.rgb.format, relativeColorimetric, flags)
      : 0;
  if (!transform) return undefined;
  const source = lcms.malloc(chunk * channels * 4);
  const target = lcms.malloc(chunk * 3 * 4);
  const count = colours.length / channels;
  const result = new Float32Array(count * 3);
  for (let first = 0; first < count; first += chunk) {
    const pixels = Math.min(chunk, count - first);
    const values = new Float32Array(lcms.memory.buffer, source, pixels * channels);
    for (let i = 0; i < values.length; i++) values[i] = colours[first * channels + i]! * full;
    lcms.cmsDoTransform(transform, source, target, pixels);
    const encoded = new Float32Array(lcms.memory.buffer, target, pixels * 3);
    for (let i = 0; i < encoded.length; i++) result[first * 3 + i] = srgbToLinear(encoded[i]!);
  }
  // the instance and everything in it are left to the garbage collector
  return result.every(Number.isFinite) ? result : undefined;
}

/** Bytes of one pixel, as above. */
const byteFormats = { gray: (3 << 16) | (1 << 3) | 1, rgb: (4 << 16) | (3 << 3) | 1 } as const;

/**
 * Converts pixels of sRGB with alpha, 8 bit, to the colours of a profile: relative colorimetric with
 * black-point compensation; under a gray one all three colours are its gray. Alpha is unchanged. Returns
 * undefined if the profile has an impossible grid, or Little CMS can make no transform into it.
 */
export function srgbInProfile(
  module: WebAssembly.Module,
  profile: Uint8Array,
  space: keyof typeof byteFormats,
  rgba: Uint8Array,
): Uint8Array | undefined {
  if (hasImpossibleGrid(profile)) return undefined;
  try {
    return convertInto(module, profile, space, rgba);
  } catch {
    return undefined; // the failed instance is discarded; the profile is at fault
  }
}

function convertInto(
  module: WebAssembly.Module,
  profile: Uint8Array,
  space: keyof typeof byteFormats,
  rgba: Uint8Array,
): Uint8Array | undefined {
  const lcms = createLcms(module);
  const open = (bytes: Uint8Array) => {
    const at = lcms.malloc(bytes.length);
    new Uint8Array(lcms.memory.buffer).set(bytes, at);
    return lcms.cmsOpenProfileFromMem(at, bytes.length);
  };
  const from = open(srgbProfile());
  const to = open(profile);
  const transform =
    from && to
      ? lcms.cmsCreateTransform(from, byteFormats.rgb, to, byteFormats[space], relativeColorimetric, flags)
      : 0;
  if (!transform) return undefined;
  const source = lcms.malloc(chunk * 3);
  const target = lcms.malloc(chunk * 3);
  const bands = space === "gray" ? 1 : 3;
  const result = new Uint8Array(rgba.length);
  for (let first = 0; first < rgba.length; first += chunk * 4) {
    const pixels = Math.min(chunk, (rgba.length - first) / 4);
    const into = new Uint8Array(lcms.memory.buffer, source, pixels * 3);
    for (let i = 0; i < pixels; i++) for (let b = 0; b < 3; b++) into[i * 3 + b] = rgba[first + i * 4 + b]!;
    lcms.cmsDoTransform(transform, source, target, pixels);
    const made = new Uint8Array(lcms.memory.buffer, target, pixels * bands);
    for (let i = 0; i < pixels; i++) {
      const at = first + i * 4;
      for (let b = 0; b < 3; b++) result[at + b] = made[i * bands + (bands === 1 ? 0 : b)]!;
      result[at + 3] = rgba[at + 3]!;
    }
  }
  return result;
}

const maxMemory = 256 << 20;
const page = 65536;

/** Returns a new instance: profiles are untrusted, so no instance is used for two. */
function createLcms(module: WebAssembly.Module): Lcms {
  let lcms: Lcms;
  const stop = (name: string) => () => {
    throw new Error(`lcms: ${name}`);
  };
  const call = (index: number, ...values: number[]) =>
    (lcms.__indirect_function_table.get(index) as (...values: number[]) => number)(...values);
  const provided: Readonly<Record<string, (...values: number[]) => unknown>> = {
    emscripten_memcpy_js: (to, from, length) => {
      new Uint8Array(lcms.memory.buffer).copyWithin(to!, from!, from! + length!);
    },
    emscripten_resize_heap: (bytes) => {
      const size = bytes! >>> 0;
      if (size > maxMemory) return 0;
      try {
        lcms.memory.grow(Math.max(0, Math.ceil((size - lcms.memory.buffer.byteLength) / page)));
        return 1;
      } catch {
        return 0;
      }
    },
    emscripten_date_now: () => 0,
    _tzset_js: () => {},
    _gmtime_js: () => {},
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = provided[name] ?? (name.startsWith("invoke_") ? call : stop(name));
  }
  lcms = new WebAssembly.Instance(module, imports).exports as Lcms;
  lcms.__wasm_call_ctors();
  return lcms;
}
