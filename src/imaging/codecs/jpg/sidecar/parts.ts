// The parts of the layers that a JPEG file is opened through, as stored in their entries.

import type { BlockList } from "../../../sidecar/blocks.ts";
import { bytesOf, type PartKind, readEntry, withoutLevels, writeEntry } from "../../../sidecar/entry.ts";

export interface JpegParts {
  /** Access points of the transcode; of the file itself if there is none. */
  readonly accessPoints: Uint8Array;
  /** Consecutive samples at 1/8 of each component, divided in any way; none if they are too large. */
  readonly level8: readonly Uint8Array[];
  /** Levels below 1/8, made by `smaller-levels.ts`; empty if the image has none. */
  readonly smallerLevels: Uint8Array;
  /** A baseline file with the same coefficients as a progressive one. */
  readonly transcode?: BlockList | undefined;
  /** The header of that file, in a layer with its levels alone. */
  readonly transcodeHead?: Uint8Array | undefined;
}

/** Returns the entry of a layer. */
export function saveParts({
  accessPoints,
  level8,
  smallerLevels,
  transcode,
  transcodeHead,
}: JpegParts): Promise<Uint8Array> {
  return writeEntry([
    { kind: "accessPoints", inside: [accessPoints] },
    { kind: "level8", inside: level8 },
    { kind: "smallerLevels", inside: [smallerLevels] },
    transcode && { kind: "transcode", blocks: transcode },
    transcodeHead && { kind: "transcodeHead", inside: [transcodeHead] },
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
  const heads = await piecesOf("transcodeHead");
  if (!accessPoints || !level8 || !smallerLevels || !heads) return undefined;
  return {
    accessPoints,
    level8,
    smallerLevels: smallerLevels[0] ?? new Uint8Array(),
    transcode: parts?.get("transcode")?.blocks,
    transcodeHead: heads[0],
  };
}
