// JPEG 2000 files for tests, put together from fixtures or made by the packages' own lossless encoders.

import { readFileSync } from "node:fs";
import createOpenJpeg from "@cornerstonejs/codec-openjpeg/wasmjs";
import createOpenJph from "@cornerstonejs/codec-openjph";
import { emscriptenOptions } from "../../../../src/imaging/codecs/instance.ts";
import { fixture, testHost } from "../../../host.ts";
import { opjCompress } from "./openjpeg.ts";

/** The encoder of high-throughput files; the service itself does not use it. */
const openjph = () =>
  new WebAssembly.Module(
    readFileSync(
      new URL("../../../../node_modules/@cornerstonejs/codec-openjph/dist/openjphjs.wasm", import.meta.url),
    ),
  );

type Bytes = readonly number[];

export const u16 = (value: number): Bytes => [(value >> 8) & 255, value & 255];
export const u32 = (value: number): Bytes => [...u16(value >>> 16), ...u16(value & 0xffff)];

export function box(type: string, ...parts: readonly Bytes[]): Bytes {
  const body = parts.flat();
  return [...u32(8 + body.length), ...new TextEncoder().encode(type), ...body];
}

/** The bytes from SOC to the end of a fixture. */
export function codestreamOf(name: string): Uint8Array {
  const file = fixture(name);
  return file.slice(Buffer.from(file).indexOf(Uint8Array.of(0xff, 0x4f, 0xff, 0x51)));
}

interface Boxed {
  readonly codestream: Uint8Array;
  readonly size: readonly [width: number, height: number, components: number];
  readonly behind?: Bytes;
  readonly extended?: boolean;
}

/** A JP2 file around a codestream; `extended`: with a 64-bit box length. */
export function boxed(
  file: Boxed & { readonly enumerated?: number | undefined; readonly extra?: Bytes },
): Uint8Array {
  return labelled({ ...file, boxes: [box("colr", [1, 0, 0], u32(file.enumerated ?? 16)), file.extra ?? []] });
}

/** A JP2 file around a codestream, with these boxes after ihdr. */
export function labelled(file: Boxed & { readonly boxes: readonly Bytes[] }): Uint8Array {
  const [width, height, components] = file.size;
  const { length } = file.codestream;
  const name = [...new TextEncoder().encode("jp2c")];
  return Uint8Array.from([
    ...box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    ...box("ftyp", [...new TextEncoder().encode("jp2 ")], u32(0), [...new TextEncoder().encode("jp2 ")]),
    ...box("jp2h", box("ihdr", u32(height), u32(width), u16(components), [7, 7, 0, 0]), ...file.boxes),
    ...(file.extended ? [...u32(1), ...name, ...u32(0), ...u32(16 + length)] : [...u32(8 + length), ...name]),
    ...file.codestream,
    ...(file.behind ?? []),
  ]);
}

/**
 * A lossless raw codestream of these samples (interleaved). The encoder of high-throughput files stores the
 * lines of several components in another order: line n of all is line n / bands of component n mod bands.
 */
export async function encodeCodestream(picture: {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly bits: number;
  readonly values: ArrayLike<number>;
  readonly signed?: boolean;
  readonly highThroughput: boolean;
  /** Sides of the tiles, for high throughput only. */
  readonly tile?: { readonly width: number; readonly height: number };
  /** Decomposition levels; 2 if absent. */
  readonly levels?: number;
  /** With the 9/7 filter, and not lossless. */
  readonly irreversible?: boolean;
}): Promise<Uint8Array> {
  const { width, height, bands, bits, values, signed = false, highThroughput } = picture;
  const module = highThroughput
    ? await createOpenJph(emscriptenOptions(openjph()))
    : await createOpenJpeg(emscriptenOptions(testHost.wasm("openjpeg")));
  const encoder = "HTJ2KEncoder" in module ? new module.HTJ2KEncoder() : new module.J2KEncoder();
  const samples = bits > 8 ? new Uint8Array(new Uint16Array(values).buffer) : new Uint8Array(values);
  encoder
    .getDecodedBuffer({
      width,
      height,
      bitsPerSample: bits,
      componentCount: bands,
      isSigned: signed,
      isUsingColorTransform: false,
    })
    .set(samples);
  encoder.setDecompositions(picture.levels ?? 2);
  // The service has no use for it.
  if (picture.tile) (encoder as unknown as { setTileSize(size: object): void }).setTileSize(picture.tile);
  encoder.setQuality(!picture.irreversible, picture.irreversible ? 0.01 : 0);
  encoder.encode();
  return encoder.getEncodedBuffer().slice();
}

/**
 * A lossless raw codestream of samples (interleaved), which opj_compress makes of any number of components.
 */
export function compressRaw(
  picture: {
    readonly width: number;
    readonly height: number;
    readonly bands: number;
    readonly bits: number;
    readonly values: ArrayLike<number>;
    readonly signed?: boolean;
  },
  options: readonly string[] = ["-n", "3", "-mct", "0"],
): Uint8Array {
  const { width, height, bands, bits, values, signed = false } = picture;
  const samples = bits > 8 ? new Int16Array(values.length) : new Int8Array(values.length);
  const plane = values.length / bands;
  for (let i = 0; i < values.length; i++) samples[(i % bands) * plane + Math.floor(i / bands)] = values[i]!;
  const layout = `${width},${height},${bands},${bits},${signed ? "s" : "u"}`;
  return opjCompress(new Uint8Array(samples.buffer), ["-F", layout, ...options], { from: "rawl" });
}
