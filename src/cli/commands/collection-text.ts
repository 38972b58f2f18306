// Lines about work on many files, for a terminal.

import type { Finding } from "../../base/index.ts";
import type { SlowFile } from "../../server/index.ts";
import { removeControls } from "./findings-text.ts";

/** Failed files that a text names; `--json` has all. */
const maxNamed = 20;

/** Returns a number with its unit: 1 file, 1,000 files. */
export const countWithUnit = (count: number, unit: string): string =>
  `${count.toLocaleString("en-US")} ${unit}${count === 1 ? "" : "s"}`;

/** Returns the failed files with their reasons, in lines. */
export function failureLines(failures: readonly Finding[], failed: number): readonly string[] {
  if (failed === 0) return [];
  const named = failures.slice(0, maxNamed);
  const rest = failed - named.length;
  return [
    "",
    "failed:",
    ...named.map(
      ({ where = "", code, text }) =>
        `  ${removeControls(where) || "a source"}  ${removeControls(text)} [${code}]`,
    ),
    ...(rest > 0 ? [`  and ${rest.toLocaleString("en-US")} more; --json names up to 1,000`] : []),
  ];
}

/** Returns the slowest files, in lines; none if all were fast. */
export function slowLines(slowest: readonly SlowFile[], fromMs: number): readonly string[] {
  const slow = slowest.filter(({ ms }) => ms >= fromMs);
  if (slow.length === 0) return [];
  return [
    "",
    "slowest:",
    ...slow.map(
      ({ identifier, ms }) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${removeControls(identifier)}`,
    ),
  ];
}
