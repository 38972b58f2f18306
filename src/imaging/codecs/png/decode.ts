// A region of a PNG, row by row from the stream: passes, filters, samples (PNG specification 8 to 10).

import type { ByteSource } from "../../../base/index.ts";
import { allocateOrThrow } from "../allocate.ts";
import type { CodecHost, TakeRows } from "../codec.ts";
import { damagedPng } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import { type Bands, createBands } from "./bands.ts";
import type { PngHeader } from "./header.ts";
import { inflatedPicture } from "./idat.ts";
import type { PngInstances } from "./module.ts";
import { expander, isDirect, type PngSamples } from "./samples.ts";

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

/** Unfiltered rows of a pass, packed: the first is row `top` of the region. */
interface PassRows {
  readonly pass: PassWindow;
  readonly top: number;
  readonly count: number;
  /** Their bytes, as far right as the region reaches; the next rows overwrite them. */
  readonly bytes: Uint8Array;
}

/** What decoding needs of the host. */
export interface DecodingHost extends Pick<CodecHost, "zlib"> {
  readonly instances: PngInstances;
}

/**
 * Decodes a region and passes on its rows. Holds some rows; of an interlaced picture the whole region. Throws
 * ImagingError `decode` if the file is damaged, `too-large` if the runtime cannot allocate the buffers.
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
    maxLength: Math.max(...windows.map((pass) => pass.rowBytes)),
    step: Math.max(1, (header.samples * header.bitDepth) >> 3),
    wide: header.bitDepth === 16,
  };
  const decode = header.interlaced ? collectPasses(header, region, take) : expandRows(header, region, take);
  await host.instances(async (module) => {
    const scan = rowScanner(
      windows,
      header,
      allocateOrThrow(() => createBands(module, rowKind)),
    );
    let complete = false;
    for await (const piece of inflatedPicture(bytes, header.dataStart, host.zlib)) {
      complete = await scan(piece, decode.add);
      if (complete) break;
    }
    if (!complete) throw damagedPng("the end: rows are missing");
    await decode.end();
  });
}

/** Rows of an image that are expanded, or passed on, together. */
const rowsTogether = 64;

/** Takes the rows of all passes. */
interface RowSink {
  add(rows: PassRows): void | Promise<void>;
  end(): Promise<void>;
}

const samplesOf = ({ bitDepth }: PngHeader, count: number): PngSamples =>
  allocateOrThrow(() => (bitDepth === 16 ? new Uint16Array(count) : new Uint8Array(count)));

/** Returns a function that passes on rows of the region. */
function rowTaker({ bands }: PngHeader, { width }: Rectangle, take: TakeRows) {
  const interpretation = bands < 3 ? "gray" : "rgb";
  return (data: PngSamples, height: number) => take({ width, height, bands, interpretation, data });
}

/** Passes on the rows of a picture as they arrive; without a copy if they hold nothing but its samples. */
function expandRows(header: PngHeader, region: Rectangle, take: TakeRows): RowSink {
  const { bands, bitDepth } = header;
  const rowLength = region.width * bands;
  const pass = rowTaker(header, region, take);
  if (isDirect(header) && region.x === 0)
    return {
      add({ bytes, count }) {
        const { buffer, byteOffset } = bytes;
        const length = count * rowLength;
        return pass(
          bitDepth === 16
            ? new Uint16Array(buffer, byteOffset, length)
            : new Uint8Array(buffer, byteOffset, length),
          count,
        );
      },
      end: async () => {},
    };
  const expand = expander(header);
  const data = samplesOf(header, rowLength * Math.min(region.height, rowsTogether));
  return {
    async add({ pass: { from, to }, bytes, count }) {
      const bytesOfRow = bytes.length / count;
      for (let done = 0; done < count; ) {
        const height = Math.min(rowsTogether, count - done);
        for (let y = 0; y < height; y++, done++) {
          const row = bytes.subarray(done * bytesOfRow, (done + 1) * bytesOfRow);
          expand({ row, x: from, count: to - from }, data, y * rowLength, bands);
        }
        await pass(data.subarray(0, height * rowLength), height);
      }
    },
    end: async () => {},
  };
}

