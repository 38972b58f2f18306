// Estimated duration of a job: derived from the pixels that it decodes and encodes, corrected by the actual
// durations of earlier jobs of its kind.

import {
  type Decoder,
  type ImageHeader,
  planNs,
  type RenderPlan,
  type SidecarAccess,
  type SidecarLayer,
} from "../../../imaging/index.ts";

/** Estimated duration of a job in milliseconds, and its kind; estimates are corrected by kind. */
export interface EstimatedWork {
  readonly kind: string;
  readonly ms: number;
}

const milliseconds = (nanoseconds: number) => nanoseconds / 1e6;
const area = ({ width, height }: { readonly width: number; readonly height: number }) => width * height;

/** Returns the estimate of a render with the given sidecar. */
export function renderWork(
  plan: Pick<RenderPlan, "read" | "steps" | "write">,
  codec: Pick<Decoder, "decodedPixels" | "sidecar">,
  sidecar: Pick<SidecarAccess, "absent"> | undefined,
): EstimatedWork {
  return {
    kind: `${plan.read.header.format} to ${plan.write.format}`,
    ms: milliseconds(planNs(plan, codec, sidecar?.absent === true)),
  };
}

/** Returns the estimate of building a layer of the sidecar of a master. */
export function sidecarWork(
  { sidecar }: Pick<Decoder, "sidecar">,
  header: ImageHeader,
  layer: SidecarLayer,
): EstimatedWork {
  return {
    kind: `${layer} of ${header.format}, ${header.variant}`,
    ms: milliseconds(area(header) * (sidecar?.nsPerPixel(header, layer) ?? 0)),
  };
}

/** Layers that tiles of full size need. */
export const tileLayers: ReadonlySet<SidecarLayer> = new Set<SidecarLayer>(["ground", "pyramid"]);

/** Returns the estimated milliseconds of building what tiles of full size need. */
export function tileLayersWork(codec: Pick<Decoder, "sidecar">, header: ImageHeader): number {
  const layers = codec.sidecar?.layers(header, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) ?? [];
  return layers
    .filter((layer) => tileLayers.has(layer))
    .reduce((sum, layer) => sum + sidecarWork(codec, header, layer).ms, 0);
}

/**
 * Maximum correction factor of an estimate, up or down, so that a correction never hides the actual size of a
 * job.
 */
const maxCorrection = 4;
/** Weight of the latest job relative to all earlier ones. */
const weight = 1 / 8;
/** Jobs estimated below this many milliseconds are ignored: most of their time is overhead. */
const leastMs = 2;

export interface Estimates {
  /** Returns the corrected milliseconds. */
  of(work: EstimatedWork): number;
  /** Records the actual duration of a job. */
  learn(work: EstimatedWork, tookMs: number): void;
}

/**
 * Creates estimates that are corrected by the ratio of actual to estimated duration of earlier jobs of the
 * same kind.
 */
export function createEstimates(): Estimates {
  const ratios = new Map<string, number>();
  return {
    of: ({ kind, ms }) => ms * (ratios.get(kind) ?? 1),
    learn({ kind, ms }, tookMs) {
      if (ms < leastMs) return;
      const ratio = Math.min(maxCorrection, Math.max(1 / maxCorrection, tookMs / ms));
      const before = ratios.get(kind) ?? 1;
      ratios.set(kind, before + weight * (ratio - before));
    },
  };
}
