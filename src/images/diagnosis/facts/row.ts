// A fact as a row of a table: its label, and how it is read out of what is known.

import type { FactValue } from "../diagnosis.ts";
import type { Known } from "../known.ts";

export interface Row<V extends FactValue = FactValue> {
  readonly name: string;
  readonly label: string;
  /** undefined: there is nothing to say. */
  readonly of: (known: Known) => V | undefined;
  readonly text?: ((value: V, known: Known) => string) | undefined;
}

/** Keeps the type of a row's value between its two functions. */
export const row = <V extends FactValue>(of: Row<V>): Row => of as unknown as Row;