/** Collects the pixels of all passes of an interlaced picture, and passes on the rows at the end. */
function collectPasses(header: PngHeader, region: Rectangle, take: TakeRows): RowSink {
  const { bands } = header;
  const { width, height } = region;
  const rowLength = width * bands;
  const pass = rowTaker(header, region, take);
  const expand = expander(header);
  const data = samplesOf(header, rowLength * height);
  return {
    add({ pass: { from, to, left, stepX, stepY }, top, bytes, count }) {
      const bytesOfRow = bytes.length / count;
      for (let i = 0; i < count; i++) {
        const row = bytes.subarray(i * bytesOfRow, (i + 1) * bytesOfRow);
        const at = (top + i * stepY) * rowLength + left * bands;
        expand({ row, x: from, count: to - from }, data, at, stepX * bands);
      }
    },
    async end() {
      for (let y = 0; y < height; y += rowsTogether) {
        const count = Math.min(rowsTogether, height - y);
        await pass(data.subarray(y * rowLength, (y + count) * rowLength), count);
      }
    },
  };
}

function passWindow(pass: Pass, header: PngHeader, region: Rectangle): PassWindow {
  /** Returns how many columns (or rows) of the pass are before `edge` of the image. */
  const countBefore = (edge: number, start: number, step: number) =>
    Math.max(0, Math.ceil((edge - start) / step));
  const columns = countBefore(header.width, pass.x, pass.stepX);
  const from = countBefore(region.x, pass.x, pass.stepX);
  return {
    ...pass,
    rows: countBefore(header.height, pass.y, pass.stepY),
    rowBytes: Math.ceil((columns * header.samples * header.bitDepth) / 8),
    left: pass.x + from * pass.stepX - region.x,
    top: pass.y - region.y,
    from,
    to: countBefore(region.x + region.width, pass.x, pass.stepX),
    first: countBefore(region.y, pass.y, pass.stepY),
    last: countBefore(region.y + region.height, pass.y, pass.stepY),
  };
}

/**
 * Divides the stream into rows, undoes their filters as far right and down as the region reaches, and passes
 * on those within. The returned function takes the next piece of the stream and resolves to true once the
 * region is complete.
 */
function rowScanner(windows: readonly PassWindow[], header: PngHeader, bands: Bands) {
  const pixelBits = header.samples * header.bitDepth;
  const needed = windows.findLastIndex((pass) => pass.to > pass.from && pass.last > pass.first);
  let current = 0;
  let y = 0;
  bands.begin();

  /** Returns those of the next `count` rows that are in the region, if any. */
  const unfilterRows = (pass: PassWindow, count: number): PassRows | undefined => {
    const length = Math.ceil((pass.to * pixelBits) / 8);
    const bytes = bands.unfilter(pass.rowBytes, count, length);
    const above = Math.max(0, pass.first - y);
    if (above >= count) return undefined;
    const top = pass.top + (y + above) * pass.stepY;
    return { pass, top, count: count - above, bytes: bytes.subarray(above * length) };
  };

  return async (piece: Uint8Array, take: RowSink["add"]): Promise<boolean> => {
    for (let at = 0; ; ) {
      const pass = windows[current];
      if (!pass || current > needed || (current === needed && y >= pass.last)) return true;
      const added = bands.add(piece.subarray(at));
      at += added;
      const wanted = pass.to > pass.from && y < pass.last;
      const count = Math.min(bands.rows(pass.rowBytes), (wanted ? pass.last : pass.rows) - y);
      if (count === 0 && added === 0) return false;
      const rows = wanted && count > 0 ? unfilterRows(pass, count) : undefined;
      if (rows) await take(rows);
      bands.drop(pass.rowBytes, count);
      y += count;
      if (y < pass.rows) continue;
      y = 0;
      current++;
      bands.begin();
    }
  };
}
