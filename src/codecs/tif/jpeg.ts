// JPEG strips and tiles (TIFF Technical Note 2): abbreviated streams joined with their tables, decoded by libjpeg-turbo.

import type { CodecHost } from "../codec.ts";
import { damaged } from "./ifd.ts";

/** The exports of the module `jpeg-turbo`: TurboJPEG 2 over linear memory. */
interface TurboJpeg {
  readonly memory: WebAssembly.Memory;
  _initialize?(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  tjInitDecompress(): number;
  tjDestroy(handle: number): number;
  tjDecompressHeader3(
    handle: number,
    data: number,
    length: number,
    width: number,
    height: number,
    sampling: number,
    colour: number,
  ): number;
  tjDecompress2(
    handle: number,
    data: number,
    length: number,
    out: number,
    width: number,
    pitch: number,
    height: number,
    format: number,
    flags: number,
  ): number;
}

const RGB = 0; // TJPF_RGB
const GRAY = 6; // TJPF_GRAY
const MAX_MEMORY = 256 << 20;

/** What a JPEG block of a picture must be. */
export interface JpegBlock {
  readonly width: number;
  /** Rows that must be there, and how many there may be at most. */
  readonly rows: number;
  readonly maxRows: number;
  /** Whether its components are luma and chroma, red, green and blue, or one. */
  readonly colour: "ycc" | "rgb" | "gray";
  readonly tables?: Uint8Array;
}

/** Decodes JPEG blocks to 8-bit gray or RGB of `width` by at least `rows`. Throws ServiceError `decode`. */
export type DecodeJpeg = (data: Uint8Array, block: JpegBlock) => Uint8Array;

/** A decoder with one instance of the module, which is thrown away after any error and when its memory has grown large. */
export function jpegDecoder(host: CodecHost): DecodeJpeg {
  let instance: TurboJpeg | undefined;
  return (data, block) => {
    instance ??= start(host);
    try {
      const pixels = decode(instance, wholeStream(data, block), block);
      if (instance.memory.buffer.byteLength > MAX_MEMORY) instance = undefined;
      return pixels;
    } catch (error) {
      instance = undefined;
      if (error instanceof WebAssembly.RuntimeError || error instanceof JpegFailure)
        throw Object.assign(damaged("a sound JPEG strip or tile", "a damaged one"), { cause: error });
      throw error;
    }
  };
}

class JpegFailure extends Error {}

function start(host: CodecHost): TurboJpeg {
  const fail = (name: string) => () => {
    throw new JpegFailure(name);
  };
  const none = () => 0;
  const { exports } = new WebAssembly.Instance(host.wasm("jpeg-turbo"), {
    env: { setjmp: none, longjmp: fail("longjmp") },
    wasi_snapshot_preview1: {
      environ_sizes_get: none,
      environ_get: none,
      proc_exit: fail("proc_exit"),
      fd_close: none,
      fd_seek: none,
      fd_write: none,
    },
  });
  const turbo = exports as unknown as TurboJpeg;
  turbo._initialize?.();
  return turbo;
}

/**
 * One stream from tables and block, without application segments, and with an Adobe segment that says how components
 * are to be read: what the TIFF says counts, not what decoders guess from component names.
 */
function wholeStream(data: Uint8Array, { tables, colour }: JpegBlock): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0xff, 0xd8)];
  if (colour !== "gray") {
    const transform = colour === "ycc" ? 1 : 0;
    parts.push(Uint8Array.of(0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, transform));
  }
  if (tables) parts.push(...segments(tables));
  parts.push(...segments(data));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The segments between SOI and EOI that matter; from the first scan on, all that is left. */
function segments(data: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  if (data[0] !== 0xff || data[1] !== 0xd8) throw new JpegFailure("no start of image");
  let at = 2;
  while (at + 4 <= data.length) {
    if (data[at] !== 0xff) throw new JpegFailure("no marker");
    const marker = data[at + 1] as number;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) break;
    if (marker === 0xda) {
      out.push(data.subarray(at));
      break;
    }
    const length = 2 + (((data[at + 2] as number) << 8) | (data[at + 3] as number));
    const application = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!application) out.push(data.subarray(at, at + length));
    at += length;
  }
  return out;
}

function decode(turbo: TurboJpeg, stream: Uint8Array, block: JpegBlock): Uint8Array {
  const allocate = (bytes: number) => {
    const pointer = turbo.malloc(bytes);
    if (pointer === 0) throw new JpegFailure("out of memory");
    return pointer;
  };
  const handle = turbo.tjInitDecompress();
  const input = allocate(stream.length);
  new Uint8Array(turbo.memory.buffer).set(stream, input);
  const facts = allocate(16);
  if (turbo.tjDecompressHeader3(handle, input, stream.length, facts, facts + 4, facts + 8, facts + 12) !== 0)
    throw new JpegFailure("header");
  const [width = 0, height = 0, , colour = 0] = new Int32Array(turbo.memory.buffer, facts, 4);
  const bands = block.colour === "gray" ? 1 : 3;
  const expected = { rgb: 0, ycc: 1, gray: 2 }[block.colour];
  if (width !== block.width || height < block.rows || height > block.maxRows)
    throw damaged(
      `JPEG strips or tiles of ${block.width} by ${block.rows} to ${block.maxRows} pixels`,
      `${width} by ${height}`,
    );
  if (colour !== expected) throw damaged(`JPEG strips or tiles of ${bands} bands`, "others");
  const size = width * height * bands;
  const out = allocate(size);
  const format = bands === 1 ? GRAY : RGB;
  if (turbo.tjDecompress2(handle, input, stream.length, out, width, width * bands, height, format, 0) !== 0)
    throw new JpegFailure("scan");
  const pixels = new Uint8Array(turbo.memory.buffer, out, size).slice();
  for (const pointer of [out, facts, input]) turbo.free(pointer);
  turbo.tjDestroy(handle);
  return pixels;
}
