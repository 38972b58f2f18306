// Metadata in fields of a directory: an ICC profile, XMP, IPTC, and EXIF as separate directories (TIFF 6.0;
// EXIF 2.32, 4.6.3; ICC.1, B.4; XMP specification part 3, 1.1.4).

import { type ByteSource, concatenate, ImagingError } from "../../../../base/index.ts";
import {
  descriptive,
  directoryBytes,
  directoryOfPointer,
  type ExifDirectory,
  type ExifField,
  exifBlock,
  fieldTypes,
  readExifFields,
  swapBytes,
} from "../../../metadata/exif-fields.ts";
import type { Metadata, MetadataKinds } from "../../../metadata/metadata.ts";
import { type MetadataBytes, metadataBytes } from "../../../metadata/metadata-bytes.ts";
import { iptcOf } from "../../../metadata/photoshop.ts";
import type { ImageHeader } from "../../image-header.ts";
import { type Directory, openTiff, readDirectory, readNumber, type TiffFile } from "./ifd.ts";
import { stagesOf } from "./stages.ts";
import { tags } from "./tags.ts";

const types = { byte: 1, short: 3, long: 4, undefined: 7 } as const;

/** Returns the metadata of the header's page. Throws what the source throws. */
export async function readTiffMetadata(
  bytes: ByteSource,
  header: ImageHeader,
  kinds: MetadataKinds = "all",
): Promise<Metadata> {
  const budget = metadataBytes(bytes);
  const file = await openTiff(bytes);
  const directory = await readDirectory(file, stagesOf(header)[0]?.offset ?? file.first);
  const value = (tag: number) => bytesOf(directory, budget, tag);
  const icc = await value(tags.InterColorProfile);
  if (kinds === "icc") return { icc };
  const iptc = await value(tags.IptcNaa);
  const resources = iptc ? undefined : await value(tags.Photoshop);
  return {
    icc,
    exif: exifBlock({
      little: file.littleEndian,
      fields: await readFields(file, directory, budget, "first"),
    }),
    xmp: await value(tags.Xmp),
    iptc: iptc ? toByteOrder(iptc) : resources && iptcOf(resources),
  };
}

/** Returns the bytes of a field's values. */
async function bytesOf(
  directory: Directory,
  budget: MetadataBytes,
  tag: number,
): Promise<Uint8Array | undefined> {
  const entry = directory.entries.get(tag);
  const length = entry ? entry.count * (fieldTypes[entry.type]?.size ?? 0) : 0;
  if (!entry || length === 0 || !Number.isSafeInteger(entry.at + length)) return undefined;
  return budget.take(entry.at, length);
}

/** Returns the fields of an EXIF directory; from the page's own directory, only descriptive ones. */
async function readFields(
  file: TiffFile,
  directory: Directory,
  budget: MetadataBytes,
  name: ExifDirectory,
): Promise<ExifField[]> {
  const found: ExifField[] = [];
  for (const [tag, { type }] of directory.entries) {
    const target = directoryOfPointer(name, tag);
    if (target) {
      const fields = await readPointedFields(file, directory, budget, tag, target);
      if (fields.length > 0) found.push({ tag, type: types.long, value: new Uint8Array(), fields });
    } else if (name !== "first" || descriptive.has(tag)) {
      const value = await bytesOf(directory, budget, tag);
      if (value) found.push({ tag, type, value });
    }
  }
  return found;
}

async function readPointedFields(
  file: TiffFile,
  directory: Directory,
  budget: MetadataBytes,
  tag: number,
  target: ExifDirectory,
): Promise<ExifField[]> {
  try {
    const offset = await readNumber(file, directory, tag);
    return offset ? await readFields(file, await readDirectory(file, offset), budget, target) : [];
  } catch (error) {
    if (error instanceof ImagingError && error.kind === "decode") return []; // damaged: left out
    throw error;
  }
}

/** Returns IPTC in byte order: some writers store it as numbers of 32 bits in the file's byte order. */
function toByteOrder(iptc: Uint8Array): Uint8Array {
  const marker = 0x1c;
  if (iptc[0] === marker || iptc[3] !== marker) return iptc;
  const out = iptc.slice();
  for (let at = 0; at + 4 <= out.length; at += 4) out.subarray(at, at + 4).reverse();
  return out;
}

/**
 * Returns a TIFF of ours with fields for this metadata, in place of its own of the same kinds: they follow
 * the file with a new first directory, so that nothing in it moves.
 */
export async function embedInTiff(tiff: Uint8Array, metadata: Metadata): Promise<Uint8Array> {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const little = view.getUint16(0) === 0x4949;
  const added = fieldsOf(metadata, little);
  const replaced = new Set(added.map(({ tag }) => tag));
  const first = view.getUint32(4, little);
  const entries = Array.from({ length: view.getUint16(first, little) }, (_, i) =>
    tiff.subarray(first + 2 + i * 12, first + 14 + i * 12),
  ).filter((entry) => !replaced.has(new DataView(entry.buffer, entry.byteOffset).getUint16(0, little)));
  const padding = tiff.length & 1;
  const at = tiff.length + padding;
  const out = concatenate([tiff, new Uint8Array(padding), directoryBytes(added, at, little, entries)]);
  new DataView(out.buffer).setUint32(4, at, little);
  return out;
}

function fieldsOf({ icc, exif, xmp, iptc }: Metadata, little: boolean): ExifField[] {
  const read = exif && readExifFields(exif);
  const own = read ? (read.little === little ? read.fields : swapBytes(read.fields)) : [];
  return [
    ...own.filter(({ tag, fields }) => fields || descriptive.has(tag) || tag === tags.Orientation),
    ...(xmp ? [{ tag: tags.Xmp, type: types.byte, value: xmp }] : []),
    // numbers of 32 bits, like libtiff
    ...(iptc
      ? [
          {
            tag: tags.IptcNaa,
            type: types.long,
            value: concatenate([iptc, new Uint8Array(-iptc.length & 3)]),
          },
        ]
      : []),
    ...(icc ? [{ tag: tags.InterColorProfile, type: types.undefined, value: icc }] : []),
  ];
}
