// The door of imaging/: what other houses use of it.

// Decoders and encoders.
export {
  type CodecHost,
  type Decoder,
  type Encoded,
  type Reduction,
  type SidecarAccess,
  type SidecarBlocks,
  type SidecarLayer,
  type SidecarUse,
  scaleFactorsOf,
} from "./codecs/codec.ts";

// The imaging parts of a thread.
export type { Codecs } from "./codecs/codecs.ts";

// What is missing at the end of a file.
export type { Cut } from "./codecs/cut.ts";

// Identifies the deflate implementation.
export { deflateIdentity } from "./codecs/deflate-identity.ts";
// Detects files without their end.
export { findCut, lacksItsEnd } from "./codecs/file-end.ts";
// Facts about the storage of an image in its file.
export type { FileFacts, StoredSize } from "./codecs/file-facts.ts";
// The formats of this build, one row each.
export type { Writing } from "./codecs/format.ts";
export { formats, readableTitles, readingOf, writingOf, writtenFormats } from "./codecs/formats.ts";
// The facts in the header of one page of a master, in the same form for all formats.
export type { ImageHeader, Rectangle } from "./codecs/image-header.ts";
// The decoders and encoders of a thread.
export { createCodecs } from "./codecs/index.ts";
// The WebAssembly modules of the service.
export { type WorkerModule, workerModules } from "./codecs/modules.ts";
// The plan of one derivative.
export type {
  Embedding,
  EncodeOptions,
  NamedMaster,
  ReadRequest,
  RenderPlan,
  Transform,
} from "./codecs/plan.ts";
// Files that only another decoder can read, as a whole.
export { isWholeFileError, orWholeFile, wholeFileNeeded } from "./codecs/whole-file.ts";
// Description of a file's embedded profile, for people who may not know about colour.
export { describeProfile, type ProfileDescription } from "./colour/description.ts";

// Metadata of image files, without the framing of their container.
export { mostMetadataBytes } from "./metadata/metadata.ts";

// Effects of the eight EXIF orientations (Exif 2.3, tag 0x0112) on axes.
export { backOrientation, orientationOf } from "./pipeline/orientation.ts";

// Raw pixels.
export { hasAlpha } from "./pipeline/pixels.ts";

// The runner of steps.
export { workByRow } from "./pipeline/run-steps.ts";

// Size, bands and depth of an image after a list of steps, computed without pixels.
export { type Shape, shapeAfter } from "./pipeline/shape.ts";

// The steps between decoding and encoding, as plain data, and the kernels that may run them.
export type { ResampleAxis, Step } from "./pipeline/step.ts";

// Position and size of an overlay (a watermark) on a derivative.
export { type Anchor, anchors, fits, placeOverlay } from "./pipeline/steps/overlay-layout.ts";

// Rotation by any angle (IIIF Image API 3.0, section 4.3).
export { rotatedSize } from "./pipeline/steps/rotate.ts";

// Sharpening by an unsharp mask on luma.
export { blurReach, type Sharpening } from "./pipeline/steps/sharpen.ts";

// Derivatives of black and white alone, which a PNG stores with 1 bit.
export { bilevelOf } from "./render/bilevel.ts";
// A whole job of a pool worker, from ranges of bytes to an encoded derivative.
export { runTask, type Task } from "./render/job.ts";
// Input of a job from the thread that runs it.
export type { JobInterest } from "./render/job-context.ts";

// Overlays known to a thread.
export type { OverlayImage } from "./render/overlay-pixels.ts";

// Converts a page of a file to a tiled TIFF with all its levels, a few rows at a time.
export { compressionFor, type PyramidFileOptions, writePyramidFile } from "./render/pyramid-file.ts";

// Sampling of a master for a derivative.
export {
  axisAt,
  chooseScale,
  colourSteps,
  isIdentity,
  largestFactor,
  resamplingSteps,
  type Size,
  storedRegion,
  uprightingSteps,
  uprightSize,
  windowOf,
} from "./render/sampling.ts";

// The entry of a sidecar of any format.
export { type PartKind, readEntry, withoutLevels } from "./sidecar/entry.ts";
