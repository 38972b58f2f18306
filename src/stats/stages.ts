// Times of the stages of renders, as the registry has them: by route, format of the derivative and codec of the master.

import { placeOf, type StageClock, type StageName, stageNames } from "../lib/telemetry/stage-times.ts";
import { type RouteClass, renderStages } from "./figures.ts";
import type { Registry } from "./registry.ts";
import { LatestValues } from "./ring.ts";
import { createSlowest, type SlowRender } from "./slowest.ts";

export type { StageName } from "../lib/telemetry/stage-times.ts";

export interface StageReading {
  readonly stage: StageName;
  /** Of the latest 1,024 renders that had this stage, in seconds; undefined before the first. */
  readonly median: number | undefined;
  readonly p95: number | undefined;
}

export interface StageFigures {
  /** Records the render that a request waited for; nothing where it began none. `ms`: since the request came. */
  record(route: RouteClass, stages: StageClock, ms: number): void;
  /** All stages of renders in their order. */
  latest(): readonly StageReading[];
  /** The slowest renders of the last hour, the slowest first. */
  slowest(): readonly SlowRender[];
}

/** Renders that the percentiles of stages are taken of. */
const latestKept = 1024;

/** Declares the figures of renders. Those of a route and its formats begin with their first render: most never meet. */
export function createStageFigures({ counter, histogram }: Registry): StageFigures {
  const declared = new Map<string, ReturnType<typeof declare>>();
  /** Of all routes and formats together. */
  const latest = stageNames.map((stage) => (stage === "wait" ? undefined : new LatestValues(latestKept)));
  const slowest = createSlowest();
  const declare = (labels: {
    readonly route: RouteClass;
    readonly format: string;
    readonly codec: string;
  }) => ({
    renders: counter("renders", labels),
    reads: counter("render_reads", labels),
    readBytes: counter("render_read", labels),
    /** In the order of all stages; a render never waits for another. */
    stages: stageNames.map((stage) =>
      stage === "wait" ? undefined : histogram("render_stage_duration", { ...labels, stage }),
    ),
  });
  return {
    record(route, stages, ms) {
      if (!stages.render) return;
      const { format, codec } = stages.render;
      const key = `${route} ${format} ${codec}`;
      let figures = declared.get(key);
      if (!figures) declared.set(key, (figures = declare({ route, format, codec })));
      const { renders, reads, readBytes, stages: durations } = figures;
      renders.add();
      reads.add(stages.reads);
      readBytes.add(stages.readBytes);
      const took = (stage: number, seconds: number) => {
        durations[stage]?.record(seconds);
        latest[stage]?.add(seconds);
      };
      for (let stage = 0; stage < stageNames.length; stage++) {
        const ms = stages.ms[stage];
        if (ms !== undefined) took(stage, ms / 1000);
      }
      // Storing ends after the answer, mostly.
      const { store } = placeOf;
      if (stages.ms[store] === undefined)
        stages.whenStored(() => took(store, (stages.ms[store] as number) / 1000));
      slowest.offer(stages, ms, Date.now());
    },
    latest: () =>
      renderStages.map((stage) => {
        const [median, p95] = latest[placeOf[stage]]?.percentiles([0.5, 0.95]) ?? [];
        return { stage, median, p95 };
      }),
    slowest: () => slowest.read(Date.now()),
  };
}
