// The parts of a JPEG's sidecar, as its entry has them.

import type { BlockList } from "../../sidecar/blocks.ts";
import { bytesOf, readEntry, writeEntry } from "../../sidecar/entry.ts";

export interface JpegParts {
  /** Of the file or, where there is one, of its transcode. */
  readonly accessPoints: Uint8Array;
  /** Samples at 1/8 of each component, one after the other, in any pieces; none where they are too large. */
  readonly eighth: readonly Uint8Array[];
  /** Samples at 1/4 of each component, one after the other. */
  readonly quarter: BlockList | undefined;
  /** A baseline file with the same coefficients as a progressive one. */
  readonly transcode: BlockList | undefined;
}

/** The entry of a sidecar. */
export function saveParts({ accessPoints, eighth, quarter, transcode }: JpegParts): Promise<Uint8Array> {
  return writeEntry([
    { kind: "accessPoints", inside: [accessPoints] },
    { kind: "eighth", inside: eighth },
    transcode && { kind: "transcode", blocks: transcode },
    quarter && { kind: "quarter", blocks: quarter },
  ]);
}

/** The parts of an entry, not copied; undefined where it is not sound. */
export async function loadParts(entry: Uint8Array): Promise<JpegParts | undefined> {
  const parts = readEntry(entry);
  const points = parts?.get("accessPoints");
  const eighth = parts?.get("eighth");
  const accessPoints = points && (await bytesOf(points));
  const samples = eighth && (await bytesOf(eighth));
  if (!accessPoints || (eighth && !samples)) return undefined;
  const transcode = parts?.get("transcode")?.blocks;
  return {
    accessPoints,
    eighth: samples ? [samples] : [],
    quarter: parts?.get("quarter")?.blocks,
    transcode,
  };
}
