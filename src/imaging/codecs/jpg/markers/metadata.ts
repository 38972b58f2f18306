// Metadata in application segments: EXIF and XMP in APP1, an ICC profile in APP2, IPTC in APP13
// (EXIF 2.32, 4.5.4; XMP specification part 3; ICC.1, B.4; Adobe Photoshop File Formats).

import { type ByteSource, concatenate, ImagingError } from "../../../../base/index.ts";
import { shortenedExif } from "../../../metadata/exif-fields.ts";
import type { Metadata, MetadataKinds } from "../../../metadata/metadata.ts";
import { hasText, latin1, metadataBytes } from "../../../metadata/metadata-bytes.ts";
import { iptcOf, iptcResource } from "../../../metadata/photoshop.ts";
import { extensionOf, joinXmp, splitXmp } from "./extended-xmp.ts";
import { applicationSegments, marker, walkMarkers } from "./walk.ts";
import { segmentStart } from "./write.ts";

/** Marker and identifier of the segments that contain metadata. */
const carriers = {
  exif: { code: marker.app1, name: "Exif\0" },
  xmp: { code: marker.app1, name: "http://ns.adobe.com/xap/1.0/\0" },
  moreXmp: { code: marker.app1, name: "http://ns.adobe.com/xmp/extension/\0" },
  icc: { code: marker.app2, name: "ICC_PROFILE\0" },
  photoshop: { code: marker.app13, name: "Photoshop 3.0\0" },
} as const satisfies Record<string, { code: number; name: string }>;

type Carrier = keyof typeof carriers;

/** Maximum number of bytes of parameters that a length field allows. */
const maxLength = 65533;
/** Length of the longest identifier. */
const maxNameLength = 35;
/** Small windows, since the walk looks at a few bytes of each segment. */
const windowBytes = 2048;
/** Maximum number of parts of a profile: a part's number is one byte. */
const maxParts = 255;
const exifPrefix = 6;
/** Bytes before the content of extended XMP: the identifier, then GUID, total length and offset. */
const extensionHead = carriers.moreXmp.name.length + 32 + 8;

/** Returns the metadata before the first scan. Throws only the errors of the source. */
export async function readJpegMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const budget = metadataBytes(bytes);
  const found = new Map<Carrier, Uint8Array[]>();
  for await (const { carrier, offset, length } of metadataSegments(bytes)) {
    if (kinds === "icc" && carrier !== "icc") continue;
    const content = await budget.take(offset, length);
    if (content) found.set(carrier, [...(found.get(carrier) ?? []), content]);
  }
  const iptc = iptcOf(concatenate((found.get("photoshop") ?? []).map((part) => part.subarray(14))));
  const [exif] = found.get("exif") ?? [];
  return {
    icc: profile(found.get("icc") ?? []),
    exif: exif && exif.length > exifPrefix ? exif.slice(exifPrefix) : undefined,
    xmp: packet(found.get("xmp")?.[0], found.get("moreXmp") ?? []),
    iptc,
  };
}

/**
 * Yields the segments with metadata, up to the first scan or the first damage. `offset` is the position of a
 * segment's content.
 */
