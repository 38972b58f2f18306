// The ICC profile of a JPEG XL codestream: bytes in contexts, which commands and data make the profile of
// (ISO/IEC 18181-1, annex E.4).

import { damagedJxl } from "../damaged.ts";
import { codedIntegers } from "./entropy/integers.ts";
import type { BitReader } from "./read-bits.ts";

/** Bytes of a profile, and of its coded form. */
const limit = 4 * 2 ** 20;
const headerBytes = 128;
const contexts = 41;
/** Bytes that have one context: those of the header. */
const firstBytes = 128;

/** Reads a profile behind the image metadata. Throws ImagingError `decode`, and OutOfBits. */
export function readProfile(bits: BitReader): Uint8Array {
  const size = bits.long();
  if (size > limit) throw damagedJxl(`a profile of at most ${limit} bytes`);
  const integers = codedIntegers(bits, contexts);
  const coded = new Uint8Array(size);
  for (let i = 0; i < size; i++) {
    const value = integers.next(contextOf(i, coded[i - 1] ?? 0, coded[i - 2] ?? 0));
    if (value > 255) throw damagedJxl("bytes of a profile");
    coded[i] = value;
  }
  integers.end();
  return decodeProfile(coded);
}

const isLetter = (byte: number) => (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90);
/** Digits, full stop and comma. */
const isNumeral = (byte: number) => (byte >= 48 && byte <= 57) || byte === 46 || byte === 44;

function kindOfLast(byte: number): number {
  if (isLetter(byte)) return 0;
  if (isNumeral(byte)) return 1;
  if (byte <= 1) return 2 + byte;
  if (byte < 16) return 4;
  if (byte === 255) return 6;
  return byte > 240 ? 5 : 7;
}

function kindBefore(byte: number): number {
  if (isLetter(byte)) return 0;
  if (isNumeral(byte)) return 1;
  if (byte < 16) return 2;
  return byte > 240 ? 3 : 4;
}

const contextOf = (index: number, last: number, before: number) =>
  index <= firstBytes ? 0 : 1 + kindOfLast(last) + 8 * kindBefore(before);

/** Bytes that are read from the front. */
class Bytes {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw damagedJxl("all bytes of its profile");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** Returns a number by seven bits a byte. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  }
}

/** A profile in the making. */
class Output {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  put(...parts: readonly ArrayLike<number>[]): void {
    for (const part of parts) {
      if (this.length + part.length > this.bytes.length)
        throw damagedJxl("a profile of the size that it states");
      this.bytes.set(part, this.length);
      this.length += part.length;
    }
  }

  /** Writes the lowest eight bits. */
  putByte(value: number): void {
    if (this.length === this.bytes.length) throw damagedJxl("a profile of the size that it states");
    this.bytes[this.length++] = value;
  }
}

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const uint32 = (value: number) => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

function decodeProfile(coded: Uint8Array): Uint8Array {
  const stream = new Bytes(coded);
  const size = stream.number();
  if (size > limit) throw damagedJxl(`a profile of at most ${limit} bytes`);
  const commands = new Bytes(stream.take(stream.number()));
  const out = new Output(size);
  putHeader(out, stream.take(Math.min(headerBytes, size)), size);
  if (size > headerBytes && putTags(out, commands, stream))
    while (commands.left > 0) runCommand(out, commands, stream);
  if (out.length !== size) throw damagedJxl("a profile of the size that it states");
  return out.bytes;
}

/** Bytes of the header that are usual, by their offset (E.4.3). */
const usualHeader: readonly (readonly [offset: number, bytes: ArrayLike<number>])[] = [
  [8, [4]],
  [12, ascii("mntrRGB XYZ ")],
  [36, ascii("acsp")],
  [70, [246, 214, 0, 1]],
  [78, [211, 45]],
];
/** Platforms, known by their first letter, or by two. */
const platforms: ReadonlyMap<string, string> = new Map([
  ["A", "APPL"],
  ["M", "MSFT"],
  ["SG", "SGI "],
  ["SU", "SUNW"],
]);
const platformAt = 40;

function putHeader(out: Output, differences: Uint8Array, size: number): void {
  const expected = new Uint8Array(headerBytes);
  expected.set(uint32(size));
  for (const [offset, bytes] of usualHeader) expected.set(bytes, offset);
  const found = new Uint8Array(differences.length);
  for (const [i, difference] of differences.entries()) {
    if (i >= 80 && i < 84) expected[i] = found[4 + i - 80]!;
    found[i] = expected[i]! + difference;
    const letters = String.fromCharCode(...found.subarray(platformAt, i + 1));
    const platform = platforms.get(letters);
    if (platform) expected.set(ascii(platform.slice(letters.length)), i + 1);
  }
  out.put(found);
}

