// Computes the part of each sub-band that the samples of a window need (ITU-T T.800 Annex F, from the samples
// down).

import { type Band, type Box, intersect, type TileComponent } from "../stream/geometry.ts";

/** The part of a sub-band that a window needs. */
export interface BandWindow {
  readonly band: Band;
  readonly window: Box;
}

/** The samples of a resolution that a window needs, including those that filters reach. */
export interface ResolutionWindow {
  readonly resolution: number;
  /** Window of the resolution itself, including the reach of the filters. */
  readonly window: Box;
  readonly bands: readonly BandWindow[];
}

/** Reach of the synthesis filters to each side, in samples. */
const reach = { reversible: 2, irreversible: 4 } as const;

/** Returns the windows of all resolutions for a window of one of them, the smallest resolution first. */
export function windowsFor(
  { resolutions, coding }: TileComponent,
  resolution: number,
  wanted: Box,
): ResolutionWindow[] {
  const margin = coding.reversible ? reach.reversible : reach.irreversible;
  const windows: ResolutionWindow[] = [];
  let window = wanted;
  for (let r = resolution; r >= 0; r--) {
    const { bands } = resolutions[r]!;
    if (r === 0) {
      windows.push({ resolution: 0, window, bands: [{ band: bands[0]!, window }] });
      break;
    }
    window = intersect(resolutions[r]!, {
      x0: window.x0 - margin,
      y0: window.y0 - margin,
      x1: window.x1 + margin,
      y1: window.y1 + margin,
    });
    windows.push({
      resolution: r,
      window,
      bands: bands.map((band) => ({ band, window: half(window, band.orientation) })),
    });
    window = half(window, "LL");
  }
  return windows.reverse();
}

/** Returns the samples of a sub-band in a window of the resolution above. */
function half({ x0, y0, x1, y1 }: Box, orientation: Band["orientation"]): Box {
  const across = orientation === "HL" || orientation === "HH" ? Math.floor : Math.ceil;
  const down = orientation === "LH" || orientation === "HH" ? Math.floor : Math.ceil;
  return { x0: across(x0 / 2), y0: down(y0 / 2), x1: across(x1 / 2), y1: down(y1 / 2) };
}