async function* metadataSegments(bytes: ByteSource) {
  const walk = walkMarkers(bytes, windowBytes);
  try {
    for await (const segment of walk.segments(2, { fillBytesOnly: true })) {
      const { at, code, length } = segment;
      if (length === undefined || code === marker.sos) return;
      const carrier = carrierOf(code, await walk.body(segment, maxNameLength));
      if (carrier) yield { carrier, offset: at + 4, length: length - 2 };
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

const isDamage = (error: unknown) => error instanceof ImagingError && error.code === "damaged_header";

function carrierOf(code: number, content: Uint8Array): Carrier | undefined {
  for (const [carrier, { code: wanted, name }] of Object.entries(carriers))
    if (code === wanted && hasText(content, name)) return carrier as Carrier;
  return undefined;
}

/**
 * Joins the parts of a profile in the order of their numbers. Returns undefined if a part is missing or the
 * parts disagree on their count.
 */
function profile(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const at = carriers.icc.name.length;
  const count = parts[0]?.[at + 1] ?? 0;
  if (count === 0 || parts.length !== count) return undefined;
  const inOrder = Array.from({ length: count }, (_, i) =>
    parts.find((part) => part[at] === i + 1 && part[at + 1] === count),
  );
  if (inOrder.some((part) => part === undefined)) return undefined;
  return concatenate(inOrder.map((part) => part!.subarray(at + 2)));
}

/** Returns the XMP packet, with its extension if that is complete. */
function packet(segment: Uint8Array | undefined, extensions: readonly Uint8Array[]): Uint8Array | undefined {
  const main = segment?.slice(carriers.xmp.name.length);
  if (!main?.length) return undefined;
  const guid = extensionOf(main);
  const parts = guid
    ? extensions.filter((part) => hasText(part, guid, carriers.moreXmp.name.length)).map(extensionPart)
    : [];
  const total = parts[0]?.total ?? 0;
  const inOrder = parts.sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const { offset, data } of inOrder) end = offset === end ? end + data.length : Number.NaN;
  return total > 0 && end === total ? joinXmp(main, concatenate(inOrder.map(({ data }) => data))) : main;
}

function extensionPart(segment: Uint8Array) {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.length);
  if (segment.length < extensionHead) return { total: 0, offset: 0, data: new Uint8Array() };
  return {
    total: view.getUint32(extensionHead - 8),
    offset: view.getUint32(extensionHead - 4),
    data: segment.subarray(extensionHead),
  };
}

/**
 * Returns the file with segments for this metadata after its JFIF segment, replacing existing segments of the
 * same kinds. Metadata that do not fit any number of segments are left out.
 */
export async function embedInJpeg(jpeg: Uint8Array, metadata: Metadata): Promise<Uint8Array> {
  const own: Uint8Array[] = [];
  const start: Uint8Array[] = [jpeg.subarray(0, 2)];
  let at = 2;
  for (const segment of applicationSegments(jpeg)) {
    const code = segment[1]!;
    const carrier = carrierOf(code, segment.subarray(4));
    if (code === marker.app0) start.push(segment);
    else if (!carrier || !replaced[carrier](metadata)) own.push(segment);
    at += segment.length;
  }
  return concatenate([
    ...start,
    ...(metadata.exif ? exifSegment(metadata.exif) : []),
    ...(metadata.xmp ? await xmpSegments(metadata.xmp) : []),
    ...(metadata.iptc ? splitIntoSegments(carriers.photoshop, iptcResource(metadata.iptc), () => []) : []),
    ...(metadata.icc ? iccSegments(metadata.icc) : []),
    ...own,
    jpeg.subarray(at),
  ]);
}

const replaced = {
  exif: ({ exif }) => exif !== undefined,
  xmp: ({ xmp }) => xmp !== undefined,
  moreXmp: ({ xmp }) => xmp !== undefined,
  icc: ({ icc }) => icc !== undefined,
  photoshop: ({ iptc }) => iptc !== undefined,
} as const satisfies Record<Carrier, (metadata: Metadata) => boolean>;

/**
 * Returns the EXIF segment. EXIF must not be split over segments, so a block that is too long is shortened or
 * left out.
 */
function exifSegment(exif: Uint8Array): Uint8Array[] {
  const max = maxLength - exifPrefix;
  const block = exif.length > max ? shortenedExif(exif) : exif;
  return block && block.length <= max ? segment(carriers.exif, [0], block) : [];
}

async function xmpSegments(xmp: Uint8Array): Promise<Uint8Array[]> {
  if (xmp.length <= maxLength - carriers.xmp.name.length) return segment(carriers.xmp, [], xmp);
  const { main, guid, rest } = await splitXmp(xmp);
  const head = (_: number, offset: number) => [...latin1(guid), ...word32(rest.length), ...word32(offset)];
  return [...segment(carriers.xmp, [], main), ...splitIntoSegments(carriers.moreXmp, rest, head)];
}

/** Segments by profile: most derivatives embed the same profile. */
const knownSegments = new WeakMap<Uint8Array, readonly Uint8Array[]>();

function iccSegments(icc: Uint8Array): readonly Uint8Array[] {
  let segments = knownSegments.get(icc);
  if (!segments) {
    const count = Math.ceil(icc.length / (maxLength - carriers.icc.name.length - 2));
    segments = count <= maxParts ? splitIntoSegments(carriers.icc, icc, (part) => [part + 1, count]) : [];
    knownSegments.set(icc, segments);
  }
  return segments;
}

/**
 * Divides content into as many segments as needed. `head` is inserted between the identifier and the content
 * of each.
 */
function splitIntoSegments(
  carrier: { code: number; name: string },
  content: Uint8Array,
  head: (part: number, offset: number) => readonly number[],
): Uint8Array[] {
  const room = maxLength - carrier.name.length - head(0, 0).length;
  const parts: Uint8Array[] = [];
  for (let part = 0, at = 0; at < content.length; part++, at += room)
    parts.push(...segment(carrier, head(part, at), content.subarray(at, at + room)));
  return parts;
}

function segment(
  { code, name }: { code: number; name: string },
  head: readonly number[],
  content: Uint8Array,
): Uint8Array[] {
  const length = name.length + head.length + content.length;
  return [Uint8Array.of(...segmentStart(code, length), ...latin1(name), ...head), content];
}

const word32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
