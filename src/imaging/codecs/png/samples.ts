// Converts the bytes of an unfiltered row to samples: depths widened, palette and transparency applied (PNG
// specification 7.2, 11.3.1).

import type { PngHeader } from "./header.ts";

export type PngSamples = Uint8Array | Uint16Array;

/**
 * Writes pixels `x` to `x + count` of an unfiltered row to `out` from index `at`, one
 * pixel every `stride` samples.
 */
export type Expand = (run: PixelRun, out: PngSamples, at: number, stride: number) => void;

/** Pixels of an unfiltered row of a pass. */
export interface PixelRun {
  /** Samples of 16 bit are in machine order, at an even address. */
  readonly row: Uint8Array;
  readonly x: number;
  readonly count: number;
}

/** Returns the expansion for this kind of image: to `header.bands` bands of 8 bit, or of 16 if stored so. */
export function expander(header: PngHeader): Expand {
  const { bitDepth, colourType, transparency, samples } = header;
  if (colourType === 3) return expandPalette(paletteEntries(header), bitDepth, header.bands);
  if (colourType === 0 && bitDepth <= 8 && (bitDepth < 8 || transparency))
    return expandPalette(grayEntries(header), bitDepth, header.bands);
  if (transparency) return expandKeyed(samples, bitDepth, transparency);
  return bitDepth === 16 ? direct16(samples) : direct8(samples);
}

/** True if rows of this kind of image hold its samples as they are passed on. */
export const isDirect = ({ bitDepth, colourType, transparency }: PngHeader): boolean =>
  colourType !== 3 && bitDepth >= 8 && !transparency;

function direct8(bands: number): Expand {
  return ({ row, x, count }, out, at, stride) => {
    const start = x * bands;
    if (stride === bands) {
      out.set(row.subarray(start, start + count * bands), at);
      return;
    }
    for (let i = 0; i < count; i++)
      for (let band = 0; band < bands; band++) out[at + i * stride + band] = row[start + i * bands + band]!;
  };
}

function direct16(bands: number): Expand {
  return ({ row, x, count }, out, at, stride) => {
    const samples = new Uint16Array(row.buffer, row.byteOffset + x * bands * 2, count * bands);
    if (stride === bands) {
      out.set(samples, at);
      return;
    }
    for (let i = 0; i < count; i++)
      for (let band = 0; band < bands; band++) out[at + i * stride + band] = samples[i * bands + band]!;
  };
}

/** Gray or RGB in which one colour, compared at its stored depth, is transparent. */
function expandKeyed(samples: number, bitDepth: number, transparency: Uint8Array): Expand {
  const wide = bitDepth === 16;
  const opaque = wide ? 65535 : 255;
  const key = Array.from(
    { length: samples },
    (_, i) => ((transparency[2 * i]! << 8) | transparency[2 * i + 1]!) & opaque,
  );
  const plain = wide ? direct16(samples) : direct8(samples);
  return (run, out, at, stride) => {
    plain(run, out, at, stride);
    for (let i = 0, to = at; i < run.count; i++, to += stride) {
      let same = true;
      for (let band = 0; band < samples; band++) same &&= out[to + band] === key[band];
      out[to + samples] = same ? 0 : opaque;
    }
  };
}

/** Expands the indexes of the most frequent palettes, bytes to RGB, faster than the general way does. */
function expandColours(entries: Uint8Array): Expand {
  return ({ row, x, count }, out, at, stride) => {
    for (let from = x, to = at; from < x + count; from++, to += stride) {
      const entry = row[from]! * 3;
      out[to] = entries[entry]!;
      out[to + 1] = entries[entry + 1]!;
      out[to + 2] = entries[entry + 2]!;
    }
  };
}

/** Expands indexes of 1, 2, 4 or 8 bit, highest bits first, into entries of `bands` samples. */
function expandPalette(entries: Uint8Array, bitDepth: number, bands: number): Expand {
  if (bitDepth === 8 && bands === 3) return expandColours(entries);
  const mask = (1 << bitDepth) - 1;
  const highest = 8 - bitDepth;
  return ({ row, x, count }, out, at, stride) => {
    let byte = Math.floor((x * bitDepth) / 8);
    let shift = highest - ((x * bitDepth) % 8);
    for (let i = 0, to = at; i < count; i++, to += stride) {
      const entry = ((row[byte]! >> shift) & mask) * bands;
      // A loop over so few bands takes a third longer.
      out[to] = entries[entry]!;
      if (bands > 1) out[to + 1] = entries[entry + 1]!;
      if (bands > 2) out[to + 2] = entries[entry + 2]!;
      if (bands > 3) out[to + 3] = entries[entry + 3]!;
      shift -= bitDepth;
      if (shift < 0) {
        shift = highest;
        byte++;
      }
    }
  };
}

/** Indexes past the palette are opaque black. */
function paletteEntries({ palette, transparency, bands }: PngHeader): Uint8Array {
  const entries = new Uint8Array(256 * bands);
  for (let i = 0; i < 256; i++) {
    for (let band = 0; band < 3; band++) entries[i * bands + band] = palette?.[i * 3 + band] ?? 0;
    if (transparency) entries[i * bands + 3] = transparency[i] ?? 255;
  }
  return entries;
}

function grayEntries({ bitDepth, transparency, bands }: PngHeader): Uint8Array {
  const last = (1 << bitDepth) - 1;
  const entries = new Uint8Array((last + 1) * bands);
  const key = transparency ? ((transparency[0]! << 8) | transparency[1]!) & last : -1;
  for (let i = 0; i <= last; i++) {
    entries[i * bands] = (i * 255) / last;
    if (transparency) entries[i * bands + 1] = i === key ? 0 : 255;
  }
  return entries;
}
