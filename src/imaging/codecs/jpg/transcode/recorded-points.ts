// Access points of a file that the transcoder wrote: it recorded them, so the file need not be read again.

import { memoryBytes } from "../../../../base/index.ts";
import {
  appendAccessPoints,
  createScanAccessPoints,
  type ScanAccessPoints,
} from "../region/access-points.ts";
import { readHeader } from "../region/header.ts";
import { saveAccessPoints } from "../sidecar/access-points-format.ts";

/** A file of one interleaved scan. */
export interface WrittenFile {
  /** Bytes up to the entropy-coded data. */
  readonly head: Uint8Array;
  /**
   * Access points like `ScanAccessPoints.entries`, complete for each row of MCUs; none if only the level at
   * 1/8 will be read.
   */
  readonly entries: Uint8Array;
  /** End of the entropy-coded data, and length of the file, in bytes. */
  readonly end: number;
  readonly size: number;
}

/**
 * Returns the access points like `JpegReader.saveAccessPoints`; undefined if this decoder does not support
 * the header.
 */
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
