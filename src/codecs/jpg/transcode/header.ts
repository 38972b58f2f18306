// What stands in front of the scan of a baseline twin: only what decoding needs (ITU-T T.81, B.2).

import { distinctIds } from "../markers/component-ids.ts";
import { type HuffmanTable, typicalTables } from "../markers/huffman-codes.ts";
import type { StepTable, TwinComponent, TwinScans } from "./scans.ts";

/** Whether a component is written with the tables of chroma: it is coarser than the first one in some way. */
export function isChroma(component: TwinComponent, first: TwinComponent): boolean {
  return component.steps !== first.steps || component.across < first.across || component.down < first.down;
}

/** All bytes up to the scan's data. */
export function twinHeader({ frame, jfif, adobe }: TwinScans): Uint8Array {
  const { width, height, components } = frame;
  const luma = components[0]!;
  const tables = [...new Set(components.map(stepsOf))];
  const isWide = tables.some((table) => table.some((step) => step > 255));
  const anyChroma = components.some((component) => isChroma(component, luma));
  const ids = distinctIds(components);
  const parts: number[] = [0xff, 0xd8];
  if (jfif) parts.push(...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]));
  if (adobe) parts.push(...segment(0xee, [...adobe]));
  for (const [id, table] of tables.entries()) parts.push(...stepSegment(id, table));
  parts.push(
    ...segment(isWide ? 0xc1 : 0xc0, [
      8,
      ...word(height),
      ...word(width),
      components.length,
      ...components.flatMap((c, i) => [ids[i]!, c.across * 16 + c.down, tables.indexOf(stepsOf(c))]),
    ]),
    ...huffmanSegment(0x00, typicalTables.dcLuma),
    ...huffmanSegment(0x10, typicalTables.acLuma),
  );
  if (anyChroma)
    parts.push(
      ...huffmanSegment(0x01, typicalTables.dcChroma),
      ...huffmanSegment(0x11, typicalTables.acChroma),
    );
  parts.push(
    ...segment(0xda, [
      components.length,
      ...components.flatMap((c, i) => [ids[i]!, isChroma(c, luma) ? 0x11 : 0]),
      ...[0, 63, 0], // all coefficients, whole
    ]),
  );
  return Uint8Array.from(parts);
}

/** A component without any scan has no table: its coefficients are 0 under all of them. */
const noSteps = new Uint16Array(64).fill(1);
const stepsOf = (component: TwinComponent): StepTable => component.steps ?? noSteps;

const word = (value: number) => [value >> 8, value & 255];

function segment(marker: number, body: readonly number[]): number[] {
  return [0xff, marker, ...word(body.length + 2), ...body];
}

function stepSegment(id: number, table: StepTable): number[] {
  const wide = table.some((step) => step > 255);
  return segment(0xdb, [wide ? 16 + id : id, ...(wide ? [...table].flatMap(word) : table)]);
}

function huffmanSegment(id: number, { lengths, symbols }: HuffmanTable): number[] {
  return segment(0xc4, [id, ...lengths, ...symbols]);
}
