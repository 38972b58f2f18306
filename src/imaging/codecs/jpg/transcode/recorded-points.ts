// The access points of a file that was written here: the transcoder noted them, so nothing has to be read again.

import { memoryBytes } from "../../../lib/byte-source.ts";
import {
  appendAccessPoints,
  createScanAccessPoints,
  type ScanAccessPoints,
} from "../region/access-points.ts";
import { readHeader } from "../region/header.ts";
import { saveAccessPoints } from "../sidecar/access-points-format.ts";

/** A file of one interleaved scan. */
export interface WrittenFile {
  /** Its bytes up to the entropy-coded data. */
  readonly head: Uint8Array;
  /** As `ScanAccessPoints.entries` holds them, all of each row of MCUs; none where only the level at 1/8 will be read. */
  readonly entries: Uint8Array;
  /** Where the entropy-coded data ends, and the length of the file. */
  readonly end: number;
  readonly size: number;
}

/** The access points as `JpegReader.saveAccessPoints` returns them; `undefined` where the header is not one for this decoder. */
export async function writtenAccessPoints({
  head,
  entries,
  end,
  size,
}: WrittenFile): Promise<Uint8Array | undefined> {
  const header = await readHeader(memoryBytes(head));
  if (!header) return undefined;
  const scan: ScanAccessPoints = createScanAccessPoints(header.first);
  appendAccessPoints(scan, entries);
  Object.assign(scan, { end, rows: header.first.rows, complete: true });
  return saveAccessPoints(header.frame, { scans: [scan], level8: undefined, complete: true }, size);
}
