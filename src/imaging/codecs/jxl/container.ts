// JPEG XL files with boxes: the codestream, and EXIF and XMP next to it (ISO/IEC 18181-2, clause 9).

import { concatenate } from "../../../base/index.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import { latin1 } from "../../metadata/metadata-bytes.ts";

/**
 * Returns a codestream as a file with this metadata. Colours are in the codestream, so that a profile is left
 * out, and so is IPTC, which has no box.
 */
export async function embedInJxl(codestream: Uint8Array, { exif, xmp }: Metadata): Promise<Uint8Array> {
  if (!exif && !xmp) return codestream;
  return concatenate([
    ...box("JXL ", Uint8Array.of(13, 10, 0x87, 10)),
    ...box("ftyp", latin1("jxl \0\0\0\0jxl ")),
    ...(exif ? box("Exif", concatenate([new Uint8Array(4), exif])) : []),
    ...(xmp ? box("xml ", xmp) : []),
    ...box("jxlc", codestream),
  ]);
}

function box(type: string, content: Uint8Array): Uint8Array[] {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, 8 + content.length);
  return [length, latin1(type), content];
}
