// Names of members: their text, and which of them are served.

import { plainSegments } from "../../../base/index.ts";
import { isUnlisted } from "../listing.ts";

/** Maximum length of a name in characters, and of its folders. */
const maxName = { length: 1024, levels: 32 } as const;

/** Characters 128 to 255 of code page 437, in which names without a mark are (APPNOTE.TXT, appendix D). */
const cp437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf8Flag = 1 << 11;

/**
 * Returns the text of a name: `unicode` if its header has that field, UTF-8 if it says so or can be read as
 * such (many programs forget to say so), or else code page 437. Returns undefined if it says UTF-8 and is
 * not.
 */
export function decodeName(raw: Uint8Array, flags: number, unicode?: Uint8Array): string | undefined {
  try {
    return utf8.decode(unicode ?? raw);
  } catch {
    if (unicode || flags & utf8Flag) return undefined;
    return Array.from(raw, (byte) => (byte < 128 ? String.fromCharCode(byte) : cp437[byte - 128])).join("");
  }
}

/**
 * Returns what a name stands for: a path of the archive, "hidden" for one that folders would not list either,
 * and "refused" for one that might lead elsewhere, or is too long. A path has no / at its end.
 */
export function pathOfName(name: string): { readonly path: string } | "hidden" | "refused" {
  const path = name.endsWith("/") ? name.slice(0, -1) : name;
  const segments = path.length > maxName.length ? undefined : plainSegments(path);
  if (!segments || segments.length > maxName.levels) return "refused";
  return segments.some(isUnlisted) ? "hidden" : { path };
}
