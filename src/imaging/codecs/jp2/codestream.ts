// The main header of a JPEG 2000 codestream and the chain of its tile-parts (ITU-T T.800 Annex A; CAP:
// T.814).

import type { Area } from "../../pipeline/area.ts";
import { damagedJp2 } from "../damaged.ts";
import type { HeaderBytes } from "../header-bytes.ts";
import { extensionIn } from "./extensions.ts";
import { marker, progressions } from "./markers.ts";

export interface Component {
  readonly bits: number;
  readonly signed: boolean;
  readonly dx: number;
  readonly dy: number;
}

export interface Codestream {
  readonly width: number;
  readonly height: number;
  /** Origin of the image on the reference grid. */
  readonly offsetX: number;
  readonly offsetY: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Origin of the first tile on the reference grid. */
  readonly tileLeft: number;
  readonly tileTop: number;
  readonly tiles: number;
  readonly components: readonly Component[];
  /** Resolution levels below full size that all components have. */
  readonly levels: number;
  readonly progression: string;
  readonly reversible: boolean;
  /** True if the first three components went through a colour transform (SGcod of COD). */
  readonly transformed: boolean;
  /** True if it needs a high-throughput decoder. */
  readonly highThroughput: boolean;
  /** What it has of Part 2 and cannot be decoded without. */
  readonly extension?: string;
}

/** Returns the extent of a component's samples at 1/2^level (B.2 and B.5, for the whole picture). */
export function componentExtent(
  codestream: Codestream,
  { dx, dy }: Pick<Component, "dx" | "dy">,
  level: number,
): Area {
  const { offsetX, offsetY, width, height } = codestream;
  const reducedPosition = (position: number, step: number) =>
    Math.ceil(Math.ceil(position / step) / 2 ** level);
  const [left, top] = [reducedPosition(offsetX, dx), reducedPosition(offsetY, dy)];
  return {
    left,
    top,
    width: reducedPosition(offsetX + width, dx) - left,
    height: reducedPosition(offsetY + height, dy) - top,
  };
}

/**
 * True if the first three components differ in size, so that no transform can apply to them (T.800 G.2 and
 * G.3).
 */
export function areUnequal([first, ...others]: readonly Pick<Component, "dx" | "dy">[]): boolean {
  return first !== undefined && others.slice(0, 2).some(({ dx, dy }) => dx !== first.dx || dy !== first.dy);
}

/** True if a component has fewer samples than the image has pixels. */
export const isSubsampled = ({ dx, dy }: Component): boolean => dx > 1 || dy > 1;

/** Maximum number of tiles: ISO/IEC 15444-1 table A.9 has 16 bits, and 65535 is not an index. */
const tileLimit = 65535;
/** Maximum number of marker segments before the first tile-part; thousands of them are an attack. */
const segmentLimit = 1024;

/** True if a marker has no parameters, so that no length follows it (table A.1). */
export const isBare = (kind: number): boolean => kind >= 0xff30 && kind <= 0xff3f;

/** Reads SIZ, CAP, COD and COC of the codestream at `start`. Throws ImagingError `decode`. */
export async function readCodestream(file: HeaderBytes, start: number): Promise<Codestream> {
  const head = await file.view(start, 4);
  if (head?.getUint16(0) !== marker.soc || head.getUint16(2) !== marker.siz)
    throw damagedJp2("a codestream that begins with SOC and SIZ, received something else");
  const siz = await readSiz(file, start + 2);
  const seen: MainHeader = { levels: 32, highThroughput: false };
  let at = start + 2;
  for (let n = 0; n < segmentLimit; n++) {
    const segment = await file.view(at, 4);
    if (!segment) break;
    const kind = segment.getUint16(0);
    const { coding, levels, highThroughput, extension } = seen;
    if (kind === marker.sot) {
      if (!coding) break;
      return {
        ...siz,
        levels: Math.min(levels, coding.levels),
        progression: progressions[coding.progression] ?? "unknown",
        reversible: coding.reversible,
        transformed: coding.transformed,
        highThroughput,
        ...(extension && { extension }),
      };
    }
    if (isBare(kind)) {
      at += 2;
      continue;
    }
    const length = segment.getUint16(2);
    if (kind < 0xff00 || length < 2) break;
    const body = await file.view(at + 4, Math.min(length - 2, codingBytes));
    if (body) seen.extension ??= extensionIn(kind, body, siz.components.length);
    if (!(await takeSegment(file, kind, at + 4, siz.components.length, seen))) break;
    at += 2 + length;
  }
  throw damagedJp2("a main header with SIZ and COD before the first tile, received something else");
}

