// Converts pixels to sRGB by a profile, or by the default without one: transforms are made once and cached.

import { createLru, memoryBytes } from "../../base/index.ts";
import { inkToLight } from "../pipeline/ink.ts";
import { labToLight } from "../pipeline/lab.ts";
import {
  fullScale,
  hasAlpha,
  type Interpretation,
  type PixelBuffer,
  samplesLike,
} from "../pipeline/pixels.ts";
import { toSrgb as withoutProfile } from "../pipeline/steps/to-srgb.ts";
import { readAxes } from "./axes.ts";
import { isNeutral, openProfile } from "./facts.ts";
import { type Grid, makeGrid } from "./grid.ts";
import { isUnusable, type Profile, type Unusable } from "./icc.ts";
import { type ColourKernel, createColourKernel } from "./kernel.ts";
import { sampleProfile } from "./lcms.ts";
import { apply, type Chromaticity, relativeAdaptation } from "./matrix.ts";
import { type GrayShaper, type MatrixShaper, neutralLight, neutralOf, readShaper } from "./shaper.ts";
import { linearToSrgb } from "./srgb.ts";
import { checkTable } from "./table-tags.ts";

type Transform = MatrixShaper | Grid | GrayShaper;

/** A transform of a profile: for its own space, or, of an RGB profile, for gray. */
interface CachedTransform {
  readonly transform: Transform | Unusable;
  readonly neutral: boolean;
}

/** Converts pixels to sRGB; gray stays gray, in sRGB's tone curve. Same depth; alpha is unchanged. */
export type ToSrgb = (pixels: PixelBuffer) => PixelBuffer;

export interface Colour {
  /**
   * Returns a function that converts pixels of this interpretation to sRGB by the profile that `load`
   * returns. Cached for other images with the same profile, and under `id`, so that it is not loaded again.
   * `ignored`: called with the reason if the profile is unusable; the pixels are then treated as if there
   * were none.
   */
  byProfile(
    load: () => Promise<Uint8Array | undefined>,
    interpretation: Interpretation,
    id?: string,
  ): Promise<{ readonly toSrgb: ToSrgb; readonly ignored?: string }>;
  /**
   * Returns a function that converts without a profile: inks as the usual print, Lab under its white or D50,
   * the others as sRGB.
   */
  plain(interpretation: Interpretation, labWhite?: Chromaticity): ToSrgb;
}

/** Total bytes of cached profiles and their transforms, and of the profiles of known images. */
const cacheBytes = 16 << 20;
/** Approximate bytes of the tables of a profile without nodes. */
const usualTables = 65536;

/** Colour over the compiled modules; instances are made when first needed. */
export function createColour(host: { wasm(name: "colour" | "lcms"): WebAssembly.Module }): Colour {
  const kernel = createColourKernel(() => host.wasm("colour"));
  const cache = createLru<Uint8Array, CachedTransform>(cacheBytes);
  const named = createLru<string, Uint8Array>(cacheBytes);
  const usual = createLru<string, Grid>(cacheBytes);

  const findKnown = (icc: Uint8Array, neutral: boolean): Transform | Unusable | undefined => {
    const found = cache.get(icc);
    if (found?.neutral === neutral) return found.transform;
    for (const bytes of cache.keys()) {
      const other = isSame(bytes, icc) ? cache.get(bytes) : undefined;
      if (other?.neutral === neutral) return other.transform;
    }
    return undefined;
  };

  const loadTransform = async (
    icc: Uint8Array,
    interpretation: Interpretation,
  ): Promise<Transform | Unusable> => {
    const profile = await openProfile(memoryBytes(icc), interpretation);
    if (isUnusable(profile)) return profile;
    const neutral = isNeutral(profile, interpretation);
    const found = findKnown(icc, neutral);
    if (found) return found;
    const made = await makeTransform(() => host.wasm("lcms"), icc, profile, neutral);
    const weight = icc.length + ("nodes" in made ? made.nodes.byteLength : usualTables);
    cache.set(icc, { transform: made, neutral }, weight);
    return made;
  };

  const transformWithoutProfile = (interpretation: Interpretation, labWhite?: Chromaticity): ToSrgb => {
    if (interpretation !== "cmyk" && interpretation !== "lab") return withoutProfile;
    const key = `${interpretation} ${labWhite ?? ""}`;
    const gridOf = (): Grid => {
      const grid = interpretation === "cmyk" ? makeGrid(4, inkToLight)! : labGrid(labWhite);
      usual.set(key, grid, grid.nodes.byteLength);
      return grid;
    };
    return (pixels) => kernel.run(pixels, usual.get(key) ?? gridOf());
  };

  return {
    plain: transformWithoutProfile,
    async byProfile(load, interpretation, id) {
      let icc = id === undefined ? undefined : named.get(id);
      if (!icc) {
        icc = await load();
        if (!icc)
          return {
            toSrgb: transformWithoutProfile(interpretation),
            ignored: "it could not be read completely",
          };
        if (id !== undefined) named.set(id, icc, icc.length);
      }
      const transform = await loadTransform(icc, interpretation);
      if (isUnusable(transform))
        return { toSrgb: transformWithoutProfile(interpretation), ignored: transform.ignored };
      return { toSrgb: runner(kernel, transform) };
    },
  };
}

