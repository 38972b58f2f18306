// The order of the packets of a tile (ITU-T T.800 B.12): which packet is which layer of which precinct.

import { ImagingError } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import type { Progression } from "../markers.ts";
import type { Box, TileComponent } from "./geometry.ts";
import type { Parameters, Volume } from "./parameters.ts";

/** The packets of a tile. Precincts are numbered component by component, the smallest resolution first. */
export interface PacketOrder {
  readonly count: number;
  readonly layers: number;
  /** Precincts by packet. */
  readonly precincts: Uint32Array;
  /**
   * Packet of a layer of a precinct, at `precinct * layers + layer`; their total number if the file's order
   * omits it.
   */
  readonly packets: Uint32Array;
}

/** A precinct, and its origin on the reference grid. */
interface PrecinctPosition {
  readonly precinct: number;
  readonly resolution: number;
  readonly component: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Limits of a tile, since memory and time grow with it: precincts of 256 samples for an RGB image of 2
 * gigapixels, in 16 layers.
 */
const max = { precincts: 1 << 17, packets: 1 << 21 };

/**
 * Throws ImagingError `decode` if there are more packets than bytes for them, and `unsupported` above
 * {@link max}.
 */
export function packetOrder(
  tile: Box,
  components: readonly TileComponent[],
  { order, layers, changes }: Parameters,
  bytes: number,
): PacketOrder {
  const precincts = components.reduce(
    (sum, { resolutions }) => resolutions.reduce((all, { across, down }) => all + across * down, sum),
    0,
  );
  const total = precincts * layers;
  if (total > bytes)
    throw damagedJp2(`packets of at least one byte each, received ${total} packets in ${bytes} bytes`);
  if (precincts > max.precincts || total > max.packets)
    throw new ImagingError(
      "unsupported",
      `Expected at most ${max.precincts} precincts and ${max.packets} packets in a tile of a JPEG 2000 file, received ${precincts} and ${total}; convert the file with larger precincts.`,
    );
  const positions = precinctsOf(tile, components);
  const whole: Volume = {
    order,
    firstResolution: 0,
    endResolution: 33,
    firstComponent: 0,
    endComponent: components.length,
    endLayer: layers,
  };
  const volumes = changes.length > 0 ? changes : [whole];
  const precinctOf = new Uint32Array(total);
  const packets = new Uint32Array(total).fill(total);
  /** Layers of each precinct that have packets. */
  const done = new Uint16Array(precincts);
  let count = 0;
  const take = ({ precinct }: PrecinctPosition, layer: number) => {
    if (done[precinct] !== layer) return;
    done[precinct] = layer + 1;
    precinctOf[count] = precinct;
    packets[precinct * layers + layer] = count++;
  };
  const sorted = sorter(positions);
  for (const volume of volumes) {
    const end = Math.min(volume.endLayer, layers);
    const inside = sorted(volume.order).filter(
      ({ precinct, resolution, component }) =>
        done[precinct]! < end &&
        resolution >= volume.firstResolution &&
        resolution < volume.endResolution &&
        component >= volume.firstComponent &&
        component < volume.endComponent,
    );
    for (const group of layerGroups(volume.order, inside))
      for (let layer = 0; layer < end; layer++) for (const index of group) take(index, layer);
  }
  return { count, layers, precincts: precinctOf, packets };
}

/** Sort keys of precincts. */
const keys: Readonly<Record<Progression, readonly (keyof PrecinctPosition)[]>> = {
  LRCP: ["resolution", "component", "precinct"],
  RLCP: ["resolution", "component", "precinct"],
  RPCL: ["resolution", "y", "x", "component", "precinct"],
  PCRL: ["y", "x", "component", "resolution", "precinct"],
  CPRL: ["component", "y", "x", "resolution", "precinct"],
};

/** Returns a function that sorts precincts; each order is sorted once, however often a file changes to it. */
function sorter(precincts: readonly PrecinctPosition[]) {
  const known = new Map<string, readonly PrecinctPosition[]>();
  return (order: Progression): readonly PrecinctPosition[] => {
    const key = keys[order];
    const name = key.join();
    const found =
      known.get(name) ??
      [...precincts].sort((a, b) => {
        for (const each of key) if (a[each] !== b[each]) return a[each] - b[each];
        return 0;
      });
    known.set(name, found);
    return found;
  };
}

/** Yields the precincts once for each layer. */
function* layerGroups(
  order: Progression,
  sorted: readonly PrecinctPosition[],
): Iterable<readonly PrecinctPosition[]> {
  if (order === "LRCP") yield sorted;
  else if (order === "RLCP") {
    for (let from = 0; from < sorted.length; ) {
      const { resolution } = sorted[from]!;
      let to = from;
      while (to < sorted.length && sorted[to]!.resolution === resolution) to++;
      yield sorted.slice(from, to);
      from = to;
    }
  } else for (const index of sorted) yield [index];
}

function precinctsOf(tile: Box, components: readonly TileComponent[]): PrecinctPosition[] {
  const precincts: PrecinctPosition[] = [];
  components.forEach(({ dx, dy, resolutions, coding }, component) => {
    resolutions.forEach((resolution, r) => {
      const { across, down, firstX, firstY, precinctX, precinctY, before } = resolution;
      const width = dx * 2 ** (precinctX + coding.levels - r);
      const height = dy * 2 ** (precinctY + coding.levels - r);
      for (let row = 0; row < down; row++)
        for (let column = 0; column < across; column++)
          precincts.push({
            precinct: before + row * across + column,
            resolution: r,
            component,
            x: Math.max(tile.x0, (firstX + column) * width),
            y: Math.max(tile.y0, (firstY + row) * height),
          });
    });
  });
  return precincts;
}
