// Damages JPEG 2000 files for tests: boxes, marker segments, coded data.

type Random = (below: number) => number;

/** A marker segment, its marker included (ITU-T T.800 A.1). */
interface Segment {
  readonly at: number;
  readonly length: number;
}

const marker = { sot: 0xff90, sod: 0xff93 };

/** The marker segments from the main header up to the data of the first tile-part. */
export function segmentsOf(file: Uint8Array): readonly Segment[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const start = Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x4f, 0xff, 0x51));
  const found: Segment[] = [{ at: start, length: 2 }];
  for (let at = start + 2; at + 4 <= file.length && view.getUint16(at) !== marker.sod; ) {
    const length = 2 + view.getUint16(at + 2);
    found.push({ at, length });
    at += length;
  }
  return found;
}

/** Bytes from `from` up to `to` replaced by others. */
const spliced = (file: Uint8Array, from: number, to: number, others: Uint8Array = new Uint8Array()) =>
  new Uint8Array(Buffer.concat([file.subarray(0, from), others, file.subarray(to)]));

/**
 * Replaces bytes like {@link spliced}, and states the new length of the tile-part around them (Psot, A.4.2),
 * so that a decoder looks inside.
 */
function splicedInPart(
  file: Uint8Array,
  from: number,
  to: number,
  others: Uint8Array = new Uint8Array(),
): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const result = spliced(file, from, to, others);
  const first = segmentsOf(file).find(({ at }) => view.getUint16(at) === marker.sot);
  for (let at = first?.at ?? file.length; at + 12 <= from && view.getUint16(at) === marker.sot; ) {
    const length = view.getUint32(at + 6);
    if (length === 0) break;
    if (from < at + length)
      new DataView(result.buffer).setUint32(at + 6, Math.max(0, length + others.length - (to - from)));
    at += length;
  }
  return result;
}

function changed(file: Uint8Array, at: number, value: number): Uint8Array {
  const copy = file.slice();
  copy[at] = value;
  return copy;
}

/** Values that a field of a header may take at its ends. */
const edges = [0, 1, 0x7f, 0x80, 0xfe, 0xff];

/**
 * Returns the file with one to three damages: half of them before the first tile-part's data, where each byte
 * has a meaning, the others in the data or anywhere in the file.
 */
export function mutate(file: Uint8Array, random: Random): Uint8Array {
  let result = file;
  for (let i = 0; i <= random(3); i++) {
    const segments = segmentsOf(result);
    const last = segments.at(-1)!;
    const data = last.at + last.length;
    if (segments.length < 2 || data >= result.length) return result;
    const any = segments[1 + random(segments.length - 1)]!;
    const other = segments[1 + random(segments.length - 1)]!;
    const bytesOf = ({ at, length }: Segment) => result.subarray(at, at + length);
    const splice = random(4) ? splicedInPart : spliced;
    const inHeader = () => random(data);
    const inData = () => data + random(result.length - data);
    const ways: (() => Uint8Array)[] = [
      () => changed(result, inHeader(), random(256)),
      () => changed(result, any.at + random(any.length), edges[random(edges.length)]!),
      () => changed(result, any.at + 4 + random(any.length), random(256)),
      () => changed(result, any.at + 2 + random(2), random(256)), // its length
      () => splice(result, any.at, any.at, bytesOf(other)), // doubled, maybe in another place
      () => splice(result, any.at, any.at + any.length),
      () => splice(result, any.at + any.length, any.at + any.length, new Uint8Array(random(20))),
      () => changed(result, inData(), random(256)),
      () => changed(result, inData(), 0xff),
      () => changed(result, inData(), (result[inData()]! ^ (1 << random(8))) & 255),
      () => result.slice(0, random(4) ? inData() : inHeader()),
      () => {
        const at = inData();
        return splice(result, at, Math.min(result.length - 2, at + random(random(3) ? 60 : result.length)));
      },
      () => {
        const at = inData();
        return splice(result, at, at, result.subarray(Math.max(data, at - random(60)), at));
      },
      () => {
        const copy = result.slice();
        const at = inData();
        for (let byte = at; byte < Math.min(copy.length, at + 200); byte++) copy[byte] = random(256);
        return copy;
      },
    ];
    result = ways[random(ways.length)]!();
  }
  return result;
}
