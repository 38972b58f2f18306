// The plan of one derivative: what to read from a master, which steps, what to write. Plain data that can
// cross threads; `plan/plan.ts` makes it, `render/job.ts` runs it.

import type { ResampleAxis, Step } from "../pipeline/step.ts";
import type { ImageHeader, Rectangle, Resolution } from "./image-header.ts";

/** Region and scale to read, steps, and output. Plain data, made before any pixel is decoded. */
export interface RenderPlan {
  readonly read: ReadRequest;
  readonly transform: Transform;
  /** Steps from decoded pixels to the derivative: the transform and all changes of samples, in order. */
  readonly steps: readonly Step[];
  readonly write: EncodeOptions;
  /** The steps do everything, from pixels that are the same for every format: the codec takes no shortcut. */
  readonly bySteps?: true;
  /**
   * The job makes the derivative from this many full-size rows of `read` at a time, so it never holds all of
   * its pixels. Each step then works row by row, and the encoder takes rows. Absent: from all rows together.
   */
  readonly rows?: number;
  /** Identifies the master and its bytes: data derived from its profile is cached under both. */
  readonly master?: NamedMaster;
  /** Estimated peak bytes of the whole job. */
  readonly memory: number;
  /**
   * Estimated peak bytes of the job if the master has a whole sidecar, and the part of them that reading
   * takes; absent if a sidecar makes no difference.
   */
  readonly withSidecar?: { readonly memory: number; readonly reading: number };
}

/**
 * Positions of a derivative's samples on its master. Steps that move, resample and crop derive from it; a
 * codec with its own shortcut reads it directly. With `bySteps`, the samples are the cells that the
 * derivative is made of.
 */
export interface Transform {
  /** EXIF numbering, 1 to 8: from the stored picture to the upright one. */
  readonly orientation: number;
  /**
   * Axes on the whole upright picture at the plan's scale factor, margins included: from left to right, and
   * from top to bottom.
   */
  readonly x: ResampleAxis;
  readonly y: ResampleAxis;
  /**
   * Samples at each end that only serve a filter that reads beyond the derivative. They are cropped
   * afterwards.
   */
  readonly margins: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  /** Then left and right are exchanged, */
  readonly mirror: boolean;
  /** and then the picture is rotated clockwise, 0 to 360. */
  readonly degrees: number;
}

/** A page of a master. */
export type MasterPage = Pick<ReadRequest, "header" | "page">;

/** A rectangle of stored, full-size pixels to decode at 1/scaleFactor. */
export interface ReadRequest {
  readonly header: ImageHeader;
  /** 1-based. */
  readonly page: number;
  /**
   * Inside the image; x and y are multiples of scaleFactor, width and height too unless they reach the edge.
   */
  readonly region: Rectangle;
  /** 1, or a reduction in the codec's `scales`. */
  readonly scaleFactor: number;
  /** The derivative has chroma at half size: a codec that stores chroma separately may read it so. */
  readonly halvesColour?: true;
  /** The derivative is exactly half as large as the pixels that are read. */
  readonly halvesSize?: true;
  /**
   * JPEG 2000: the derivative is lossy, so the decoder leaves out the lowest bit-planes. Absent: it decodes
   * all.
   */
  readonly effort?: "visual";
  /**
   * Set if an earlier attempt found that this file has to be decoded completely by the codec's other decoder.
   */
  readonly whole?: true;
  /**
   * Percentiles of the whole picture's values that become black and white: 0 to 100, `low` below `high`. TIFF
   * of 16 bits and more.
   */
  readonly window?: { readonly low: number; readonly high: number };
  /**
   * Identifies the bytes of the file: what a codec parses of them may stay in memory under it. Absent if they
   * may change without another identity.
   */
  readonly version?: string | undefined;
}

export interface EncodeOptions {
  /** Name in the table of formats. */
  readonly format: string;
  /** 1 to 100, for lossy formats. */
  readonly quality: number;
  readonly progressive: boolean;
  readonly chroma: "420" | "444";
  /** JPEG: the fast encoder or the one with the smallest files. */
  readonly encoder: "fast" | "small";
  /** Allows lossless crops of a JPEG master; default: "off". */
  readonly passthrough?: "auto" | "off";
  readonly resolution?: Resolution | undefined;
  /** PNG: all samples are 0 or 255 of one band, and are stored with 1 bit. */
  readonly bilevel?: true;
  /** Metadata to embed; default: none. */
  readonly embed?: Embedding;
}

/** Metadata embedded in a derivative. */
export interface Embedding {
  /** The small sRGB profile, or the master's own, unchanged. */
  readonly profile?: "srgb" | "source";
  /** True if EXIF, XMP and IPTC of the master are kept. */
  readonly metadata: boolean;
  /** EXIF orientation to write, 1 to 8: that of the master, if its pixels stay as stored. */
  readonly orientation?: number;
}

/** A master, identified by its bytes and page. */
export interface NamedMaster {
  readonly name: string;
  readonly version: string;
}
