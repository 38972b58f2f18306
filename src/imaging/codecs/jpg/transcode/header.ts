// The header of a baseline transcode, with only the segments that decoding needs (ITU-T T.81, B.2).

import { distinctIds } from "../markers/component-ids.ts";
import { definitionOf, type HuffmanTable, typicalTables } from "../markers/huffman-codes.ts";
import { marker } from "../markers/walk.ts";
import {
  frameSegment,
  huffmanSegment,
  jfifSegment,
  quantisationSegment,
  scanSegment,
  segment,
  startOfImage,
} from "../markers/write.ts";
import type { ScanList, StepTable } from "./scans.ts";

/**
 * True if a component is written with the chroma tables: it is coarser than the first component in some way.
 */
export function isChroma({ frame, steps }: Pick<ScanList, "frame" | "steps">, index: number): boolean {
  const [component, first] = [frame.components[index]!, frame.components[0]!];
  return steps[index] !== steps[0] || component.h < first.h || component.v < first.v;
}

/** Returns all bytes up to the scan's data. */
export function transcodeHeader(list: Omit<ScanList, "scans" | "damaged">): Uint8Array {
  const { frame, steps, jfif, adobe } = list;
  const ids = distinctIds(frame.components);
  const components = frame.components.map(({ h, v }, i) => {
    const selector = isChroma(list, i) ? 1 : 0;
    return { id: ids[i]!, h, v, steps: steps[i] ?? noSteps, dcSelector: selector, acSelector: selector };
  });
  const tables = [...new Set(components.map((component) => component.steps))];
  const isWide = tables.some((table) => table.some((step) => step > 255));
  const anyChroma = components.some(({ dcSelector }) => dcSelector === 1);
  return Uint8Array.from([
    ...startOfImage,
    ...(jfif ? jfifSegment() : []),
    ...(adobe ? segment(marker.app14, [...adobe]) : []),
    ...tables.flatMap((table, i) => quantisationSegment(i, table)),
    ...frameSegment(
      isWide ? 0xc1 : 0xc0,
      frame,
      components.map((each) => ({ ...each, quantSelector: tables.indexOf(each.steps) })),
    ),
    ...huffmanSegments(0, typicalTables.dcLuma, typicalTables.acLuma),
    ...(anyChroma ? huffmanSegments(1, typicalTables.dcChroma, typicalTables.acChroma) : []),
    ...scanSegment(components),
  ]);
}

/** Table of a component without a scan: its coefficients are 0, whatever the table. */
const noSteps: StepTable = new Uint16Array(64).fill(1);

function huffmanSegments(selector: number, dc: HuffmanTable, ac: HuffmanTable): number[] {
  return [
    ...huffmanSegment("dc", selector, definitionOf(dc)),
    ...huffmanSegment("ac", selector, definitionOf(ac)),
  ];
}
