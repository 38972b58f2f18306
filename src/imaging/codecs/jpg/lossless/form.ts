// Form of a transformed crop: the source's tables and sampling factors, with rows and columns exchanged if
// the axes are swapped.

import type { Frame } from "../markers/frame.ts";
import {
  definitionOf,
  type HuffmanTable,
  type HuffmanTables,
  typicalTables,
} from "../markers/huffman-codes.ts";
import { isSameTable } from "../markers/tables.ts";
import type { Scan } from "../region/header.ts";
import type { Crop } from "./crop.ts";

/** Tables and headers of a transformed crop. */
export interface CropForm {
  readonly frame: Frame;
  readonly scan: Scan;
  readonly huffman: HuffmanTables;
  /** True if AC codes are copied from the file, with only signs changed. */
  readonly copies: boolean;
}

/** Forms by scan, with and without swapped axes; crops of a file share them. */
const forms = new WeakMap<Scan, Map<boolean, CropForm>>();

/**
 * Returns the form with the file's own tables if they have all codes, and with the typical tables otherwise.
 */
export function findUsualForm(crop: Crop, swap: boolean): CropForm {
  const { scan } = crop;
  const known = forms.get(scan) ?? new Map<boolean, CropForm>();
  let form = known.get(swap);
  if (!form) {
    form = transformForm(crop, swap, ownTablesOf(scan), !swap);
    forms.set(scan, known.set(swap, form));
  }
  return form;
}

/** Returns the form with other Huffman tables; `copies`: true if the AC codes of the file stay. */
export function transformForm(
  { frame, scan }: Crop,
  swap: boolean,
  huffman: HuffmanTables,
  copies = false,
): CropForm {
  const luma = { dc: definitionOf(huffman.dcLuma), ac: definitionOf(huffman.acLuma) };
  const chroma = { dc: definitionOf(huffman.dcChroma), ac: definitionOf(huffman.acChroma) };
  return {
    huffman,
    copies,
    frame: swap
      ? { ...frame, components: frame.components.map(({ h, v, ...rest }) => ({ ...rest, h: v, v: h })) }
      : frame,
    scan: {
      ...scan,
      components: scan.components.map((component, i) => ({
        ...component,
        ...(i === 0 ? luma : chroma),
        ...(copies ? { ac: component.ac } : {}),
        quant: swap ? component.quant.map((_, n, all) => all[(n & 7) * 8 + (n >> 3)]!) : component.quant,
      })),
    },
  };
}

/**
 * Returns the tables of a scan. Typical tables replace those that lack codes which 8-bit samples may need, as
 * tables optimised for one image do, and those of chroma components that do not share one table.
 */
function ownTablesOf({ components }: Scan): HuffmanTables {
  const ownTable = (definitions: readonly Uint8Array[], typical: HuffmanTable): HuffmanTable => {
    const [first] = definitions;
    if (!first || !definitions.every((other) => isSameTable(other, first))) return typical;
    const symbols = first.subarray(16);
    return typical.symbols.every((symbol) => symbols.includes(symbol))
      ? { lengths: first.subarray(0, 16), symbols }
      : typical;
  };
  const [luma, chroma] = [components.slice(0, 1), components.slice(1)];
  const { dcLuma, acLuma, dcChroma, acChroma } = typicalTables;
  return {
    dcLuma: ownTable(
      luma.map(({ dc }) => dc),
      dcLuma,
    ),
    acLuma: ownTable(
      luma.map(({ ac }) => ac),
      acLuma,
    ),
    dcChroma: ownTable(
      chroma.map(({ dc }) => dc),
      dcChroma,
    ),
    acChroma: ownTable(
      chroma.map(({ ac }) => ac),
      acChroma,
    ),
  };
}
