// Encodings of files: by byte order mark, XML declaration or meta element, else UTF-8 or Windows-1252. Bytes
// are those of Node and of the tables of the WHATWG Encoding Standard.

import { describe, expect, test } from "vitest";
import { TextFileError } from "../../../src/text/index.ts";
import { linesOf, readFile, readPage } from "./read.ts";

const xml = (encoding: string, word: string) =>
  `<?xml version="1.0" encoding="${encoding}"?><alto><Layout><Page><PrintSpace><TextBlock><TextLine><String CONTENT="${word}"/>` +
  "</TextLine></TextBlock></PrintSpace></Page></Layout></alto>";
const html = (head: string, word: string) =>
  `<html><head>${head}</head><body><div class="ocr_page"><span class="ocr_line">${word}</span></div></body></html>`;

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
const swapped = (bytes: Uint8Array) => new Uint8Array(Buffer.from(bytes).swap16());
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const withMark = (text: string) => `\ufeff${text}`;

describe.each([1, 3, 1 << 16])("in pieces of %i bytes", (size) => {
  test.each([
    ["UTF-8", xml("UTF-8", "über😀"), "über😀"],
    ["UTF-8 with a mark", withMark(xml("UTF-8", "über")), "über"],
    ["UTF-8 that is declared as UTF-16", xml("UTF-16", "über"), "über"],
    ["UTF-16 with a mark", utf16(withMark(xml("UTF-16", "über😀"))), "über😀"],
    ["UTF-16 without a mark", utf16(xml("UTF-16LE", "über")), "über"],
    ["UTF-16 with the high byte first", swapped(utf16(withMark(xml("UTF-16", "über")))), "über"],
    ["UTF-16 with the high byte first and no mark", swapped(utf16(xml("UTF-16BE", "über"))), "über"],
    ["Latin-1", latin1(xml("ISO-8859-1", "über")), "über"],
    ["Windows-1252", latin1(xml("windows-1252", "\x93über\x94")), "“über”"],
    ["Windows-1251", latin1(xml("windows-1251", "\xcc\xe8\xf0")), "Мир"],
    ["Shift JIS", latin1(xml("Shift_JIS", "\x93\xfa\x96\x7b")), "日本"],
    ["Latin-1 that is declared as UTF-8", latin1(xml("UTF-8", "\xfcber")), "über"],
    ["a meta element", latin1(html("<meta charset='iso-8859-15'>", "5\xa4")), "5€"],
    [
      "a meta element of HTML 4",
      latin1(html('<meta http-equiv="content-type" content="text/html; charset=iso-8859-15"/>', "5\xa4")),
      "5€",
    ],
  ])("a file in %s is read", (_, file, expected) => {
    const read = readFile(file, {}, size);
    expect(read.format === "other" ? [] : linesOf(read.pages[0]!.text)).toEqual([expected]);
  });

  test.each([
    ["UTF-8", "für Müller", "für Müller"],
    ["UTF-8 with a mark", "\ufefffür", "für"],
    ["Windows-1252", latin1("f\xfcr 5 \x80"), "für 5 €"],
    ["UTF-16", utf16("\ufefffür"), "für"],
    [
      "UTF-8 with one damaged character",
      Uint8Array.of(...new TextEncoder().encode("für "), 0xfc, 0x62),
      "für \ufffdb",
    ],
  ])("plain text in %s is read", (_, file, expected) => {
    const read = readFile(file, { name: "page.txt" }, size);
    expect(read.format === "other" ? [] : linesOf(read.pages[0]!.text)).toEqual([expected]);
  });
});

test("an unknown encoding is an error that names it", () => {
  expect(() => readPage(xml("x-klingon", "a"))).toThrow(
    new TextFileError(
      "text_encoding",
      "The text file page.xml declares the encoding x-klingon, which is unknown. Save it as UTF-8.",
    ),
  );
});
