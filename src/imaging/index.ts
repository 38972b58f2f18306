// The door of imaging/: what other houses use of it.

// Decoders and encoders.
export {
  type CodecHost,
  type Decoder,
  type Encoded,
  type SidecarAccess,
  type SidecarBlocks,
  type SidecarLayer,
  type SidecarUse,
  type StoredWord,
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
export type { FileFacts } from "./codecs/file-facts.ts";
// The formats of this build, one row each.
export {
  formats,
  formatsWith,
  headLength,
  optInFormats,
  readableTitles,
  writingOf,
  writtenFormats,
} from "./codecs/formats.ts";
// The facts in the header of one page of a master, in the same form for all formats.
export type { ImageHeader } from "./codecs/image-header.ts";
// The decoders and encoders of a thread.
export { createCodecs } from "./codecs/index.ts";
// Inflates deflated streams on any runtime.
export { inflate } from "./codecs/inflate.ts";
// The parts of a JPEG file that another container takes as they are.
export { storedJpeg } from "./codecs/jpg/lossless/stored.ts";
// The WebAssembly modules of the service.
export { type OnDemandModule, workerModules } from "./codecs/modules.ts";
// The plan of one derivative.
export type { NamedMaster, ReadRequest, RenderPlan } from "./codecs/plan.ts";
// Images as their files store them, for another container such as a PDF file.
export { storedBytes, storedImage } from "./codecs/stored-image.ts";
// Files that only another decoder can read, as a whole.
export { isWholeFileError, orWhole } from "./codecs/whole-file.ts";
// Description of a file's embedded profile, for people who may not know about colour.
export { describeProfile, type ProfileDescription } from "./colour/description.ts";
// The sRGB profile of derivatives.
export { srgbProfile } from "./colour/write.ts";
// Position and size of an overlay (a watermark) on a derivative.
export { anchorNames, fits } from "./pipeline/steps/overlay-layout.ts";
// Rotation by any angle (IIIF Image API 3.0, section 4.3).
export { rotatedSize } from "./pipeline/steps/rotate.ts";
// Estimated duration of a plan.
export { planNs } from "./plan/cost.ts";
// Colours and size of a master in derivatives.
export { convertsColours } from "./plan/metadata-policy.ts";
export { asShown, shownSize } from "./plan/orientation.ts";
// Plans a derivative.
export { planRender } from "./plan/plan.ts";
// The choices that the bytes of derivatives depend on, besides the request.
export type { OutputPolicy } from "./plan/policy.ts";
// A whole job of a pool worker, from ranges of bytes to an encoded derivative.
export { runTask, type Task } from "./render/job.ts";
// Overlays known to a thread.
export type { OverlayImage } from "./render/overlay-pixels.ts";
// Converts a page of a file to a tiled TIFF with all its levels, a few rows at a time.
export { type PyramidFileOptions, writePyramidFile } from "./render/pyramid-file.ts";
// The entry of a sidecar of any format.
export { type PartKind, readEntry, withoutLevels } from "./sidecar/entry.ts";
