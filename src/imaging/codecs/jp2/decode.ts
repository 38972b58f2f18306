// Decodes JPEG 2000 pixels: a region at a resolution level, from the components of the codestream to bands.

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { unpremultiply } from "../../pipeline/unpremultiply.ts";
import type { Rectangle } from "../image-header.ts";
import { componentExtent } from "./codestream.ts";
import type { Facts } from "./header.ts";
import { labTable } from "./lab.ts";
import { decodeWindows, type OpenFile, type WantedComponent } from "./region/decode.ts";
import type { Effort } from "./region/quantisation.ts";

/** Indexes of a component's samples for the pixels of a region, along each axis. */
interface Sampled {
  readonly component: number;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
}

/**
 * Decodes the region at 1/2^level, from all stored bit-planes unless `effort` says otherwise. Throws
 * ImagingError `decode`, `unsupported` and `source`.
 */
export async function decodeRegion(
  file: OpenFile,
  { codestream, bands, depth }: Facts,
  region: Rectangle,
  level: number,
  effort: Effort = "full",
): Promise<PixelBuffer> {
  const { palette, from, interpretation } = bands;
  if (bands.unsupported) throw new ImagingError("unsupported", bands.unsupported);
  const scale = 2 ** level;
  const origin = componentExtent(codestream, { dx: 1, dy: 1 }, level);
  const [left, top] = [origin.left + region.x / scale, origin.top + region.y / scale];
  const width = Math.ceil(region.width / scale);
  const height = Math.ceil(region.height / scale);
  const sampled = [...new Set(from.map(({ component }) => component))].map((component): Sampled => {
    const { dx, dy } = codestream.components[component]!;
    const extent = componentExtent(codestream, codestream.components[component]!, level);
    return {
      component,
      columns: positionsOf(left, width, dx, extent.left, extent.width),
      rows: positionsOf(top, height, dy, extent.top, extent.height),
    };
  });
  const wanted = sampled.map(
    ({ component, columns, rows }): WantedComponent => ({
      component,
      window: { x0: columns[0]!, y0: rows[0]!, x1: columns.at(-1)! + 1, y1: rows.at(-1)! + 1 },
    }),
  );
  // All bits of a palette index matter equally.
  const planes = await decodeWindows(file, wanted, level, palette ? "full" : effort);

  const full = depth === 16 ? 65535 : 255;
  const tables = from.map(({ component, column }, band) => {
    const { bits } = codestream.components[component]!;
    if (bands.lab && isLabAxis(band)) return labTable(bands.lab, band, bits, full);
    if (bands.inverted && band === 0 && column === undefined)
      return (scaleTable(bits, full) ?? Uint16Array.from({ length: full + 1 }, (_, i) => i)).map(
        (value) => full - value,
      );
    return palette && column !== undefined
      ? paletteTable(palette, column, bits, full)
      : scaleTable(bits, full);
  });
  const [only, ...others] = planes;
  const isAsStored =
    others.length === 0 &&
    only?.components.length === from.length &&
    from.every(({ component }, band) => only.components[band] === component) &&
    tables.every((table) => !table) &&
    sampled.every(
      ({ component }) => codestream.components[component]!.dx * codestream.components[component]!.dy === 1,
    );
  const count = width * height * from.length;
  const data = isAsStored ? only!.samples : depth === 16 ? new Uint16Array(count) : new Uint8Array(count);
  if (!isAsStored)
    from.forEach(({ component }, band) => {
      const plane = planes.find(({ components }) => components.includes(component))!;
      const { columns, rows } = sampled.find((one) => one.component === component)!;
      const step = plane.components.length;
      const pitch = (plane.window.x1 - plane.window.x0) * step;
      const at = plane.components.indexOf(component) - plane.window.x0 * step;
      const table = tables[band];
      let to = band;
      for (const row of rows) {
        const start = (row - plane.window.y0) * pitch + at;
        for (const index of columns) {
          const sample = plane.samples[start + index * step]!;
          data[to] = table ? table[sample]! : sample;
          to += from.length;
        }
      }
    });
  if (bands.premultiplied) unpremultiply(data, from.length, full);
  return { width, height, bands: from.length, interpretation, data };
}

const isLabAxis = (band: number): band is 0 | 1 | 2 => band < 3;

/**
 * Returns, for `count` pixels from `start` on along one axis, the positions of their samples on the grid of a
 * component that has every `step`th. A sample covers the pixels from its position to the next one's, the
 * first also those before it.
 */
function positionsOf(start: number, count: number, step: number, first: number, samples: number): Int32Array {
  const last = first + samples - 1;
  return Int32Array.from({ length: count }, (_, i) =>
    Math.min(last, Math.max(first, Math.floor((start + i) / step))),
  );
}

/** Returns a table from samples to full-range samples; undefined if they are equal. */
function scaleTable(bits: number, full: 255 | 65535): Uint16Array | undefined {
  const top = 2 ** bits - 1;
  if (top === full) return undefined;
  return Uint16Array.from({ length: top + 1 }, (_, value) => Math.round((value * full) / top));
}

function paletteTable(
  palette: NonNullable<Facts["bands"]["palette"]>,
  column: number,
  indexBits: number,
  full: 255 | 65535,
): Uint16Array {
  const columns = palette.bits.length;
  const top = 2 ** (palette.bits[column] ?? 8) - 1;
  return Uint16Array.from({ length: 2 ** indexBits }, (_, index) => {
    const entry = Math.min(index, palette.entries - 1);
    return Math.round(((palette.values[entry * columns + column] ?? 0) * full) / top);
  });
}
