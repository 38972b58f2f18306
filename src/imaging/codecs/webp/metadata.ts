// Metadata in a WebP's chunks: ICCP, EXIF and XMP, announced by the flags of VP8X (WebP Container
// Specification, "Extended File Format").

import { type ByteSource, blockwise, concatenate, memoryBytes } from "../../../base/index.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { hasText, latin1, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { readContainer } from "./header.ts";

/** Chunks, each with its announcing flag. The format does not support IPTC. */
const chunks = {
  icc: { name: "ICCP", flag: 0x20 },
  exif: { name: "EXIF", flag: 0x08 },
  xmp: { name: "XMP ", flag: 0x04 },
} as const satisfies Partial<Record<keyof Metadata, { name: string; flag: number }>>;

type Kind = keyof typeof chunks;
const kinds = Object.keys(chunks) as Kind[];

const flags = { alpha: 0x10, animation: 0x02 } as const;
const maxChunks = 4096;
/** Some writers put the identifier of a JPEG segment before EXIF. */
const prefix = "Exif\0\0";

/** Returns the metadata of a WebP. Throws what the source throws. */
export async function readWebpMetadata(bytes: ByteSource, wanted: MetadataKinds = "all"): Promise<Metadata> {
  const walk = blockwise(bytes, 2048);
  const budget = metadataBytes(bytes);
  const found: { -readonly [K in Kind]?: Uint8Array | undefined } = {};
  for (let at = 12, n = 0; n < maxChunks; n++) {
    const head = await walk.read(at, 8);
    if (head.length < 8) break;
    const length = new DataView(head.buffer, head.byteOffset).getUint32(4, true);
    const kind = kinds.find((kind) => hasText(head, chunks[kind].name));
    if (kind && !found[kind] && (wanted === "all" || kind === wanted))
      found[kind] = await budget.take(at + 8, length);
    at += 8 + length + (length & 1);
  }
  const { exif } = found;
  return { ...found, ...(exif && hasText(exif, prefix) && { exif: exif.slice(prefix.length) }) };
}

/** Returns a still image in the extended format with this metadata, in place of its own of the same kinds. */
export async function embedInWebp(webp: Uint8Array, metadata: Metadata): Promise<Uint8Array> {
  const { width, height, alpha } = await readContainer(memoryBytes(webp));
  const own = chunksOf(webp);
  const part = (kind: Kind): Uint8Array[] =>
    metadata[kind] ? chunk(chunks[kind].name, metadata[kind]) : (own.get(chunks[kind].name) ?? []);
  const [icc, exif, xmp] = [part("icc"), part("exif"), part("xmp")];
  const extended = new Uint8Array(10);
  extended[0] =
    (alpha ? flags.alpha : 0) |
    (icc.length ? chunks.icc.flag : 0) |
    (exif.length ? chunks.exif.flag : 0) |
    (xmp.length ? chunks.xmp.flag : 0);
  for (const [at, side] of [
    [4, width],
    [7, height],
  ] as const)
    extended.set([(side - 1) & 255, ((side - 1) >> 8) & 255, (side - 1) >> 16], at);
  const picture = ["ALPH", "VP8 ", "VP8L"].flatMap((name) => own.get(name) ?? []);
  const body = concatenate([...chunk("VP8X", extended), ...icc, ...picture, ...exif, ...xmp]);
  return concatenate([latin1("RIFF"), uint32(body.length + 4), latin1("WEBP"), body]);
}

/** Returns whole chunks by name, padding included. */
function chunksOf(webp: Uint8Array): Map<string, Uint8Array[]> {
  const view = new DataView(webp.buffer, webp.byteOffset, webp.length);
  const found = new Map<string, Uint8Array[]>();
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length & 1);
    found.set(String.fromCharCode(...webp.subarray(at, at + 4)), [webp.subarray(at, end)]);
    at = end;
  }
  return found;
}

function chunk(name: string, content: Uint8Array): Uint8Array[] {
  return [latin1(name), uint32(content.length), content, new Uint8Array(content.length & 1)];
}

const uint32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer); // little-endian, as all machines here
