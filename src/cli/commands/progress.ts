// A line on a terminal that says how far a command is: bar, count, rate, time left.

import type { Platform } from "../../base/index.ts";
import { plainLines } from "./findings-text.ts";

/** State of some work. */
export interface Amount {
  readonly done: number;
  /** undefined: not known yet. */
  readonly total: number | undefined;
  readonly elapsedMs: number;
}

export interface Progress {
  /** Says how much is done; `total` once it is known. */
  update(done: number, total?: number): void;
  /** Prints a line on the standard error, above the bar. */
  note(line: string): void;
  /** Removes the bar. */
  end(): void;
}

/** Milliseconds between two drawings: ten in a second look steady. */
const pauseMs = 100;
/** Removes the current line of a terminal (ECMA-48, EL), after a return to its begin. */
const clear = "\r\x1b[K";

/**
 * Shows progress on the standard error if that is a terminal; otherwise only notes are printed. `unit`: in
 * the plural, such as "images".
 */
export function createProgress(
  { write, columns }: Pick<Platform, "write" | "columns">,
  unit: string,
): Progress {
  const began = performance.now();
  let drawn = Number.NEGATIVE_INFINITY;
  let line = "";
  const show = (text: string) => {
    if (text !== line) write?.("err", `${clear}${text}`);
    line = text;
  };
  return {
    update(done, total) {
      const now = performance.now();
      const width = columns?.("err");
      if (width === undefined || (now - drawn < pauseMs && done !== total)) return;
      drawn = now;
      show(progressLine({ done, total, elapsedMs: now - began }, unit, width));
    },
    note(text) {
      const bar = line;
      show("");
      write?.("err", `${plainLines(text)}\n`);
      show(bar);
    },
    end: () => show(""),
  };
}

const barWidth = 24;

/** Returns the line, shorter than a number of columns. */
export function progressLine({ done, total, elapsedMs }: Amount, unit: string, columns: number): string {
  const rate = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  const counted =
    total === undefined ? `${thousands(done)} ${unit}` : `${thousands(done)} of ${thousands(total)} ${unit}`;
  const parts = [
    ...(total === undefined ? [] : [bar(done, total)]),
    counted,
    ...(rate > 0 ? [`${rate < 10 ? rate.toFixed(1) : thousands(Math.round(rate))}/s`] : []),
    ...(total !== undefined && rate > 0 ? [`${duration((total - done) / rate)} left`] : []),
  ];
  const text = parts.join("  ");
  return text.length < columns ? text : counted.slice(0, Math.max(0, columns - 1));
}

function bar(done: number, total: number): string {
  const full = total > 0 ? Math.round((Math.min(done, total) / total) * barWidth) : barWidth;
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}

/** Returns seconds as a person reads them: 45 s, 3 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const thousands = (value: number) => value.toLocaleString("en-US");
