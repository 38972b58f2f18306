// The transform of a plan that a test writes as steps: at most one of each kind, in the order that plans have
// them.

import type { ReadRequest, Transform } from "../../../../src/imaging/codecs/plan.ts";
import { orientationOf } from "../../../../src/imaging/pipeline/orientation.ts";
import type { ResampleAxis, Step } from "../../../../src/imaging/pipeline/step.ts";

/** Returns the position, on the upright picture, of samples after the steps of a plan. */
export function transformOf(
  { header, region, scaleFactor }: Pick<ReadRequest, "header" | "region" | "scaleFactor">,
  steps: readonly Step[],
): Transform {
  const find = <Op extends Step["op"]>(op: Op) =>
    steps.find((step): step is Extract<Step, { op: Op }> => step.op === op);
  const orientation = find("orient")?.orientation ?? 1;
  const { swap, flipX, flipY } = orientationOf(orientation);
  const reduced = (pixels: number) => Math.ceil(pixels / scaleFactor);
  const across = [reduced(header.width), region.x / scaleFactor, reduced(region.width)] as const;
  const down = [reduced(header.height), region.y / scaleFactor, reduced(region.height)] as const;
  const window = ([full, start, size]: typeof across, flipped: boolean) => ({
    size,
    origin: flipped ? full - start - size : start,
    scale: 1,
  });
  const resize = find("resize");
  const on = (read: ResampleAxis, axis: ResampleAxis | undefined) =>
    axis ? { ...axis, origin: read.origin + axis.origin } : read;
  const x = on(window(swap ? down : across, flipX), resize?.x);
  const y = on(window(swap ? across : down, flipY), resize?.y);
  const crop = find("crop") ?? { left: 0, top: 0, width: x.size, height: y.size };
  return {
    orientation,
    x,
    y,
    margins: {
      left: crop.left,
      right: x.size - crop.left - crop.width,
      top: crop.top,
      bottom: y.size - crop.top - crop.height,
    },
    mirror: find("mirror") !== undefined,
    degrees: find("rotate")?.degrees ?? 0,
  };
}
