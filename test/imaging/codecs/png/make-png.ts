// Makes PNGs of every kind from stored samples, with a chosen filter for each row; it shares no code with our
// encoder.

import { crc32, deflateSync } from "node:zlib";

export interface PngParts {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly interlaced?: boolean;
  /** Sample as stored, of 0 to 2^depth - 1. */
  readonly sample: (x: number, y: number, band: number) => number;
  /** Filter type by number of the row in the stream. */
  readonly filter?: (row: number) => number;
  /** Chunks between IHDR and the picture. */
  readonly before?: readonly (readonly [type: string, content: Uint8Array])[];
  /** Bytes of picture data in a chunk. */
  readonly chunkSize?: number;
}

export const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
export const allKinds: readonly (readonly [type: number, depth: number])[] = [
  ...[1, 2, 4, 8, 16].map((depth) => [0, depth] as const),
  ...[1, 2, 4, 8].map((depth) => [3, depth] as const),
  ...[2, 4, 6].flatMap((type) => [8, 16].map((depth) => [type, depth] as const)),
];

const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(content.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

export function ihdr(width: number, height: number, depth: number, type: number, interlace = 0): Buffer {
  const content = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, type, 0, 0, interlace]);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  return chunk("IHDR", content);
}

export const pngStart = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

export function makePng(parts: PngParts): Uint8Array {
  const { width, height, depth, type, interlaced = false, filter = () => 0 } = parts;
  const bands = samplesOf[type]!;
  const step = Math.max(1, (bands * depth) >> 3);
  const lines: Buffer[] = [];
  for (const [left, top, dx, dy] of interlaced ? passes : [[0, 0, 1, 1] as const]) {
    const columns = Math.ceil((width - left) / dx);
    if (columns <= 0) continue;
    let above = Buffer.alloc(Math.ceil((columns * bands * depth) / 8));
    for (let y = top; y < height; y += dy) {
      const raw = Buffer.alloc(above.length);
      for (let i = 0; i < columns * bands; i++) {
        const value = parts.sample(left + Math.floor(i / bands) * dx, y, i % bands);
        if (depth === 16) raw.writeUInt16BE(value, 2 * i);
        else raw[(i * depth) >> 3]! |= value << (8 - depth - ((i * depth) & 7));
      }
      const kind = filter(lines.length);
      const line = Buffer.alloc(raw.length + 1);
      line[0] = kind;
      for (let i = 0; i < raw.length; i++) {
        const a = raw[i - step] ?? 0;
        const b = above[i]!;
        const c = i >= step ? above[i - step]! : 0;
        const distances = [b - c, a - c, a + b - 2 * c].map(Math.abs);
        const paeth = [a, b, c][distances.indexOf(Math.min(...distances))]!;
        line[i + 1] = raw[i]! - [0, a, b, (a + b) >> 1, paeth][kind]!;
      }
      lines.push(line);
      above = raw;
    }
  }
  const stream = deflateSync(Buffer.concat(lines));
  const size = parts.chunkSize ?? stream.length;
  const picture: Buffer[] = [];
  for (let at = 0; at < stream.length; at += size)
    picture.push(chunk("IDAT", stream.subarray(at, at + size)));
  return new Uint8Array(
    Buffer.concat([
      pngStart,
      ihdr(width, height, depth, type, interlaced ? 1 : 0),
      ...(parts.before ?? []).map(([name, content]) => chunk(name, content)),
      ...picture,
      chunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

/** A sequence of numbers below 2^32 that is the same in every run. */
export function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}
