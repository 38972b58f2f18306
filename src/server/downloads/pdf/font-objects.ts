// The font of invisible text as objects of a PDF file (ISO 32000-1, 9.7 to 9.10).

import type { Piece } from "../pieces.ts";
import { glyphAdvance, glyphlessFont } from "./glyphless-font.ts";
import type { ObjectFile } from "./object-file.ts";
import { dictionary, ref } from "./syntax.ts";
import type { TextCodes } from "./text-codes.ts";

/** Yields the font under its number: all characters show the second glyph, which is empty. */
export async function* fontObjects(
  file: ObjectFile,
  font: number,
  codes: TextCodes,
  deflate: (bytes: Uint8Array) => Promise<Uint8Array>,
): AsyncGenerator<Piece> {
  const [inner, descriptor, program, glyphs, unicode] = Array.from({ length: 5 }, () => file.reserve()) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const common = { Type: "/Font", BaseFont: "/GlyphLessFont" };
  yield file.object(
    font,
    dictionary({
      ...common,
      Subtype: "/Type0",
      Encoding: "/Identity-H",
      DescendantFonts: `[${ref(inner)}]`,
      ToUnicode: ref(unicode),
    }),
  );
  yield file.object(
    inner,
    dictionary({
      ...common,
      Subtype: "/CIDFontType2",
      CIDSystemInfo: "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>",
      FontDescriptor: ref(descriptor),
      DW: String(glyphAdvance),
      CIDToGIDMap: ref(glyphs),
    }),
  );
  yield file.object(
    descriptor,
    dictionary({
      Type: "/FontDescriptor",
      FontName: "/GlyphLessFont",
      // Symbolic: it has no usual set of characters.
      Flags: "4",
      FontBBox: `[0 0 ${glyphAdvance} 1000]`,
      ItalicAngle: "0",
      Ascent: "1000",
      // Poppler takes 0 as not known.
      Descent: "-1",
      CapHeight: "1000",
      StemV: "80",
      FontFile2: ref(program),
    }),
  );
  const bytes = glyphlessFont();
  yield* file.stream(program, { Length1: String(bytes.length) }, bytes);
  const map = new Uint8Array(2 * 65536);
  for (let at = 1; at < map.length; at += 2) map[at] = 1;
  yield* file.stream(glyphs, { Filter: "/FlateDecode" }, await deflate(map));
  yield* file.stream(
    unicode,
    { Filter: "/FlateDecode" },
    await deflate(new TextEncoder().encode(codes.toUnicode())),
  );
}
