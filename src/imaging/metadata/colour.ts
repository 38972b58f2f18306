// Colour information of a file in any form: facts for its header, and an equivalent ICC profile.

import { type ByteRange, type ByteSource, concatenate, memoryBytes } from "../../base/index.ts";
import type { Decoder } from "../codecs/codec.ts";
import type { ColourFacts, ImageHeader } from "../codecs/image-header.ts";
import { inflating } from "../codecs/inflate.ts";
import { codedProfile, isSrgbCoded, readCodePoints } from "../colour/code-points.ts";
import { ignoredProfile, profileFacts } from "../colour/facts.ts";
import { adobeRgbProfile, chunkProfile } from "../colour/named.ts";
import type { Interpretation } from "../pipeline/pixels.ts";
import type { Exif } from "./exif.ts";

/** Colour information in a file; the first kind that is present counts. */
export interface ColourFields {
  /** PNG: the content of cICP. */
  readonly cicp?: Uint8Array | undefined;
  /** An embedded profile, or why it cannot be used. */
  readonly icc?: ByteSource | { readonly ignored: string } | undefined;
  /** PNG: an sRGB chunk, or the values of gAMA and cHRM. */
  readonly chunks?: ({ readonly srgb: boolean } & Pick<ColourFacts, "gamma" | "chromaticities">) | undefined;
  readonly exif?: Pick<Exif, "colour"> | undefined;
}

/**
 * Returns the facts for a header; undefined if the file has no colour information. Reads what `profileFacts`
 * reads.
 */
export async function colourFacts(
  stated: ColourFields,
  interpretation: Interpretation,
): Promise<ColourFacts | undefined> {
  const { cicp, icc, chunks, exif } = stated;
  const coded = cicp && readCodePoints(cicp);
  if (coded && !("ignored" in coded))
    return { from: "cicp", srgb: isSrgbCoded(coded, interpretation === "gray"), codePoints: coded };
  if (icc) {
    if ("ignored" in icc) return ignoredProfile(icc.ignored, interpretation);
    return profileFacts(icc, interpretation);
  }
  // gAMA and cHRM do not apply next to a cICP chunk, even if that cannot be used (PNG, third edition, 4.3)
  if (coded) return { from: "cicp", srgb: true, ignored: coded.ignored };
  if (chunks) {
    const { srgb, gamma, chromaticities } = chunks;
    const converts =
      !srgb && chunkProfile({ gamma, chromaticities }, interpretation === "gray") !== undefined;
    return converts
      ? { from: "chunks", srgb: false, gamma, ...(chromaticities && { chromaticities }) }
      : { from: "chunks", srgb: true };
  }
  if (!exif?.colour || (interpretation !== "rgb" && interpretation !== "ycc")) return undefined;
  return { from: "exif", srgb: exif.colour === "srgb" };
}

/**
 * Returns the profile of a master whose samples are not sRGB according to its header: its own, or one made
 * from its colour information.
 */
export async function profileOf(
  codec: Pick<Decoder, "metadata">,
  bytes: ByteSource,
  header: ImageHeader,
): Promise<Uint8Array | undefined> {
  const { colour } = header;
  if (colour?.from === "icc") return (await codec.metadata?.read(bytes, header, "icc"))?.icc;
  if (!colour || colour.srgb) return undefined;
  const gray = header.interpretation === "gray";
  if (colour.codePoints) return codedProfile(colour.codePoints, gray);
  return colour.from === "exif" ? adobeRgbProfile() : chunkProfile(colour, gray);
}

/** Joins pieces of a file as one source, truncated at the end of the file. */
export function joinPieces(bytes: ByteSource, pieces: readonly ByteRange[]): ByteSource {
  const end = bytes.size ?? Number.POSITIVE_INFINITY;
  const inside = pieces.map(({ offset, length }) => ({
    offset,
    length: Math.max(0, Math.min(length, end - offset)),
  }));
  return {
    size: inside.reduce((sum, { length }) => sum + length, 0),
    async read(offset, length) {
      const parts: Uint8Array[] = [];
      let start = 0;
      for (const piece of inside) {
        const from = Math.max(offset, start);
        const to = Math.min(offset + length, start + piece.length);
        if (to > from) parts.push(await bytes.read(piece.offset + from - start, to - from));
        start += piece.length;
      }
      return concatenate(parts);
    },
  };
}

/** Bytes of a compressed profile that are read to find out what it is. */
export const compressedProfileBytes = 96 * 1024;
/** Maximum number of bytes that these are inflated to. */
const inflatedProfileBytes = 4 << 20;

/** Decompresses a profile, or the beginning of one: whole if `complete`. */
export async function inflatedProfile(
  data: Uint8Array,
  complete: boolean,
): Promise<NonNullable<ColourFields["icc"]>> {
  const stream = inflating(data);
  const pieces: Uint8Array[] = [];
  let total = 0;
  let broken = false;
  try {
    for (
      let piece = await stream.next();
      piece && total < inflatedProfileBytes;
      piece = await stream.next()
    ) {
      pieces.push(piece);
      total += piece.length;
    }
  } catch {
    broken = true;
  } finally {
    stream.close();
  }
  if (complete && broken) return { ignored: "it is damaged: expected compressed data, received other bytes" };
  const known = memoryBytes(concatenate(pieces));
  return complete && total < inflatedProfileBytes ? known : { read: known.read };
}
