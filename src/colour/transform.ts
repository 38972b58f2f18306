// From pixels to sRGB by a profile, or by what is usual where there is none: transforms are made once and kept.

import { memoryBytes } from "../lib/byte-source.ts";
import { createLru } from "../lib/lru.ts";
import { inkToLight } from "../pipeline/ink.ts";
import { labToLight } from "../pipeline/lab.ts";
import {
  fullScale,
  hasAlpha,
  type Interpretation,
  type PixelBuffer,
  samplesLike,
} from "../pipeline/pixels.ts";
import { toSrgb as withoutProfile } from "../pipeline/to-srgb.ts";
import { readAxes } from "./axes.ts";
import { openProfile } from "./facts.ts";
import { type Grid, makeGrid } from "./grid.ts";
import { isUnusable, type Profile, type Unusable } from "./icc.ts";
import { type ColourKernel, createColourKernel } from "./kernel.ts";
import { sampleProfile } from "./lcms.ts";
import { type GrayShaper, type MatrixShaper, readShaper } from "./shaper.ts";
import { linearToSrgb } from "./srgb.ts";

type Transform = MatrixShaper | Grid | GrayShaper;

/** Pixels to sRGB; gray stays gray, in sRGB's tone curve. Same depth; alpha as it is. */
export type ToSrgb = (pixels: PixelBuffer) => PixelBuffer;

export interface Colour {
  /**
   * What turns pixels of this interpretation into sRGB by a profile. Kept for the next pictures with the same one.
   * `ignored`: the profile turned out not to be usable, and why; the pixels are then taken as if it were not there.
   */
  byProfile(
    icc: Uint8Array,
    interpretation: Interpretation,
  ): Promise<{ readonly toSrgb: ToSrgb; readonly ignored?: string }>;
  /** The same without a profile: inks as the usual print, Lab under D50, the others as sRGB. */
  plain(interpretation: Interpretation): ToSrgb;
}

/** Bytes of profiles, and of what is made of them, that are kept together. */
const keptBytes = 16 << 20;

/** Colour over the compiled modules; instances are made when first needed. */
export function createColour(host: { wasm(name: "colour" | "lcms"): WebAssembly.Module }): Colour {
  const kernel = createColourKernel(() => host.wasm("colour"));
  const kept = createLru<Uint8Array, Transform | Unusable>(keptBytes);
  const usual: { cmyk?: Grid; lab?: Grid } = {};

  const known = (icc: Uint8Array): Transform | Unusable | undefined => {
    for (const bytes of kept.keys()) if (isSame(bytes, icc)) return kept.get(bytes);
    return undefined;
  };

  const make = async (icc: Uint8Array, interpretation: Interpretation): Promise<Transform | Unusable> => {
    const profile = await openProfile(memoryBytes(icc), interpretation);
    if (isUnusable(profile)) return profile;
    if (profile.model !== "table") return readShaper(profile, memoryBytes(icc));
    try {
      return fromTable(host.wasm("lcms"), icc, profile) ?? refused;
    } catch (error) {
      // an instance that trapped is gone already, and the profile is at fault
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return refused;
      throw error;
    }
  };

  const plain = (interpretation: Interpretation): ToSrgb => {
    if (interpretation !== "cmyk" && interpretation !== "lab") return withoutProfile;
    const make = () => (interpretation === "cmyk" ? makeGrid(4, inkToLight)! : makeGrid(3, labToLight)!);
    return (pixels) => kernel.run(pixels, (usual[interpretation] ??= make()));
  };

  return {
    plain,
    async byProfile(icc, interpretation) {
      let transform = known(icc);
      if (!transform) {
        transform = await make(icc, interpretation);
        const bytes = icc.slice();
        kept.set(
          bytes,
          transform,
          bytes.length + ("nodes" in transform ? transform.nodes.byteLength * 2 : 65536),
        );
      }
      if (isUnusable(transform)) return { toSrgb: plain(interpretation), ignored: transform.ignored };
      return { toSrgb: runner(kernel, transform) };
    },
  };
}

const refused: Unusable = { ignored: "Little CMS cannot make a transform of it" };

function runner(kernel: ColourKernel, transform: Transform): ToSrgb {
  if (transform.kind === "gray") return (pixels) => throughCurve(pixels, transform);
  return (pixels) => kernel.run(pixels.interpretation === "ycc" ? withoutProfile(pixels) : pixels, transform);
}

/** Table profiles by Little CMS: gray along its one axis, the others on a grid. */
function fromTable(module: WebAssembly.Module, icc: Uint8Array, profile: Profile): Transform | undefined {
  const { space } = profile;
  const sample = (colours: Float32Array) => sampleProfile(module, icc, space, colours);
  if (space !== "gray") {
    const inputs = space === "cmyk" ? 4 : 3;
    return makeGrid(inputs, sample, readAxes(icc, profile, inputs));
  }
  const steps = 4096;
  const light = sample(Float32Array.from({ length: steps + 1 }, (_, i) => i / steps));
  if (!light) return undefined;
  // a neutral colour has three equal bands, but for rounding: green carries most of its light
  return { kind: "gray", curve: (x) => between(light, x * steps) };
}

/** The green of linear colours between two of them. */
function between(light: Float32Array, at: number): number {
  const low = Math.min(light.length / 3 - 2, Math.floor(at));
  return light[low * 3 + 1]! + (light[low * 3 + 4]! - light[low * 3 + 1]!) * (at - low);
}

const tables = new WeakMap<GrayShaper, { 255?: Uint8Array; 65535?: Uint16Array }>();

function throughCurve(pixels: PixelBuffer, shaper: GrayShaper): PixelBuffer {
  const full = fullScale(pixels);
  let made = tables.get(shaper);
  if (!made) tables.set(shaper, (made = {}));
  const level = (_: unknown, value: number) =>
    Math.round(linearToSrgb(Math.min(1, Math.max(0, shaper.curve(value / full)))) * full);
  const table =
    full === 255
      ? (made[255] ??= Uint8Array.from({ length: 256 }, level))
      : (made[65535] ??= Uint16Array.from({ length: 65536 }, level));
  const { bands, data: source } = pixels;
  const data = samplesLike(pixels, source.length);
  for (let p = 0; p < data.length; p += bands) data[p] = table[source[p]!]!;
  if (hasAlpha(pixels)) for (let p = 1; p < data.length; p += bands) data[p] = source[p]!;
  return { ...pixels, data };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
