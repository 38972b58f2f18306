// A tile of a codestream: everything known of it before its samples are decoded.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import { areUnequal, type Codestream } from "../codestream.ts";
import { marker } from "../markers.ts";
import { type Box, type TileComponent, tileBox, tileComponents } from "./geometry.ts";
import { type PacketOrder, packetOrder } from "./order.ts";
import { packedInTilePart } from "./packed-headers.ts";
import {
  type PacketPositions,
  type Precincts,
  packetsByHeaders,
  packetsByLengths,
  precinctsOf,
} from "./packet-positions.ts";
import type { ParameterReader, Parameters } from "./parameters.ts";
import { readAhead } from "./read-ahead.ts";
import { segmentsUntil } from "./segments.ts";
import type { TilePart } from "./tile-parts.ts";

export interface Tile {
  readonly box: Box;
  readonly parameters: Parameters;
  readonly components: readonly TileComponent[];
  readonly order: PacketOrder;
  readonly packets: PacketPositions;
  readonly precincts: Precincts;
  /** True if the precincts have the contents of all packet headers. */
  readonly isRead: boolean;
  /** The tile-part of each packet, counted within the tile, if its headers had to be read. */
  readonly partOf?: Uint32Array;
}

/** Throws ImagingError `unsupported` for a component transform that decoders cannot undo. */
function refuseTransform({ components }: Codestream, { transforms, coding }: Parameters): void {
  if (!transforms || components.length < 3) return;
  const [first, ...others] = coding.slice(0, 3);
  if (areUnequal(components) || others.some(({ levels }) => levels !== first?.levels))
    throw new ImagingError(
      "unsupported",
      "Expected a multi-component transform of JPEG 2000 components of one size and as many resolution levels, received one of unequal components; convert the file.",
    );
}

/** Parameters of the main header for all tiles. */
export interface MainHeader {
  readonly codestream: Codestream;
  readonly parameters: ParameterReader;
  /** Packed packet headers by tile-part of the file. */
  readonly packed?: readonly Uint8Array[] | undefined;
}

/** Most packets and bytes of a tile whose packet headers are kept when they are first read. */
const maxCached = { packets: 1024, bytes: 1 << 17 };

/**
 * Opens a tile. `parts`: its tile-parts with their indexes in the file. Reads headers of tile-parts with
 * coding parameters, and those of all packets if their lengths are unknown. Throws ImagingError `decode` and
 * `unsupported`.
 */
export async function openTile(
  bytes: ByteSource,
  { codestream, parameters: main, packed: inMain }: MainHeader,
  index: number,
  parts: readonly (TilePart & { readonly index: number })[],
): Promise<Tile> {
  const own = parts.some(({ hasParameters }) => hasParameters) ? main.forTile() : main;
  const packed: (Uint8Array | undefined)[] = parts.map(({ index }) => inMain?.[index]);
  for (const [p, { start, data, hasParameters }] of parts.entries()) {
    if (!hasParameters) continue;
    const header = await bytes.read(start + 12, data - start - 12);
    const { segments } = segmentsUntil(header, 0, marker.sod);
    own.take(segments);
    packed[p] ??= packedInTilePart(segments);
  }
  const parameters = own.read();
  refuseTransform(codestream, parameters);
  const box = tileBox(codestream, index);
  const components = tileComponents(box, codestream, parameters.coding);
  const isPacked = packed.some((headers) => headers !== undefined);
  const max = parts.reduce(
    (sum, { data, end }, p) => sum + (isPacked ? (packed[p]?.length ?? 0) : end - data),
    0,
  );
  const order = packetOrder(box, components, parameters, max);
  const precincts = precinctsOf(components, max);
  const packets = isPacked ? undefined : packetsByLengths(order.count, parts);
  if (packets) return { box, parameters, components, order, packets: packets, precincts, isRead: false };
  const data = parts.reduce((sum, part) => sum + part.end - part.data, 0);
  const keeps = order.count <= maxCached.packets && data <= maxCached.bytes;
  const walk = {
    precincts,
    order,
    parts,
    packed: isPacked ? packed.map((headers) => headers ?? new Uint8Array()) : undefined,
    keeps,
  };
  const { partOf, ...read } = await packetsByHeaders(walk, readAhead(bytes, parts));
  return {
    box,
    parameters,
    components,
    order,
    packets: read,
    precincts: keeps ? precincts : precinctsOf(components, max),
    isRead: keeps,
    partOf,
  };
}
