// The smallest codec with a sidecar of access points, as an example of what a format has to implement. Its
// files: "rows", width and height in 4 bytes each, then each row of gray samples as its length in 2 bytes and
// runs of a count and a value. A row is found by reading all rows before it, or through its access point.

import type { ByteSource } from "../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../src/base/imaging-error.ts";
import type { Decoder, SidecarAccess, SidecarFormat } from "../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../src/imaging/codecs/image-header.ts";
import type { ReadRequest } from "../../../src/imaging/codecs/plan.ts";
import { bytesOf, readEntry, writeEntry } from "../../../src/imaging/sidecar/entry.ts";

const headLength = 12;
const damaged = () => new ImagingError("decode", "Expected rows up to the end, received fewer.");

const wordAt = async (bytes: ByteSource, offset: number): Promise<number> => {
  const [high, low] = await bytes.read(offset, 2);
  if (high === undefined || low === undefined) throw damaged();
  return high * 256 + low;
};

/** Returns where each of the rows 0 to `rows` begins; the last one may not pass `size`. */
async function findRows(bytes: ByteSource, rows: number): Promise<Float64Array> {
  const starts = new Float64Array(rows);
  let at = headLength;
  for (let y = 0; y < rows; y++) {
    starts[y] = at;
    at += 2 + (await wordAt(bytes, at));
  }
  if (bytes.size !== undefined && at > bytes.size) throw damaged();
  return starts;
}

/**
 * Returns the beginnings of rows from the sidecar; undefined if there is none, or it is damaged, which is
 * reported.
 */
async function storedRows(access: SidecarAccess | undefined): Promise<Float64Array | undefined> {
  if (!access || access.absent) return undefined;
  const part = readEntry(await access.load())?.get("accessPoints");
  const stored = part && (await bytesOf(part));
  if (!stored) access.reportLoss?.();
  return stored && new Float64Array(stored.slice().buffer);
}

async function readRow(bytes: ByteSource, start: number, width: number): Promise<Uint8Array> {
  const runs = await bytes.read(start + 2, await wordAt(bytes, start));
  const row = new Uint8Array(width);
  for (let i = 0, x = 0; i < runs.length; i += 2) row.fill(runs[i + 1]!, x, (x += runs[i]!));
  return row;
}

const sidecar: SidecarFormat = {
  // A read makes what it needs itself; the layer is built after it.
  use: () => ({ layers: ["ground"], way: "begin" }),
  layers: () => ["ground"],
  async build(bytes, { header }) {
    const starts = await findRows(bytes, header.height);
    return writeEntry([{ kind: "accessPoints", inside: [new Uint8Array(starts.buffer)] }]);
  },
  memory: ({ height }) => 8 * height,
  nsPerPixel: () => 1,
};

export const exampleCodec = (): Decoder => ({
  async probe(bytes): Promise<ImageHeader> {
    const head = await bytes.read(0, headLength);
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    const [width, height] = [view.getUint32(4), view.getUint32(8)];
    return {
      format: "png", // a real format would have its own name here
      width,
      height,
      bands: 1,
      depth: 8,
      interpretation: "gray",
      orientation: 1,
      pages: 1,
      variant: "rows",
    };
  },
  memory: ({ region }) => region.width * region.height,
  decodedPixels: ({ header, region }: ReadRequest) => header.width * region.height,
  async decode(bytes, { header, region }, access) {
    const end = region.y + region.height;
    const starts = (await storedRows(access)) ?? (await findRows(bytes, end));
    const data = new Uint8Array(region.width * region.height);
    for (let y = region.y; y < end; y++) {
      const row = await readRow(bytes, starts[y]!, header.width);
      data.set(row.subarray(region.x, region.x + region.width), (y - region.y) * region.width);
    }
    return {
      width: region.width,
      height: region.height,
      bands: 1,
      depth: 8,
      interpretation: "gray",
      data,
    };
  },
  sidecar,
});

/** Returns a file of this size, whose rows have runs of 1 to 7 samples. */
export function exampleFile(width: number, height: number): Uint8Array {
  const out: number[] = [...new TextEncoder().encode("rows")];
  const word = (value: number) => out.push(value >> 8, value & 255);
  for (const side of [width, height]) out.push(0, 0, side >> 8, side & 255);
  for (let y = 0; y < height; y++) {
    const runs: number[] = [];
    for (let x = 0; x < width; ) {
      const count = Math.min(width - x, 1 + ((x * 7 + y * 3) % 7));
      runs.push(count, (x * 13 + y * 31) & 255);
      x += count;
    }
    word(runs.length);
    out.push(...runs);
  }
  return Uint8Array.from(out);
}