const commonTags =
  "rTRC rXYZ cprt wtpt bkpt rXYZ gXYZ bXYZ kXYZ rTRC gTRC bTRC kTRC chad desc chrm dmnd dmdd lumi".split(" ");
/** Tags of 20 bytes. */
const xyzTags = ["rXYZ", "gXYZ", "bXYZ", "kXYZ", "wtpt", "bkpt", "lumi"];

/** Writes the table of tags (E.4.4). Returns false if nothing follows it. */
function putTags(out: Output, commands: Bytes, data: Bytes): boolean {
  const count = commands.number() - 1;
  if (count < 0) return true;
  out.put(uint32(count));
  let [start, length] = [headerBytes + count * 12, 0];
  const putTag = (name: string, at: number) => out.put(ascii(name), uint32(at), uint32(length));
  while (commands.left > 0) {
    const command = commands.byte();
    const code = command & 63;
    if (code === 0) return true;
    if (code > 1 + commonTags.length) throw damagedJxl("a tag of its profile");
    const name = code === 1 ? String.fromCharCode(...data.take(4)) : commonTags[code - 2]!;
    start = command & 64 ? commands.number() : start + length;
    length = command & 128 ? commands.number() : xyzTags.includes(name) ? 20 : length;
    if (start + length > out.bytes.length) throw damagedJxl("tags inside its profile");
    putTag(name, start);
    // The first two tags stand for those of all three colours.
    const others = groups[code];
    for (const [i, other] of (others?.names ?? []).entries())
      putTag(other, start + (others!.isShared ? 0 : (i + 1) * length));
  }
  return false;
}

/** Tags that follow one of the first two, and whether these have the same data. */
const groups: Readonly<Record<number, { readonly names: readonly string[]; readonly isShared: boolean }>> = {
  2: { names: ["gTRC", "bTRC"], isShared: true },
  3: { names: ["gXYZ", "bXYZ"], isShared: false },
};

const commonTypes = ["XYZ ", "desc", "text", "mluc", "para", "curv", "sf32", "gbd "];

/** Writes what one command says (E.4.5). */
function runCommand(out: Output, commands: Bytes, data: Bytes): void {
  const command = commands.byte();
  if (command === 1) out.put(data.take(commands.number()));
  else if (command === 2) out.put(interleave(data.take(commands.number()), 2));
  else if (command === 3) out.put(interleave(data.take(commands.number()), 4));
  else if (command === 4) putPredicted(out, commands, data);
  else if (command === 10) out.put(ascii("XYZ \0\0\0\0"), data.take(12));
  else if (command >= 16 && command < 24) out.put(ascii(commonTypes[command - 16]!), uint32(0));
  else throw damagedJxl("a command of its profile");
}

/** Returns bytes whose first, second and further ones of each `width` are together. */
function interleave(bytes: Uint8Array, width: number): Uint8Array {
  const rows = Math.ceil(bytes.length / width);
  const full = bytes.length - width * (rows - 1); // columns that have the last row
  const out = new Uint8Array(bytes.length);
  let at = 0;
  for (let column = 0; column < width; column++)
    for (let row = 0; row < (column < full ? rows : rows - 1); row++)
      out[row * width + column] = bytes[at++]!;
  return out;
}

/** Writes numbers as differences to a prediction from those before. */
function putPredicted(out: Output, commands: Bytes, data: Bytes): void {
  const flags = commands.byte();
  const width = (flags & 3) + 1;
  const order = (flags >> 2) & 3;
  const stride = flags & 16 ? commands.number() : width;
  if (width === 3 || order === 3 || stride < width || stride * 4 >= out.length)
    throw damagedJxl("numbers of its profile that others precede");
  const count = commands.number();
  const differences = width === 1 ? data.take(count) : interleave(data.take(count), width);
  /** Returns the number that is `steps` before the next one. */
  const numberBefore = (steps: number) => {
    let value = 0;
    const at = out.length - stride * steps;
    for (let i = 0; i < width; i++) value = value * 256 + out.bytes[at + i]!;
    return value;
  };
  for (let i = 0; i < count; i += width) {
    const last = numberBefore(1);
    let predicted = last;
    if (order === 1) predicted = 2 * last - numberBefore(2);
    if (order === 2) predicted = 3 * (last - numberBefore(2)) + numberBefore(3);
    for (let j = 0; j < width && i + j < count; j++)
      out.putByte(Math.floor(predicted / 256 ** (width - 1 - j)) + differences[i + j]!);
  }
}
