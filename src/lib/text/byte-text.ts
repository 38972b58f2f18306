// Text that is written as bytes, for what is written often: no string is made, joined and encoded on the way.

const utf8 = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A text as bytes, for {@link ByteText.put}. */
export const asciiBytes = (text: string): Uint8Array => utf8.encode(text);

/**
 * Texts as bytes, for {@link ByteText.part}. They stand behind each other: where other work comes in between, what is scattered over the
 * memory takes longer to fetch than to write.
 */
export interface Parts {
  readonly bytes: Uint8Array;
  /** Where each of them begins, and where the last one ends. */
  readonly places: Uint32Array;
}

/** ASCII texts as one array of bytes. */
export function asciiParts(texts: readonly string[]): Parts {
  const bytes = asciiBytes(texts.join(""));
  const places = new Uint32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) places[i + 1] = (places[i] as number) + text.length;
  return { bytes, places };
}

/** Characters that are written one by one: for more of them a call of the encoder is worth its while. */
const mostByOne = 256;

const quote = 0x22;
const point = 0x2e;
const zero = 0x30;

/** What stands in JSON as it is, for {@link ByteText.jsonOf}: ASCII without control characters, quotes and backslashes. 1 at each code. */
export const plainInJson = Uint8Array.from({ length: 0x7f }, (_, code) =>
  code < 0x20 || '"\\'.includes(String.fromCharCode(code)) ? 0 : 1,
);

/** A text in UTF-8 that grows at its end. */
export class ByteText {
  bytes: Uint8Array;
  length = 0;

  /** `capacity`: bytes that it is likely to need. */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Bytes as they are. */
  put(part: Uint8Array): void {
    this.reserve(part.length);
    const { bytes, length } = this;
    // A call of `set` costs as much as some thirty bytes.
    if (part.length > 32) bytes.set(part, length);
    else for (let i = 0; i < part.length; i++) bytes[length + i] = part[i] as number;
    this.length = length + part.length;
  }

  /** One of several texts: that at place `i`. */
  part({ bytes: from, places }: Parts, i: number): void {
    const begin = places[i] as number;
    const end = places[i + 1] as number;
    this.reserve(end - begin);
    const { bytes, length } = this;
    for (let at = begin; at < end; at++) bytes[length + at - begin] = from[at] as number;
    this.length = length + end - begin;
  }

  /** A string as it is. */
  text(text: string): void {
    // A character has three bytes at most.
    this.reserve(3 * text.length);
    const { bytes, length } = this;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7e || i === mostByOne) {
        this.length += utf8.encodeInto(text, bytes.subarray(length)).written;
        return;
      }
      bytes[length + i] = code;
    }
    this.length += text.length;
  }

  /** A string in quotes, as JSON has it. */
  json(text: string): void {
    if (!this.jsonOf(plainInJson, text)) this.put(utf8.encode(JSON.stringify(text)));
  }

  /** The same where all of its characters are in `plain`, which has 1 at each code that is; else nothing is written, and it returns false. */
  jsonOf(plain: Uint8Array, text: string): boolean {
    // V8 has many kinds of strings, and looks for the length of what it does not know to be one of them.
    const known = String(text);
    this.reserve(known.length + 2);
    const { bytes, length } = this;
    for (let i = 0; i < known.length; i++) {
      const code = known.charCodeAt(i);
      if (plain[code] !== 1) return false;
      bytes[length + 1 + i] = code;
    }
    bytes[length] = quote;
    bytes[length + 1 + known.length] = quote;
    this.length = length + known.length + 2;
    return true;
  }

  /**
   * A number as JSON and `String` write it, if it is from 0 to ten million and has no more than two decimals; else nothing is written, and
   * it returns false.
   */
  hundredths(value: number): boolean {
    const hundredths = Math.round(value * 100);
    if (hundredths / 100 !== value || !(value >= 0 && value < 1e7)) return false;
    const whole = (hundredths / 100) | 0;
    this.integer(whole);
    const rest = hundredths - 100 * whole;
    if (rest === 0) return true;
    this.reserve(3);
    const { bytes } = this;
    bytes[this.length++] = point;
    const tenth = (rest / 10) | 0;
    bytes[this.length++] = zero + tenth;
    if (rest !== 10 * tenth) bytes[this.length++] = zero + rest - 10 * tenth;
    return true;
  }

  /** A whole number from 0 to 2^53, in decimal digits. */
  integer(value: number): void {
    let digits = 1;
    for (let limit = 10; value >= limit && digits < 16; limit *= 10) digits++;
    this.reserve(digits);
    writeDigits(this.bytes, this.length, value, digits);
    this.length += digits;
  }

  /** The bytes so far, which are valid until more are written. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** Appends a text. */
export type WriteText = (out: ByteText) => void;

/** The text that a function appends, as a string. */
export function textOf(append: WriteText): string {
  const out = new ByteText(512);
  append(out);
  return decoder.decode(out.view());
}

/** Writes the last `digits` decimal digits of a whole number, with zeros in front. */
export function writeDigits(bytes: Uint8Array, at: number, value: number, digits: number): void {
  let rest = value;
  let i = at + digits - 1;
  for (; i >= at && rest > 0x7fffffff; i--) {
    const tenth = Math.floor(rest / 10);
    bytes[i] = zero + (rest - 10 * tenth);
    rest = tenth;
  }
  // Small numbers are divided as integers.
  for (let small = rest | 0; i >= at; i--) {
    const tenth = (small / 10) | 0;
    bytes[i] = zero + (small - 10 * tenth);
    small = tenth;
  }
}

/** Writes a string of ASCII characters, which has to have room. */
export function writeAscii(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}
