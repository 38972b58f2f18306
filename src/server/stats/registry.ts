// The registry: every figure of a service under its name and labels. Parts report to handles that they get
// once; readers ask here.

import { type Counter, createCounter } from "../../base/index.ts";
import {
  type CounterName,
  type FigureName,
  type FigureRow,
  figures,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
} from "./figures.ts";
import { createHistogram, type Histogram, type HistogramReading } from "./histogram.ts";

type Labels = Readonly<Record<string, string>>;

/** Returns the result of `ask`, which is called once for all samples of a reading. */
export type Once = <T>(ask: () => Promise<T>) => Promise<T>;

/** A value that is read when somebody asks; undefined: there is none at the moment. */
export type Sample = (once: Once) => number | undefined | Promise<number | undefined>;

export interface NumberSeries {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSeries extends HistogramReading {
  readonly labels: Labels;
  readonly percentiles: Histogram["percentiles"];
}

/** A figure with all its series. */
export type Family =
  | {
      readonly name: FigureName;
      readonly kind: "counter" | "gauge";
      readonly series: readonly NumberSeries[];
    }
  | {
      readonly name: FigureName;
      readonly kind: "histogram";
      readonly series: readonly HistogramSeries[];
    };

/** Series are declared when parts are built, never by a request. Declaring one twice throws an Error. */
export interface Registry {
  counter<N extends CounterName>(name: N, labels: LabelsOf<N>): Counter;
  histogram<N extends HistogramName>(name: N, labels: LabelsOf<N>): Histogram;
  gauge<N extends GaugeName>(name: N, labels: LabelsOf<N>, sample: Sample): void;
  /** Declares a counter that a part has itself. */
  sampledCounter<N extends CounterName>(name: N, labels: LabelsOf<N>, sample: Sample): void;
  /**
   * All figures, or the named ones, in the order of the table; one without series is left out. Only these
   * have their values sampled. A sample that fails or has no value is left out. Never rejects.
   */
  read(names?: readonly FigureName[]): Promise<readonly Family[]>;
}

interface Series {
  readonly labels: Labels;
  readonly metric: Counter | Histogram | Sample;
}

/** A registry without series. */
export function createRegistry(): Registry {
  const all = new Map<FigureName, Map<string, Series>>();

  const declare = <T extends Series["metric"]>(name: FigureName, given: object, metric: T): T => {
    const labels = given as Labels;
    const { labels: expected }: FigureRow = figures[name];
    const names = Object.keys(expected);
    const isAllowed = (label: string) => {
      const values = expected[label];
      const value = labels[label];
      return value !== undefined && (typeof values === "string" || values?.includes(value));
    };
    if (Object.keys(labels).length !== names.length || !names.every(isAllowed))
      throw new Error(`The figure ${name} does not have the labels ${JSON.stringify(labels)}.`);
    const series = all.get(name) ?? new Map<string, Series>();
    const key = JSON.stringify(names.map((label) => labels[label]));
    if (series.has(key)) throw new Error(`The figure ${name} already has a series ${key}.`);
    all.set(name, series.set(key, { labels, metric }));
    return metric;
  };

  const readSeries = async (series: readonly Series[], once: Once): Promise<NumberSeries[]> => {
    const read = series.map(async ({ labels, metric }) => {
      const value = typeof metric === "function" ? await metric(once) : (metric as Counter).value;
      return value === undefined ? [] : [{ labels, value }];
    });
    return (await Promise.allSettled(read)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };

  const familyOf = async (name: FigureName, once: Once): Promise<Family> => {
    const { kind }: FigureRow = figures[name];
    const series = [...(all.get(name)?.values() ?? [])];
    if (kind !== "histogram") return { name, kind, series: await readSeries(series, once) };
    const readings = series.map(({ labels, metric }) => {
      const histogram = metric as Histogram;
      return { labels, ...histogram.read(), percentiles: histogram.percentiles.bind(histogram) };
    });
    return { name, kind, series: readings as HistogramSeries[] };
  };

  return {
    counter: (name, labels) => declare(name, labels, createCounter()),
    histogram(name, labels) {
      const { buckets = [], latest }: FigureRow = figures[name];
      return declare(name, labels, createHistogram(buckets, latest));
    },
    gauge: (name, labels, sample) => void declare(name, labels, sample),
    sampledCounter: (name, labels, sample) => void declare(name, labels, sample),
    async read(names = Object.keys(figures) as FigureName[]) {
      const asked = new Map<() => unknown, Promise<unknown>>();
      const askOnce: Once = <T>(ask: () => Promise<T>) => {
        const result = (asked.get(ask) as Promise<T> | undefined) ?? ask();
        asked.set(ask, result);
        return result;
      };
      const families = await Promise.all(names.map((name) => familyOf(name, askOnce)));
      return families.filter(({ series }) => series.length > 0);
    },
  };
}
