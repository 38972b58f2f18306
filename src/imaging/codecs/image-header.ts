// The facts in the header of one page of a master, in the same form for all formats.

import type { Interpretation } from "../pipeline/pixels.ts";

/** Physical resolution in pixels per centimetre. */
export interface Resolution {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of whole pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Facts of one page of a master, read from its header alone. Plain data, cached as JSON in the info slot.
 * `bands`, `depth` and `interpretation` describe decoded pixels: palettes expanded, sub-byte samples widened
 * to 8 bit, float counted as 16.
 */
export interface ImageHeader {
  /** Name in the table of formats. */
  readonly format: string;
  /** Width as stored, before orientation. */
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** Samples have a high dynamic range, which derivatives show as far as ordinary displays can. */
  readonly hdr?: true;
  /** The file has a map to a high dynamic range (ISO 21496-1), which derivatives do not show. */
  readonly gainMap?: true;
  /** All samples are black or white: one band, stored with 1 bit. */
  readonly bilevel?: true;
  /** EXIF numbering 1 to 8; 1 if absent or out of range. */
  readonly orientation: number;
  /** Separate pictures of a TIFF (pyramid levels do not count), frames of a GIF or WebP; else 1. */
  readonly pages: number;
  /**
   * The file has more pages, which are not served: beyond the limit, or after a damaged directory that hides
   * them.
   */
  readonly pagesCut?: "limit" | "damage";
  /** Kind within the format, in words for people: "progressive", "lzw", "htj2k". */
  readonly variant: string;
  readonly resolution?: Resolution | undefined;
  /** Stored tile size, if the file is tiled. */
  readonly tile?: { readonly width: number; readonly height: number };
  /** True if the file has tiles and levels, so that a response reads about as many pixels as it shows. */
  readonly scalable?: true;
  /** Label of the page according to its file, such as "iv". */
  readonly pageLabel?: string;
  /**
   * Set if a page has no pixels of its own, so that it is drawn in a size that suits it: why it is not one
   * image, as a clause about it, such as "it has several images".
   */
  readonly drawn?: string;
  /** Colour facts of the file; absent if it states none. */
  readonly colour?: ColourFacts | undefined;
  /** CIE 1931 x and y of the white point of CIELAB samples; absent for D50. */
  readonly labWhite?: readonly [x: number, y: number];
  /** Reason why this file is refused, in words for the caller, if the header shows it. */
  readonly unsupported?: string | undefined;
  /** Set by plans if derivatives show only a range of the values: each read then has a `window`. */
  readonly windowed?: true;
  /**
   * The file ends before something that its header refers to, or in zeros before its end: derivatives of it
   * are not cached.
   */
  readonly incomplete?: true;
  /** Facts for the format's own decoder only. JSON values. */
  readonly details?: Readonly<Record<string, number | string | boolean | readonly number[]>>;
}

/** Colour facts in a file's header. */
export interface ColourFacts {
  /**
   * Source of the facts. `cicp`: code points of PNG's cICP, AVIF or JPEG XL; `icc`: an embedded profile;
   * `chunks`: PNG's gAMA, cHRM and sRGB; `exif`: the colour space in EXIF.
   */
  readonly from: "cicp" | "icc" | "chunks" | "exif";
  /**
   * True if the samples are sRGB (gray: in its tone curve) within rounding, so that nothing has to be
   * converted.
   */
  readonly srgb: boolean;
  /**
   * Reason why an embedded profile or cICP is not used, in words for people; the samples are then treated as
   * if it were missing.
   */
  readonly ignored?: string;
  /** The profile is of RGB, and applies to gray samples as if they were equal red, green and blue. */
  readonly neutral?: true;
  /** ColourPrimaries and TransferCharacteristics of ITU-T H.273. */
  readonly codePoints?: readonly [primaries: number, transfer: number];
  /** From chunks other than sRGB: gAMA, and cHRM in its order, white first. */
  readonly gamma?: number | undefined;
  readonly chromaticities?: readonly number[] | undefined;
}
