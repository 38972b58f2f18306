// A file's tables in the module's memory. They are built once, and copied back if another file has used the
// memory since.

import { damagedJpgHeader } from "../../damaged.ts";
import { isSameTable } from "../markers/tables.ts";
import { area, type Engine } from "./engine.ts";
import type { Scan, ScanComponent } from "./header.ts";

/** Tables of one file. */
export interface Tables {
  /** Adds the tables of a scan. */
  add(scan: Scan): void;
  /** Returns the positions of a component's tables in memory. */
  slotsOf(component: ScanComponent): { quant: number; dc: number; ac: number };
  /**
   * Loads this file's tables into memory. Throws ImagingError `decode` if one of them is not a Huffman code.
   */
  load(engine: Engine): void;
  /** Bytes of the copy outside of the module's memory; 0 until it is built. */
  readonly size: number;
}

export function createTables(): Tables {
  const dc: Uint8Array[] = [];
  const ac: Uint8Array[] = [];
  const quant: Uint16Array[] = [];
  let built: Uint8Array | undefined;
  const slots = new Map<ScanComponent, { quant: number; dc: number; ac: number }>();

  const build = (engine: Engine): Uint8Array => {
    const bytes = engine.bytes();
    const slot = (table: Uint8Array, at: number, isAc: 0 | 1) => {
      bytes.set(table, area.raw);
      if (engine.run.buildTable(at, area.raw, isAc) === 0)
        throw damagedJpgHeader("Huffman tables that are codes", "others");
    };
    quant.forEach((table, i) => {
      bytes.set(new Uint8Array(table.buffer), area.quant + i * area.quantSize);
    });
    dc.forEach((table, i) => {
      slot(table, area.dc + i * area.dcSize, 0);
    });
    ac.forEach((table, i) => {
      slot(table, area.ac + i * area.acSize, 1);
    });
    return bytes.slice(area.tables, area.ac + ac.length * area.acSize);
  };

  const tables: Tables = {
    add(scan) {
      for (const component of scan.components) {
        if (find(dc, component.dc) < 0) dc.push(component.dc);
        if (find(ac, component.ac) < 0) ac.push(component.ac);
        if (find(quant, component.quant) < 0) quant.push(component.quant);
      }
      built = undefined;
    },
    slotsOf(component) {
      let known = slots.get(component);
      if (!known) {
        known = {
          quant: area.quant + find(quant, component.quant) * area.quantSize,
          dc: area.dc + find(dc, component.dc) * area.dcSize,
          ac: area.ac + find(ac, component.ac) * area.acSize,
        };
        slots.set(component, known);
      }
      return known;
    },
    load(engine) {
      if (built && engine.owner === tables) return;
      if (built) engine.bytes().set(built, area.tables);
      else {
        engine.owner = undefined;
        built = build(engine);
      }
      engine.owner = tables;
    },
    get size() {
      return built?.length ?? 0;
    },
  };
  return tables;
}

function find<T extends Uint8Array | Uint16Array>(list: readonly T[], table: T): number {
  return list.findIndex((other) => isSameTable(other, table));
}
