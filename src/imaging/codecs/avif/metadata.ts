// Metadata of an AVIF file: the profile in `colr`, EXIF and XMP as items (ISO/IEC 23008-12, annex A).

import type { ByteSource } from "../../../base/index.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { maxMetadataBytes } from "../../metadata/metadata.ts";
import { metadataBytes } from "../../metadata/metadata-bytes.ts";
import { isExif, isXmp, itemBytes, readAvifHeader } from "./header.ts";

/** Returns the metadata of a file. Throws ImagingError `decode`, and what the source throws. */
export async function readAvifMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const { file, profile } = await readAvifHeader(bytes);
  const icc = profile && (await metadataBytes(bytes).take(profile.offset, profile.length));
  if (kinds === "icc") return { icc };
  const exif = await itemBytes(bytes, file, isExif, maxMetadataBytes);
  const xmp = await itemBytes(bytes, file, isXmp, maxMetadataBytes);
  return { icc, ...(exif && { exif: tiffOf(exif) }), ...(xmp && { xmp }) };
}

/** Returns EXIF from its TIFF header on, whose offset precedes it. */
function tiffOf(item: Uint8Array): Uint8Array {
  if (item.length < 4) return item;
  const offset = new DataView(item.buffer, item.byteOffset).getUint32(0);
  return item.subarray(offset + 4 < item.length ? offset + 4 : 4);
}
