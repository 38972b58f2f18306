// The codes of invisible text: each character of the basic plane is its own code of two bytes, and the
// surrogates, which are no characters, stand for those of the other planes that a document uses.

import { hex4, hexOf, wellFormed } from "./syntax.ts";

const firstSurrogate = 0xd800;
const surrogates = 0x800;
/** Stands for what has no code, and for unpaired surrogates. */
const replacement = "\ufffd";
/** Characters that readers of PDF files reject as text (ISO 14289-1, 7.21.7). */
const noText = new Set([0, 0xfeff, 0xfffe, 0xffff]);

export class TextCodes {
  readonly #codes = new Map<string, number>();
  readonly #rows = new Set<number>();

  /** Returns the codes of a text as hexadecimal digits, and how many they are. */
  encode(text: string): { readonly digits: string; readonly count: number } {
    let digits = "";
    let count = 0;
    for (const character of wellFormed(text)) {
      const code = this.#codeOf(character);
      if (noText.has(code)) continue;
      digits += hex4(code);
      count++;
    }
    return { digits, count };
  }

  #codeOf(character: string): number {
    if (character.length === 1) return this.#row(character.charCodeAt(0));
    const known = this.#codes.get(character);
    if (known !== undefined) return known;
    if (this.#codes.size === surrogates) return this.#row(replacement.charCodeAt(0));
    const code = firstSurrogate + this.#codes.size;
    this.#codes.set(character, code);
    return code;
  }

  #row(code: number): number {
    this.#rows.add(code >> 8);
    return code;
  }

  /** Returns the map from codes to characters (ISO 32000-1, 9.10.3), of all codes used so far. */
  toUnicode(): string {
    const rows = [...this.#rows]
      .sort((a, b) => a - b)
      .map((row) => {
        const [first, last] = [hex4(row << 8), hex4((row << 8) + 255)];
        return `<${first}> <${last}> <${first}>`;
      });
    const single = [...this.#codes].map(([character, code]) => `<${hex4(code)}> <${hexOf(character)}>`);
    return [
      "/CIDInit /ProcSet findresource begin",
      "12 dict begin",
      "begincmap",
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
      "/CMapName /Adobe-Identity-UCS def",
      "/CMapType 2 def",
      "1 begincodespacerange",
      "<0000> <FFFF>",
      "endcodespacerange",
      ...sectionsOf("bfrange", rows),
      ...sectionsOf("bfchar", single),
      "endcmap",
      "CMapName currentdict /CMap defineresource pop",
      "end",
      "end\n",
    ].join("\n");
  }
}

/** A section of a map has at most 100 entries. */
function sectionsOf(kind: string, entries: readonly string[]): string[] {
  const lines: string[] = [];
  for (let from = 0; from < entries.length; from += 100) {
    const some = entries.slice(from, from + 100);
    lines.push(`${some.length} begin${kind}`, ...some, `end${kind}`);
  }
  return lines;
}
