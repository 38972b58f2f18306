// The parts of a JPEG's sidecar, as stored in its entry.

import type { BlockList } from "../../../sidecar/blocks.ts";
import { bytesOf, type PartKind, readEntry, withoutLevels, writeEntry } from "../../../sidecar/entry.ts";
import type { StoredLevel2 } from "./level2.ts";

export interface JpegParts {
  /** Access points of the transcode; of the file itself if there is none. */
  readonly accessPoints: Uint8Array;
  /** Consecutive samples at 1/8 of each component, divided in any way; none if they are too large. */
  readonly level8: readonly Uint8Array[];
  /** Levels below 1/8, made by `smaller-levels.ts`; empty if the image has none. */
  readonly smallerLevels: Uint8Array;
  /** Consecutive samples at 1/4 of each component. */
  readonly level4: BlockList | undefined;
  /** A baseline file with the same coefficients as a progressive one. */
  readonly transcode: BlockList | undefined;
  readonly level2: StoredLevel2 | undefined;
}

/** Returns the entry of a sidecar. */
export function saveParts({
  accessPoints,
  level8,
  smallerLevels,
  level4,
  transcode,
  level2,
}: JpegParts): Promise<Uint8Array> {
  return writeEntry([
    { kind: "accessPoints", inside: [accessPoints] },
    { kind: "level8", inside: level8 },
    { kind: "smallerLevels", inside: [smallerLevels] },
    transcode && { kind: "transcode", blocks: transcode },
    level4 && { kind: "level4", blocks: level4 },
    level2 && { kind: "level2", blocks: level2.blocks },
    level2 && { kind: "level2Index", inside: [level2.index] },
  ]);
}

/**
 * Returns the parts of an entry, not copied unless levels are left out; undefined if one of them is invalid.
 * `withLevels`: false to leave out the levels at 1/8 and below, which are most of the bytes.
 */
export async function loadParts(entry: Uint8Array, withLevels: boolean): Promise<JpegParts | undefined> {
  // A part of an entry keeps all of its memory.
  const parts = readEntry(withLevels ? entry : withoutLevels(entry));
  /**
   * Returns the bytes of a part, an empty list if there is no such part, and undefined if they are invalid.
   */
  const piecesOf = async (kind: PartKind) => {
    const part = parts?.get(kind);
    const bytes = part && (await bytesOf(part));
    return part ? bytes && [bytes] : [];
  };
  const [accessPoints] = (await piecesOf("accessPoints")) ?? [];
  const level8 = withLevels ? await piecesOf("level8") : [];
  const smallerLevels = withLevels ? await piecesOf("smallerLevels") : [];
  const indexes = await piecesOf("level2Index");
  if (!accessPoints || !level8 || !smallerLevels || !indexes) return undefined;
  const transcode = parts?.get("transcode")?.blocks;
  const level2 = parts?.get("level2")?.blocks;
  const [index] = indexes;
  return {
    accessPoints,
    level8,
    smallerLevels: smallerLevels[0] ?? new Uint8Array(),
    level4: parts?.get("level4")?.blocks,
    transcode,
    level2: level2 && index && { index, blocks: level2 },
  };
}
