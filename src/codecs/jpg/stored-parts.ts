// What is stored of a JPEG file beside it, as one entry: its index, its overview at 1/8, and what is known of the blocks
// that hold what is too large for the entry.

/** Parts of an entry. */
export interface StoredParts {
  readonly index: Uint8Array;
  /** Samples at 1/8 of each component; none where they are too large. */
  readonly overview: readonly Uint8Array[];
  /** Bytes of a baseline file with the same coefficients, which the index is then for, at the start of the blocks; 0: none. */
  readonly twin: number;
  /** Whether the planes at 1/4 of all components lie behind it, one behind the other. */
  readonly quarter: boolean;
  /** Facts of the blocks, there where anything lies in them. */
  readonly blocks: Uint8Array | undefined;
}

// "sji", format version, number of overview planes, 1 where there are planes at 1/4, bytes of the twin as a float of 8 bytes;
// then each part behind its length in 4 bytes: index, overview planes, facts of the blocks. All little-endian.
const signature = [0x73, 0x6a, 0x69, 3] as const;
const headLength = 14;

/** One entry. */
export function joinParts({ index, overview, twin, quarter, blocks }: StoredParts): Uint8Array {
  const parts = [index, ...overview, ...(blocks ? [blocks] : [])];
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, headLength));
  const view = new DataView(joined.buffer);
  joined.set([...signature, overview.length, Number(quarter)]);
  view.setFloat64(6, twin, true);
  let at = headLength;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    joined.set(part, at + 4);
    at += 4 + part.length;
  }
  return joined;
}

/** The parts of an entry, not copied; undefined for another format version or lengths that do not add up. */
export function splitParts(joined: Uint8Array): StoredParts | undefined {
  if (joined.length < headLength || signature.some((byte, i) => joined[i] !== byte)) return undefined;
  const view = new DataView(joined.buffer, joined.byteOffset, joined.byteLength);
  const planes = view.getUint8(4);
  const quarter = view.getUint8(5) === 1;
  const twin = view.getFloat64(6, true);
  if (!(Number.isSafeInteger(twin) && twin >= 0)) return undefined;
  const parts: Uint8Array[] = [];
  let at = headLength;
  for (let n = 0; n < 1 + planes + (quarter || twin > 0 ? 1 : 0); n++) {
    if (at + 4 > joined.length) return undefined;
    const length = view.getUint32(at, true);
    if (at + 4 + length > joined.length) return undefined;
    parts.push(joined.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [index, ...rest] = parts;
  if (!index || at !== joined.length) return undefined;
  return { index, overview: rest.slice(0, planes), twin, quarter, blocks: rest[planes] };
}
