// Encodes baseline JPEG with our own encoder (wasm/jpeg/assembly/encode.ts): whole images, or rows as they
// arrive. Its memory holds one row of MCUs at a time.

import { concatenate, ImagingError } from "../../../../base/index.ts";
import type { RowStream } from "../../codec.ts";
import type { Resolution } from "../../image-header.ts";
import {
  bestTable,
  codesOf,
  type HuffmanTables,
  tableNames,
  typicalTables,
} from "../markers/huffman-codes.ts";
import { quantisationTables } from "../markers/quantisation.ts";
import { endOfImage } from "../markers/write.ts";
import { baselineHeader, tableStream } from "./header.ts";
import {
  checkSides,
  type JpegInput,
  type JpegPlanes,
  type Picture,
  pictureOf,
  refusedInputError,
  samplings,
} from "./input.ts";
import { accept, bytesOf, type EncoderModule } from "./module.ts";

export interface FastEncodeOptions {
  /** Quality from 1 to 100, in the Independent JPEG Group's scaling of the tables of ITU-T T.81. */
  readonly quality: number;
  /** Sampling of the output; gray stays gray. */
  readonly chroma: "420" | "444";
  /** If true, Huffman tables are made for this image instead of the typical ones: smaller, but slower. */
  readonly optimise?: boolean;
  /** Resolution in pixels per centimetre. */
  readonly resolution?: Resolution | undefined;
  /**
   * If true, the stream has no tables and no JFIF segment: those of {@link typicalTableStream} come first.
   * Excludes `optimise` and `resolution`.
   */
  readonly abbreviated?: boolean;
}

export interface JpegStreamOptions extends Omit<FastEncodeOptions, "optimise" | "abbreviated"> {
  readonly width: number;
  readonly height: number;
  /** 1 for gray, 3 for RGB. */
  readonly bands: 1 | 3;
}

/** A file written from planes in order. */
export interface PlaneStream {
  /**
   * Takes the planes of the next rows, whole MCUs of them except for the last ones, all of one sampling.
   * Returns the bytes that are ready.
   */
  add(planes: JpegPlanes): Uint8Array;
  /** Returns the last bytes, after all rows. */
  finish(): Uint8Array;
}

export interface JpegEncoder {
  /** Returns a whole file in a buffer of its own. Throws ImagingError `encode`. */
  encode(input: JpegInput, options: FastEncodeOptions): Uint8Array;
  /**
   * Returns a stream that encodes rows in order to the pieces of a file. Throws ImagingError `encode`, in
   * this call and in later ones.
   */
  stream(options: JpegStreamOptions): RowStream;
  /**
   * Returns a stream that encodes planes from the top down to the pieces of a file, as `encode` does without
   * `optimise`. Throws ImagingError `encode`, in this call and in later ones.
   */
  streamPlanes(options: Omit<JpegStreamOptions, "bands">): PlaneStream;
  /** Linear memory of the cached instance in bytes. */
  memoryBytes(): number;
}

interface Instance {
  readonly wasm: EncoderModule;
  /** Quality of its quantisation tables. */
  quality: number;
  huffman: HuffmanTables | undefined;
}

/** Size limit in bytes of stored tokens; above it, rows are processed twice. */
const tokenBytes = 16 * 1024 * 1024;
/**
 * Memory limit in bytes of an instance kept between calls. Linear memory never shrinks, so an instance that
 * grew larger is dropped.
 */
const cacheBytes = 64 * 1024 * 1024;

/** Creates an encoder from a compiled `jpeg-encode`. One instance is kept between calls. */
export function createJpegEncoder(module: WebAssembly.Module): JpegEncoder {
  let idle: Instance | undefined;

  const take = (): Instance => {
    const instance = idle ?? createInstance(module);
    idle = undefined; // set again only if encoding succeeds
    return instance;
  };
  const giveBack = (instance: Instance) => {
    if (instance.wasm.memory.buffer.byteLength <= cacheBytes) idle = instance;
  };

  return {
    encode(input, options) {
      const picture = pictureOf(input, options.chroma);
      const instance = take();
      const file = encodePicture(instance, picture, options);
      giveBack(instance);
      return file;
    },
    stream(options) {
      const instance = take();
      return streamRows(instance, options, () => giveBack(instance));
    },
    streamPlanes(options) {
      const instance = take();
      return streamPlanes(instance, options, () => giveBack(instance));
    },
    memoryBytes: () => idle?.wasm.memory.buffer.byteLength ?? 0,
  };
}

