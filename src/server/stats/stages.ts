// Times of the stages of renders, as the registry has them, and how many there were by format of the
// derivative and codec of the master.

import { indexOfStage, type StageClock, type StageName, stageNames } from "../../base/index.ts";

export type { StageName } from "../../base/index.ts";

import { renderStages } from "./figures.ts";
import type { Registry } from "./registry.ts";
import { LatestValues } from "./ring.ts";
import { createSlowest, type SlowRender } from "./slowest.ts";

export interface StageReading {
  readonly stage: StageName;
  /** Median of the latest 1,024 renders that had this stage, in seconds; undefined before the first. */
  readonly median: number | undefined;
  readonly p95: number | undefined;
}

export interface StageFigures {
  /** Records the render that a request waited for, if it began one. `ms`: since the request arrived. */
  record(stages: StageClock, ms: number): void;
  /** All stages of renders in their order. */
  latest(): readonly StageReading[];
  /** The slowest renders of the last hour, the slowest first. */
  slowest(): readonly SlowRender[];
}

/** Renders that the percentiles of stages are taken of. */
const maxLatest = 1024;

/**
 * Declares the figures of renders. Those of a pair of formats begin with its first render: most never meet.
 */
export function createStageFigures({ counter, histogram }: Registry): StageFigures {
  /** In the order of all stages; a render never waits for another. */
  const stagesOf = <T>(make: (stage: Exclude<StageName, "wait">) => T) =>
    stageNames.map((stage) => (stage === "wait" ? undefined : make(stage)));
  const durations = stagesOf((stage) => histogram("render_stage_duration", { stage }));
  const latest = stagesOf(() => new LatestValues(maxLatest));
  const slowest = createSlowest();
  const renders = memoize((format: string, codec: string) => counter("renders", { format, codec }));
  const reads = memoize((codec: string) => ({
    reads: counter("render_reads", { codec }),
    bytes: counter("render_read", { codec }),
  }));
  return {
    record(stages, ms) {
      if (!stages.render) return;
      const { format, codec } = stages.render;
      renders(format, codec).add();
      reads(codec).reads.add(stages.reads);
      reads(codec).bytes.add(stages.readBytes);
      const took = (stage: number, seconds: number) => {
        durations[stage]?.record(seconds);
        latest[stage]?.add(seconds);
      };
      for (let stage = 0; stage < stageNames.length; stage++) {
        const ms = stages.ms[stage];
        if (ms !== undefined) took(stage, ms / 1000);
      }
      // Storing usually ends after the response.
      const { store } = indexOfStage;
      if (stages.ms[store] === undefined)
        stages.whenStored(() => took(store, (stages.ms[store] as number) / 1000));
      slowest.offer(stages, ms, Date.now());
    },
    latest: () =>
      renderStages.map((stage) => {
        const [median, p95] = latest[indexOfStage[stage]]?.percentiles([0.5, 0.95]) ?? [];
        return { stage, median, p95 };
      }),
    slowest: () => slowest.read(Date.now()),
  };
}

/** Caches the result of `make` for these names. */
function memoize<Names extends readonly string[], T>(make: (...names: Names) => T): (...names: Names) => T {
  const made = new Map<string, T>();
  return (...names) => {
    const key = names.join(" ");
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(...names);
    made.set(key, value);
    return value;
  };
}
