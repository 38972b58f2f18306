// Collects data from the transcoder in addition to its output, band by band: access points, and the reduced
// level at 1/8.

import type { FrameHeader } from "../markers/frame.ts";
import { accessPointBytes } from "../region/access-points.ts";
import { accept, geometry, type Transcode } from "./work.ts";

/** Samples of one component at 1/8 of its own size, one for each of its blocks inside the image. */
export interface DcPlane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Collects the access points, in the form of `ScanAccessPoints.entries`. */
export function collectAccessPoints({ wasm, bands }: Transcode, frame: FrameHeader, headLength: number) {
  const step = Math.max(2, Math.floor(512 / (8 * frame.hMax)));
  const pointer = wasm.index(step, headLength);
  if (pointer === 0) accept(2);
  const length = accessPointBytes * (1 + Math.floor(geometry(frame).mcusWide / step));
  const all = new Uint8Array(length * bands);
  return {
    all,
    take: (band: number) => all.set(new Uint8Array(wasm.memory.buffer, pointer, length), band * length),
  };
}

/** Collects the reduced level at 1/8; allocates nothing before the first band. */
export function collectDcPlanes({ wasm }: Transcode, frame: FrameHeader) {
  const planes = geometry(frame).components.map(({ wide, high }) => ({
    data: new Uint8Array(),
    width: wide,
    height: high,
  }));
  return {
    planes: planes as readonly DcPlane[],
    bytes: planes.reduce((sum, { width, height }) => sum + width * height, 0),
    take(band: number) {
      for (const [i, plane] of planes.entries()) {
        if (band === 0) plane.data = new Uint8Array(plane.width * plane.height);
        const rows = frame.components[i]!.v;
        const from = band * rows * plane.width;
        const length = Math.min(rows * plane.width, plane.data.length - from);
        if (length > 0) plane.data.set(new Uint8Array(wasm.memory.buffer, wasm.shrink(i), length), from);
      }
    },
  };
}
