// What is stored of a JPEG file beside it, as one entry: its index, its overview at 1/8, and what is known of the blocks
// that hold what is too large for the entry.

/** Parts of an entry. */
export interface StoredParts {
  readonly index: Uint8Array;
  /** Samples at 1/8 of each component; none where they are too large. */
  readonly overview: readonly Uint8Array[];
  /** Facts of the blocks of a baseline file with the same coefficients, which the index is then for. */
  readonly twin: Uint8Array | undefined;
  /** Facts of the blocks of the planes at 1/4, which lie in them one behind the other. */
  readonly quarter: Uint8Array | undefined;
}

// "sji", format version, number of overview planes, 1 where there is a twin, 1 where there are planes at 1/4; then each part
// behind its length in 4 bytes (little-endian): index, overview planes, facts of the twin's blocks, of the planes'.
const signature = [0x73, 0x6a, 0x69, 3] as const;
const headLength = 7;

/** One entry. */
export function joinParts({ index, overview, twin, quarter }: StoredParts): Uint8Array {
  const parts = [index, ...overview, ...(twin ? [twin] : []), ...(quarter ? [quarter] : [])];
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, headLength));
  const view = new DataView(joined.buffer);
  joined.set([...signature, overview.length, twin ? 1 : 0, quarter ? 1 : 0]);
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
  const hasTwin = view.getUint8(5) === 1;
  const hasQuarter = view.getUint8(6) === 1;
  const parts: Uint8Array[] = [];
  let at = headLength;
  for (let n = 0; n < 1 + planes + Number(hasTwin) + Number(hasQuarter); n++) {
    if (at + 4 > joined.length) return undefined;
    const length = view.getUint32(at, true);
    if (at + 4 + length > joined.length) return undefined;
    parts.push(joined.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [index, ...rest] = parts;
  if (!index || at !== joined.length) return undefined;
  return {
    index,
    overview: rest.slice(0, planes),
    twin: hasTwin ? rest[planes] : undefined,
    quarter: hasQuarter ? rest.at(-1) : undefined,
  };
}
