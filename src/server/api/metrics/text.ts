// The registry as text for Prometheus (text exposition format 0.0.4).

import { type FigureRow, figures, publishedName } from "../../stats/figures.ts";
import type { Family, HistogramSeries } from "../../stats/registry.ts";

/** Media type of the text. */
export const textType = "text/plain; version=0.0.4; charset=utf-8";

/** Returns all figures of a reading, family by family, each with its help and kind. */
export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join("");
}

function familyText(family: Family): string {
  const name = publishedName(family.name);
  const { help }: FigureRow = figures[family.name];
  let text = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${family.kind}\n`;
  if (family.kind === "histogram") for (const one of family.series) text += histogramLines(name, one);
  else
    for (const { labels, value } of family.series) {
      const [begin] = beginsOf(name, labels, () => [lineBegin(name, labelList(labels))]);
      text += `${begin}${numberText(value)}\n`;
    }
  return text;
}

/** Buckets count values up to their bound, so `+Inf` counts all. */
function histogramLines(name: string, { labels, buckets, count, sum }: HistogramSeries): string {
  const lines = beginsOf(name, labels, () => {
    const own = labelList(labels);
    const bounds = [...buckets.map(({ upTo }) => upTo), Number.POSITIVE_INFINITY];
    return [
      ...bounds.map((upTo) => lineBegin(`${name}_bucket`, [...own, `le="${numberText(upTo)}"`])),
      lineBegin(`${name}_sum`, own),
      lineBegin(`${name}_count`, own),
    ];
  });
  let text = "";
  for (let i = 0; i < buckets.length; i++) text += `${lines[i]}${buckets[i]?.count}\n`;
  const [all, total, number] = lines.slice(buckets.length);
  return `${text}${all}${count}\n${total}${numberText(sum)}\n${number}${count}\n`;
}

/**
 * Prefixes of the lines of a series. They never change, and formatting them is most of the cost of a reading.
 */
const begins = new WeakMap<object, Map<string, readonly string[]>>();

/**
 * Caches the result of `make` for these labels under this name. One labels object may belong to several
 * figures.
 */
function beginsOf(name: string, labels: object, make: () => readonly string[]): readonly string[] {
  let ofLabels = begins.get(labels);
  if (!ofLabels) begins.set(labels, (ofLabels = new Map()));
  let made = ofLabels.get(name);
  if (!made) ofLabels.set(name, (made = make()));
  return made;
}

const lineBegin = (name: string, labels: readonly string[]) =>
  `${name}${labels.length > 0 ? `{${labels.join(",")}}` : ""} `;

const labelList = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);

/** Formats a number as Go parses it. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

const escapeHelp = (text: string) => text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");
const escapeLabel = (text: string) => escapeHelp(text).replace(/"/g, '\\"');
