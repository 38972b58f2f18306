// The real range of values of a scientific picture: its quantiles, computed once from all of it and stored as
// its sidecar.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import { bytesOf, readEntry, writeEntry } from "../../../sidecar/entry.ts";
import type { SidecarAccess } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { fillFrom, type TiffReaders } from "../decode.ts";
import type { Picture } from "../directory/picture.ts";
import { stagesOf } from "../directory/stages.ts";
import type { Part } from "../parts.ts";
import { type Numbers, numbersOf } from "./numbers.ts";

/** Number of quantiles, in steps of a tenth of a percent, from the minimum to the maximum. */
const steps = 1000;
/** Number of sampled pixels, on a grid over the picture. */
const enough = 2 ** 20;

/** True for kinds of images of which a range of values can be shown: gray and RGB of 16 bits and more. */
export const hasWindow = ({ depth, interpretation, bands }: ImageHeader) =>
  depth === 16 && ((interpretation === "gray" && bands === 1) || (interpretation === "rgb" && bands === 3));

/**
 * Builds the sidecar of an image: `steps` + 1 quantiles of the values of all its colours as f32,
 * little-endian, from the smallest stored level of a million pixels or the image itself. Non-finite values
 * are ignored. Returns an empty array if there are none.
 */
export async function buildQuantiles(
  bytes: ByteSource,
  header: ImageHeader,
  readers: TiffReaders,
): Promise<Uint8Array> {
  const quantiles = await findQuantiles(bytes, header, readers);
  if (quantiles.length === 0) return new Uint8Array();
  const saved = new Uint8Array(quantiles.length * 4);
  const view = new DataView(saved.buffer);
  for (const [i, value] of quantiles.entries()) view.setFloat32(4 * i, value, true);
  return writeEntry([{ kind: "quantiles", inside: [saved] }]);
}

/**
 * Returns the quantiles for a read that asks for a window, from the sidecar or, without a matching one, from
 * the file; undefined for other reads.
 */
export async function quantilesFor(
  bytes: ByteSource,
  { header, window }: ReadRequest,
  readers: TiffReaders,
  sidecar: SidecarAccess | undefined,
): Promise<Float32Array | undefined> {
  if (!window) return undefined;
  if (!sidecar || sidecar.absent) return findQuantiles(bytes, header, readers);
  const part = readEntry(await sidecar.load())?.get("quantiles");
  const saved = part && (await bytesOf(part));
  if (saved?.length !== 4 * (steps + 1)) {
    sidecar.reportLoss?.();
    return findQuantiles(bytes, header, readers);
  }
  const view = new DataView(saved.buffer, saved.byteOffset, saved.length);
  return Float32Array.from({ length: steps + 1 }, (_, i) => view.getFloat32(4 * i, true));
}

async function findQuantiles(
  bytes: ByteSource,
  header: ImageHeader,
  readers: TiffReaders,
): Promise<Float32Array> {
  if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
  const pixelsOf = (scale: number) => (header.width / scale) * (header.height / scale);
  const [full, ...levels] = stagesOf(header);
  const stage = levels.findLast(({ scale }) => pixelsOf(scale) >= enough) ?? full;
  if (!stage) return new Float32Array();
  const opened = await readers.open(bytes, stage, undefined);
  const { width, height } = opened.picture;
  const values = sampler(opened.picture);
  await fillFrom({ bytes, opened, readers }, { x: 0, y: 0, width, height }, 1, values);
  return values.quantiles();
}

/** Collects the values at the points of a grid. */
function sampler(picture: Picture) {
  const { width, height, bands, samples, planar } = picture;
  const every = Math.ceil(Math.sqrt((width * height) / enough));
  const seen = new Float32Array(Math.ceil(width / every) * Math.ceil(height / every) * bands);
  let count = 0;
  const [perPixel, perPoint] = planar ? [1, 1] : [samples, bands];
  /** Takes the samples of the pixel that begins at `at`. */
  const take = (values: Numbers, at: number): void => {
    for (let i = at; i < at + perPoint; i++) {
      const value = values[i] as number;
      if (Number.isFinite(value)) seen[count++] = value;
    }
  };
  return {
    add({ x, y, columns: max, rows, stride, planes }: Part): void {
      const columns = Math.min(max, width - x);
      const lines = Math.min(rows, height - y);
      for (const data of planes) {
        const values = numbersOf(picture, data, stride * perPixel);
        for (let row = firstOf(y, every); row < lines; row += every)
          for (let column = firstOf(x, every); column < columns; column += every)
            take(values, (row * stride + column) * perPixel);
      }
    },
    quantiles(): Float32Array {
      if (count === 0) return new Float32Array();
      const sorted = seen.subarray(0, count).sort();
      return Float32Array.from(
        { length: steps + 1 },
        (_, i) => sorted[Math.round((i / steps) * (count - 1))] as number,
      );
    },
  };
}

/** Returns the offset from `start` of the first multiple of `every`. */
const firstOf = (start: number, every: number) => (every - (start % every)) % every;
