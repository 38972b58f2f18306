// Reads the tokens and values of PDF syntax (ISO 32000-2, sections 7.2 and 7.3), of objects and of content
// streams.

import { damagedPdf } from "../../damaged.ts";
import { isReference, type PdfDictionary, type PdfValue } from "./values.ts";

/** A keyword, an operator, or a delimiter that closes something. */
export interface Word {
  readonly word: string;
}

export const isWord = (item: PdfValue | Word): item is Word =>
  typeof item === "object" && item !== null && "word" in item;

/** Depth of arrays and dictionaries in each other. */
const maxDepth = 32;

const code = (character: string) => character.charCodeAt(0);
const white = new Set([0, 9, 10, 12, 13, 32]);
const delimiters = new Set([..."()<>[]{}/%"].map(code));
const [open, close, backslash] = [code("("), code(")"), code("\\")];
const [less, greater, slash, percent, hash] = [code("<"), code(">"), code("/"), code("%"), code("#")];
const openArray = code("[");
/** 1 for bytes that end a word: white space and delimiters. */
const ends = Uint8Array.from({ length: 256 }, (_, byte) => (white.has(byte) || delimiters.has(byte) ? 1 : 0));
const constants: ReadonlyMap<string, PdfValue> = new Map<string, PdfValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const escapes: ReadonlyMap<number, number> = new Map([
  [code("n"), 10],
  [code("r"), 13],
  [code("t"), 9],
  [code("b"), 8],
  [code("f"), 12],
]);

/** Reads items in order from `at` on. Bytes that end in the middle of an item end before it. */
export class Scanner {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /**
   * Returns the next value or word; undefined at the end of the bytes, also in the middle of an item. A
   * number at the very end may be the beginning of a longer one, so it counts as cut. References occur inside
   * of arrays and dictionaries. Throws ImagingError `decode` for what is nested too deeply.
   */
  next(depth = 0): PdfValue | Word | undefined {
    this.skipWhite();
    const { bytes } = this;
    const byte = bytes[this.at];
    if (byte === undefined) return undefined;
    if (byte === slash) return this.#name();
    if (byte === open) return this.#string();
    if (byte === openArray) {
      this.at++;
      return this.#items("]", depth);
    }
    if (byte === less) {
      if (bytes[this.at + 1] !== less) return this.#hexString();
      this.at += 2;
      const items = this.#items(">>", depth);
      return items && dictionaryFrom(items);
    }
    if (byte === greater && bytes[this.at + 1] === greater) {
      this.at += 2;
      return { word: ">>" };
    }
    if (delimiters.has(byte)) {
      this.at++;
      return { word: String.fromCharCode(byte) };
    }
    return this.#regular();
  }

  skipWhite(): void {
    const { bytes } = this;
    for (let byte = bytes[this.at]; byte !== undefined; byte = bytes[this.at]) {
      if (byte === percent)
        while (this.at < bytes.length && bytes[this.at] !== 10 && bytes[this.at] !== 13) this.at++;
      else if (white.has(byte)) this.at++;
      else return;
    }
  }

