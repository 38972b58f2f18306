// Positions of the packets of a tile.

import { concatenate } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import type { TileComponent } from "./geometry.ts";
import { HeaderEnd } from "./header-bits.ts";
import type { PacketOrder } from "./order.ts";
import { behindSop, emptyPrecinct, headerWork, type Precinct, readPacketHeader } from "./precinct.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { TilePart } from "./tile-parts.ts";

/** Positions by packet. */
export interface PacketPositions {
  /** Number of packets in the tile-parts; the others, which come last, are missing. */
  readonly found: number;
  /** Offsets in the file. */
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  /** Packed headers: their bytes, and the offset of each packet's header in them. */
  readonly packed?: { readonly bytes: Uint8Array; readonly starts: Uint32Array };
}

/** Computes positions from the packet lengths of all tile-parts; undefined if some are unknown. */
export function packetsByLengths(count: number, parts: readonly TilePart[]): PacketPositions | undefined {
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

/** Returns the precincts of components of a tile whose headers are in `bytes` bytes. */
export function precinctsOf(components: readonly TileComponent[], bytes: number): Precincts {
  const made = new Map<number, Precinct>();
  const work = headerWork(bytes);
  const rows = components.flatMap(({ resolutions, coding }, component) =>
    resolutions.map((resolution) => ({ resolution, component, style: coding.style })),
  );
  return {
    get(number) {
      let precinct = made.get(number);
      if (!precinct) {
        const { resolution } = rowOf(number);
        const k = number - resolution.before;
        const [column, row] = [k % resolution.across, Math.floor(k / resolution.across)];
        precinct = emptyPrecinct(resolution, column, row, work);
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

/** The headers of a tile, and what becomes of them. */
export interface PacketWalk {
  readonly precincts: Precincts;
  readonly order: PacketOrder;
  readonly parts: readonly TilePart[];
  /** Headers by tile-part, if they are packed. */
  readonly packed?: readonly Uint8Array[] | undefined;
  /** True if the precincts keep what they read, so that it need not be read again for their code-blocks. */
  readonly keeps: boolean;
}

/**
 * Reads the headers of all packets of a tile. Throws ImagingError `decode` if a packet extends beyond its
 * tile-part.
 */
export async function packetsByHeaders(
  { precincts, order, parts, packed, keeps }: PacketWalk,
  read: ReadAhead,
): Promise<PacketPositions & { readonly partOf: Uint32Array }> {
  const { count, layers, packets, precincts: precinctOf } = order;
  const offsets = new Float64Array(count);
  const lengths = new Uint32Array(count);
  const partOf = new Uint32Array(count);
  const starts = new Uint32Array(count);
  /** The next layer of each precinct, unused after its last one. */
  const layer = new Uint16Array(packets.length / layers);
  /** Ends a packet of a precinct whose data begins at `data`. */
  const endPacket = (number: number, data: number) => {
    layer[number]!++;
    const { bands } = precincts.get(number);
    if (keeps) for (const band of bands) band.place(data);
    else if (layer[number] === layers) precincts.forget(number);
    else for (const band of bands) band.drop();
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
      const max = headers ? 6 : headerBytes.least + headerBytes.each * precinct.blockCount;
      const bytes = await read(at, max, end);
      const body = behindSop(bytes, 0);
      const style = precincts.styleOf(number);
      const [from, offset] = headers ? [headers, headerAt] : [bytes, body];
      const header = readWhole(precinct, layer[number]!, style, from, offset);
      const inBytes = headers ? body : header.end;
      endPacket(number, at + inBytes);
      starts[n] = before + headerAt;
      if (headers) headerAt = header.end;
      offsets[n] = at;
      lengths[n] = inBytes + header.dataLength;
      partOf[n] = p;
      at += lengths[n]!;
      if (at > end) throw damagedJp2("packets that end within their tile-part, received a longer one");
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

/** Reads a header of which all bytes are there. */
function readWhole(...[precinct, layer, style, bytes, at]: Parameters<typeof readPacketHeader>) {
  try {
    return readPacketHeader(precinct, layer, style, bytes, at);
  } catch (error) {
    if (error instanceof HeaderEnd) throw damagedJp2("complete packet headers, but one ends early", error);
    throw error;
  }
}
