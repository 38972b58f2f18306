// Converts an arithmetic-coded JPEG to Huffman coding without loss, for decoders that know no other.

import { ImagingError } from "../../../../base/index.ts";
import { allocateOrThrow } from "../../allocate.ts";
import { type FrameHeader, frameKinds, isFrame, readFrameHeader } from "../markers/frame.ts";
import { codesOf, typicalTables } from "../markers/huffman-codes.ts";
import { readScanHeader } from "../markers/scan-header.ts";
import { readQuantisationTables } from "../markers/tables.ts";
import { isNamed, marker, word } from "../markers/walk.ts";
import { endOfImage } from "../markers/write.ts";
import { isChroma, transcodeHeader } from "../transcode/header.ts";
import { nextMarker } from "./coder.ts";
import { BrokenScan, type Conditioning, decodeScan, type Plane, usualConditioning } from "./scan.ts";

/** Define Arithmetic Conditioning (B.2.4.3). */
const dac = 0xcc;
const maxMcuBlocks = 10;

interface Seen {
  readonly quantisation: (Uint16Array | undefined)[];
  readonly steps: (Uint16Array | undefined)[];
  readonly conditioning: Conditioning;
  interval: number;
  jfif: boolean;
  adobe?: Uint8Array;
  frame?: FrameHeader;
  planes: readonly Plane[];
}

/**
 * Returns the maximum bytes of a copy of a file with that many samples: no encoder writes data that take four
 * times as many bytes with typical Huffman codes, except that each block takes six bits at least.
 */
export const maxBaseline = (fileSize: number, samples: number): number =>
  65536 + 4 * fileSize + Math.ceil(samples / 32);

/** Returns the file as baseline JPEG. Throws ImagingError `decode` if it is damaged or truncated. */
export function toBaseline(file: Uint8Array): Uint8Array {
  const seen: Seen = {
    quantisation: [],
    steps: [],
    conditioning: usualConditioning(),
    interval: 0,
    jfif: false,
    planes: [],
  };
  for (let at = nextMarker(file, 2); at !== undefined; ) {
    const code = file[at + 1]!;
    if (code === marker.eoi) return write(seen, file.length);
    if (code >= 0xd0 && code <= 0xd7) {
      at = nextMarker(file, at + 2);
      continue;
    }
    const length = at + 4 <= file.length ? word(file, at + 2) : 0;
    const end = at + 2 + length;
    if (length < 2 || end > file.length) throw damagedData("complete segments", "a shorter one");
    const body = file.subarray(at + 4, end);
    if (code === marker.sos) at = nextMarker(file, takeScan(seen, file, body, end));
    else {
      if (isFrame(code)) takeFrame(seen, readFrameHeader(body, { at, code, length }));
      else take(seen, code, body);
      at = nextMarker(file, end);
    }
  }
  throw damagedData("an end of image", "the end of the file");
}

function take(seen: Seen, code: number, body: Uint8Array): void {
  if (code === marker.dqt)
    for (const { selector, values } of readQuantisationTables(body).tables)
      seen.quantisation[selector] = values;
  else if (code === marker.dri && body.length >= 2) seen.interval = word(body, 0);
  else if (code === marker.app0) seen.jfif ||= isNamed(body, "JFIF\0", 14);
  else if (code === marker.app14 && isNamed(body, "Adobe", 12)) seen.adobe = body.slice(0, 12);
  else if (code === dac)
    for (let i = 0; i + 1 < body.length; i += 2) {
      const [table, value] = [body[i]! & 15, body[i + 1]!];
      if (body[i]! >> 4 > 0) seen.conditioning.kx[table] = value;
      else {
        seen.conditioning.lower[table] = value & 15;
        seen.conditioning.upper[table] = value >> 4;
      }
    }
}

function takeFrame(seen: Seen, frame: FrameHeader): void {
  const blocks = frame.components.reduce((sum, { h, v }) => sum + h * v, 0);
  const isKnown = frameKinds[frame.code]?.arithmetic && !frameKinds[frame.code]?.refused;
  if (seen.frame || !isKnown || blocks > maxMcuBlocks || frame.height === 0)
    throw damagedData("one arithmetic-coded frame of at most 10 blocks in an MCU", "another");
  seen.frame = { ...frame, progressive: frame.code === 0xca };
  const [mcusAcross, mcusDown] = [8 * frame.hMax, 8 * frame.vMax];
  seen.planes = frame.components.map(({ h, v }) => {
    const across = Math.ceil(frame.width / mcusAcross) * h;
    const down = Math.ceil(frame.height / mcusDown) * v;
    return { across, down, values: allocateOrThrow(() => new Int16Array(64 * across * down)) };
  });
}

