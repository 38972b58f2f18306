// Texts of a PNG in which ImageMagick and others store EXIF, XMP and IPTC: keyword "Raw profile type", then a
// line with a name, one with the length, and hexadecimal digits.

import type { FoundMetadata } from "../../metadata/metadata.ts";
import { hasText, type MetadataBytes } from "../../metadata/metadata-bytes.ts";
import { iptcOf } from "../../metadata/photoshop.ts";

export const rawKeyword = "Raw profile type ";
/** Bytes of a keyword (PNG specification, 11.3.3.2). */
export const maxKeyword = 79;
/** Prefixes of EXIF and XMP in a text that contains a JPEG segment. */
const segmentNames = { exif: "Exif\0", xmp: "http://ns.adobe.com/xap/1.0/\0" } as const;

/** True if chunks of this type can be such texts. */
export const isTextType = (type: string): boolean => type === "zTXt" || type === "tEXt";

/** Adds the contents of the text to `found`, unless its kind is already there. */
export async function takeRawProfile(
  budget: MetadataBytes,
  isCompressed: boolean,
  content: Uint8Array | undefined,
  found: FoundMetadata,
): Promise<void> {
  const keywordEnd = content?.indexOf(0) ?? -1;
  if (!content || keywordEnd < 0 || keywordEnd > maxKeyword) return;
  const keyword = String.fromCharCode(...content.subarray(0, keywordEnd));
  const text = isCompressed ? await inflateProfile(budget, content) : content.subarray(keywordEnd + 1);
  if (text) take(keyword.slice(rawKeyword.length), text, found);
}

/** Inflates the contents of iCCP and zTXt: keyword, method 0, zlib data. */
export async function inflateProfile(
  budget: MetadataBytes,
  content: Uint8Array | undefined,
): Promise<Uint8Array | undefined> {
  const end = content?.indexOf(0) ?? -1;
  if (!content || end < 0 || content[end + 1] !== 0) return undefined;
  const data = await budget.inflate(content.subarray(end + 2));
  return data?.length ? data : undefined;
}

function take(type: string, text: Uint8Array, found: FoundMetadata): void {
  const data = hexadecimal(text);
  if (!data?.length) return;
  if (hasText(data, segmentNames.exif)) found.exif ??= data.subarray(6);
  else if (hasText(data, segmentNames.xmp)) found.xmp ??= data.subarray(segmentNames.xmp.length);
  else if (type === "exif") found.exif ??= data;
  else if (type === "xmp") found.xmp ??= data;
  else if (type === "iptc" || type === "8bim") {
    const iptc = type === "iptc" && data[0] === 0x1c ? data : iptcOf(data);
    if (iptc) found.iptc ??= iptc;
  }
}

function hexadecimal(text: Uint8Array): Uint8Array | undefined {
  const nameEnd = text.indexOf(10, 1);
  const lengthEnd = text.indexOf(10, nameEnd + 1);
  if (text[0] !== 10 || nameEnd < 0 || lengthEnd < 0) return undefined;
  const out = new Uint8Array((text.length - lengthEnd) >> 1);
  let digits = 0;
  for (let i = lengthEnd + 1; i < text.length; i++) {
    const digit = hexDigit(text[i]!);
    if (digit === undefined) continue; // line breaks
    out[digits >> 1]! |= digits & 1 ? digit : digit << 4;
    digits++;
  }
  return out.subarray(0, digits >> 1);
}

function hexDigit(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}
