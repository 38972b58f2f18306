// How long a job is likely to work: estimated from what it decodes and encodes, corrected by what such jobs took.

import type { Codec, SidecarAccess } from "../../imaging/codecs/codec.ts";
import type { ImageHeader, SourceFormat } from "../../imaging/codecs/image-header.ts";
import type { OutputFormat, RenderPlan } from "../../imaging/codecs/plan.ts";
import { type Shape, shapeAfter } from "../../imaging/pipeline/shape.ts";
import { placeOverlay } from "../../imaging/pipeline/steps/overlay-layout.ts";

/** Work as it is estimated: its kind, which is corrected as a whole, and milliseconds. */
export interface Work {
  readonly kind: string;
  readonly ms: number;
}

/** Nanoseconds for a pixel, as measured with photographs on a server's processor. */
const decodeNs = { jpg: 3, png: 15, webp: 25, gif: 40, tif: 12, jp2: 250 } as const satisfies Record<
  SourceFormat,
  number
>;
const encodeNs = { jpg: 4, png: 50, webp: 120, tif: 40, jp2: 260 } as const satisfies Record<
  OutputFormat,
  number
>;
/** For each step and pixel that it takes in or puts out. */
const stepNs = 5;

const milliseconds = (nanoseconds: number) => nanoseconds / 1e6;
const area = ({ width, height }: { readonly width: number; readonly height: number }) => width * height;

/** The work of a render, with the sidecar that it gets. */
export function renderWork(
  { read, steps, write }: Pick<RenderPlan, "read" | "steps" | "write">,
  codec: Pick<Codec, "decodedPixels" | "sidecar">,
  sidecar: Pick<SidecarAccess, "absent"> | undefined,
): Work {
  const { header, region, scaleFactor } = read;
  const decoded = {
    width: Math.ceil(region.width / scaleFactor),
    height: Math.ceil(region.height / scaleFactor),
    bands: header.bands,
    depth: header.depth,
    interpretation: header.interpretation,
  };
  const shapes = [decoded, ...steps.map((_, i) => shapeAfter(decoded, steps.slice(0, i + 1)))];
  const out = area(shapes.at(-1) ?? decoded);
  const stepped = shapes.slice(1).reduce((sum, shape, i) => sum + area(shape) + area(shapes[i] ?? shape), 0);
  // Without a sidecar, the job makes what it needs of one.
  const building = sidecar?.absent ? area(header) * (codec.sidecar?.nsPerPixel(header) ?? 0) : 0;
  return {
    kind: `${header.format} to ${write.format}`,
    ms: milliseconds(
      codec.decodedPixels(read) * decodeNs[header.format] +
        building +
        (stepped + resampledOverlay(steps, shapes)) * stepNs +
        out * encodeNs[write.format],
    ),
  };
}

/** Pixels that an overlay has and gets where it does not lie on the answer in its own size. */
function resampledOverlay(steps: RenderPlan["steps"], shapes: readonly Shape[]): number {
  const at = steps.findIndex(({ op }) => op === "overlay");
  const step = steps[at];
  const answer = shapes[at + 1];
  if (step?.op !== "overlay" || !answer) return 0;
  const placed = placeOverlay(answer, step, step);
  return placed.width === step.width && placed.height === step.height ? 0 : area(step) + area(placed);
}

/** The work of building the sidecar of a master. */
export function sidecarWork({ sidecar }: Pick<Codec, "sidecar">, header: ImageHeader): Work {
  return {
    kind: `sidecar of ${header.format}, ${header.variant}`,
    ms: milliseconds(area(header) * (sidecar?.nsPerPixel(header) ?? 0)),
  };
}

/** An estimate is corrected by no more than this, up or down: it may not hide what a job is going to do. */
const mostCorrection = 4;
/** How much the latest job counts against those before it. */
const weight = 1 / 8;
/** Shorter jobs say nothing: most of their time passes on the way. */
const leastMs = 2;

export interface Estimates {
  /** Corrected milliseconds. */
  of(work: Work): number;
  /** Takes note of how long a job took. */
  learn(work: Work, tookMs: number): void;
}

/** Corrects estimates by the ratio of what jobs of a kind took to what they were estimated to take. */
export function createEstimates(): Estimates {
  const ratios = new Map<string, number>();
  return {
    of: ({ kind, ms }) => ms * (ratios.get(kind) ?? 1),
    learn({ kind, ms }, tookMs) {
      if (ms < leastMs) return;
      const ratio = Math.min(mostCorrection, Math.max(1 / mostCorrection, tookMs / ms));
      const before = ratios.get(kind) ?? 1;
      ratios.set(kind, before + weight * (ratio - before));
    },
  };
}
