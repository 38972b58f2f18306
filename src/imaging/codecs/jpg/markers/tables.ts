// The tables in DQT and DHT segments (ITU-T T.81, B.2.4.1 and B.2.4.2).

import { word } from "./walk.ts";

export interface QuantisationTable {
  /** Table number, 0 to 3. */
  readonly selector: number;
  /** Pq: 0 for values of one byte, others for two. */
  readonly precision: number;
  /** 64 values in zigzag order. */
  readonly values: Uint16Array;
}

export interface HuffmanDefinition {
  readonly kind: "dc" | "ac";
  /** Table number, 0 to 3. */
  readonly selector: number;
  /** 16 counts of codes by length, then the symbols. */
  readonly definition: Uint8Array;
}

/**
 * The tables that a segment defines, up to the first broken one. `rest` is the number of bytes from there on.
 */
export interface Defined<T> {
  readonly tables: readonly T[];
  readonly rest: number;
}

export function readQuantisationTables(body: Uint8Array): Defined<QuantisationTable> {
  const tables: QuantisationTable[] = [];
  let at = 0;
  while (at < body.length) {
    const precision = body[at]! >> 4;
    const selector = body[at]! & 15;
    const from = at + 1;
    const end = from + (precision ? 128 : 64);
    if (selector > 3 || end > body.length) break;
    const values = Uint16Array.from({ length: 64 }, (_, i) =>
      precision ? word(body, from + 2 * i) : body[from + i]!,
    );
    tables.push({ selector, precision, values });
    at = end;
  }
  return { tables, rest: body.length - at };
}

export function readHuffmanTables(body: Uint8Array): Defined<HuffmanDefinition> {
  const tables: HuffmanDefinition[] = [];
  let at = 0;
  while (at + 17 <= body.length) {
    const kind = body[at]! >> 4;
    const selector = body[at]! & 15;
    let symbols = 0;
    for (let i = 1; i <= 16; i++) symbols += body[at + i]!;
    const end = at + 17 + symbols;
    if (kind > 1 || selector > 3 || symbols > 256 || end > body.length) break;
    tables.push({ kind: kind ? "ac" : "dc", selector, definition: body.slice(at + 1, end) });
    at = end;
  }
  return { tables, rest: body.length - at };
}

/** True if two tables have the same values. */
export function isSameTable(a: Uint8Array | Uint16Array, b: Uint8Array | Uint16Array): boolean {
  return a === b || (a.length === b.length && a.every((value, i) => value === b[i]));
}
