// What pictures of an image are expected to cost: a tile of each level, and the whole image, by the same plan that requests get.

import { ServiceError } from "../../errors.ts";
import type { ImageRequest } from "../../iiif/image/request.ts";
import type { Region, Size } from "../../iiif/image/size.ts";
import { scaleFactors, tileWithin } from "../../iiif/image/tiles.ts";
import { uprightSize } from "../../imaging/render/sampling.ts";
import { formatSize } from "../../lib/options/quantity.ts";
import { renderWork } from "../admission/cost.ts";
import { describe, type GrantedMaster } from "../describe.ts";
import { asShown } from "../plan/orientation.ts";
import { planFor, type RenderParts, resolveRequest } from "../render.ts";

export interface Cost {
  readonly what: "tile" | "whole";
  /** Pixels of the image for one of the answer, each way. */
  readonly scale: number;
  /** `region/size/rotation/quality.format`. */
  readonly canonical: string;
  readonly request: ImageRequest;
  readonly size: Size;
  readonly expected?: {
    /** Milliseconds of one processor. */
    readonly ms: number;
    /** Peak bytes. */
    readonly memory: number;
    /** Pixels of the master that are decoded. */
    readonly decoded: number;
  };
  /** Why it is refused. */
  readonly refused?: ServiceError;
}

const usual = {
  version: 3,
  rotation: { mirror: false, degrees: 0 },
  quality: "default",
  format: "jpg",
} as const;
const wholeImage: ImageRequest = {
  ...usual,
  region: { kind: "full" },
  size: { upscale: false, kind: "max" },
};

/**
 * Of each level the last whole tile, which is the slowest one of formats that are read from the top; then
 * `full/max`. `sidecar`: reads have one, which the first of them builds; without it each read does that work
 * again. Throws what `describe` throws.
 */
export async function expectedCosts(
  parts: RenderParts,
  master: GrantedMaster,
  sidecar: boolean,
): Promise<readonly Cost[]> {
  const header = await describe(parts, master);
  const upright = uprightSize(asShown(header, parts.policy));
  const side = tileWithin(parts.sizes);
  const levels = side === undefined ? [] : scaleFactors(upright, side);
  const tiles = levels.map((scale) => costOf("tile", scale, tileRequest(upright, side as number, scale)));
  return Promise.all([...tiles, costOf("whole", 1, wholeImage)]);

  async function costOf(what: Cost["what"], scale: number, request: ImageRequest): Promise<Cost> {
    const row = { what, scale, request };
    try {
      const resolved = await resolveRequest(parts, master, request);
      const { canonical, geometry } = resolved;
      const named = { ...row, canonical, size: geometry.size };
      try {
        const plan = planFor(parts, master, { ...resolved, overlay: undefined });
        if (!parts.admission.allows(plan.memory)) throw tooMuchMemory(plan.memory);
        const codec = parts.codecs.byFormat(header.format);
        const { ms } = renderWork(plan, codec, { absent: !sidecar });
        return { ...named, expected: { ms, memory: plan.memory, decoded: codec.decodedPixels(plan.read) } };
      } catch (error) {
        return { ...named, refused: known(error) };
      }
    } catch (error) {
      return { ...row, canonical: "full/max/0/default.jpg", size: upright, refused: known(error) };
    }
  }
}

/** As the gate refuses it, but without being counted as a request that it refused. */
const tooMuchMemory = (bytes: number) =>
  new ServiceError(
    "too-large",
    `It would need about ${formatSize(bytes)} of memory, more than the service may use for images.`,
    { code: "memory_budget" },
  );

function known(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/** The last tile of a level that is whole; the first where none is. */
function tileRequest(image: Size, side: number, scale: number): ImageRequest {
  const step = side * scale;
  const start = (length: number) => Math.max(0, Math.floor(length / step) - 1) * step;
  const region: Region = {
    x: start(image.width),
    y: start(image.height),
    width: Math.min(step, image.width - start(image.width)),
    height: Math.min(step, image.height - start(image.height)),
  };
  const size = { width: Math.ceil(region.width / scale), height: Math.ceil(region.height / scale) };
  return {
    ...usual,
    region: { kind: "pixels", ...region },
    size: { upscale: false, kind: "exact", ...size },
  };
}
