// Raw pixels: the output of decoders, the input and output of steps, and the input of encoders.

/**
 * Meaning of the bands of a pixel. `ycc` is full-range BT.601 (JFIF). `lab` is CIELAB under D50: 0 to full
 * scale are L* 0 to 100, and a* and b* -128 to 127.
 */
export type Interpretation = "gray" | "rgb" | "ycc" | "cmyk" | "lab";

/**
 * Interleaved samples, rows without padding: `data.length === width * height * bands`. gray: 1 band, or 2
 * with alpha; rgb, ycc and lab: 3, or 4 with alpha; cmyk: 4, where 0 is no ink, or 5 with alpha. Alpha is the
 * last band and not premultiplied. 8 bit: 0 to 255; 16 bit: 0 to 65535.
 */
export interface PixelBuffer {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly interpretation: Interpretation;
  readonly data: Uint8Array | Uint16Array;
}

/** One band of samples; `stride` counts samples from row to row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly data: Uint8Array | Uint16Array;
}

/** Bands of colour, without alpha. */
const colourBands = { gray: 1, rgb: 3, ycc: 3, lab: 3, cmyk: 4 } as const satisfies Record<
  Interpretation,
  number
>;

/** True if the last band is alpha. */
export function hasAlpha({ bands, interpretation }: Pick<PixelBuffer, "bands" | "interpretation">): boolean {
  return bands > colourBands[interpretation];
}

/** The largest sample value: 255 or 65535. */
export function fullScale(pixels: Pick<PixelBuffer, "data">): 255 | 65535 {
  return pixels.data instanceof Uint16Array ? 65535 : 255;
}

/** Zeroed samples of the same depth as `like`. */
export function samplesLike(like: Pick<PixelBuffer, "data">, length: number): Uint8Array | Uint16Array {
  return like.data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}
