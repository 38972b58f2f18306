// Storage of a JPEG 2000 image: SIZ and COD, and the pointers before its packets (ITU-T T.800, annex A).

import type { ByteSource, Size } from "../../../base/index.ts";
import { type FileFacts, halvings } from "../file-facts.ts";
import { fourCC, type HeaderBytes, headerBytes } from "../header-bytes.ts";
import type { ImageHeader } from "../image-header.ts";
import { isSubsampled } from "./codestream.ts";
import { readFacts } from "./header.ts";
import { coloursOf } from "./labels.ts";

const marker = { cod: 0xff52, tlm: 0xff55, plm: 0xff57, plt: 0xff58, sot: 0xff90, sod: 0xff93 } as const;
const pointers: Readonly<Record<number, string>> = {
  [marker.tlm]: "TLM",
  [marker.plm]: "PLM",
  [marker.plt]: "PLT",
};
const maxSegments = 1024;
/** The type of a JPH file in its ftyp box (ITU-T T.814, annex D). */
const jph = fourCC("jph ");

/** Returns facts of the main header and the header of the first tile-part. Throws ImagingError `decode`. */
export async function jp2Facts(bytes: ByteSource, header: ImageHeader): Promise<FileFacts> {
  const { boxes, codestream, bands } = await readFacts(bytes);
  const { components, tiles, tileWidth, tileHeight, levels, reversible, highThroughput } = codestream;
  const file = await headerBytes(bytes);
  const found = await segments(file, boxes.codestream.start + 2);
  const cod = found.get(marker.cod);
  const coding = cod === undefined ? undefined : await readCoding(file, cod);
  const named = Object.entries(pointers).flatMap(([code, name]) => (found.has(Number(code)) ? [name] : []));
  return {
    container: await containerOf(file),
    bits: components.map(({ bits }) => bits),
    sampleFormat: components[0]?.signed ? "signed integer" : "unsigned integer",
    colours: bands.palette ? "palette" : header.interpretation,
    ...(bands.palette && { paletteEntries: bands.palette.entries }),
    ...(bands.from.length > coloursOf[bands.interpretation] && { transparency: "alpha for each pixel" }),
    compression: highThroughput ? "high-throughput JPEG 2000 (HTJ2K)" : "JPEG 2000",
    // Only the packets of a reversible codestream show if all of its bits are present.
    ...(!reversible && { lossless: false }),
    layout: tiles > 1 ? "tiles" : "whole",
    ...(tiles > 1 && { block: { width: tileWidth, height: tileHeight }, blocks: tiles }),
    ...(components.some(isSubsampled) && {
      subsampling: components.map(({ dx, dy }) => `1/${dx}x1/${dy}`).join(" "),
    }),
    levels: halvings(header, levels),
    progression: codestream.progression,
    decompositions: levels,
    wavelet: reversible ? "reversible 5-3" : "irreversible 9-7",
    ...coding,
    pointers: named,
  };
}

async function containerOf(file: HeaderBytes): Promise<string> {
  const head = await file.view(0, 24);
  if (head?.getUint32(0) === 0xff4fff51) return "codestream";
  return head?.getUint32(16) === fourCC("ftyp") && (await file.view(20, 4))?.getUint32(0) === jph
    ? "JPH"
    : "JP2";
}

/**
 * Returns the first position of each kind of marker segment, from the main header to the end of the header of
 * the first tile-part.
 */
async function segments(file: HeaderBytes, start: number): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (let at = start, n = 0; n < maxSegments && file.remaining() > 4; n++) {
    const head = await file.view(at, 4);
    const kind = head?.getUint16(0) ?? marker.sod;
    const length = head?.getUint16(2) ?? 0;
    if (kind === marker.sod || kind < 0xff00 || length < 2) break;
    if (!found.has(kind)) found.set(kind, at);
    at += 2 + length;
  }
  return found;
}

/** Reads what COD says in addition to decoding parameters (table A.12 and following). */
async function readCoding(
  file: HeaderBytes,
  at: number,
): Promise<Pick<FileFacts, "layers" | "codeBlock" | "precincts"> | undefined> {
  const view = await file.view(at + 4, 10);
  if (!view) return undefined;
  const levels = view.getUint8(5);
  const sizes = view.getUint8(0) & 1 ? await file.view(at + 14, levels + 1) : undefined;
  const side = (exponent: number) => 2 ** (exponent & 15);
  const precinct = (value: number): Size => ({ width: side(value), height: side(value >> 4) });
  return {
    layers: view.getUint16(2),
    codeBlock: { width: side(view.getUint8(6) + 2), height: side(view.getUint8(7) + 2) },
    ...(sizes && { precincts: Array.from({ length: levels + 1 }, (_, i) => precinct(sizes.getUint8(i))) }),
  };
}