  /** Returns the items up to a closing delimiter, with references in place of `12 0 R`. */
  #items(closing: "]" | ">>", depth: number): PdfValue[] | undefined {
    if (depth === maxDepth) throw damagedPdf(`at most ${maxDepth} nested arrays and dictionaries`, "more");
    const items: PdfValue[] = [];
    for (let item = this.next(depth + 1); item !== undefined; item = this.next(depth + 1)) {
      if (!isWord(item)) items.push(item);
      else if (item.word === "R") joinReference(items);
      else if (item.word === closing) return items;
      else if (item.word === "endobj" || item.word === "]" || item.word === ">>")
        throw damagedPdf(`${closing} at the end of an array or dictionary`, item.word);
    }
    return undefined;
  }

  #regular(): PdfValue | Word | undefined {
    const { bytes, at } = this;
    let end = at;
    while (end < bytes.length && ends[bytes[end]!] === 0) end++;
    if (end === bytes.length) return undefined;
    this.at = end;
    const number = wholeNumber(bytes, at, end);
    if (number !== undefined) return number;
    const text = String.fromCharCode(...bytes.subarray(at, Math.min(end, at + 64)));
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return Number(text);
    // Some writers repeat signs or points; other readers take what they can of such a number.
    if (/^[+\-.\d]/.test(text)) return Number.parseFloat(text.replace(/^[+-]*(?=[+-])/, "")) || 0;
    return constants.get(text) ?? (text === "null" ? null : { word: text });
  }

  #name(): PdfValue | undefined {
    const { bytes } = this;
    let end = this.at + 1;
    let name = "";
    for (; end < bytes.length && ends[bytes[end]!] === 0; end++) {
      const digits = bytes[end] === hash ? String.fromCharCode(...bytes.subarray(end + 1, end + 3)) : "";
      const isEscaped = /^[\da-f]{2}$/i.test(digits);
      name += String.fromCharCode(isEscaped ? Number.parseInt(digits, 16) : bytes[end]!);
      if (isEscaped) end += 2;
    }
    if (end >= bytes.length) return undefined;
    this.at = end;
    return { name };
  }

  #string(): Uint8Array | undefined {
    const { bytes } = this;
    const end = this.#endOfString();
    if (end === undefined) return undefined;
    const result = new Uint8Array(end - this.at);
    let length = 0;
    for (let at = this.at + 1; at < end; at++) {
      if (bytes[at] !== backslash) {
        result[length++] = bytes[at]!;
        continue;
      }
      let [octal, digits] = [0, 0];
      for (; digits < 3 && isOctal(bytes[at + 1 + digits]); digits++)
        octal = 8 * octal + bytes[at + 1 + digits]! - 48;
      const next = bytes[at + 1] ?? 0;
      if (digits > 0) result[length++] = octal;
      // A backslash at the end of a line continues the string on the next one.
      else if (next !== 10 && next !== 13) result[length++] = escapes.get(next) ?? next;
      at += digits > 0 ? digits : next === 13 && bytes[at + 2] === 10 ? 2 : 1;
    }
    this.at = end + 1;
    return result.slice(0, length);
  }

  /** Returns the offset of the parenthesis that closes the string here; undefined if there is none. */
  #endOfString(): number | undefined {
    const { bytes } = this;
    for (let [at, depth] = [this.at, 0]; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === backslash) at++;
      else if (byte === open) depth++;
      else if (byte === close && --depth === 0) return at;
    }
    return undefined;
  }

  #hexString(): Uint8Array | undefined {
    const { bytes } = this;
    const end = bytes.indexOf(greater, this.at);
    if (end < 0) return undefined;
    const digits = bytes.subarray(this.at + 1, end).filter((byte) => ends[byte] === 0);
    this.at = end + 1;
    const result = new Uint8Array(Math.ceil(digits.length / 2));
    for (const i of result.keys()) result[i] = 16 * hexDigit(digits[2 * i]) + hexDigit(digits[2 * i + 1]);
    return result;
  }
}

const isOctal = (byte: number | undefined) => byte !== undefined && byte >= 48 && byte <= 55;

const hexDigits = Uint8Array.from(
  { length: 256 },
  (_, byte) => Number.parseInt(String.fromCharCode(byte), 16) || 0,
);
/** Returns the value of a hexadecimal digit; 0 for any other byte, and for a digit that is missing. */
const hexDigit = (byte: number | undefined) => (byte === undefined ? 0 : hexDigits[byte]!);

/** Returns the number of a word of up to 15 digits, which most numbers are; undefined for any other word. */
function wholeNumber(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from > 15) return undefined;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = 10 * value + digit;
  }
  return value;
}

/** Replaces the object and generation numbers at the end of a list by a reference. */
export function joinReference(items: PdfValue[]): void {
  items.pop();
  const object = items.pop();
  items.push(typeof object === "number" && Number.isSafeInteger(object) && object > 0 ? { object } : null);
}

function dictionaryFrom(items: readonly PdfValue[]): PdfDictionary {
  const entries = new Map<string, PdfValue>();
  for (let i = 0; i + 1 < items.length; i += 2) {
    const key = items[i];
    if (typeof key !== "object" || key === null || !("name" in key) || isReference(key))
      throw damagedPdf("a name as each key of a dictionary", "another value");
    entries.set(key.name, items[i + 1]!);
  }
  return entries;
}
