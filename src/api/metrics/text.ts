// The registry as text for Prometheus (text exposition format 0.0.4).

import { type FigureRow, figures, publishedName } from "../../stats/figures.ts";
import type { Family, HistogramSeries } from "../../stats/registry.ts";

/** Its media type. */
export const textType = "text/plain; version=0.0.4; charset=utf-8";

/** All figures of a reading, one family after the other, each with its help and kind. */
export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText(family: Family): string {
  const name = publishedName(family.name);
  const { help }: FigureRow = figures[family.name];
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${family.kind}\n`;
  if (family.kind === "histogram")
    return head + family.series.map((one) => histogramLines(name, one)).join("");
  return head + family.series.map(({ labels, value }) => line(name, labelList(labels), value)).join("");
}

/** Buckets count what does not exceed their bound, so that of `+Inf` counts all. */
function histogramLines(name: string, { labels, buckets, count, sum }: HistogramSeries): string {
  const own = labelList(labels);
  const upTo = (bound: string) => [...own, `le="${bound}"`];
  return [
    ...buckets.map((bucket) => line(`${name}_bucket`, upTo(numberText(bucket.upTo)), bucket.count)),
    line(`${name}_bucket`, upTo("+Inf"), count),
    line(`${name}_sum`, own, sum),
    line(`${name}_count`, own, count),
  ].join("");
}

function line(name: string, labels: readonly string[], value: number): string {
  return `${name}${labels.length > 0 ? `{${labels.join(",")}}` : ""} ${numberText(value)}\n`;
}

const labelList = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);

/** A number as Go reads it. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

const escapeHelp = (text: string) => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");
const escapeLabel = (text: string) => escapeHelp(text).replace(/"/g, '\\"');
