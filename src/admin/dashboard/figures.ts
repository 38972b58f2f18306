// Formats the figures of the status page. static/admin/figures.js does the same in the browser; a test
// compares both with one table.

import { formatSize } from "../../base/index.ts";

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** Formats a duration in milliseconds by its two largest units, seconds or larger. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m, s] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} min`;
  if (m) return `${m} min ${s} s`;
  return `${s} s`;
}

/** Formats of a frame's values for people; `at`: time of the frame. */
export const forms = {
  text: (value: unknown) => String(value),
  count: (value: unknown) => number.format(Math.round(Number(value))),
  rate: (value: unknown) => number.format(Number(value)),
  bytes: (value: unknown) => formatSize(Number(value)),
  percent: (value: unknown) => `${number.format(100 * Number(value))} %`,
  ms(value: unknown) {
    const ms = Number(value);
    if (ms >= 1000) return `${number.format(ms / 1000)} s`;
    return `${number.format(ms >= 100 ? Math.round(ms) : ms)} ms`;
  },
  seconds: (value: unknown) => duration(1000 * Number(value)),
  ago: (value: unknown, at: number) =>
    `${duration(at - Number(value)).replace(/(\d+ (?:d|h|min)) .*/, "$1")} ago`,
  healthy: (value: unknown) => (value ? "Healthy" : "Unhealthy"),
  resting: (value: unknown) => (value ? "paused after failures" : ""),
} as const;

export type ValueForm = keyof typeof forms;

/** Shown if there is no value. */
export const none = "–";

/** Returns the value at a path of names and indexes, such as `routes.0.p95Ms`, or undefined. */
export function valueAt(frame: unknown, path: string): unknown {
  let value = frame;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value ?? undefined;
}

/** Formats the value at a path. */
export function textAt(frame: { readonly at: number }, path: string, form: ValueForm): string {
  const value = valueAt(frame, path);
  return value === undefined ? none : forms[form](value, frame.at);
}