/** Decodes a scan whose data begins at `start`; returns the position after it. */
function takeScan(seen: Seen, file: Uint8Array, body: Uint8Array, start: number): number {
  const { frame, conditioning, interval, planes } = seen;
  const header = frame && readScanHeader(body, frame);
  if (!frame || !header || typeof header === "string") throw damagedData("a scan of the frame", "another");
  const { first, last, low, components } = header;
  const isPossible =
    !frame.progressive ||
    (last <= 63 && low <= 13 && (first === 0 ? last === 0 : last >= first && components.length === 1));
  if (!isPossible) throw damagedData("a part of the coefficients in a scan", "another");
  for (const { index } of components)
    seen.steps[index] ??= seen.quantisation[frame.components[index]!.quantSelector & 3];
  try {
    return decodeScan(file, start, { frame, header, conditioning, interval }, planes);
  } catch (error) {
    if (error instanceof BrokenScan) throw damagedData("coefficients within a block", "more");
    throw error;
  }
}

/** Largest differences of DC and values of AC that the typical tables have codes for. */
const max = { dc: 2047, ac: 1023 } as const;
const limitTo = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value));

function write({ frame, steps, jfif, adobe, planes }: Seen, fileSize: number): Uint8Array {
  if (!frame || !steps.some((table) => table)) throw damagedData("a frame and a scan", "none");
  const list = { frame, steps, jfif, adobe };
  const samples = planes.reduce((sum, { values }) => sum + values.length, 0);
  const out = new BitWriter(transcodeHeader(list), maxBaseline(fileSize, samples));
  const { dcLuma, acLuma, dcChroma, acChroma } = typicalTables;
  const tables = planes.map((_, i) =>
    (isChroma(list, i) ? [dcChroma, acChroma] : [dcLuma, acLuma]).map(codesOf),
  );
  const last = planes.map(() => 0);
  const across = Math.ceil(frame.width / (8 * frame.hMax));
  const down = Math.ceil(frame.height / (8 * frame.vMax));
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++)
      for (const [c, { h, v }] of frame.components.entries())
        for (let block = 0; block < h * v; block++) {
          const plane = planes[c]!;
          const [x, y] = [column * h + (block % h), row * v + Math.floor(block / h)];
          const at = 64 * (y * plane.across + x);
          const difference = limitTo(plane.values[at]! - last[c]!, max.dc);
          last[c]! += difference;
          out.symbol(tables[c]![0]!, 0, difference);
          writeAc(out, tables[c]![1]!, plane.values, at);
        }
  return out.finish();
}

/** Run lengths of T.81 F.1.2.2: 16 zeros, and the end of a block. */
const [zeros16, endOfBlock] = [0xf0, 0x00] as const;

function writeAc(out: BitWriter, codes: Uint32Array, values: Int16Array, at: number): void {
  let run = 0;
  for (let k = 1; k < 64; k++) {
    const value = limitTo(values[at + k]!, max.ac);
    if (value === 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16) out.code(codes[zeros16]!);
    out.symbol(codes, run << 4, value);
    run = 0;
  }
  if (run > 0) out.code(codes[endOfBlock]!);
}

/** Appends bits to a file, with a zero after each byte of 0xFF. */
class BitWriter {
  readonly #max: number;
  #bytes: Uint8Array;
  #length: number;
  #bits = 0;
  #count = 0;

  constructor(head: Uint8Array, max: number) {
    this.#max = max;
    this.#bytes = new Uint8Array(Math.max(65536, 2 * head.length));
    this.#bytes.set(head);
    this.#length = head.length;
  }

  /** Writes a code of `codesOf`. */
  code(code: number): void {
    this.#put(code >> 5, code & 31);
  }

  /** Writes the code of a value's category, which is added to `symbol`, and its bits (F.1.2.1). */
  symbol(codes: Uint32Array, symbol: number, value: number): void {
    const size = 32 - Math.clz32(Math.abs(value));
    this.code(codes[symbol | size]!);
    if (size > 0) this.#put(value < 0 ? value + 2 ** size - 1 : value, size);
  }

  #put(value: number, count: number): void {
    this.#bits = (this.#bits << count) | value;
    this.#count += count;
    while (this.#count >= 8) {
      this.#count -= 8;
      const byte = (this.#bits >> this.#count) & 255;
      this.#byte(byte);
      if (byte === 0xff) this.#byte(0);
    }
    this.#bits &= (1 << this.#count) - 1;
  }

  #byte(byte: number): void {
    if (this.#length + 2 > this.#bytes.length) {
      if (this.#bytes.length > this.#max) throw damagedData("data in proportion to their file", "more");
      const larger = new Uint8Array(Math.min(2 * this.#bytes.length, this.#max + 4));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  /** Fills the last byte with ones, and ends the image. */
  finish(): Uint8Array {
    if (this.#count > 0) this.#put((1 << (8 - this.#count)) - 1, 8 - this.#count);
    for (const byte of endOfImage) this.#byte(byte);
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Returns the error of a file whose header was intact. */
const damagedData = (expected: string, received: string) =>
  new ImagingError(
    "decode",
    `Expected ${expected} in an arithmetic-coded JPEG file; received ${received}. Replace the source file.`,
    { code: "damaged_image" },
  );
