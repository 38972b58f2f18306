// Random access into sequential JPEG files: what this folder gives to others.

export type { Backwards, Cut } from "../lossless/crop.ts";
export type { Component, Frame, JpegColour } from "../markers/frame.ts";
export { type WrittenFile, writtenIndex } from "../transcode/access-points.ts";
export type { BuildOptions } from "./build-index.ts";
export { createEngine, type Engine } from "./engine.ts";
export type { ScaleFactor } from "./geometry.ts";
export type { Scan } from "./header.ts";
export type { Plane } from "./pixels.ts";
export {
  type KeptPlanes,
  type PlaneArea,
  type PlanePart,
  quarterBytes,
  quarterSize,
  type ResamplePlane,
} from "./quarter.ts";
export type { ByteRange, Read } from "./ranges.ts";
export { type BuildIndexOptions, type JpegReader, openJpeg } from "./reader.ts";
export { overviewSize } from "./scan-index.ts";
