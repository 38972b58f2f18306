// Metadata in a PNG's chunks: iCCP, eXIf, XMP in iTXt, and the "Raw profile type" texts in which ImageMagick
// and others store EXIF, XMP and IPTC (PNG specification, third edition, 11.3; XMP specification part 3,
// 1.1.5).

import { type ByteSource, concatenate, toHex } from "../../../base/index.ts";
import type { FoundMetadata, Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { hasText, latin1, type MetadataBytes, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { iptcResource } from "../../metadata/photoshop.ts";
import type { CodecHost } from "../codec.ts";
import { fourCC } from "../header-bytes.ts";
import { chunk } from "./encode.ts";
import { inflateProfile, maxKeyword, rawKeyword, takeRawProfile } from "./raw-profile.ts";

const xmpKeyword = "XML:com.adobe.xmp\0";
/** Types of chunks as numbers, which compare faster than texts. */
const types = {
  IDAT: fourCC("IDAT"),
  IEND: fourCC("IEND"),
  iCCP: fourCC("iCCP"),
  eXIf: fourCC("eXIf"),
  iTXt: fourCC("iTXt"),
  tEXt: fourCC("tEXt"),
  zTXt: fourCC("zTXt"),
} as const;
const maxChunks = 100_000;
/** Bytes of a chunk that say what it is: length, type and keyword. */
const headLength = 8 + maxKeyword + 1;
/** Many chunks of one picture are small: those are walked in memory, larger ones skipped unread. */
const windowBytes = 64 * 1024;

/**
 * Returns the metadata of a PNG, including those after its image data unless only its profile is requested.
 * Throws what the source throws.
 */
export async function readPngMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const budget = metadataBytes(bytes);
  const own: FoundMetadata = {};
  const raw: FoundMetadata = {};
  let view: DataView = new DataView(new ArrayBuffer(0));
  let start = 0;
  for (let at = 8, n = 0; n < maxChunks; n++) {
    // Waiting for each of 80,000 chunks would take longer than reading them.
    if (at + headLength > start + view.byteLength) {
      const window = await bytes.read(at, windowBytes);
      if (window.length < 8) break;
      view = new DataView(window.buffer, window.byteOffset, window.length);
      start = at;
    }
    const length = view.getUint32(at - start);
    const type = view.getUint32(at - start + 4);
    if (type === types.IEND || length > 0x7fffffff || (kinds === "icc" && type === types.IDAT)) break;
    const content = () => budget.take(at + 8, length);
    const begins = (keyword: string) =>
      hasText(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), keyword, at - start + 8);
    if (type === types.iCCP) own.icc ??= await inflateProfile(budget, await content());
    else if (kinds === "all") await takeChunk({ type, begins, content }, budget, own, raw);
    at += length + 12;
  }
  return { ...raw, ...own };
}

interface TextChunk {
  readonly type: number;
  /** True if the content begins with a keyword. */
  begins(keyword: string): boolean;
  content(): Promise<Uint8Array | undefined>;
}

/** Takes EXIF, XMP or a raw profile from a chunk that has one, unless an earlier chunk had it. */
async function takeChunk(
  { type, begins, content }: TextChunk,
  budget: MetadataBytes,
  own: FoundMetadata,
  raw: FoundMetadata,
): Promise<void> {
  if (type === types.eXIf) own.exif ??= await content();
  else if (type === types.iTXt && begins(xmpKeyword))
    own.xmp ??= await internationalText(budget, await content());
  else if ((type === types.zTXt || type === types.tEXt) && begins(rawKeyword))
    await takeRawProfile(budget, type === types.zTXt, await content(), raw);
}

/** Reads iTXt: keyword, compression flag, method, language, translated keyword, text. */
async function internationalText(
  budget: MetadataBytes,
  content: Uint8Array | undefined,
): Promise<Uint8Array | undefined> {
  if (!content) return undefined;
  const flags = content.indexOf(0) + 1;
  const language = content.indexOf(0, flags + 2);
  const start = content.indexOf(0, language + 1) + 1;
  if (flags === 0 || language < 0 || start === 0) return undefined;
  const text = content.subarray(start);
  return content[flags] === 1 ? budget.inflate(text) : text;
}

/** Chunks that new metadata replaces; of ImageMagick's texts we only ever write IPTC. */
const chunkKinds: Readonly<Record<string, keyof Metadata>> = { iCCP: "icc", sRGB: "icc", eXIf: "exif" };

/** Inserts metadata after the header chunk, replacing the file's own of the same kinds. */
export function pngEmbedder(host: Pick<CodecHost, "deflate">) {
  return async (png: Uint8Array, metadata: Metadata): Promise<Uint8Array> => {
    const zlib = (data: Uint8Array) => host.deflate(data, 6);
    return concatenate([
      png.subarray(0, headerEnd),
      ...(metadata.icc
        ? chunk("iCCP", concatenate([latin1("ICC profile\0\0"), await zlib(metadata.icc)]))
        : []),
      ...(metadata.exif ? chunk("eXIf", metadata.exif) : []),
      ...(metadata.xmp ? chunk("iTXt", concatenate([latin1(`${xmpKeyword}\0\0\0\0`), metadata.xmp])) : []),
      ...(metadata.iptc
        ? chunk("zTXt", concatenate([latin1(`${rawKeyword}iptc\0\0`), await zlib(rawText(metadata.iptc))]))
        : []),
      ...otherChunks(png, metadata),
    ]);
  };
}

/** Offset after the signature and IHDR. */
const headerEnd = 33;

function otherChunks(png: Uint8Array, metadata: Metadata): Uint8Array[] {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  const chunks: Uint8Array[] = [];
  for (let at = headerEnd; at + 8 <= png.length; ) {
    const end = at + 12 + view.getUint32(at);
    const kind = chunkKinds[String.fromCharCode(...png.subarray(at + 4, at + 8))];
    if (!kind || !metadata[kind]) chunks.push(png.subarray(at, end));
    at = end;
  }
  return chunks;
}

/** Returns IPTC as ImageMagick writes it and ExifTool reads it. */
function rawText(iptc: Uint8Array): Uint8Array {
  const resource = iptcResource(iptc);
  const lines = [...toHex(resource).matchAll(/.{1,72}/g)].map(([line]) => line);
  return latin1(`\niptc\n${String(resource.length).padStart(8)}\n${lines.join("\n")}\n`);
}
