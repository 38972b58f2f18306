// Metadata in a JP2's boxes: an ICC profile in colr, EXIF, XMP and IPTC in uuid boxes, XMP also in xml (ITU-T
// T.800, I.5.3.3, I.7; XMP specification part 3, 1.1.6).

import { type ByteSource, concatenate, ImagingError } from "../../../base/index.ts";
import type { FoundMetadata, Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { hasText, latin1, type MetadataBytes, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { iptcOf } from "../../metadata/photoshop.ts";
import { type Box, boxBytes } from "../boxes.ts";
import { fourCC, type HeaderBytes } from "../header-bytes.ts";
import { walk } from "./boxes.ts";

/** Identifiers of uuid boxes. */
const uuids = {
  exif: "4a706754696666457869662d3e4a5032", // JpgTiffExif->JP2
  xmp: "be7acfcb97a942e89c71999491e3afac",
  iptc: "33c7a4d2b81d4723a0baf1a3e097ad38",
  photoshop: "2c4c0100850440b9a03e562148d6dfeb",
} as const;

type Carrier = keyof typeof uuids;

/** Precedes EXIF in JPEG, and in some of these boxes. */
const prefix = "Exif\0\0";
/** METH of colr: a profile that every JP2 reader can use (gray or matrices), or any profile. */
const methods = { enumerated: 1, restricted: 2, any: 3 } as const;

/** Returns the metadata of a JP2 or JPH file; a raw codestream has none. Throws what the source throws. */
export async function readJp2Metadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const found: FoundMetadata = {};
  const budget = metadataBytes(bytes);
  const file = boxBytes(bytes);
  try {
    for await (const box of walk(file, 0, bytes.size)) {
      if (box.type === fourCC("jp2h")) found.icc ??= await readProfile(file, box, budget);
      else if (kinds === "all" && box.type === fourCC("uuid")) await readUuid(box, budget, found);
      else if (kinds === "all" && box.type === fourCC("xml ")) await readXml(box, budget, found);
      if (kinds === "icc" && box.type === fourCC("jp2c")) break;
    }
  } catch (error) {
    if (!(error instanceof ImagingError) || error.kind !== "decode") throw error; // damaged boxes end the walk
  }
  return found;
}

async function readProfile(
  file: HeaderBytes,
  parent: Box,
  budget: MetadataBytes,
): Promise<Uint8Array | undefined> {
  const end = parent.length === undefined ? undefined : parent.body + parent.length;
  for await (const { type, body, length = 0 } of walk(file, parent.body, end)) {
    if (type !== fourCC("colr") || length <= 3) continue;
    const method = (await file.view(body, 1))?.getUint8(0);
    if (method === methods.restricted || method === methods.any) return budget.take(body + 3, length - 3);
  }
  return undefined;
}

async function readUuid(
  { body, length = 0 }: Box,
  budget: MetadataBytes,
  found: FoundMetadata,
): Promise<void> {
  const content = length > 16 ? await budget.take(body, length) : undefined;
  const carrier = content && carrierOf(content);
  if (!carrier) return;
  const data = content.slice(16);
  if (carrier === "exif") found.exif ??= hasText(data, prefix) ? data.slice(prefix.length) : data;
  else if (carrier !== "photoshop") found[carrier] ??= data;
  else {
    const iptc = iptcOf(data);
    if (iptc) found.iptc ??= iptc;
  }
}

function carrierOf(content: Uint8Array): Carrier | undefined {
  return (Object.keys(uuids) as Carrier[]).find((carrier) => hasText(content, uuidText(carrier)));
}

const uuidText = (carrier: Carrier) =>
  uuids[carrier].replace(/../g, (digits) => String.fromCharCode(Number.parseInt(digits, 16)));

async function readXml(
  { body, length = 0 }: Box,
  budget: MetadataBytes,
  found: FoundMetadata,
): Promise<void> {
  const content = found.xmp ? undefined : await budget.take(body, length);
  if (content && new TextDecoder().decode(content).includes("<rdf:RDF")) found.xmp = content;
}

/** Returns a JP2 file with this metadata before its codestream, in place of its own of the same kinds. */
export async function embedInJp2(jp2: Uint8Array, metadata: Metadata): Promise<Uint8Array> {
  const added = [
    ...uuidBox("exif", metadata.exif),
    ...uuidBox("xmp", metadata.xmp),
    ...uuidBox("iptc", metadata.iptc),
  ];
  const parts = boxesOf(jp2).flatMap(({ type, bytes }) => {
    if (type === "jp2h") return [...(metadata.icc ? headerBox(bytes, metadata.icc) : [bytes]), ...added];
    const carrier = type === "uuid" ? carrierOf(bytes.subarray(8)) : undefined;
    return carrier && carrier !== "photoshop" && metadata[carrier] ? [] : [bytes];
  });
  return concatenate(parts);
}

function uuidBox(carrier: Exclude<Carrier, "photoshop">, content: Uint8Array | undefined): Uint8Array[] {
  return content ? box("uuid", latin1(uuidText(carrier)), content) : [];
}

/**
 * Builds jp2h with the profile as its colour; the enumerated one stays after a profile that not every reader
 * can use.
 */
function headerBox(header: Uint8Array, icc: Uint8Array): Uint8Array[] {
  const restricted = isRestricted(icc);
  const method = restricted ? methods.restricted : methods.any;
  const colour = box("colr", Uint8Array.of(method, 0, 0), icc);
  const rest = boxesOf(header.subarray(8));
  const at = rest.findIndex(({ type }) => type === "colr");
  const boxes = rest.filter(({ type }) => type !== "colr" || !restricted).map(({ bytes }) => bytes);
  boxes.splice(Math.max(1, at), 0, ...colour);
  return box("jp2h", ...boxes);
}

/**
 * True if a profile is of the restricted kind (I.5.3.3): gray by a curve, or RGB by curves and a matrix to
 * XYZ.
 */
function isRestricted(icc: Uint8Array): boolean {
  if (icc.length < 132 || !hasText(icc, "XYZ ", 20)) return false;
  const count = Math.min(
    new DataView(icc.buffer, icc.byteOffset).getUint32(128),
    Math.floor((icc.length - 132) / 12),
  );
  const names = Array.from({ length: count }, (_, i) =>
    String.fromCharCode(...icc.subarray(132 + i * 12, 136 + i * 12)),
  );
  return !names.includes("A2B0") && (names.includes("kTRC") || names.includes("rXYZ"));
}

/** Returns the boxes of a file of ours, which have 32-bit lengths. */
function boxesOf(bytes: Uint8Array): { readonly type: string; readonly bytes: Uint8Array }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at) || bytes.length - at;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    found.push({ type, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}

function box(type: string, ...content: readonly Uint8Array[]): Uint8Array[] {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, 8 + content.reduce((sum, part) => sum + part.length, 0));
  head.set(latin1(type), 4);
  return [head, ...content];
}
