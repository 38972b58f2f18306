// Metadata of a JPEG XL file: EXIF and XMP in boxes, and the profile of its codestream. Boxes that Brotli
// compresses are left out, since no runtime but Node has it.

import type { ByteSource } from "../../../base/index.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { metadataBytes } from "../../metadata/metadata-bytes.ts";
import { readJxlHeader } from "./header.ts";

/** Returns the metadata of a file. Throws ImagingError `decode`, and what the source throws. */
export async function readJxlMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const { file, icc, stream } = await readJxlHeader(bytes);
  const found: Metadata = icc && !stream.isXyb ? { icc } : {};
  if (kinds === "icc") return found;
  const budget = metadataBytes(bytes);
  const exif = file.exif && (await budget.take(file.exif.offset, file.exif.length));
  const xmp = file.xmp && (await budget.take(file.xmp.offset, file.xmp.length));
  return { ...found, ...(exif && { exif }), ...(xmp && { xmp }) };
}
