// A row of the table of Cantaloupe's properties: what becomes of one.

import type { Setting } from "../yaml/commented-yaml.ts";
import type { Properties } from "./properties.ts";

/** `taken`: a setting has it. `unneeded`: nothing has to be set. `missing`: smalti has no such thing. */
export type Outcome = "taken" | "unneeded" | "missing";

export interface Row {
  /** The setting, or the variable of the environment, that has the value. */
  readonly to?: string;
  /** What differs from Cantaloupe, for the report. */
  readonly text?: string;
  /** Why nothing has to be set. */
  readonly unneeded?: string;
  /** What to do instead. */
  readonly missing?: string;
  /** True if the value is in no message and no file. */
  readonly secret?: true;
  /** Which outcome a value has, if the row has texts for several. By default the first in the order above. */
  readonly choose?: (value: string, all: Properties) => Outcome;
  /** The settings that a taken value becomes. Throws an Error with what to do instead if it becomes none. */
  readonly take?: (value: string, all: Properties) => readonly Setting[];
}

/** Rows by the name of the property. */
export type Rows = Readonly<Record<string, Row>>;

export const unneededRow = (text: string): Row => ({ unneeded: text });
export const missingRow = (text: string): Row => ({ missing: text });

/** A row whose value is copied to a setting as it is, or converted. */
export const copyingRow = (
  path: string,
  convert: (value: string) => Setting["value"] = (value) => value,
  text?: string,
): Row => ({
  to: path,
  ...(text !== undefined && { text }),
  take: (value) => [{ path: path.split("."), value: convert(value) }],
});

/** Returns a whole number, at least `from`. Throws for anything else. */
export function wholeNumber(value: string, from = 0): number {
  const found = Number(value);
  if (!Number.isInteger(found) || found < from)
    throw new Error(`expected a whole number of at least ${from}; set it by hand`);
  return found;
}

/** Returns a row whose value is a secret. */
export const secretOf = (row: Row): Row => ({ ...row, secret: true });