function createInstance(module: WebAssembly.Module): Instance {
  const { exports } = new WebAssembly.Instance(module, {});
  return { wasm: exports as unknown as EncoderModule, quality: 0, huffman: undefined };
}

/**
 * Lays out the instance's memory for an image and loads the quantisation tables. Throws ImagingError `encode`
 * if memory runs out.
 */
function begin(instance: Instance, picture: Omit<Picture, "give">, quality: number, tokens: number): void {
  const { wasm } = instance;
  const { across, down, components } = samplings[picture.sampling];
  const { width, height, inputBytes } = picture;
  if (instance.quality !== quality) {
    const tables = quantisationTables(quality);
    bytesOf(wasm).set(tables.luma, wasm.quantisationAt());
    bytesOf(wasm).set(tables.chroma, wasm.quantisationAt() + 64);
    wasm.useQuantisation();
    instance.quality = quality;
  }
  if (wasm.begin(width, height, across, down, components, inputBytes, tokens) !== 1)
    throw new ImagingError(
      "encode",
      `Expected memory for the rows of a picture ${width} pixels wide; there is none. Ask for a smaller one.`,
      { code: "out_of_memory" },
    );
}

/**
 * Loads Huffman tables. `direct` is true for strips that are coded immediately; stored tokens need only the
 * plain codes.
 */
function useHuffman(instance: Instance, tables: HuffmanTables, direct: boolean): void {
  if (instance.huffman === tables) return;
  const { wasm } = instance;
  const codes = new Uint32Array(wasm.memory.buffer, wasm.codesAt(), 4 * 256);
  for (const [i, name] of tableNames.entries()) codes.set(codesOf(tables[name]), i * 256);
  if (direct) wasm.useCodes();
  instance.huffman = direct ? tables : undefined;
}

function encodePicture(instance: Instance, picture: Picture, options: FastEncodeOptions): Uint8Array {
  const { wasm } = instance;
  const strips = Math.ceil(picture.height / (8 * samplings[picture.sampling].down));
  begin(instance, picture, options.quality, options.optimise ? tokenBytes : 0);
  let huffman = typicalTables;
  let isReused = false;
  if (options.optimise) {
    for (let strip = 0; strip < strips; strip++) {
      picture.give(wasm, strip);
      isReused = wasm.countStrip() === 1;
    }
    huffman = countedTables(wasm);
    wasm.restart();
  }
  const parts = [headerOf(picture, huffman, options)];
  useHuffman(instance, huffman, !isReused);
  if (isReused) {
    for (let left = 1; left !== 0; ) {
      left = wasm.codeTokens();
      if (left < 0) parts.push(takeOutput(wasm));
    }
  } else {
    for (let strip = 0; strip < strips; strip++) {
      picture.give(wasm, strip);
      if (wasm.codeStrip() === 1) continue;
      parts.push(takeOutput(wasm));
      accept(wasm.codeStrip());
    }
  }
  wasm.finish();
  const file = concatenate([...parts, output(wasm), endOfImage]);
  wasm.taken();
  return file;
}

/** Returns the finished output, in the module's memory. */
function output(wasm: EncoderModule): Uint8Array {
  const at = wasm.outputAt();
  return bytesOf(wasm).subarray(at, at + wasm.outputLength());
}

function takeOutput(wasm: EncoderModule): Uint8Array {
  const bytes = output(wasm).slice();
  wasm.taken();
  return bytes;
}

function countedTables(wasm: EncoderModule): HuffmanTables {
  const counts = new Uint32Array(wasm.memory.buffer, wasm.countsAt(), 4 * 256);
  const bestTableAt = (i: number) => bestTable(counts.subarray(i * 256, (i + 1) * 256));
  return {
    dcLuma: bestTableAt(0),
    acLuma: bestTableAt(1),
    dcChroma: bestTableAt(2),
    acChroma: bestTableAt(3),
  };
}

function headerOf(
  { width, height, sampling }: Pick<Picture, "width" | "height" | "sampling">,
  huffman: HuffmanTables,
  { quality, resolution, abbreviated }: Omit<FastEncodeOptions, "chroma">,
): Uint8Array {
  const { across, down, components } = samplings[sampling];
  const quantisation = quantisationTables(quality);
  const luma = components === 1 ? undefined : ([across, down] as const);
  return baselineHeader({ width, height, luma, quantisation, huffman, resolution, abbreviated });
}

