// Positions of the packets of a tile.

import { concatenate } from "../../../lib/concatenate.ts";
import { damagedError } from "../codestream.ts";
import type { TileComponent } from "./geometry.ts";
import { HeaderEnd } from "./header-bits.ts";
import type { PacketOrder } from "./order.ts";
import { behindSop, emptyPrecinct, type Precinct, readPacketHeader } from "./precinct.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { TilePart } from "./tile-parts.ts";

/** Positions by packet. */
export interface PacketPlaces {
  /** Number of packets in the tile-parts; the others, which come last, are missing. */
  readonly found: number;
  /** Offsets in the file. */
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  /** Packed headers: their bytes, and the offset of each packet's header in them. */
  readonly packed?: { readonly bytes: Uint8Array; readonly starts: Uint32Array };
}

/** Computes positions from the packet lengths of all tile-parts; undefined if some are unknown. */
export function placesByLengths(count: number, parts: readonly TilePart[]): PacketPlaces | undefined {
  const offsets = new Float64Array(count);
  const lengths = new Uint32Array(count);
  let n = 0;
  for (const { data, packets } of parts) {
    if (!packets) return undefined;
    let at = data;
    for (let i = 0; i < packets.length && n < count; i++) {
      offsets[n] = at;
      lengths[n++] = packets[i]!;
      at += packets[i]!;
    }
  }
  return { found: n, offsets, lengths };
}

/** The precincts of a tile by their numbers. */
export interface Precincts {
  /** Returns a precinct, created without packet data on first use. */
  get(number: number): Precinct;
  /** Returns the style of its code-blocks. */
  styleOf(number: number): number;
  /** Discards its contents; the next `get` creates it again. */
  forget(number: number): void;
}

/** Returns the precincts of components. */
export function precinctsOf(components: readonly TileComponent[]): Precincts {
  const made = new Map<number, Precinct>();
  const rows = components.flatMap(({ resolutions, coding }, component) =>
    resolutions.map((resolution) => ({ resolution, component, style: coding.style })),
  );
  return {
    get(number) {
      let precinct = made.get(number);
      if (!precinct) {
        const { resolution } = rowOf(number);
        const k = number - resolution.before;
        precinct = emptyPrecinct(resolution, k % resolution.across, Math.floor(k / resolution.across));
        made.set(number, precinct);
      }
      return precinct;
    },
    styleOf: (number) => rowOf(number).style,
    forget: (number) => void made.delete(number),
  };

  function rowOf(number: number) {
    let [low, high] = [0, rows.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (rows[middle]!.resolution.before <= number) low = middle;
      else high = middle - 1;
    }
    // Resolutions without precincts begin where the next one does.
    return rows[low]!;
  }
}

/** Maximum bytes of a packet header, for each of its code-blocks and as a minimum, according to encoders. */
const headerBytes = { each: 96, least: 4096 };

/**
 * Reads the headers of all packets of a tile. `packed`: headers by tile-part. Throws ImagingError `decode` if
 * a packet extends beyond its tile-part.
 */
export async function placesByHeaders(
  precincts: Precincts,
  { count, layers, packets, precincts: precinctOf }: PacketOrder,
  parts: readonly TilePart[],
  read: ReadAhead,
  packed?: readonly Uint8Array[],
): Promise<PacketPlaces & { readonly partOf: Uint32Array }> {
  const offsets = new Float64Array(count);
  const lengths = new Uint32Array(count);
  const partOf = new Uint32Array(count);
  const starts = new Uint32Array(count);
  /** The next layer of each precinct, unused after its last one. */
  const layer = new Uint16Array(packets.length / layers);
  const countLayer = (number: number) => {
    layer[number]!++;
    if (layer[number] === layers) precincts.forget(number);
  };
  let n = 0;
  /** Bytes of packed headers before those of the tile-part. */
  let before = 0;
  for (const [p, { data, end }] of parts.entries()) {
    const headers = packed?.[p];
    let headerAt = 0;
    for (let at = data; n < count && (headers ? headerAt < headers.length : at < end); n++) {
      const number = precinctOf[n]!;
      const precinct = precincts.get(number);
      const most = headers ? 6 : headerBytes.least + headerBytes.each * precinct.blockCount;
      const bytes = await read(at, most, end);
      const body = behindSop(bytes, 0);
      const style = precincts.styleOf(number);
      const [from, place] = headers ? [headers, headerAt] : [bytes, body];
      const header = readWhole(precinct, layer[number]!, style, from, place);
      countLayer(number);
      starts[n] = before + headerAt;
      if (headers) headerAt = header.end;
      offsets[n] = at;
      lengths[n] = (headers ? body : header.end) + header.dataLength;
      partOf[n] = p;
      at += lengths[n]!;
      if (at > end) throw damagedError("packets that end within their tile-part, received a longer one");
    }
    before += headers?.length ?? 0;
  }
  return {
    found: n,
    offsets,
    lengths,
    partOf,
    ...(packed && { packed: { bytes: concatenate(packed), starts } }),
  };
}

/** Reads a header without recording the positions of the packet's pieces. */
function readWhole(...[precinct, layer, style, bytes, at]: Parameters<typeof readPacketHeader>) {
  try {
    const header = readPacketHeader(precinct, layer, style, bytes, at);
    for (const band of precinct.bands) band.drop();
    return header;
  } catch (error) {
    if (error instanceof HeaderEnd) throw damagedError("complete packet headers, but one ends early", error);
    throw error;
  }
}
