// The parts of a JPEG's sidecar, as its entry has them.

import type { BlockList } from "../../../sidecar/blocks.ts";
import { bytesOf, type PartKind, readEntry, writeEntry } from "../../../sidecar/entry.ts";

export interface JpegParts {
  /** Of the file or, where there is one, of its transcode. */
  readonly accessPoints: Uint8Array;
  /** Samples at 1/8 of each component, one after the other, in any pieces; none where they are too large. */
  readonly level8: readonly Uint8Array[];
  /** Levels below 1/8 as `smaller-levels.ts` makes them; empty where a picture has none. */
  readonly smallerLevels: Uint8Array;
  /** Samples at 1/4 of each component, one after the other. */
  readonly level4: BlockList | undefined;
  /** A baseline file with the same coefficients as a progressive one. */
  readonly transcode: BlockList | undefined;
}

/** The entry of a sidecar. */
export function saveParts({
  accessPoints,
  level8,
  smallerLevels,
  level4,
  transcode,
}: JpegParts): Promise<Uint8Array> {
  return writeEntry([
    { kind: "accessPoints", inside: [accessPoints] },
    { kind: "level8", inside: level8 },
    { kind: "smallerLevels", inside: [smallerLevels] },
    transcode && { kind: "transcode", blocks: transcode },
    level4 && { kind: "level4", blocks: level4 },
  ]);
}

/** The parts of an entry, not copied; undefined where it is not sound. */
export async function loadParts(entry: Uint8Array): Promise<JpegParts | undefined> {
  const parts = readEntry(entry);
  /** The bytes of a part, or none where there is no such part; undefined where they are not sound. */
  const piecesOf = async (kind: PartKind) => {
    const part = parts?.get(kind);
    const bytes = part && (await bytesOf(part));
    return part ? bytes && [bytes] : [];
  };
  const [accessPoints] = (await piecesOf("accessPoints")) ?? [];
  const level8 = await piecesOf("level8");
  const smallerLevels = await piecesOf("smallerLevels");
  if (!accessPoints || !level8 || !smallerLevels) return undefined;
  const transcode = parts?.get("transcode")?.blocks;
  return {
    accessPoints,
    level8,
    smallerLevels: smallerLevels[0] ?? new Uint8Array(),
    level4: parts?.get("level4")?.blocks,
    transcode,
  };
}
