// The coded data of a lossless crop while runs of the module "jpeg-decode" cut it out of other data.

import { endOfImage } from "../markers/write.ts";
import { area, components, type Engine, field } from "../region/engine.ts";
import type { Scan } from "../region/header.ts";
import { describeScan, type RunOutput } from "../region/run.ts";
import type { Tables } from "../region/tables.ts";

/**
 * Bytes of room for the output of a run: after a jump, each component takes a code of at most 27 bits, and
 * each MCU of a row may need a jump.
 */
const outputRoom = 2 * area.rawRoom + (1 << 20);
const endOfFile = Uint8Array.from(endOfImage);
/**
 * Bytes of output collected in the module's memory before they are copied out; most tiles are copied in one
 * piece.
 */
const gathered = 1 << 20;

/** What the rows that follow need: bits that are not written yet, and the last DC value of each component. */
export type CutState = readonly number[];

/** Some rows of a crop, in pieces with memory of their own. */
export interface Cut {
  readonly data: readonly Uint8Array[];
  readonly state: CutState;
}

/** Words of the module's memory with the state. */
const stateWords = ({ components: described }: Scan): readonly number[] => [
  field.held,
  field.held + 1,
  field.heldCount,
  ...described.map((_, i) => components.at + i * components.size + components.crop),
];

/** Output of `cutRows` over several runs: finished pieces, and the latest piece in the module's memory. */
export class CutOutput implements RunOutput {
  /** End of the latest piece in the module's memory. */
  at: number = area.arena;
  readonly #data: Uint8Array[] = [];
  readonly #engine: Engine;
  readonly #scan: Scan;

  /** Begins or continues a crop of data that is coded as `scan` says. */
  constructor(engine: Engine, tables: Tables, scan: Scan, state: CutState | undefined) {
    this.#engine = engine;
    this.#scan = scan;
    engine.reserve(area.arena + gathered + outputRoom);
    describeScan(engine, tables, scan, []);
    const words = engine.words();
    for (const [i, word] of stateWords(scan).entries()) words[word] = state?.[i] ?? 0;
  }

  /** Has to be called before a run whose first MCU does not follow the last one that was cut. */
  jump(): void {
    this.#engine.words()[field.fresh] = 1;
  }

  drain(end: number): void {
    this.at = end;
    if (end <= area.arena + gathered) return;
    this.#data.push(this.#engine.bytes().slice(area.arena, end));
    this.at = area.arena;
  }

  /** Returns what was cut; the last rows of a crop end with the end-of-image marker. */
  finish(isLast: boolean): Cut {
    const words = this.#engine.words();
    if (isLast) {
      words[field.output] = this.at;
      this.#engine.run.finishCut();
      this.at = words[field.output]!;
    }
    const rest = this.#engine.bytes().slice(area.arena, this.at);
    return {
      data: [...this.#data, rest, ...(isLast ? [endOfFile] : [])],
      state: stateWords(this.#scan).map((word) => words[word]!),
    };
  }
}
