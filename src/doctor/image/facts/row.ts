// A fact as a row of a table: its label, and the functions that derive its value and text.

import type { FactValue } from "../diagnosis.ts";
import type { DiagnosisFacts } from "../known.ts";

export interface Row<V extends FactValue = FactValue> {
  readonly name: string;
  readonly label: string;
  /** Returns the value; undefined if there is none to show. */
  readonly value: (known: DiagnosisFacts) => V | undefined;
  readonly text?: ((value: V, known: DiagnosisFacts) => string) | undefined;
}

/** Returns the row; checks that its two functions agree on the type of the value. */
export const row = <V extends FactValue>(typed: Row<V>): Row => typed as unknown as Row;