/** CIELAB under a white, adapted to D50 by Bradford. */
function labGrid(white: Chromaticity | undefined): Grid {
  const matrix = white && relativeAdaptation(white);
  return makeGrid(3, (colours) => labToLight(colours, matrix && ((relative) => apply(matrix, relative))))!;
}

const refused: Unusable = { ignored: "Little CMS cannot make a transform from it" };

function runner(kernel: ColourKernel, transform: Transform): ToSrgb {
  if (transform.kind === "gray") return (pixels) => throughCurve(pixels, transform);
  return (pixels) => kernel.run(pixels.interpretation === "ycc" ? withoutProfile(pixels) : pixels, transform);
}

/** Makes the transform of a profile; `neutral` if it is of RGB, for gray samples. */
async function makeTransform(
  lcms: () => WebAssembly.Module,
  icc: Uint8Array,
  profile: Profile,
  neutral: boolean,
): Promise<Transform | Unusable> {
  if (profile.model === "table")
    return (await checkTable(profile, memoryBytes(icc))) ?? fromTable(lcms(), icc, profile, neutral);
  const shaper = await readShaper(profile, memoryBytes(icc));
  return neutral && !isUnusable(shaper) ? neutralOf(shaper) : shaper;
}

/** Table profiles by Little CMS: gray along its one axis, the others on a grid. */
function fromTable(
  module: WebAssembly.Module,
  icc: Uint8Array,
  profile: Profile,
  neutral: boolean,
): Grid | GrayShaper | Unusable {
  const { space } = profile;
  const sample = (colours: Float32Array) => sampleProfile(module, icc, space, colours);
  try {
    if (space === "gray") return fromGrayTable(sample, 1) ?? refused;
    if (neutral) return fromGrayTable(sample, 3) ?? refused;
    const inputs = space === "cmyk" ? 4 : 3;
    return makeGrid(inputs, sample, readAxes(icc, profile, inputs)) ?? refused;
  } catch {
    return refused; // the failed instance is discarded; the profile is at fault
  }
}

const graySteps = 4096;

/** Samples the gray axis of a profile of 1 or 3 inputs. */
function fromGrayTable(
  sample: (colours: Float32Array) => Float32Array | undefined,
  inputs: 1 | 3,
): GrayShaper | undefined {
  const axis = Float32Array.from(
    { length: (graySteps + 1) * inputs },
    (_, i) => Math.floor(i / inputs) / graySteps,
  );
  const light = sample(axis);
  if (!light) return undefined;
  const levels = Float64Array.from({ length: graySteps + 1 }, (_, i) =>
    neutralLight(light[i * 3]!, light[i * 3 + 1]!, light[i * 3 + 2]!),
  );
  return { kind: "gray", curve: (x) => interpolate(levels, x * graySteps) };
}

/** The value between two neighbours. */
function interpolate(levels: Float64Array, at: number): number {
  const low = Math.min(levels.length - 2, Math.floor(at));
  return levels[low]! + (levels[low + 1]! - levels[low]!) * (at - low);
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
