// A region of a TIFF page: read from the stored level that suits the scale, averaged further if necessary.

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { allocateOrThrow } from "../allocate.ts";
import type { Decoded } from "../codec.ts";
import { damagedTif } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { blocksOf, readBlocks } from "./blocks.ts";
import type { BlockDecoders } from "./compression/decoders.ts";
import { storedBands } from "./directory/picture.ts";
import { stageFor, stageOf } from "./directory/stages.ts";
import { heldRows } from "./memory.ts";
import type { OpenPicture, OpenStage } from "./opening.ts";
import { partReader } from "./parts.ts";
import { rangeOf } from "./samples/quantiles.ts";
import { type BlockTarget, targetFor } from "./samples/targets.ts";

/** Opens pictures, and decodes their strips and tiles. */
export interface TiffReaders {
  /** Creates decoders for a read. */
  readonly decoders: () => BlockDecoders;
  readonly open: OpenStage;
}

/**
 * Decodes a region. `quantiles` are required if the read asks for a window. Throws ImagingError `unsupported`
 * for kinds that the header refuses, `decode` for damaged files.
 */
export async function decodeTiff(
  bytes: ByteSource,
  read: ReadRequest,
  readers: TiffReaders,
  quantiles?: Float32Array,
): Promise<Decoded> {
  const { header, scaleFactor } = read;
  if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
  const { stage, factor } = stageFor(header, scaleFactor);
  const opened = await readers.open(bytes, stage, read.version);
  const { picture, palette } = opened;
  const wanted = scaleRectangle(read.region, stage.scale);
  // A level whose size is rounded down lacks a column or a row.
  const lacking = stage.scale > 1 ? 1 : 0;
  if (
    wanted.x + wanted.width > picture.width + lacking ||
    wanted.y + wanted.height > picture.height + lacking
  )
    throw damagedTif("the size that its header gave", "another");
  const [x, width] = clipStretch(wanted.x, wanted.width, picture.width, factor);
  const [y, height] = clipStretch(wanted.y, wanted.height, picture.height, factor);
  const region = { x, y, width, height };

  const rows = heldRows(stageOf(stage.scale, stage.offset, picture), region);
  const range = quantiles && read.window && rangeOf(quantiles, read.window, picture.photometric === 0);
  const target = allocateOrThrow(() => targetFor({ picture, region, factor, rows, palette, range }));
  const incomplete = !(await fillFrom({ bytes, opened, readers }, region, factor, target));
  const pixels = {
    width: Math.ceil(region.width / factor),
    height: Math.ceil(region.height / factor),
    bands: picture.bands,
    interpretation: picture.interpretation,
    data: target.finish(),
  };
  const full = extendPixels(pixels, Math.ceil(wanted.width / factor), Math.ceil(wanted.height / factor));
  return { ...full, incomplete };
}

/** What the parts of a region are read from. */
interface FilledFrom {
  readonly bytes: ByteSource;
  readonly opened: OpenPicture;
  readonly readers: Pick<TiffReaders, "decoders">;
}

/**
 * Passes all parts of a region, in pixels of the stored image, to a target. Returns true if all of them could
 * be read.
 */
export async function fillFrom(
  { bytes, opened, readers }: FilledFrom,
  region: Rectangle,
  factor: number,
  target: Pick<BlockTarget, "add" | "complete">,
): Promise<boolean> {
  const { picture } = opened;
  const { planar, alpha, alphaAt } = picture;
  const bands = storedBands(picture);
  const lists: ReturnType<typeof readBlocks>[] = [];
  for (let band = 0; band < (planar ? bands : 1); band++) {
    const plane = planar && alpha !== "none" && band === bands - 1 ? alphaAt : band;
    lists.push(readBlocks(bytes, await blocksOf(bytes, opened, region, plane)));
  }
  const decoders = readers.decoders();
  return decoders.module(async (module) => {
    let whole = true;
    const parts = partReader({ ...opened, decoders, factor, region }, module);
    for await (const blocks of together(lists)) {
      for await (const part of parts(blocks)) {
        target.add(part);
        if (part.incomplete) whole = false;
        const last = part.x + part.columns >= region.x + region.width;
        if (last) await target.complete?.(part.y + part.rows);
      }
    }
    return whole;
  });
}

/** Yields the first of each, the second of each, and so on, as long as all have one. */
async function* together<T>(lists: readonly AsyncIterator<T>[]): AsyncGenerator<T[]> {
  for (;;) {
    const next = await Promise.all(lists.map((list) => list.next()));
    if (next.some(({ done }) => done)) return;
    yield next.map(({ value }) => value as T);
  }
}

export function scaleRectangle({ x, y, width, height }: Rectangle, by: number): Rectangle {
  return {
    x: Math.floor(x / by),
    y: Math.floor(y / by),
    width: Math.ceil(width / by),
    height: Math.ceil(height / by),
  };
}

/** Returns the part of a stretch before `end`; the last box of `factor` if none is. */
function clipStretch(start: number, length: number, end: number, factor: number): readonly [number, number] {
  const from = Math.min(start, Math.floor((end - 1) / factor) * factor);
  return [from, Math.min(start + length, end) - from];
}

/** Returns the pixels with their last column and row repeated up to a size. */
function extendPixels(pixels: PixelBuffer, width: number, height: number): PixelBuffer {
  if (width === pixels.width && height === pixels.height) return pixels;
  const { bands, data } = pixels;
  const length = width * height * bands;
  const out = data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
  for (let y = 0; y < height; y++) {
    const from = Math.min(y, pixels.height - 1) * pixels.width * bands;
    const end = from + pixels.width * bands;
    const to = y * width * bands;
    out.set(data.subarray(from, end), to);
    for (let at = to + pixels.width * bands; at < to + width * bands; at += bands)
      out.set(data.subarray(end - bands, end), at);
  }
  return { ...pixels, width, height, data: out };
}
