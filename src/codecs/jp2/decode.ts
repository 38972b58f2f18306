// JPEG 2000 pixels: Part 1 through OpenJPEG, Part 15 (HTJ2K) through OpenJPH, whole picture at a resolution level, then cut.

import createOpenJpeg from "@cornerstonejs/codec-openjpeg/wasmjs";
import createOpenJph from "@cornerstonejs/codec-openjph";
import { ServiceError } from "../../errors.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { unpremultiply } from "../../pipeline/unpremultiply.ts";
import type { CodecHost } from "../codec.ts";
import type { Rectangle } from "../image-header.ts";
import { type EmscriptenOptions, emscriptenOptions, keptInstance } from "../instance.ts";
import { type Codestream, checkTileParts, componentExtent, damaged, isSubsampled } from "./codestream.ts";
import type { Decoder, OpenJpeg } from "./glue.ts";
import type { Facts } from "./header.ts";
import { cutTiles } from "./tiles.ts";
import { selecting } from "./write-boxes.ts";

/** Some components of the whole picture at one level, of one size, interleaved, as they lie in the codestream. */
interface Plane {
  readonly samples: Uint8Array | Uint16Array;
  /** Samples from one place to the next. */
  readonly step: number;
}

/** Components of a codestream at 1/2^level. */
export type DecodeComponents = (
  bytes: Uint8Array,
  codestream: Codestream,
  components: readonly number[],
  level: number,
) => Promise<{ readonly plane: Plane; readonly at: number }[]>;

/** The lines that a module has printed since it was last asked. */
interface Heard {
  readonly lines: string[];
}

/** Bytes for each pixel that the bindings may read behind a subsampled component: 32-bit samples. */
export const readBeyond = 4;

const complaint = /\[ERROR\]|ojph error|failed|Aborted/;

/** Both decoders behind one function; each keeps one instance. Throws ServiceError `decode`. */
export function componentDecoder(host: CodecHost): DecodeComponents {
  const withPart1 = keptInstance({
    create: () => listen(createOpenJpeg, host.wasm("openjpeg")),
    memory: ({ HEAPU8 }) => HEAPU8.length,
  });
  const withPart15 = keptInstance({
    create: () => listen(createOpenJph, host.wasm("openjph")),
    memory: ({ HEAPU8 }) => HEAPU8.length,
  });

  /**
   * A new instance with room behind all that it will allocate. The bindings copy as many samples of a component as the picture
   * has pixels: of a subsampled one, what lies behind it too, which must be inside the memory. The first of what they copy are
   * the component. Memory that was freed at the end of the heap is what the next allocations begin with.
   */
  const withRoom = async (codestream: Codestream, input: readonly Uint8Array[], level: number) => {
    const module = await listen(createOpenJpeg, host.wasm("openjpeg"));
    const { width, height, components } = codestream;
    const pixels = Math.ceil(width / 2 ** level) * Math.ceil(height / 2 ** level);
    const decoder = new module.J2KDecoder();
    decoder.getEncodedBuffer(
      2 * input.reduce((sum, part) => sum + part.length, 0) + pixels * (components.length * 8 + readBeyond),
    );
    decoder.delete();
    return module;
  };

  return async (bytes, codestream, components, level) => {
    const count = codestream.components.length;
    const bits = codestream.components[0]?.bits ?? 8;
    const subsampled = codestream.components.some(isSubsampled);
    // OpenJPH's bindings mix up samples of more than 8 bit, or of other sizes, when there are several components; OpenJPEG knows HTJ2K too.
    if (codestream.highThroughput && !subsampled && (bits <= 8 || count === 1)) {
      const plane = await withPart15((module) =>
        run(module, new module.HTJ2KDecoder(), [bytes], codestream, count, level),
      );
      return components.map((at) => ({ plane, at }));
    }
    // OpenJPEG's bindings give 1 or 3 components; of others, boxes in front of the codestream choose which.
    const wanted: { plane: Plane; at: number }[] = [];
    while (wanted.length < components.length) {
      const rest = components.slice(wanted.length);
      const chosen = rest.length >= 3 && !subsampled ? rest.slice(0, 3) : rest.slice(0, 1);
      const asStored = chosen.length === count && chosen.every((component, i) => component === i);
      const input = asStored ? [bytes] : [selecting(codestream, chosen), bytes];
      const decode = (module: OpenJpeg & Heard) =>
        run(module, new module.J2KDecoder(), input, codestream, chosen.length, level);
      const plane = await (subsampled ? withRoom(codestream, input, level).then(decode) : withPart1(decode));
      wanted.push(...chosen.map((_, at) => ({ plane, at })));
    }
    return wanted;
  };
}

