// The Huffman tables of ITU-T T.81, annex K.3, which motion JPEG files omit, as stored in a file: 16 counts,
// then the symbols.

import { definitionOf, typicalTables } from "./huffman-codes.ts";

/** Tables by selector: 0 for luminance, 1 for chrominance. */
export const standardDc: readonly Uint8Array[] = [
  definitionOf(typicalTables.dcLuma),
  definitionOf(typicalTables.dcChroma),
];

export const standardAc: readonly Uint8Array[] = [
  definitionOf(typicalTables.acLuma),
  definitionOf(typicalTables.acChroma),
];
