// Input of our own JPEG encoder: validated pixels or planes, passed to the module strip by strip.

import { ImagingError } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import { accept, bytesOf, type EncoderModule } from "./module.ts";

/** Sampling of chroma relative to luma, as written to a file. */
export type Sampling = "gray" | "444" | "422" | "420";

/** Luma blocks of an MCU, across and down, and number of components. */
export const samplings = {
  gray: { across: 1, down: 1, components: 1 },
  "444": { across: 1, down: 1, components: 3 },
  "422": { across: 2, down: 1, components: 3 },
  "420": { across: 2, down: 2, components: 3 },
} as const satisfies Record<Sampling, { across: number; down: number; components: 1 | 3 }>;

/** Samples of one component: `height` rows of `width` bytes, `stride` bytes apart. */
export interface Plane {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
}

/**
 * Input of the encoder. `pixels`: 8 bits, one band of gray or three of RGB. `planes`: Y, Cb and Cr of JFIF (Y
 * alone for gray), with ceil(width/2) and ceil(height/2) samples of chroma if it is halved. Planes are
 * written in their own sampling, except 4:4:4, which is written as `chroma` says. If width or height are not
 * whole MCUs, a plane is extended with its last sample.
 */
export type JpegInput = { readonly kind: "pixels"; readonly pixels: PixelBuffer } | JpegPlanes;

export interface JpegPlanes {
  readonly kind: "planes";
  readonly width: number;
  readonly height: number;
  readonly planes: readonly Plane[];
  readonly sampling: Sampling;
}

/** Limit in bytes, set by the module, for the rows of one strip. */
const maxInput = 128 * 1024 * 1024;
/** Largest side that fits the fields of a frame header. */
const maxSide = 65535;

/** A checked input: its size, its sampling in the file, and a method that passes strips to the module. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly sampling: Sampling;
  readonly inputBytes: number;
  /** Passes strip `index` to the module. */
  give(wasm: EncoderModule, index: number): void;
}

/**
 * Validates an input and chooses its sampling; `chroma` applies if chroma can still be reduced. Throws
 * ImagingError `encode`.
 */
export function pictureOf(input: JpegInput, chroma: "420" | "444"): Picture {
  return input.kind === "pixels" ? fromPixels(input.pixels, chroma) : fromPlanes(input, chroma);
}

function fromPixels(pixels: PixelBuffer, chroma: "420" | "444"): Picture {
  const { width, height, bands, interpretation, data } = pixels;
  const expected = { gray: 1, rgb: 3, ycc: 0, cmyk: 0, lab: 0 }[interpretation];
  if (!(data instanceof Uint8Array) || bands !== expected || data.length !== width * height * bands)
    throw refusedInputError(
      "8-bit gray or RGB pixels without alpha, as many as width times height",
      `${width}x${height} ${interpretation} in ${bands} bands with ${data.length} samples`,
    );
  checkSides(width, height);
  const sampling = bands === 1 ? "gray" : chroma;
  return new PixelsPicture(width, height, sampling, data);
}

// RGB or gray pixels as input. This is a class since V8 drops the compiled code of functions that are created
// for each image.
class PixelsPicture implements Picture {
  readonly width: number;
  readonly height: number;
  readonly sampling: Sampling;
  readonly inputBytes: number;
  readonly #data: Uint8Array;
  readonly #pitch: number;

  constructor(width: number, height: number, sampling: Sampling, data: Uint8Array) {
    this.width = width;
    this.height = height;
    this.sampling = sampling;
    this.#data = data;
    this.#pitch = data.length / height;
    this.inputBytes = 8 * samplings[sampling].down * this.#pitch;
  }

  give(wasm: EncoderModule, index: number): void {
    const from = index * this.inputBytes;
    bytesOf(wasm).set(this.#data.subarray(from, from + this.inputBytes), wasm.inputAt());
    accept(this.sampling === "gray" ? wasm.takePlane(0, this.#pitch, 0) : wasm.takePixels(this.#pitch));
  }
}

function fromPlanes(input: JpegPlanes, chroma: "420" | "444"): Picture {
  const { width, height, planes, sampling: stored } = input;
  checkSides(width, height);
  const { across, down, components } = samplings[stored];
  const sizes = Array.from({ length: components }, (_, i) =>
    i === 0 ? { width, height } : { width: Math.ceil(width / across), height: Math.ceil(height / down) },
  );
  for (const [i, size] of sizes.entries()) checkPlane(planes[i], size, i);
  if (planes.length !== components)
    throw refusedInputError(`${components} planes for sampling ${stored}`, `${planes.length}`);

  const sampling = stored === "444" ? chroma : stored;
  const target = samplings[sampling];
  const lumaRows = 8 * target.down;
  const rows = sizes.map((_, i) => (i === 0 || stored !== sampling ? lumaRows : lumaRows / down));
  return new PlanesPicture(input, sampling, rows);
}

class PlanesPicture implements Picture {
  readonly width: number;
  readonly height: number;
  readonly sampling: Sampling;
  readonly inputBytes: number;
  readonly #planes: readonly Plane[];
  /** Rows of each plane in a strip. */
  readonly #rows: readonly number[];
  /** 1 if the module reduces chroma. */
  readonly #reduces: 0 | 1;

  constructor(input: JpegPlanes, sampling: Sampling, rows: readonly number[]) {
    this.width = input.width;
    this.height = input.height;
    this.sampling = sampling;
    this.inputBytes = Math.max(...input.planes.map(({ stride }, i) => stride * rows[i]!));
    this.#planes = input.planes;
    this.#rows = rows;
    this.#reduces = input.sampling === sampling ? 0 : 1;
  }

  give(wasm: EncoderModule, index: number): void {
    for (let component = 0; component < this.#planes.length; component++) {
      const { data, stride, width, height } = this.#planes[component]!;
      const rows = this.#rows[component]!;
      const first = index * rows;
      const last = Math.min(height, first + rows) - 1;
      bytesOf(wasm).set(data.subarray(first * stride, last * stride + width), wasm.inputAt());
      accept(wasm.takePlane(component, stride, this.#reduces));
    }
  }
}

/** Throws ImagingError `encode` for sizes that do not fit into a frame header. */
export function checkSides(width: number, height: number): void {
  const fits = [width, height].every((side) => Number.isInteger(side) && side >= 1 && side <= maxSide);
  if (!fits) throw refusedInputError(`sides from 1 to ${maxSide} pixels`, `${width}x${height}`);
}

function checkPlane(plane: Plane | undefined, size: { width: number; height: number }, index: number): void {
  const received =
    plane && `${plane.width}x${plane.height}, ${plane.stride} apart, in ${plane.data.length} bytes`;
  const sized =
    plane &&
    plane.width === size.width &&
    plane.height === size.height &&
    Number.isInteger(plane.stride) &&
    plane.stride >= plane.width &&
    plane.stride * 16 <= maxInput &&
    plane.data.length >= (plane.height - 1) * plane.stride + plane.width;
  if (!sized)
    throw refusedInputError(
      `plane ${index} with ${size.width}x${size.height} samples in its rows`,
      received ?? "none",
    );
}

export function refusedInputError(expected: string, received: string): ImagingError {
  return new ImagingError(
    "encode",
    `Expected ${expected} for JPEG; received ${received}. Convert the picture before.`,
    { code: "not_encodable" },
  );
}
