// A region of a PNG, row by row from the stream: passes, filters, samples (PNG specification 8 to 10).

import type { ByteSource } from "../../lib/byte-source.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { allocateOrThrow } from "../allocate.ts";
import type { CodecHost, TakeRows } from "../codec.ts";
import type { Rectangle } from "../image-header.ts";
import { type Bands, createBands } from "./bands.ts";
import { damagedError, type PngHeader } from "./header.ts";
import { inflatedPicture } from "./idat.ts";
import type { PngInstances } from "./module.ts";
import { expander, type PixelRun, type PngSamples } from "./samples.ts";

/**
 * The pixels of a picture that are stored together: every `stepX`th column from `x`, every `stepY`th row from
 * `y`.
 */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
}

const wholePicture: readonly Pass[] = [{ x: 0, y: 0, stepX: 1, stepY: 1 }];

/** Adam7 (8.2). */
const adam7: readonly Pass[] = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
];

/**
 * The part of a pass in the region: columns `from` to `to` and rows `first` to `last` (ends exclusive), in
 * pixels of the pass.
 */
interface PassWindow extends Pass {
  readonly rows: number;
  readonly rowBytes: number;
  /** Position of the window's first column and the pass's first row in the region. */
  readonly left: number;
  readonly top: number;
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Takes `count` pixels of an unfiltered row: the first is stored column `x` of the pass, at `left`, `top` of
 * the region.
 */
type TakePixels = (run: PixelRun, left: number, top: number, step: number) => void;

/** What decoding needs of the host. */
export interface DecodingHost extends Pick<CodecHost, "zlib"> {
  readonly instances: PngInstances;
}

/**
 * Decodes a region and passes on its rows. Holds some rows; of an interlaced picture the whole region. Throws
 * ImagingError `decode` when damaged, `too-large` when the runtime cannot allocate the buffers.
 */
export async function decodePng(
  bytes: ByteSource,
  { header, region }: { readonly header: PngHeader; readonly region: Rectangle },
  host: DecodingHost,
  take: TakeRows,
): Promise<void> {
  const windows = (header.interlaced ? adam7 : wholePicture)
    .map((pass) => passWindow(pass, header, region))
    .filter((pass) => pass.rows > 0 && pass.rowBytes > 0);
  const rowKind = {
    longest: Math.max(...windows.map((pass) => pass.rowBytes)),
    step: Math.max(1, (header.samples * header.bitDepth) >> 3),
    wide: header.bitDepth === 16,
  };
  await host.instances(async (module) => {
    const { pixels, scan } = allocateOrThrow(() => {
      const pixels = collectRows(header, region);
      const bands = createBands(module, rowKind);
      return { pixels, scan: rowScanner(windows, header, bands, pixels.take) };
    });
    let complete = false;
    for await (const piece of inflatedPicture(bytes, header.dataStart, host.zlib)) {
      // Samples of few bits expand to many bytes: rows are passed on before more are expanded.
      for (let at = 0; at < piece.length && !complete; at += bytesAtOnce) {
        complete = scan(piece.subarray(at, at + bytesAtOnce));
        if (!header.interlaced) for (const rows of pixels.ready()) await take(rows);
      }
      if (complete) break;
    }
    if (!complete) throw damagedError("the end: rows are missing");
    for (const rows of pixels.ready()) await take(rows);
  });
}

/** Inflated bytes that are divided into rows together. */
const bytesAtOnce = 256 * 1024;
/** Rows of an image that are expanded together. */
const rowsTogether = 64;

/** Collects the pixels of a region. `ready` returns those of whole rows, each once. */
function collectRows(header: PngHeader, region: Rectangle) {
  const { bands, bitDepth, interlaced } = header;
  const { width, height } = region;
  const expand = expander(header);
  const room = interlaced ? height : Math.min(height, rowsTogether);
  const empty = (): PngSamples => {
    const length = width * room * bands;
    return bitDepth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  };
  let data = empty();
  let first = 0;
  let ready: PixelBuffer[] = [];
  /** Passes on rows that begin at row `from` of those that are collected. */
  const finish = (rows: number, from = 0) => {
    const interpretation = bands < 3 ? "gray" : "rgb";
    const rowLength = width * bands;
    const part = data.subarray(from * rowLength, (from + rows) * rowLength);
    ready.push({ width, height: rows, bands, interpretation, data: part });
    first += rows;
  };
  const take: TakePixels = (run, left, top, step) => {
    expand(run, data, ((top - first) * width + left) * bands, step * bands);
    if (interlaced || (top + 1 - first < room && top + 1 < height)) return;
    finish(top + 1 - first);
    if (first < height) data = empty();
  };
  return {
    take,
    ready() {
      while (interlaced && first < height) finish(Math.min(rowsTogether, height - first), first);
      const rows = ready;
      ready = [];
      return rows;
    },
  };
}

function passWindow(pass: Pass, header: PngHeader, region: Rectangle): PassWindow {
  /** Returns how many columns (or rows) of the pass are before `edge` of the image. */
  const before = (edge: number, start: number, step: number) => Math.max(0, Math.ceil((edge - start) / step));
  const columns = before(header.width, pass.x, pass.stepX);
  const from = before(region.x, pass.x, pass.stepX);
  return {
    ...pass,
    rows: before(header.height, pass.y, pass.stepY),
    rowBytes: Math.ceil((columns * header.samples * header.bitDepth) / 8),
    left: pass.x + from * pass.stepX - region.x,
    top: pass.y - region.y,
    from,
    to: before(region.x + region.width, pass.x, pass.stepX),
    first: before(region.y, pass.y, pass.stepY),
    last: before(region.y + region.height, pass.y, pass.stepY),
  };
}

/**
 * Divides the stream into rows, undoes their filters as far right and down as the region reaches, and passes
 * on the pixels within. The returned function takes the next piece of the stream and returns true once the
 * region is complete.
 */
function rowScanner(windows: readonly PassWindow[], header: PngHeader, bands: Bands, take: TakePixels) {
  const pixelBits = header.samples * header.bitDepth;
  const needed = windows.findLastIndex((pass) => pass.to > pass.from && pass.last > pass.first);
  let current = 0;
  let y = 0;
  bands.begin();

  /** Passes on the pixels of the next `count` rows that are in the region. */
  const takeRows = (pass: PassWindow, count: number): void => {
    const length = Math.ceil((pass.to * pixelBits) / 8);
    const rows = bands.unfilter(pass.rowBytes, count, length);
    for (let i = Math.max(0, pass.first - y); i < count; i++) {
      const row = rows.subarray(i * length, (i + 1) * length);
      const run = { row, x: pass.from, count: pass.to - pass.from };
      take(run, pass.left, pass.top + (y + i) * pass.stepY, pass.stepX);
    }
  };

  return (piece: Uint8Array): boolean => {
    for (let at = 0; ; ) {
      const pass = windows[current];
      if (!pass || current > needed || (current === needed && y >= pass.last)) return true;
      const added = bands.add(piece.subarray(at));
      at += added;
      const wanted = pass.to > pass.from && y < pass.last;
      const count = Math.min(bands.rows(pass.rowBytes), (wanted ? pass.last : pass.rows) - y);
      if (count === 0 && added === 0) return false;
      if (wanted && count > 0) takeRows(pass, count);
      bands.drop(pass.rowBytes, count);
      y += count;
      if (y < pass.rows) continue;
      y = 0;
      current++;
      bands.begin();
    }
  };
}