/** Values from the segments between SIZ and the first tile-part so far. */
interface MainHeader {
  coding?: Pick<Codestream, "levels" | "reversible" | "transformed"> & { readonly progression: number };
  /** Minimum over the components with their own value. */
  levels: number;
  highThroughput: boolean;
  extension?: string | undefined;
}

/** Bytes of a segment that show if it can be decoded. */
const codingBytes = 12;

/**
 * Reads the parameters of a segment that begin at `at`; returns false if the file ends within the first COD.
 */
async function takeSegment(
  file: HeaderBytes,
  kind: number,
  at: number,
  components: number,
  seen: MainHeader,
): Promise<boolean> {
  if (kind === marker.cap) {
    const part = await file.view(at, 4);
    seen.highThroughput = part !== undefined && (part.getUint32(0) & 0x00020000) !== 0; // Pcap bit 15: T.814
  } else if (kind === marker.cod && !seen.coding) {
    const part = await file.view(at, 10);
    if (!part) return false;
    seen.coding = {
      progression: part.getUint8(1),
      transformed: part.getUint8(4) === 1,
      levels: part.getUint8(5),
      reversible: part.getUint8(9) === 1,
    };
  } else if (kind === marker.coc) {
    const wide = components > 256 ? 2 : 1;
    const part = await file.view(at + wide + 1, 1);
    if (part) seen.levels = Math.min(seen.levels, part.getUint8(0));
  }
  return true;
}

type Siz = Omit<
  Codestream,
  "levels" | "progression" | "reversible" | "transformed" | "highThroughput" | "extension"
>;

async function readSiz(file: HeaderBytes, at: number): Promise<Siz> {
  const view = await file.view(at, 40);
  const count = view?.getUint16(38) ?? 0;
  if (!view || count < 1 || count > 16384 || view.getUint16(2) !== 38 + 3 * count)
    throw damagedJp2("a complete SIZ segment, received another length or number of components");
  const grid = (n: number) => view.getUint32(6 + 4 * n);
  const [right, bottom, left, top] = [grid(0), grid(1), grid(2), grid(3)];
  const [tileWidth, tileHeight, tileLeft, tileTop] = [grid(4), grid(5), grid(6), grid(7)];
  if (right > 0x7fffffff || bottom > 0x7fffffff || left >= right || top >= bottom)
    throw damagedJp2(
      `a picture of 1 to 2147483647 pixels on a side, received a grid of ${right}x${bottom} that begins at ${left},${top}`,
    );
  if (
    !tileWidth ||
    !tileHeight ||
    tileLeft > left ||
    tileTop > top ||
    tileLeft + tileWidth <= left ||
    tileTop + tileHeight <= top
  )
    throw damagedJp2("a tile grid whose first tile meets the picture, received another");
  const tiles = Math.ceil((right - tileLeft) / tileWidth) * Math.ceil((bottom - tileTop) / tileHeight);
  if (tiles > tileLimit) throw damagedJp2(`at most ${tileLimit} tiles, received ${tiles}`);
  const parts = await file.view(at + 40, 3 * count);
  if (!parts) throw damagedJp2("a complete SIZ segment, but the file ends early");
  const components = Array.from({ length: count }, (_, c) => ({
    bits: (parts.getUint8(3 * c) & 0x7f) + 1,
    signed: (parts.getUint8(3 * c) & 0x80) !== 0,
    dx: parts.getUint8(3 * c + 1),
    dy: parts.getUint8(3 * c + 2),
  }));
  if (components.some(({ bits, dx, dy }) => bits > 38 || !dx || !dy))
    throw damagedJp2("components of 1 to 38 bits and a step of at least 1, received others");
  return {
    width: right - left,
    height: bottom - top,
    offsetX: left,
    offsetY: top,
    tileWidth,
    tileHeight,
    tileLeft,
    tileTop,
    tiles,
    components,
  };
}
