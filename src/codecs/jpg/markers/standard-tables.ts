// The Huffman tables of ITU-T T.81, annex K.3, which files of motion JPEG leave out, as a file holds them: 16 counts, then
// the symbols.

import { type HuffmanTable, typicalTables } from "./huffman-codes.ts";

const joined = ({ lengths, symbols }: HuffmanTable) => Uint8Array.of(...lengths, ...symbols);

/** By selector: 0 for luminance, 1 for chrominance. */
export const standardDc: readonly Uint8Array[] = [
  joined(typicalTables.dcLuma),
  joined(typicalTables.dcChroma),
];

export const standardAc: readonly Uint8Array[] = [
  joined(typicalTables.acLuma),
  joined(typicalTables.acChroma),
];
