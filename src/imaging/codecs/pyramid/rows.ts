// Images without access to regions: their pixels arrive in rows, from the top down.

import { ImagingError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { type PixelBuffer, samplesLike } from "../../pipeline/pixels.ts";
import type { Rectangle } from "../image-header.ts";
import type { MasterPage } from "../plan.ts";
import { createHalver, type Resize } from "./halver.ts";
import { levelSizes, partAbove, partOf } from "./levels.ts";

export interface RowsMaster extends MasterPage {
  /** Id of the sidecar, if a job that builds it may follow, or runs. */
  readonly id?: string | undefined;
  /** True for the job that builds it, after which nothing needs the rows. */
  readonly isLast?: true;
}

/** Takes the next rows, packed and of any number; they are valid until it resolves. */
export type TakeRows = (rows: PixelBuffer) => Promise<void>;

/**
 * Decodes a region, in whole full-size pixels, and passes on its rows from the top down. Throws ImagingError
 * `decode` if the file is damaged.
 */
export type DecodeRows = (
  bytes: ByteSource,
  master: RowsMaster,
  region: Rectangle,
  take: TakeRows,
) => Promise<void>;

/** Returns a region at 1/2^level from rows: the samples that a stored level has. */
export async function decodeLevel(
  decodeRows: (region: Rectangle, take: TakeRows) => Promise<void>,
  { width, height }: { readonly width: number; readonly height: number },
  region: Rectangle,
  level: number,
  resize: Resize,
): Promise<PixelBuffer> {
  const sizes = levelSizes({ width, height });
  const parts = [partOf(region, level)];
  for (let n = level; n > 0; n--) parts.unshift(partAbove(parts[0]!, sizes[n - 1]!));
  const halvers = parts.slice(1).map((part, n) => createHalver(part, parts[n]!, sizes[n]!, resize));
  const whole = parts.at(-1)!;
  let result: PixelBuffer | undefined;
  let at = 0;
  await decodeRows(parts[0]!, async (rows) => {
    let made: PixelBuffer | undefined = rows;
    for (const halver of halvers) made = made && halver.take(made);
    if (!made) return;
    const { bands, interpretation } = made;
    result ??= {
      width: whole.width,
      height: whole.height,
      bands,
      interpretation,
      data: samplesLike(made, whole.width * whole.height * bands),
    };
    result.data.set(made.data, at);
    at += made.data.length;
  });
  if (!result || at !== result.data.length)
    throw new ImagingError("decode", "Expected all rows of the image; some are missing. It may be damaged.");
  return result;
}

/** Rows of a decoded image that are passed on at a time. */
const rowsAtOnce = 64;

/** Passes on the rows of a region that `cut` returns parts of. */
export async function takeParts(
  region: Rectangle,
  cut: (part: Rectangle) => PixelBuffer,
  take: TakeRows,
): Promise<void> {
  const bottom = region.y + region.height;
  for (let y = region.y; y < bottom; y += rowsAtOnce)
    await take(cut({ ...region, y, height: Math.min(rowsAtOnce, bottom - y) }));
}
