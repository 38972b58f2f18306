// Makes JPEG derivatives from JPEG data without RGB in between: by a lossless crop or from planes.

import { concatenate, type JobStages, type Size } from "../../../base/index.ts";
import type { Orientation } from "../../pipeline/orientation.ts";
import type { Kernels } from "../../pipeline/step.ts";
import type { CodecHost } from "../codec.ts";

import type { Rectangle } from "../image-header.ts";
import { createRecoder, type Recode } from "../jxl/recode.ts";
import { wayOf } from "../jxl/ways.ts";
import type { RenderPlan } from "../plan.ts";
import { optimisePays } from "./encode/encode.ts";
import { createJpegEncoder, type JpegEncoder } from "./encode/fast-encode.ts";
import { backwardsOf, canTransform, createTransformer, type Transformer } from "./lossless/transform.ts";
import { worthCropping } from "./lossless/worth-cropping.ts";
import { withDensity } from "./markers/density.ts";
import { encodeInParts } from "./planes/parts.ts";
import { type PlanesSource, planesOf } from "./planes/planes.ts";
import { onlyMoves, type PlaneTarget, targetOf, turnOf } from "./planes/target.ts";
import type { JpegColour, JpegReader } from "./region/index.ts";

/** JPEG data from which derivatives are made: a file, or the tiles of an image. */
export interface DerivableJpeg extends PlanesSource {
  readonly reader: PlanesSource["reader"] &
    Pick<JpegReader, "quant" | "codedBytes" | "cropPieces" | "cropData">;
}

/** Formats that are written with coefficients of JPEG. */
const derivedFormats = new Set(["jpg", "jxl"]);

/** True if derivatives in a format may be made from JPEG data without RGB in between. */
export const isDerived = (format: string): boolean => derivedFormats.has(format);

export interface JpegDeriver {
  /** Returns the encoder of baseline files. */
  baseline(): JpegEncoder;
  readonly recode: Recode;
  /**
   * Returns the pieces of a derivative, as EncodedPieces has them; undefined if the plan or the colours of
   * the data do not allow it.
   */
  derive(
    jpeg: DerivableJpeg,
    plan: RenderPlan,
    kernels: Kernels,
    stages?: JobStages,
  ): Promise<readonly Uint8Array[] | undefined>;
}

/**
 * How derivatives are made from components of these colours. RGB is not converted here, and inks need their
 * profile.
 */
const waysOf = {
  gray: "all",
  ycc: "all",
  rgb: "upright crops",
  cmyk: undefined,
  ycck: undefined,
} as const satisfies Record<JpegColour, unknown>;

const isUpright = ({ swap, flipX, flipY }: Orientation) => !swap && !flipX && !flipY;

/** True if a size is written as JPEG XL with coefficients, though no crop has them. */
const keepsCoefficients = (size: Size) =>
  wayOf({ ...size, bands: 3, interpretation: "rgb" }).effort === undefined;

/** Creates a deriver; instances of its modules are created on demand. */
export function jpegDeriver(host: Pick<CodecHost, "wasm">): JpegDeriver {
  let encoder: JpegEncoder | undefined;
  const baseline = () => (encoder ??= createJpegEncoder(host.wasm("jpeg-encode")));
  let made: Transformer | undefined;
  const transformer = () => (made ??= createTransformer(host.wasm("jpeg-turn")));
  const cropIn = async (turn: Orientation, reader: DerivableJpeg["reader"], region: Rectangle) => {
    if (isUpright(turn)) return reader.cropPieces(region);
    if (!canTransform(region)) return undefined;
    const crop = await reader.cropData(region, backwardsOf(turn));
    const file = crop && transformer().transform(crop, turn, optimisePays(region));
    return file && [file];
  };
  const recode = createRecoder(() => host.wasm("jxl-recode"));
  const derive = async (
    jpeg: DerivableJpeg,
    plan: RenderPlan,
    allows: (size: Size) => boolean,
    { kernels, stages }: { readonly kernels: Kernels; readonly stages: JobStages | undefined },
  ) => {
    const { read, write } = plan;
    const { frame } = jpeg.reader;
    const target = targetOf(plan, frame.components.length);
    const ways = target && waysOf[frame.colour];
    if (!ways) return undefined;
    if (
      write.passthrough === "auto" &&
      onlyMoves(target, read, frame.components.length) &&
      (ways === "all" || isUpright(turnOf(target))) &&
      worthCropping(jpeg.reader, write.quality)
    ) {
      const crop = await cropIn(turnOf(target), jpeg.reader, read.region);
      // decoders take files with a JFIF segment, which has the density, for luma and chroma
      if (crop && frame.colour === "rgb") return crop;
      if (crop) return [withDensity(crop[0]!, write.resolution), ...crop.slice(1)];
    }
    const size = { width: target.across.size, height: target.down.size };
    if (ways !== "all" || !allows(size)) return undefined;
    const { quality, chroma, resolution } = write;
    const { scaleFactor } = read;
    const planesFor = (part: PlaneTarget) =>
      planesOf(jpeg, part, { scaleFactor, chroma }, { kernels, transformer, stages });
    if (plan.rows !== undefined) {
      const stream = baseline().streamPlanes({ ...size, quality, chroma, resolution });
      return encodeInParts(target, plan.rows / scaleFactor, planesFor, stream, stages);
    }
    const input = await planesFor(target);
    stages?.enter("encode");
    return (
      input && [baseline().encode(input, { quality, chroma, resolution, optimise: optimisePays(input) })]
    );
  };
  return {
    baseline,
    recode,
    async derive(jpeg, plan, kernels, stages) {
      const { write } = plan;
      if (write.format !== "jxl") return derive(jpeg, plan, () => true, { kernels, stages });
      const asJpeg = { ...plan, write: { ...write, format: "jpg", resolution: undefined } };
      const pieces = await derive(jpeg, asJpeg, keepsCoefficients, { kernels, stages });
      const recoded = pieces && (await recode(concatenate(pieces), write.embed?.orientation ?? 1));
      return recoded && [recoded];
    },
  };
}
