// The header of a lossless crop or transform: the source's frame, tables and colours with another size (ITU-T
// T.81, B.2).

import type { Rectangle } from "../../image-header.ts";
import { distinctIds } from "../markers/component-ids.ts";
import type { Frame } from "../markers/frame.ts";
import { zigzag } from "../markers/quantisation.ts";
import { isSameTable } from "../markers/tables.ts";
import {
  adobeSegment,
  frameSegment,
  huffmanSegment,
  jfifSegment,
  quantisationSegment,
  scanSegment,
  startOfImage,
  word,
} from "../markers/write.ts";
import type { Scan } from "../region/header.ts";

interface HeaderForm {
  readonly bytes: Uint8Array;
  /** Position of the height and width, two bytes each. */
  readonly sizeAt: number;
}

/** Headers by scan: up to the entropy-coded data, crops of a scan differ only in size. */
const forms = new WeakMap<Scan, HeaderForm>();

/** Returns all segments up to the entropy-coded data. */
export function cropHeader(
  frame: Frame,
  scan: Scan,
  { width, height }: Pick<Rectangle, "width" | "height">,
): Uint8Array {
  let form = forms.get(scan);
  if (!form) {
    form = headerForm(frame, scan);
    forms.set(scan, form);
  }
  const header = form.bytes.slice();
  header.set([...word(height), ...word(width)], form.sizeAt);
  return header;
}

const noSize = { width: 0, height: 0 };

function headerForm(frame: Frame, scan: Scan): HeaderForm {
  const quant = removeDuplicates(scan.components.map((c) => c.quant));
  const dc = removeDuplicates(scan.components.map((c) => c.dc));
  const ac = removeDuplicates(scan.components.map((c) => c.ac));
  const ids = distinctIds(frame.components);
  const before = [
    ...startOfImage,
    ...colourSegment(frame),
    ...quant.flatMap((table, i) => quantisationSegment(i, inZigzag(table))),
  ];
  const components = frame.components.map(({ h, v }, i) => {
    const part = scan.components.find(({ index }) => index === i)!;
    return { id: ids[i]!, h, v, quantSelector: indexOf(quant, part.quant) };
  });
  const bytes = Uint8Array.from([
    ...before,
    ...frameSegment(frame.code, noSize, components),
    ...dc.flatMap((table, i) => huffmanSegment("dc", i, table)),
    ...ac.flatMap((table, i) => huffmanSegment("ac", i, table)),
    ...scanSegment(
      scan.components.map((c) => ({
        id: ids[c.index]!,
        dcSelector: indexOf(dc, c.dc),
        acSelector: indexOf(ac, c.ac),
      })),
    ),
  ]);
  // after marker, length and precision
  return { bytes, sizeAt: before.length + 5 };
}

/** Returns the segment that defines the colours of the components. */
function colourSegment({ colour }: Frame): number[] {
  if (colour === "gray" || colour === "ycc") return jfifSegment();
  return adobeSegment(colour === "ycck" ? 2 : 0);
}

const inZigzag = (table: Uint16Array) => zigzag.map((position) => table[position]!);

type Table = Uint8Array | Uint16Array;

const indexOf = <T extends Table>(tables: readonly T[], table: T) =>
  tables.findIndex((other) => isSameTable(other, table));

const removeDuplicates = <T extends Table>(tables: readonly T[]): T[] =>
  tables.filter((table, i) => indexOf(tables, table) === i);
