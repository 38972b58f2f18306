// The facts of an EXIF block that a server needs: orientation, resolution and colour space (EXIF 2.32,
// section 4.6: a TIFF structure).

import type { Resolution } from "../codecs/image-header.ts";

export interface Exif {
  /** 1 to 8; 1 if absent or out of range. */
  readonly orientation: number;
  readonly resolution?: Resolution;
  /**
   * ColorSpace 1; or 2, as some cameras write, or uncalibrated with the interoperability index R03 (DCF 2.0).
   */
  readonly colour?: "srgb" | "adobe-rgb" | undefined;
}

const tags = {
  orientation: 0x0112,
  xResolution: 0x011a,
  yResolution: 0x011b,
  unit: 0x0128,
  exif: 0x8769,
  colourSpace: 0xa001,
  interoperability: 0xa005,
  interoperabilityIndex: 0x0001,
} as const;
const types = { byte: 1, ascii: 2, short: 3, long: 4, rational: 5 } as const;

/** ColorSpace of EXIF 2.32, section 4.6.5, and the index "R03" as the four bytes of its field. */
const colourSpaces = { srgb: 1, adobeRgb: 2, uncalibrated: 0xffff } as const;
const r03 = 0x52303300;

/** Pixels per unit to pixels per centimetre, by ResolutionUnit; 1 means "no absolute unit". */
const perCentimetre: Readonly<Record<number, number>> = { 2: 1 / 2.54, 3: 1 };

/**
 * Reads the first directory of an EXIF block, with or without `Exif\0\0` before its TIFF header, in either
 * byte order. Never throws: damaged values count as absent. Work is bounded by the length of the block.
 */
export function readExif(block: Uint8Array): Exif {
  const start = isPrefixed(block) ? 6 : 0;
  const view = new DataView(block.buffer, block.byteOffset + start, block.length - start);
  const little = byteOrder(view);
  if (little === undefined) return { orientation: 1 };

  const found = readDirectory(view, view.getUint32(4, little), little);
  const stored = found.get(tags.orientation);
  const orientation = stored !== undefined && stored >= 1 && stored <= 8 ? stored : 1;
  const factor = perCentimetre[found.get(tags.unit) ?? 2];
  const x = found.get(tags.xResolution) ?? found.get(tags.yResolution);
  const y = found.get(tags.yResolution) ?? x;
  const colour = readColour(view, found.get(tags.exif), little);
  return {
    orientation,
    ...(factor !== undefined && x && y && { resolution: { x: x * factor, y: y * factor } }),
    ...(colour && { colour }),
  };
}

function readColour(view: DataView, offset: number | undefined, little: boolean): Exif["colour"] {
  const exif = readDirectory(view, offset, little);
  const space = exif.get(tags.colourSpace);
  if (space === colourSpaces.srgb) return "srgb";
  const index = () =>
    readDirectory(view, exif.get(tags.interoperability), little).get(tags.interoperabilityIndex);
  const adobe = space === colourSpaces.adobeRgb || (space === colourSpaces.uncalibrated && index() === r03);
  return adobe ? "adobe-rgb" : undefined;
}

/** Returns first values by tag; empty if there is no directory. */
function readDirectory(view: DataView, offset: number | undefined, little: boolean): Map<number, number> {
  const found = new Map<number, number>();
  if (offset === undefined || offset + 2 > view.byteLength) return found;
  const count = Math.min(view.getUint16(offset, little), Math.floor((view.byteLength - offset - 2) / 12));
  for (let i = 0; i < count; i++) {
    const entry = offset + 2 + i * 12;
    const tag = view.getUint16(entry, little);
    if (found.has(tag)) continue;
    const value = firstValue(view, entry, little);
    if (value !== undefined) found.set(tag, value);
  }
  return found;
}

/** True if the block begins with the EXIF identifier code: "Exif", zero, and a padding byte. */
function isPrefixed(block: Uint8Array): boolean {
  return [0x45, 0x78, 0x69, 0x66, 0x00].every((byte, i) => block[i] === byte) && block.length >= 6;
}

/** True for little endian, false for big endian, undefined for no TIFF header. */
function byteOrder(view: DataView): boolean | undefined {
  if (view.byteLength < 8) return undefined;
  const mark = view.getUint16(0);
  const little = mark === 0x4949 ? true : mark === 0x4d4d ? false : undefined;
  return little !== undefined && view.getUint16(2, little) === 42 ? little : undefined;
}

/** The first value of a directory entry, for the types that matter here. */
function firstValue(view: DataView, entry: number, little: boolean): number | undefined {
  if (view.getUint32(entry + 4, little) === 0) return undefined;
  switch (view.getUint16(entry + 2, little)) {
    case types.byte:
      return view.getUint8(entry + 8);
    case types.ascii: // up to four characters, as a number
      return view.getUint32(entry + 8);
    case types.short:
      return view.getUint16(entry + 8, little);
    case types.long:
      return view.getUint32(entry + 8, little);
    case types.rational: {
      const at = view.getUint32(entry + 8, little);
      if (at + 8 > view.byteLength) return undefined;
      const denominator = view.getUint32(at + 4, little);
      return denominator === 0 ? undefined : view.getUint32(at, little) / denominator;
    }
    default:
      return undefined;
  }
}
