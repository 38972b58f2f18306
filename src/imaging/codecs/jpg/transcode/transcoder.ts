// Makes the baseline transcode of a progressive or other multi-scan JPEG: an interleaved file with the same
// coefficients, made in one pass with one row of MCUs in memory. Each scan is read through its own window,
// all of them in lockstep.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import type { FrameHeader } from "../markers/frame.ts";
import { endOfImage } from "../markers/write.ts";
import { accessPointBytes } from "../region/access-points.ts";
import { transcodeHeader } from "./header.ts";
import { listScans } from "./scans.ts";
import {
  accept,
  eachBand,
  geometry,
  isDamaged,
  type SliceOptions,
  startWork,
  type Transcode,
  takeOutput,
} from "./work.ts";

export interface TranscodeOptions extends SliceOptions {
  /** Size limit in bytes of the reduced level at 1/8; a larger one is not made. Unlimited by default. */
  readonly level8Limit?: number;
  /** Receives the next bytes of the transcode, which it may keep. The transcoder waits for its promise. */
  onChunk(bytes: Uint8Array): void | Promise<void>;
  /**
   * If true, a damaged file throws ImagingError `decode`, code damaged_image; one that ends early throws it
   * before anything is written.
   */
  readonly onlySound?: boolean;
}

/** Facts of a written transcode. */
export interface BaselineTranscode {
  /** Length in bytes, the sum of all chunks. */
  readonly size: number;
  /** Bytes up to the entropy-coded data, and the offset at which that data ends. */
  readonly head: Uint8Array;
  readonly end: number;
  /**
   * Access points in the form of `ScanAccessPoints.entries`: in each row of MCUs at column 0 and every 512
   * pixels.
   */
  readonly entries: Uint8Array;
  /** Reduced level at 1/8, as {@link Transcoder.dcPlanes} returns it; undefined if it would be too large. */
  readonly planes: readonly DcPlane[] | undefined;
  /**
   * True if the source is truncated or breaks the rules. The transcode shows the parts that could be read.
   */
  readonly damaged: boolean;
  /** Bytes of WebAssembly memory that transcoding took. */
  readonly memory: number;
}

/** The reduced level at 1/8 of a file that is not transcoded. */
export interface DcLevel {
  /** One plane for each component of the frame, in the component's own sampling. */
  readonly planes: readonly DcPlane[];
  /** Header that the file's transcode would have, up to the entropy-coded data. */
  readonly head: Uint8Array;
  /** True if the file breaks the rules, so that the planes may differ from those of its transcode. */
  readonly damaged: boolean;
}

export interface Transcoder {
  /**
   * Writes the baseline transcode of a Huffman-coded JPEG of 8 bits with 1 to 4 components, which decodes to
   * the same samples. Reads the source twice, in ascending order within each scan. Throws ImagingError
   * `unsupported` for other kinds of JPEG, `decode` if there is nothing to show, `cancelled` after an abort.
   */
  transcode(source: ByteSource, options: TranscodeOptions): Promise<BaselineTranscode>;
  /**
   * Returns the DC coefficients as samples, as an inverse transform of size 1 would. Reads the whole file for
   * its markers, but decodes only DC scans (the only scans of a sequential file). Throws as `transcode` does.
   */
  dcPlanes(source: ByteSource, options?: SliceOptions): Promise<DcLevel>;
}

/**
 * Creates a transcoder from a compiled `jpeg-transcode`. Each call has its own instance, so calls may
 * overlap.
 */
export function openTranscoder(module: WebAssembly.Module): Transcoder {
  return {
    transcode: (source, options) => transcode(module, source, options),
    async dcPlanes(source, options = {}) {
      const list = await listScans(source);
      const work = startWork(module, source, list, ({ first }) => first === 0);
      const { planes, take } = collectDcPlanes(work, list.frame);
      await eachBand(work, options, async (band) => take(band));
      return { planes, head: transcodeHeader(list), damaged: isDamaged(work) };
    },
  };
}

/** See {@link Transcoder.transcode}. */
async function transcode(
  module: WebAssembly.Module,
  source: ByteSource,
  options: TranscodeOptions,
): Promise<BaselineTranscode> {
  const { onChunk, onlySound, level8Limit = Number.POSITIVE_INFINITY } = options;
  const list = await listScans(source);
  if (onlySound && list.damaged) throw damagedFile();
  const work = startWork(module, source, list);
  const head = transcodeHeader(list);
  const accessPoints = collectAccessPoints(work, list.frame, head.length);
  const level = collectDcPlanes(work, list.frame);
  const hasLevel = level.bytes <= level8Limit;
  let size = 0;
  const write = async (bytes: Uint8Array) => {
    size += bytes.length;
    await onChunk(bytes);
  };
  await write(head.slice());
  await eachBand(work, options, async (band) => {
    while (work.wasm.encode() !== 0) await write(takeOutput(work.wasm));
    accessPoints.take(band);
    if (hasLevel) level.take(band);
  });
  if (onlySound && isDamaged(work)) throw damagedFile();
  if (work.wasm.outputLength() > 0) await write(takeOutput(work.wasm));
  work.wasm.endOutput();
  const last = takeOutput(work.wasm);
  // decoders do not look at a zero stuffed after the last byte
  const end = size + last.length - (last.at(-2) === 0xff ? 1 : 0);
  await write(Uint8Array.of(...last, ...endOfImage));
  return {
    size,
    end,
    head,
    entries: accessPoints.all,
    planes: hasLevel ? level.planes : undefined,
    damaged: isDamaged(work),
    memory: work.wasm.memory.buffer.byteLength,
  };
}

function damagedFile(): ImagingError {
  return new ImagingError("decode", "Expected an intact JPEG file; it ends early or breaks the rules.", {
    code: "damaged_image",
  });
}

/** Samples of one component at 1/8 of its own size, one for each of its blocks inside the image. */
interface DcPlane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Collects the access points, in the form of `ScanAccessPoints.entries`. */
function collectAccessPoints({ wasm, bands }: Transcode, frame: FrameHeader, headLength: number) {
  const step = Math.max(2, Math.floor(512 / (8 * frame.hMax)));
  const pointer = wasm.index(step, headLength);
  if (pointer === 0) accept(2);
  const length = accessPointBytes * (1 + Math.floor(geometry(frame).mcusWide / step));
  const all = new Uint8Array(length * bands);
  return {
    all,
    take: (band: number) => all.set(new Uint8Array(wasm.memory.buffer, pointer, length), band * length),
  };
}

/** Collects the reduced level at 1/8; allocates nothing before the first band. */
function collectDcPlanes({ wasm }: Transcode, frame: FrameHeader) {
  const planes = geometry(frame).components.map(({ wide, high }) => ({
    data: new Uint8Array(),
    width: wide,
    height: high,
  }));
  return {
    planes: planes as readonly DcPlane[],
    bytes: planes.reduce((sum, { width, height }) => sum + width * height, 0),
    take(band: number) {
      for (const [i, plane] of planes.entries()) {
        if (band === 0) plane.data = new Uint8Array(plane.width * plane.height);
        const rows = frame.components[i]!.v;
        const from = band * rows * plane.width;
        const length = Math.min(rows * plane.width, plane.data.length - from);
        if (length > 0) plane.data.set(new Uint8Array(wasm.memory.buffer, wasm.shrink(i), length), from);
      }
    },
  };
}
