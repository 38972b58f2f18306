// The index of a file that was written here: whoever wrote it noted the entries, so nothing has to be read for it.

import { memoryBytes } from "../../../lib/byte-source.ts";
import { readHeader } from "../region/header.ts";
import { appendEntries, createScanIndex, type ScanIndex } from "../region/scan-index.ts";
import { saveIndex } from "./stored-index.ts";

/** A file of one interleaved scan. */
export interface WrittenFile {
  /** Its bytes up to the entropy-coded data. */
  readonly head: Uint8Array;
  /** As `ScanIndex.entries` holds them, all of each row of MCUs; none where only the overview will be looked at. */
  readonly entries: Uint8Array;
  /** Where the entropy-coded data ends, and the length of the file. */
  readonly end: number;
  readonly size: number;
}

/** The index as `JpegReader.saveIndex` gives it; `undefined` where the header is not one for this decoder. */
export async function writtenIndex({
  head,
  entries,
  end,
  size,
}: WrittenFile): Promise<Uint8Array | undefined> {
  const header = await readHeader(memoryBytes(head));
  if (!header) return undefined;
  const scan: ScanIndex = createScanIndex(header.first);
  appendEntries(scan, entries);
  Object.assign(scan, { end, rows: header.first.rows, complete: true });
  return saveIndex(header.frame, { scans: [scan], overview: undefined, complete: true }, size);
}
