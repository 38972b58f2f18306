// Expected costs of derivatives of an image: a tile of each level, and the whole image, estimated from the
// same plans as requests.

import { formatSize, ServiceError, type Size } from "../../base/index.ts";
import { type ImageRequest, type Region, scaleFactors, tileWithin, usualRequest } from "../../iiif/index.ts";
import { shownSize } from "../../imaging/index.ts";
import {
  admittedMemory,
  describe,
  type GrantedMaster,
  planFor,
  type RenderParts,
  renderWork,
  resolveRequest,
} from "../../server/index.ts";

export interface Cost {
  readonly what: "tile" | "whole";
  /** Pixels of the image per pixel of the derivative, along each axis. */
  readonly scale: number;
  /** `region/size/rotation/quality.format`. */
  readonly canonical: string;
  readonly request: ImageRequest;
  readonly size: Size;
  readonly expected?: {
    /** Milliseconds of processor time. */
    readonly ms: number;
    /** Peak bytes. */
    readonly memory: number;
    /** Number of decoded pixels of the master. */
    readonly decoded: number;
  };
  /** Reason why it is refused. */
  readonly refused?: ServiceError;
}
const wholeImage: ImageRequest = {
  ...usualRequest,
  region: { kind: "full" },
  size: { upscale: false, kind: "max" },
};

/**
 * Returns the costs of the last complete tile of each level, which is the slowest one for formats that are
 * read from the top, then that of `full/max`. `sidecar`: true if reads use a sidecar, which the first of them
 * builds; without one each read repeats that work. Throws what `describe` throws.
 */
export async function expectedCosts(
  parts: RenderParts,
  master: GrantedMaster,
  sidecar: boolean,
): Promise<readonly Cost[]> {
  const header = await describe(parts, master);
  const upright = shownSize(header, parts.policy);
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
        const memory = admittedMemory(plan, sidecar || parts.sidecars.waits(master, plan.read));
        if (!parts.admission.allows(memory)) throw tooMuchMemory(memory);
        const codec = parts.codecs.decoder(header.format);
        const { ms } = renderWork(plan, codec, { absent: !sidecar });
        return { ...named, expected: { ms, memory, decoded: codec.decodedPixels(plan.read) } };
      } catch (error) {
        return { ...named, refused: toServiceError(error) };
      }
    } catch (error) {
      return { ...row, canonical: "full/max/0/default.jpg", size: upright, refused: toServiceError(error) };
    }
  }
}

/** Returns the error of admission, without counting a refused request. */
const tooMuchMemory = (bytes: number) =>
  new ServiceError(
    "too-large",
    `It would need about ${formatSize(bytes)} of memory, more than the service may use for images.`,
    { code: "memory_budget" },
  );

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Returns the request for the last complete tile of a level, or for the first tile if none is complete. */
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
    ...usualRequest,
    region: { kind: "pixels", ...region },
    size: { upscale: false, kind: "exact", ...size },
  };
}