/** Returns the tables of abbreviated streams with this quality, for 1 or 3 components. */
export function typicalTableStream(quality: number, components: 1 | 3): Uint8Array {
  const luma = components === 1 ? undefined : ([1, 1] as const);
  return tableStream({ luma, quantisation: quantisationTables(quality), huffman: typicalTables });
}

/** Size and sampling of a file that is written in strips of MCUs, and the bytes of the input of one. */
type StripFrame = Omit<Picture, "give">;

/** Writes a file in strips. `ended` is called after the last byte: the instance is reserved until then. */
function stripWriter(
  instance: Instance,
  frame: StripFrame,
  options: Omit<FastEncodeOptions, "chroma">,
  ended: () => void,
) {
  const { wasm } = instance;
  const header = headerOf(frame, typicalTables, options);
  begin(instance, frame, options.quality, 0);
  useHuffman(instance, typicalTables, true);
  const pending = [header];
  return {
    /** Codes the next strip, whose samples are in the module. */
    code() {
      accept(wasm.codeStrip());
      pending.push(takeOutput(wasm));
    },
    /** Returns the bytes that are ready, each once. */
    ready: () => concatenate(pending.splice(0)),
    finish() {
      wasm.finish();
      const last = concatenate([...pending, takeOutput(wasm), endOfImage]);
      ended();
      return last;
    },
  };
}

function streamRows(instance: Instance, options: JpegStreamOptions, ended: () => void): RowStream {
  const { wasm } = instance;
  const { width, height, bands, chroma } = options;
  checkSides(width, height);
  const sampling = bands === 1 ? "gray" : chroma;
  const pitch = width * bands;
  const stripRows = 8 * samplings[sampling].down;
  const frame = { width, height, sampling, inputBytes: stripRows * pitch } as const;
  const writer = stripWriter(instance, frame, options, ended);
  let done = 0; // coded rows
  let waiting = 0; // rows of the next strip already in the module

  return {
    rows(data) {
      const count = data.length / pitch;
      if (!Number.isInteger(count) || done + waiting + count > height)
        throw refusedInputError(
          `whole rows of ${pitch} bytes, at most ${height - done - waiting} more`,
          `${data.length} bytes`,
        );
      for (let row = 0; row < count; ) {
        const full = Math.min(stripRows, height - done);
        const taken = Math.min(full - waiting, count - row);
        const from = data.subarray(row * pitch, (row + taken) * pitch);
        bytesOf(wasm).set(from, wasm.inputAt() + waiting * pitch);
        row += taken;
        waiting += taken;
        if (waiting < full) break;
        accept(bands === 1 ? wasm.takePlane(0, pitch, 0) : wasm.takePixels(pitch));
        writer.code();
        done += full;
        waiting = 0;
      }
      return writer.ready();
    },
    finish() {
      if (done !== height) throw refusedInputError(`${height} rows`, `${done + waiting}`);
      return writer.finish();
    },
  };
}

function streamPlanes(
  instance: Instance,
  options: Omit<JpegStreamOptions, "bands">,
  ended: () => void,
): PlaneStream {
  const { width, height, chroma } = options;
  checkSides(width, height);
  let writer: ReturnType<typeof stripWriter> | undefined;
  let first: Picture | undefined;
  let done = 0;
  return {
    add(planes) {
      const picture = pictureOf(planes, chroma);
      first ??= picture;
      writer ??= stripWriter(instance, { ...frameOf(picture), height }, options, ended);
      const stripRows = 8 * samplings[picture.sampling].down;
      const isNext = picture.width === width && done % stripRows === 0 && done + picture.height <= height;
      if (!isNext || picture.sampling !== first.sampling || picture.inputBytes > first.inputBytes)
        throw refusedInputError(
          `the next planes, ${width} wide, at most ${height - done} rows and whole MCUs before`,
          `${picture.width}x${picture.height} in ${picture.sampling} after ${done} rows`,
        );
      for (let strip = 0; strip * stripRows < picture.height; strip++) {
        picture.give(instance.wasm, strip);
        writer.code();
      }
      done += picture.height;
      return writer.ready();
    },
    finish() {
      if (!writer || done !== height) throw refusedInputError(`${height} rows`, `${done}`);
      return writer.finish();
    },
  };
}

const frameOf = ({ width, height, sampling, inputBytes }: Picture): StripFrame => ({
  width,
  height,
  sampling,
  inputBytes,
});
