// From the bytes of a file of text to characters: the encoding is found by byte order mark, XML declaration
// (XML 1.0, appendix F) or `meta` element, and is UTF-8 otherwise.

import { damagedText, type ReadFile, TextFileError } from "./text-bounds.ts";

/** Bytes in which an encoding is declared: as in HTML (section 13.2.3.2). */
const declarationBytes = 1024;

/** Converts chunks of bytes to text. */
export interface Decoder {
  decode(bytes: Uint8Array): string;
  /** Returns the rest. */
  end(): string;
}

/** The first bytes of a file to its encoding: byte order marks, then `<` in two bytes without such a mark. */
const signatures: readonly (readonly [bytes: readonly number[], label: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
  [[0x3c, 0, 0x3f, 0], "utf-16le"],
  [[0, 0x3c, 0, 0x3f], "utf-16be"],
];

const xmlDeclaration = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([^"'\s>]+)/;
const metaElement = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([^"'\s/>;]+)/i;

/** Returns the label of the encoding of a file that begins with `head`. */
function encodingOf(head: Uint8Array): string {
  const found = signatures.find(([bytes]) => bytes.every((byte, at) => head[at] === byte));
  if (found) return found[1];
  const ascii = String.fromCharCode(...head.subarray(0, declarationBytes));
  const label = (xmlDeclaration.exec(ascii) ?? metaElement.exec(ascii))?.[1] ?? "utf-8";
  // A declaration that was readable byte by byte is not in UTF-16, whatever it says.
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2|unicode$)/i.test(label) ? "utf-8" : label;
}

/**
 * Creates a decoder of a file. Bytes that are not UTF-8, though nothing or only the file itself says so, are
 * read as Windows-1252 if no character up to the end of their piece is UTF-8 of more than one byte; otherwise
 * the file is damaged in single positions, which become U+FFFD.
 *
 * @throws TextFileError `text_encoding` if the declared encoding is unknown.
 */
export function createDecoder(file: ReadFile): Decoder {
  let head: Uint8Array = new Uint8Array();
  let decoder: Decoder | undefined;
  const start = () => {
    decoder = decoderOf(encodingOf(head), file);
    return decoder.decode(head);
  };
  return {
    decode(bytes) {
      if (decoder) return decoder.decode(bytes);
      head = joinBytes(head, bytes);
      return head.length < declarationBytes ? "" : start();
    },
    end() {
      const rest = decoder ? "" : start();
      return rest + decoder!.end();
    },
  };
}

function decoderOf(label: string, file: ReadFile): Decoder {
  if (/^utf-?8$/i.test(label)) return createUtf8Decoder(file);
  return streaming(label, file);
}

/** Returns a decoder of the platform. Bytes without a meaning in the encoding become U+FFFD. */
function streaming(label: string, { name }: ReadFile): Decoder {
  try {
    const decoder = new TextDecoder(label);
    return { decode: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  } catch {
    throw new TextFileError(
      "text_encoding",
      `The text file ${name} declares the encoding ${label.slice(0, 40)}, which is unknown. Save it as UTF-8.`,
    );
  }
}

function createUtf8Decoder(file: ReadFile): Decoder {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let fallback: Decoder | undefined;
  let [isProven, isFirst] = [false, true];
  let rest: Uint8Array = new Uint8Array();
  const decodeWhole = (bytes: Uint8Array): string => {
    if (fallback) return fallback.decode(bytes);
    try {
      const text = strict.decode(bytes);
      const hasMark = isFirst && text.startsWith("\ufeff");
      if (text !== "") isFirst = false;
      isProven ||= text.length < bytes.length;
      return hasMark ? text.slice(1) : text;
    } catch {
      isProven ||= /[^\p{ASCII}\ufffd]/u.test(new TextDecoder().decode(bytes));
      fallback = streaming(isProven ? "utf-8" : "windows-1252", file);
      return fallback.decode(bytes);
    }
  };
  return {
    decode(bytes) {
      const all = joinBytes(rest, bytes);
      const end = fallback ? all.length : completeLength(all);
      rest = all.slice(end);
      return decodeWhole(all.subarray(0, end));
    },
    end: () => decodeWhole(rest) + (fallback?.end() ?? ""),
  };
}

/** Returns the length of the bytes without a character of UTF-8 at their end that is not complete. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Throws if plain text holds what only other files hold. */
export function assertText(text: string, file: ReadFile): void {
  if (text.includes("\0")) throw damagedText(file, "it is not text, since it has bytes of zero");
}
