// The charts of the status page: the last hours of a figure as a line, with axes. Drawn by the server alone;
// the script of the page requests them again from time to time.

import type { HistorySample } from "../../server/index.ts";
import { forms, type ValueForm } from "./figures.ts";

export interface ChartFacts {
  readonly of: Exclude<keyof HistorySample, "at">;
  readonly form: ValueForm;
  /** Beginning of the sentence that describes the chart. */
  readonly about: string;
  /** Upper end of the axis if the values have a natural one. */
  readonly top?: number;
}

/** The charts of the page. */
export const charts = {
  rate: { of: "rate", form: "rate", about: "Requests a second" },
  imageMs: { of: "imageMs", form: "ms", about: "Time of 95 of 100 image requests" },
  failures: { of: "failures", form: "count", about: "Failures in each 20 seconds" },
  waiting: { of: "waiting", form: "count", about: "Renders that wait" },
  memory: { of: "memory", form: "bytes", about: "Memory of the process" },
  hitRate: { of: "hitRate", form: "percent", about: "Derivatives found in the cache", top: 1 },
} as const satisfies Readonly<Record<string, ChartFacts>>;

const width = 300;
const height = 64;
/** Number of points drawn; more samples are joined to the largest of their neighbours. */
const maxPoints = 180;

interface Point {
  readonly at: number;
  readonly value: number | null;
}

/** The chart of a figure: values from zero to the largest, and the time from the first sample until now. */
export function Chart({
  samples,
  now,
  of,
  form,
  about,
  top,
}: ChartFacts & { readonly samples: readonly HistorySample[]; readonly now: number }) {
  const points = thin(samples.map((sample) => ({ at: sample.at, value: sample[of] })));
  const values = points.flatMap(({ value }) => value ?? []);
  const [first] = points;
  if (!first || values.length < 2) return <p class="quiet nochart">Its chart begins in a minute.</p>;
  const max = top ?? (Math.max(...values) || 1);
  const text = (value: number) => forms[form](value, now);
  const x = (at: number) => (width * (at - first.at)) / Math.max(1, now - first.at);
  const y = (value: number) => height - (height * Math.min(value, max)) / max;
  const range = `from ${text(Math.min(...values))} to ${text(Math.max(...values))}`;
  const since = forms.ago(first.at, now);
  return (
    <div class="chart">
      <span class="top">{text(max)}</span>
      <span class="bottom">{text(0)}</span>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${about}, since ${since}: ${range}.`}
      >
        {linesOf(points).map((line) => (
          <polyline
            points={line.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}
          />
        ))}
      </svg>
      <span class="since">{since}</span>
      <span class="now">now</span>
    </div>
  );
}

/** Joins neighbours to the one with the largest value, so that at most {@link maxPoints} are left. */
function thin(points: readonly Point[]): readonly Point[] {
  const joined = Math.ceil(points.length / maxPoints);
  if (joined <= 1) return points;
  const thinned: Point[] = [];
  for (let i = 0; i < points.length; i += joined)
    thinned.push(points.slice(i, i + joined).reduce((a, b) => ((b.value ?? -1) > (a.value ?? -1) ? b : a)));
  return thinned;
}

/** Splits points at those without a value. */
function linesOf(points: readonly Point[]): { readonly at: number; readonly value: number }[][] {
  const lines: { at: number; value: number }[][] = [[]];
  for (const { at, value } of points)
    if (value === null) lines.push([]);
    else lines.at(-1)?.push({ at, value });
  return lines.filter(({ length }) => length > 0);
}
