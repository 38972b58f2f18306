// Tables of old-style JPEG, which are stored in the file without markers (TIFF 6.0 section 22: JPEGQTables,
// JPEGDCTables, JPEGACTables).

import { damagedTif } from "../../damaged.ts";
import { type Directory, readField, type TiffFile } from "../directory/ifd.ts";
import { tags } from "../directory/tags.ts";

/** Distinct tables, and which of them each component uses. */
export interface Tables {
  readonly tables: readonly Uint8Array[];
  readonly selectors: readonly number[];
}

const MAX_COMPONENTS = 64;
const QUANTISERS = 64;
const LENGTHS = 16;
const MAX_CODES = 256;

/** Returns quantisation tables: 64 values in zigzag order each. Throws ImagingError `decode`. */
export const quantisationTables = (file: TiffFile, directory: Directory, components: number) =>
  readTables(file, directory, "JPEGQTables", components, (at) => tableAt(file, at, QUANTISERS));

/** Huffman tables: the numbers of codes of 16 lengths, then their values. Throws ImagingError `decode`. */
export const huffmanTables = (
  file: TiffFile,
  directory: Directory,
  components: number,
  field: "JPEGDCTables" | "JPEGACTables",
) =>
  readTables(file, directory, field, components, async (at) => {
    const codes = (await tableAt(file, at, LENGTHS)).reduce((sum, count) => sum + count, 0);
    if (codes > MAX_CODES) throw damagedTif(`at most ${MAX_CODES} codes in ${field}`, `${codes}`);
    return tableAt(file, at, LENGTHS + codes);
  });

/**
 * Returns the table of each component. Writers list one table, or copies of it, for several components, and
 * decoders hold few.
 */
async function readTables(
  file: TiffFile,
  directory: Directory,
  field: "JPEGQTables" | "JPEGDCTables" | "JPEGACTables",
  components: number,
  read: (at: number) => Promise<Uint8Array>,
): Promise<Tables> {
  const offsets = (await readField(file, directory, tags[field], MAX_COMPONENTS)) ?? [];
  if (offsets.length < components)
    throw damagedTif(`a JPEG stream, or ${components} tables in ${field}`, `${offsets.length}`);
  const known: string[] = [];
  const tables: Uint8Array[] = [];
  const selectors: number[] = [];
  for (const at of offsets.slice(0, components)) {
    const table = await read(at);
    const text = table.join();
    if (!known.includes(text)) {
      known.push(text);
      tables.push(table);
    }
    selectors.push(known.indexOf(text));
  }
  return { tables, selectors };
}

async function tableAt(file: TiffFile, at: number, length: number): Promise<Uint8Array> {
  const table = await file.bytes.read(at, length);
  if (table.length < length) throw damagedTif(`${length} bytes of a JPEG table`, "the end of the file");
  return table;
}
