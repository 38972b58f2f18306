// Times of the stages of renders, as the registry has them: by route, format of the derivative and codec of the master.

import type { StageClock } from "../lib/stage-times.ts";
import { type RouteClass, renderStages } from "./figures.ts";
import type { Registry } from "./registry.ts";

export {
  type CacheOutcome,
  type StageName,
  type StageTimes,
  stageNames,
} from "../lib/stage-times.ts";

export interface StageFigures {
  /** Records the render that a request waited for; nothing where it began none. */
  record(route: RouteClass, stages: StageClock): void;
}

/** Declares the figures of renders. Those of a route and its formats begin with their first render: most never meet. */
export function createStageFigures({ counter, histogram }: Registry): StageFigures {
  const declared = new Map<string, ReturnType<typeof declare>>();
  const declare = (labels: {
    readonly route: RouteClass;
    readonly format: string;
    readonly codec: string;
  }) => ({
    renders: counter("renders", labels),
    reads: counter("render_reads", labels),
    readBytes: counter("render_read", labels),
    stages: Object.fromEntries(
      renderStages.map((stage) => [stage, histogram("render_stage_duration", { ...labels, stage })]),
    ) as Record<(typeof renderStages)[number], ReturnType<typeof histogram>>,
  });
  return {
    record(route, stages) {
      if (!stages.render) return;
      const { format, codec } = stages.render;
      const key = `${route} ${format} ${codec}`;
      let figures = declared.get(key);
      if (!figures) declared.set(key, (figures = declare({ route, format, codec })));
      const { renders, reads, readBytes, stages: durations } = figures;
      renders.add();
      reads.add(stages.reads);
      readBytes.add(stages.readBytes);
      for (const stage of renderStages) {
        const ms = stages[stage];
        if (ms !== undefined) durations[stage].record(ms / 1000);
      }
      // Storing ends after the answer, mostly.
      if (stages.store === undefined)
        stages.stored = () => durations.store.record((stages.store as number) / 1000);
    },
  };
}