/** The region at 1/2^level of a codestream in memory: by the tiles that it meets, if they can be cut out. */
export async function decodeRegion(
  decodeComponents: DecodeComponents,
  file: Uint8Array,
  { codestream: whole, bands, depth }: Facts,
  wanted: Rectangle,
  level: number,
): Promise<PixelBuffer> {
  const { palette, from, interpretation } = bands;
  const first = whole.components[0];
  if (bands.unsupported || !first) throw new ServiceError("unsupported", bands.unsupported ?? "");
  // A tile that is missing is told of whichever is asked for.
  checkTileParts(file, whole.tiles);
  const { bytes, codestream } = cutTiles(file, whole, wanted, level) ?? { bytes: file, codestream: whole };
  const region = {
    ...wanted,
    x: wanted.x + whole.offsetX - codestream.offsetX,
    y: wanted.y + whole.offsetY - codestream.offsetY,
  };
  const parts = await decodeComponents(bytes, codestream, palette ? [0] : from, level);

  const scale = 2 ** level;
  const origin = componentExtent(codestream, first, level);
  const [left, top] = [origin.left + region.x / scale, origin.top + region.y / scale];
  const width = Math.ceil(region.width / scale);
  const height = Math.ceil(region.height / scale);
  const full = depth === 16 ? 65535 : 255;
  const count = width * height * from.length;
  const data = depth === 16 ? new Uint16Array(count) : new Uint8Array(count);
  from.forEach((column, band) => {
    const { plane, at } = (palette ? parts[0] : parts[band])!;
    const table = palette
      ? paletteTable(palette, column, first.bits, full)
      : scaleTable(first.bits, first.signed, full);
    const component = palette ? first : codestream.components[column]!;
    const extent = componentExtent(codestream, component, level);
    // a sample stands for the pixels from its place to the next sample's, the first for those before it too
    const columns = places(left, width, component.dx, extent.left, extent.width);
    const rows = places(top, height, component.dy, extent.top, extent.height);
    let to = band;
    for (const row of rows) {
      const start = row * extent.width;
      for (const place of columns) {
        const sample = plane.samples[(start + place) * plane.step + at]!;
        data[to] = table ? table[sample]! : sample;
        to += from.length;
      }
    }
  });
  if (bands.premultiplied) unpremultiply(data, from.length, full);
  return { width, height, bands: from.length, interpretation, data };
}

/** For `count` pixels from `start` on, along one axis: the places of their samples in a component that has every `step`th. */
function places(start: number, count: number, step: number, first: number, samples: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) =>
    Math.min(samples - 1, Math.max(0, Math.floor((start + i) / step) - first)),
  );
}

async function listen<T extends object>(
  create: (options: EmscriptenOptions) => Promise<T>,
  module: WebAssembly.Module,
): Promise<T & Heard> {
  const lines: string[] = [];
  const hear = (line: string) => {
    if (lines.length < 100 && complaint.test(line)) lines.push(line);
  };
  const instance = await create({ ...emscriptenOptions(module), print: hear, printErr: hear });
  return Object.assign(instance, { lines });
}

/** One decode, its result checked against the header and copied out of the module's memory. */
function run(
  module: Heard,
  decoder: Decoder,
  input: readonly Uint8Array[],
  codestream: Codestream,
  count: number,
  level: number,
): Plane {
  module.lines.length = 0;
  try {
    const room = decoder.getEncodedBuffer(input.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of input) {
      room.set(part, at);
      at += part.length;
    }
    if (level) decoder.decodeSubResolution(level, 0);
    else decoder.decode();
    const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
    const wide = (codestream.components[0]?.bits ?? 8) > 8;
    const decoded = decoder.getDecodedBuffer();
    const pixels = Math.ceil(codestream.width / 2 ** level) * Math.ceil(codestream.height / 2 ** level);
    const stated = {
      "pixels across": codestream.width,
      "pixels down": codestream.height,
      components: count,
      "bits per sample": codestream.components[0]?.bits ?? 0,
      bytes: pixels * count * (wide ? 2 : 1),
    };
    const made: typeof stated = {
      "pixels across": width,
      "pixels down": height,
      components: componentCount,
      "bits per sample": bitsPerSample,
      bytes: decoded.length,
    };
    const complaints = module.lines.join("\n");
    const other = (Object.keys(stated) as (keyof typeof stated)[]).find(
      (fact) => made[fact] !== stated[fact],
    );
    if (other)
      throw damaged(`${stated[other]} ${other} from the decoder, received ${made[other]}`, complaints);
    if (complaints) throw damaged("a codestream that the decoder does not complain of", complaints);
    const samples = decoded.slice();
    decoder.delete();
    return { samples: wide ? new Uint16Array(samples.buffer) : samples, step: count };
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw damaged("a codestream that can be decoded, but the decoder stopped", cause);
  }
}

/** Raw sample to full-range sample; undefined where they are the same. */
function scaleTable(bits: number, signed: boolean, full: 255 | 65535): Uint16Array | undefined {
  const top = 2 ** bits - 1;
  if (top === full && !signed) return undefined;
  // Signed samples come in two's complement of 8 or 16 bit; the table is as long as that.
  const table = new Uint16Array(full + 1);
  for (let raw = 0; raw <= full; raw++) {
    const value = signed ? (raw > full / 2 ? raw - full - 1 : raw) + 2 ** (bits - 1) : raw;
    table[raw] = Math.round((Math.min(top, Math.max(0, value)) * full) / top);
  }
  return table;
}

function paletteTable(
  palette: NonNullable<Facts["bands"]["palette"]>,
  column: number,
  indexBits: number,
  full: 255 | 65535,
): Uint16Array {
  const columns = palette.bits.length;
  const top = 2 ** (palette.bits[column] ?? 8) - 1;
  return Uint16Array.from({ length: indexBits > 8 ? 65536 : 256 }, (_, index) => {
    const entry = Math.min(index, palette.entries - 1);
    return Math.round(((palette.values[entry * columns + column] ?? 0) * full) / top);
  });
}
