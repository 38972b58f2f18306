// Geometry of a region at a scale: the samples, blocks and MCUs of each component. All sizes follow ITU-T
// T.81, sections A.1.1 and A.2, with blocks that become 8, 4, 2 or 1 samples wide.

import type { Rectangle } from "../../image-header.ts";
import type { Frame } from "../markers/frame.ts";
import type { Scan } from "./header.ts";

export type ScaleFactor = 1 | 2 | 4 | 8;

/** Method of upsampling a component's samples to the number of pixels. */
export type Upsampling = "none" | "across" | "down" | "both" | "repeat";

/**
 * The part of a component that a region needs. Samples are counted at the decoded resolution, from the
 * image's corner.
 */
export interface ComponentWindow {
  /** Samples on one side of a block. */
  readonly edge: number;
  /**
   * Ratios of samples to pixels. The sample at pixel x is floor(x * across / outAcross), at pixel y floor(y *
   * down / outDown).
   */
  readonly across: number;
  readonly outAcross: number;
  readonly down: number;
  readonly outDown: number;
  /** Size of the whole component. */
  readonly width: number;
  readonly height: number;
  readonly upsampling: Upsampling;
  /** Samples needed: left <= x < right, top <= y < bottom. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Blocks that contain these samples. */
  readonly blockLeft: number;
  readonly blockRight: number;
  readonly blockTop: number;
  readonly blockBottom: number;
}

/** Returns a region of full-size pixels at a scale: `ceil(side / scale)` pixels on each side. */
export function scaledRegion(region: Rectangle, scale: number): Rectangle {
  return {
    x: Math.floor(region.x / scale),
    y: Math.floor(region.y / scale),
    width: Math.ceil(region.width / scale),
    height: Math.ceil(region.height / scale),
  };
}

/**
 * Decoded size of the components after the first.
 *
 * - "full": larger than the scale requires for subsampled components whose blocks have the samples, so that
 *   less is interpolated.
 * - "stored": as the scale requires.
 * - "half": half of that; at 1/8 as the scale requires.
 * - "none": not decoded.
 */
export type ChromaSize = "full" | "stored" | "half" | "none";

/** Returns the samples on one side of a component's blocks. */
export function edgeOf(frame: Frame, component: number, scale: ScaleFactor, chroma: ChromaSize): number {
  const { h, v } = frame.components[component]!;
  let edge = 8 / scale;
  if (chroma === "half" && component > 0) return Math.max(1, edge / 2);
  if (chroma !== "full" || scale === 8) return edge;
  // doubles while the sampling factors of both directions allow it
  for (
    let factor = 2;
    edge < 8 && frame.hMax % (h * factor) === 0 && frame.vMax % (v * factor) === 0;
    factor *= 2
  )
    edge *= 2;
  return edge;
}

export interface WindowOptions {
  readonly chroma: ChromaSize;
  readonly margin: boolean;
}

/**
 * Returns the part of a component that pixels `out` (at the scale) need. With `margin`, it includes the
 * neighbours that upsampling reads.
 */
export function componentWindow(
  frame: Frame,
  component: number,
  out: Rectangle,
  scale: ScaleFactor,
  { chroma, margin }: WindowOptions,
): ComponentWindow {
  const { h, v } = frame.components[component]!;
  const edge = edgeOf(frame, component, scale, chroma);
  const across = h * edge * scale;
  const down = v * edge * scale;
  const outAcross = frame.hMax * 8;
  const outDown = frame.vMax * 8;
  const width = Math.ceil((frame.width * h * edge) / outAcross);
  const height = Math.ceil((frame.height * v * edge) / outDown);
  const upsampling = upsamplingOf(outAcross / across, outDown / down, width);
  const more = margin && upsampling !== "none" && upsampling !== "repeat" ? 1 : 0;
  const left = Math.max(0, Math.floor((out.x * across) / outAcross) - more);
  const top = Math.max(0, Math.floor((out.y * down) / outDown) - more);
  const right = Math.min(width, Math.ceil(((out.x + out.width) * across) / outAcross) + more);
  const bottom = Math.min(height, Math.ceil(((out.y + out.height) * down) / outDown) + more);
  const blockLeft = Math.floor(left / edge);
  const blockTop = Math.floor(top / edge);
  const isLeftOut = chroma === "none" && component > 0;
  return {
    edge,
    across,
    outAcross,
    down,
    outDown,
    width,
    height,
    upsampling,
    left,
    right: isLeftOut ? left : right,
    top,
    bottom: isLeftOut ? top : bottom,
    blockLeft,
    blockRight: isLeftOut ? blockLeft : Math.ceil(right / edge),
    blockTop,
    blockBottom: isLeftOut ? blockTop : Math.ceil(bottom / edge),
  };
}

/**
 * Chooses as libjpeg does: filters for ratios of two, repetition for all others and for components of one or
 * two columns.
 */
function upsamplingOf(across: number, down: number, width: number): Upsampling {
  if (across === 1 && down === 1) return "none";
  if (across === 1 && down === 2) return "down";
  if (across === 2 && down === 1 && width > 2) return "across";
  if (across === 2 && down === 2 && width > 2) return "both";
  return "repeat";
}

/** Returns the size of a component at 1/`reduction`. */
export function reducedSize({ components }: Frame, component: number, reduction: number) {
  const { width, height } = components[component]!;
  return { width: Math.ceil(width / reduction), height: Math.ceil(height / reduction) };
}

/** Range of MCUs of a scan: left <= column < right, top <= row < bottom. */
export interface McuRange {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** True if a window contains any sample. */
export const isWanted = (w: ComponentWindow): boolean => w.right > w.left && w.bottom > w.top;

/** Returns the MCUs of a scan that the windows of its components need; an empty range if none is wanted. */
export function mcuRange(scan: Scan, windows: readonly ComponentWindow[]): McuRange {
  let [left, right, top, bottom] = [scan.columns, 0, scan.rows, 0];
  for (const { index, across, down } of scan.components) {
    const w = windows[index]!;
    if (!isWanted(w)) continue;
    left = Math.min(left, Math.floor(w.blockLeft / across));
    right = Math.max(right, Math.ceil(w.blockRight / across));
    top = Math.min(top, Math.floor(w.blockTop / down));
    bottom = Math.max(bottom, Math.ceil(w.blockBottom / down));
  }
  if (right === 0) return { left: 0, right: 0, top: 0, bottom: 0 };
  return { left, right: Math.min(right, scan.columns), top, bottom: Math.min(bottom, scan.rows) };
}
