// A JPEG XL file: a codestream alone, or in one box or several, with EXIF and XMP in others (ISO/IEC 18181-2,
// clause 9).

import type { ByteRange, ByteSource } from "../../../base/index.ts";
import { type Box, boxWalk } from "../boxes.ts";
import { damagedJxl } from "../damaged.ts";
import { fourCC, type HeaderBytes } from "../header-bytes.ts";

export interface JxlFile {
  /** True if it has boxes. */
  readonly isBoxed: boolean;
  /** Parts of the codestream, in order. */
  readonly codestream: readonly ByteRange[];
  /** Content of boxes: EXIF from its TIFF header on. */
  readonly exif?: ByteRange;
  readonly xmp?: ByteRange;
  /** True if it has a gain map (ISO 21496-1). */
  readonly hasGainMap: boolean;
  /** True if its coefficients are those of a JPEG file, which can be restored. */
  readonly isJpeg: boolean;
}

const maxBoxes = 4096;
const signature = [12, fourCC("JXL "), 0x0d0a870a] as const;
const codestreamMark = 0xff0a;

/** True if these are the first bytes of a JPEG XL file. */
export function isJxl(head: Uint8Array): boolean {
  if (head.length < 12) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return view.getUint16(0) === codestreamMark || signature.every((word, i) => view.getUint32(4 * i) === word);
}

const walk = boxWalk(damagedJxl, maxBoxes);

/** Finds the parts of a file. Throws ImagingError `decode` if it has no codestream. */
export async function readFile(file: HeaderBytes, size: ByteSource["size"]): Promise<JxlFile> {
  const head = await file.view(0, 12);
  if (!head || !isJxl(new Uint8Array(head.buffer, head.byteOffset, 12)))
    throw damagedJxl("a codestream or a box of signature");
  const toEnd = (at: number, length: number | undefined) => length ?? (size ?? Number.MAX_SAFE_INTEGER) - at;
  if (head.getUint16(0) === codestreamMark)
    return {
      isBoxed: false,
      codestream: [{ offset: 0, length: toEnd(0, undefined) }],
      hasGainMap: false,
      isJpeg: false,
    };
  const found = { codestream: [] as ByteRange[], hasGainMap: false, isJpeg: false };
  const metadata: { exif?: ByteRange; xmp?: ByteRange } = {};
  const content = ({ body, length }: Box, from: number): ByteRange => ({
    offset: body + from,
    length: Math.max(0, toEnd(body, length) - from),
  });
  for await (const box of walk(file, 0, size)) {
    if (box.type === types.whole) found.codestream.push(content(box, 0));
    else if (box.type === types.part)
      found.codestream.push(content(box, 4)); // behind its number
    else if (box.type === types.exif) metadata.exif ??= content(box, 4 + (await tiffOffset(file, box)));
    else if (box.type === types.xmp) metadata.xmp ??= content(box, 0);
    else if (box.type === types.gainMap) found.hasGainMap = true;
    else if (box.type === types.jpeg) found.isJpeg = true;
  }
  if (found.codestream.length === 0) throw damagedJxl("a codestream");
  return { isBoxed: true, ...found, ...metadata };
}

const types = {
  whole: fourCC("jxlc"),
  part: fourCC("jxlp"),
  exif: fourCC("Exif"),
  xmp: fourCC("xml "),
  gainMap: fourCC("jhgm"),
  jpeg: fourCC("jbrd"),
} as const;

/** Returns the offset of the TIFF header behind the field that states it. */
async function tiffOffset(file: HeaderBytes, { body, length = 4 }: Box): Promise<number> {
  const offset = (await file.view(body, 4))?.getUint32(0) ?? 0;
  return offset + 4 <= length ? offset : 0;
}
