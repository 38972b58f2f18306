// Makes a large JPEG derivative from planes a few rows at a time.

import type { JobStages } from "../../../../base/index.ts";
import { partsOf } from "../../parts.ts";
import type { PlaneStream } from "../encode/fast-encode.ts";
import type { JpegPlanes } from "../encode/input.ts";
import type { PlaneTarget } from "./target.ts";

/**
 * Returns the pieces of a derivative whose target is neither scaled nor turned from top to bottom, `rows` of
 * its rows at a time; undefined if `planesFor` returns that.
 */
export async function encodeInParts(
  target: PlaneTarget,
  rows: number,
  planesFor: (part: PlaneTarget) => Promise<JpegPlanes | undefined>,
  stream: PlaneStream,
  stages?: JobStages,
): Promise<readonly Uint8Array[] | undefined> {
  const { across, down } = target;
  const pieces: Uint8Array[] = [];
  for (const { y, height } of partsOf({ x: 0, y: 0, width: across.size, height: down.size }, rows)) {
    stages?.enter("decode");
    const planes = await planesFor({ ...target, down: { ...down, origin: down.origin + y, size: height } });
    if (!planes) return undefined;
    stages?.enter("encode");
    pieces.push(stream.add(planes));
  }
  pieces.push(stream.finish());
  return pieces;
}
