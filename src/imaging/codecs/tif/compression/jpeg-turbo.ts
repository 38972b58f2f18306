// JPEG strips and tiles decoded as a whole by libjpeg-turbo: kinds that our own decoder refuses.

import type { CodecHost } from "../../codec.ts";
import { damagedTif } from "../../damaged.ts";
import { asImagingError } from "../../instance.ts";
import { accurateDct, createTurbo, pixelFormats, type Turbo } from "../../jpg/turbo/module.ts";
import { type JpegCoding, jpegColours, wholeStream } from "./jpeg-stream.ts";

/** Required properties of an image's JPEG block. */
export interface JpegBlock extends JpegCoding {
  readonly width: number;
  /** Required rows, and the maximum. */
  readonly rows: number;
  readonly maxRows: number;
  /** 1, 2, 4 or 8: side of the squares of pixels that become one. */
  readonly side: number;
}

/**
 * Creates a decoder of the JPEG blocks of one master, whose instance must not see another: to 8-bit gray,
 * RGB, RGB with alpha or CMYK of `width` by at least `rows`, over `side`, rounded up. It throws ImagingError
 * `decode`, also on warnings, and `unsupported` for unsupported kinds of JPEG.
 */
export function turboBlocks(host: CodecHost) {
  let instance: Turbo | undefined;
  return async (data: Uint8Array, block: JpegBlock): Promise<Uint8Array> => {
    instance ??= createTurbo(host.wasm("jpeg-turbo"));
    try {
      return decode(instance, wholeStream(data, block), block);
    } catch (error) {
      throw asImagingError(
        error,
        "decode",
        damagedTif("a sound JPEG strip or tile", "a damaged one").message,
      );
    }
  };
}

function decode(turbo: Turbo, stream: Uint8Array, block: JpegBlock): Uint8Array {
  const allocate = (bytes: number) => {
    const pointer = turbo.malloc(bytes);
    if (pointer === 0) throw new Error("out of memory");
    return pointer;
  };
  const handle = turbo.tjInitDecompress();
  const input = allocate(stream.length);
  new Uint8Array(turbo.memory.buffer).set(stream, input);
  const facts = allocate(16);
  new Int32Array(turbo.memory.buffer, facts, 4).fill(-1);
  // Its result is no failure if only the chroma sampling has no name; the facts decide.
  turbo.tjDecompressHeader3(handle, input, stream.length, facts, facts + 4, facts + 8, facts + 12);
  const [width = 0, height = 0, , colour = 0] = new Int32Array(turbo.memory.buffer, facts, 4);
  const { bands } = jpegColours[block.colour];
  const { format, space } = outputs[block.colour];
  if (width !== block.width || height < block.rows || height > block.maxRows)
    throw damagedTif(
      `JPEG strips or tiles of ${block.width} by ${block.rows} to ${block.maxRows} pixels`,
      `${width} by ${height}`,
    );
  if (colour !== space)
    throw damagedTif(`JPEG strips or tiles of ${spaces[space]}`, spaces[colour] ?? "other colours");
  const outWidth = Math.ceil(width / block.side);
  const outHeight = Math.ceil(height / block.side);
  const size = outWidth * outHeight * bands;
  const out = allocate(size);
  const status = turbo.tjDecompress2(
    handle,
    input,
    stream.length,
    out,
    outWidth,
    outWidth * bands,
    outHeight,
    format,
    accurateDct,
  );
  if (status !== 0) throw new Error("damaged scan");
  const pixels = new Uint8Array(turbo.memory.buffer, out, size).slice();
  for (const pointer of [out, facts, input]) turbo.free(pointer);
  turbo.tjDestroy(handle);
  return pixels;
}

/** TJCS of turbojpeg.h by number. */
const spaces: Readonly<Record<number, string>> = { 0: "RGB", 1: "YCbCr", 2: "gray", 3: "CMYK", 4: "YCCK" };

/** Colour space among TJCS of turbojpeg.h, and the format of the result. */
const outputs = {
  gray: { space: 2, format: pixelFormats.gray },
  rgb: { space: 0, format: pixelFormats.rgb },
  ycc: { space: 1, format: pixelFormats.rgb },
  rgba: { space: 3, format: pixelFormats.cmyk },
  cmyk: { space: 3, format: pixelFormats.cmyk },
} as const satisfies Record<JpegBlock["colour"], unknown>;
