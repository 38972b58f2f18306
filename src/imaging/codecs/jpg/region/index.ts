// Reading of sequential JPEG files by regions: the exports that other folders use.

export type { ReadRange as Read } from "../../ranges.ts";
export type { Backwards, Crop } from "../lossless/crop.ts";
export type { Component, Frame, JpegColour } from "../markers/frame.ts";
export { type WrittenFile, writtenAccessPoints } from "../transcode/recorded-points.ts";
export { level8Bytes, level8Size } from "./access-points.ts";
export type { BuildOptions } from "./build-access-points.ts";
export { createEngine, type Engine } from "./engine.ts";
export type { ScaleFactor } from "./geometry.ts";
export type { Scan } from "./header.ts";
export type {
  CopyRows,
  PlaneArea,
  ResamplePlane,
  StoredPlanes,
} from "./level4.ts";
export type { Plane } from "./pixels.ts";
export { type JpegReader, type OpenOptions, openJpeg } from "./reader.ts";
