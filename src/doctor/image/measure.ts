// Measures actual costs: renders one tile and, if that is cheap, the whole image for the doctor, without
// caching them.

import { ServiceError, StageClock, type StageMs } from "../../base/index.ts";
import type { ImageHeader } from "../../imaging/index.ts";
import {
  type GrantedMaster,
  prepare,
  type RenderParts,
  render,
  type Slot,
  unnotedRenders,
} from "../../server/index.ts";
import type { Cost } from "./costs.ts";

export interface Measured {
  readonly what: Cost["what"];
  readonly canonical: string;
  /** Milliseconds from the plan to the last byte, including waiting. */
  readonly ms: number;
  /** Milliseconds of the render before it, which built the sidecar. */
  readonly firstMs?: number;
  readonly stages: StageMs;
  readonly reads: number;
  readonly readBytes: number;
  /** Bytes of the derivative. */
  readonly bytes: number;
  /** True if part of the image could not be read. */
  readonly incomplete: boolean;
}

/** Expected milliseconds up to which the whole image is rendered. */
const maxWholeMs = 2000;
/** Ratio of actual to expected milliseconds above which a derivative is rendered again. */
const coldTimes = 2;
/** Maximum milliseconds of a derivative that is rendered again. */
const maxAgainMs = 2000;

/**
 * Renders the tile of full size, then the whole image if that is cheap. Renders wait for admission like
 * requests, but bypass the render slot, and do not count as renders for readers. The first one is repeated if
 * it built the sidecar (`builds`), any one if it was cold. Throws what `render` throws.
 */
export async function measure(
  parts: RenderParts,
  master: GrantedMaster,
  {
    header,
    costs,
    builds,
  }: { readonly header: ImageHeader; readonly costs: readonly Cost[]; readonly builds: boolean },
  signal: AbortSignal,
  note: (measured: Measured) => void,
): Promise<void> {
  const past: RenderParts = { ...parts, render: withoutEntries(parts.render), latest: unnotedRenders };
  const renderOnce = async ({ what, request }: Cost): Promise<Measured> => {
    const began = performance.now();
    const stages = new StageClock(began);
    const watched = { ...master, caller: { ...callerOf(master), signal, stages } };
    const prepared = await prepare(past, watched, request, signal);
    const { bytes, incomplete } = await render(past, watched, prepared, signal);
    const { sidecar, queue, read, index, decode, steps, encode } = stages.toNamed();
    return {
      what,
      canonical: prepared.canonical,
      ms: performance.now() - began,
      stages: { sidecar, queue, read, index, decode, steps, encode },
      reads: stages.reads,
      readBytes: stages.readBytes,
      bytes: bytes.length,
      incomplete,
    };
  };
  for (const [i, cost] of chooseCosts(costs).entries()) {
    const first = await renderOnce(cost);
    // The first render of its kind in a process loads a decoder, and may build a sidecar; visitors mostly
    // experience later ones.
    if (builds && i === 0) {
      note(first);
      await parts.sidecars.whenSettled(master, header);
      const { ms: firstMs, incomplete } = first;
      let again = await renderOnce(cost);
      // The second tile may have built what later ones use.
      if (isCold(cost, again)) again = await renderOnce(cost);
      note({ ...again, firstMs, incomplete: incomplete || again.incomplete });
      continue;
    }
    note(isCold(cost, first) ? await renderOnce(cost) : first);
  }
}

const isCold = ({ expected }: Cost, { ms }: Measured) =>
  ms > coldTimes * (expected?.ms ?? 0) && ms <= maxAgainMs;

const callerOf = ({ caller, identifier }: GrantedMaster) =>
  caller ?? { identifier, path: "", header: () => undefined };

function chooseCosts(costs: readonly Cost[]): readonly Cost[] {
  const tile = costs.find(({ what, expected }) => what === "tile" && expected);
  const whole = costs.find(({ what, expected }) => what === "whole" && expected && expected.ms <= maxWholeMs);
  return [tile, whole].filter((cost) => cost !== undefined);
}

/** Returns a slot that finds and stores nothing, so that the actual work is measured. */
function withoutEntries(slot: Slot): Slot {
  return {
    ...slot,
    get: async () => undefined,
    put() {},
    async getOrMake(_name, _variant, make, { signal, watch } = {}) {
      if (signal?.aborted) throw new ServiceError("cancelled", "Nobody is waiting for this any more.");
      watch?.noteCache("miss");
      return make(signal ?? new AbortController().signal);
    },
  };
}
