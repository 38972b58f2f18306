// Header facts of a JPEG 2000 file, boxed (JP2, JPH) or raw, and the mapping of its components to bands
// (ITU-T T.800 Annex I).

import { ImagingError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { colourFacts, piecewise } from "../../metadata/colour.ts";
import type { Interpretation } from "../../pipeline/pixels.ts";
import { fourCC, headerBytes } from "../header-bytes.ts";
import type { ImageHeader } from "../image-header.ts";
import {
  type Boxes,
  type ChannelDefinition,
  type ColourSpace,
  type Mapping,
  type Palette,
  readBoxes,
} from "./boxes.ts";
import {
  areUnequal,
  type Codestream,
  type Component,
  componentExtent,
  damagedError,
  isSubsampled,
  readCodestream,
} from "./codestream.ts";
import type { LabCoding } from "./lab.ts";

/** Mapping of decoded components to the bands of a PixelBuffer. */
export interface Bands {
  readonly interpretation: Interpretation;
  /** Component of each band, and the palette column for its samples, if any. */
  readonly from: readonly Mapping[];
  readonly palette?: Palette;
  /** Coding of CIELab in components. */
  readonly lab?: LabCoding;
  /** Set for gray of which 0 is white. */
  readonly inverted?: true;
  /** True if colours were multiplied by alpha. */
  readonly premultiplied?: true;
  /** Reason why it cannot be served, in words for the caller. */
  readonly unsupported?: string;
}

export interface Facts {
  readonly boxes: Omit<Boxes, "size">;
  readonly codestream: Codestream;
  readonly bands: Bands;
  readonly depth: 8 | 16;
}

const signature = [12, fourCC("jP  "), 0x0d0a870a] as const;
const colourBands = { gray: 1, rgb: 3, ycc: 3, cmyk: 4, lab: 3 } as const;

/** True if these are the first bytes of a boxed or raw JPEG 2000 file. */
export function isJpeg2000(head: Uint8Array): boolean {
  if (head.length < 12) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return signature.every((word, i) => view.getUint32(4 * i) === word) || view.getUint32(0) === 0xff4fff51;
}

/**
 * Returns the header facts that the service caches. Throws ImagingError `decode`, and `not-found` for a page
 * other than 1.
 */
export async function readHeader(bytes: ByteSource, page: number): Promise<ImageHeader> {
  if (page !== 1)
    throw new ImagingError(
      "not-found",
      `Expected page 1, the only one of a JPEG 2000 picture, received ${page}.`,
      { code: "page_not_found" },
    );
  const { boxes, codestream, bands, depth } = await readFacts(bytes);
  const { width, height, tileWidth, tileHeight, tiles } = codestream;
  const icc = boxes.profile && piecewise(bytes, [boxes.profile]);
  const colour = await colourFacts({ icc }, bands.interpretation);
  return {
    format: "jp2",
    width,
    height,
    bands: bands.from.length,
    depth,
    interpretation: bands.interpretation,
    orientation: boxes.orientation,
    pages: 1,
    variant: `${codestream.highThroughput ? "htj2k" : "jpeg2000"}, ${codestream.reversible ? "reversible" : "irreversible"}, ${codestream.progression}`,
    ...(boxes.resolution && { resolution: boxes.resolution }),
    ...(tiles > 1 && { tile: { width: tileWidth, height: tileHeight } }),
    ...(colour && { colour }),
    ...(bands.lab?.white && { labWhite: bands.lab.white }),
    ...(bands.unsupported && { unsupported: bands.unsupported }),
    details: {
      levels: bands.palette ? 0 : codestream.levels, // indexes cannot be averaged
      starts: starts(codestream),
      components: codestream.components.length,
      ...(codestream.highThroughput && { highThroughput: true }),
      ...(codestream.reversible && { reversible: true }),
      ...(codestream.components.some(isSubsampled) && { subsampled: true }),
    },
  };
}

/** Origins of components on their own grids, across and down, without repetitions. */
export function starts(codestream: Codestream): number[] {
  const places = codestream.components.flatMap((component) => {
    const { left, top } = componentExtent(codestream, component, 0);
    return [left, top];
  });
  return [...new Set(places)];
}

/** Returns all facts in the header. */
export async function readFacts(bytes: ByteSource): Promise<Facts> {
  const file = await headerBytes(bytes);
  const head = await file.view(0, 12);
  if (!head || !isJpeg2000(new Uint8Array(head.buffer, head.byteOffset, 12)))
    throw damagedError("a JP2 signature box or a codestream, received something else");
  const raw = head.getUint32(0) === 0xff4fff51;
  const boxes: Boxes = raw ? { codestream: { start: 0 }, orientation: 1 } : await readBoxes(file);
  const codestream = await readCodestream(file, boxes.codestream.start);
  const { size } = boxes;
  if (
    size &&
    (size.width !== codestream.width ||
      size.height !== codestream.height ||
      size.components !== codestream.components.length)
  )
    throw damagedError(
      `an ihdr box of the codestream's ${codestream.width}x${codestream.height}x${codestream.components.length}, received ${size.width}x${size.height}x${size.components}`,
    );
  const bands = chooseBands(codestream, boxes);
  const bits = bands.from.map(({ component, column }) =>
    column === undefined ? codestream.components[component]?.bits : bands.palette?.bits[column],
  );
  return { boxes, codestream, bands, depth: bits.some((each = 8) => each > 8) ? 16 : 8 };
}

function chooseBands(codestream: Codestream, boxes: Boxes): Bands {
  const { components } = codestream;
  const palette = boxes.mapping ? boxes.palette : undefined;
  const channels = palette ? (boxes.mapping?.length ?? 0) : components.length;
  const byProfile = profileSpace(boxes, channels);
  const space = byProfile ?? boxes.colour ?? (channels <= 2 ? "gray" : "rgb");
  const named = space === "other" ? (channels <= 2 ? "gray" : "rgb") : space;
  // Only chroma has fewer samples than others, whatever the file names; OpenJPEG and libvips interpret it so
  // too.
  const [first, ...others] = components.slice(0, 3);
  const isHalved = others.some(({ dx, dy }) => dx !== first?.dx || dy !== first.dy);
  const interpretation = named === "rgb" && isHalved ? "ycc" : named;
  const { order, premultiplied, unsupported } = orderChannels(
    channels,
    colourBands[interpretation],
    boxes.definitions,
  );
  const from = order.map((channel) => (palette && boxes.mapping?.[channel]) ?? { component: channel });
  const lab = interpretation === "lab" ? (boxes.lab ?? {}) : undefined;
  const refused =
    refuse(codestream, boxes, space === "other", palette) ??
    (lab && refuseLab(codestream, lab, palette)) ??
    unsupported ??
    (premultiplied && interpretation !== "gray" && interpretation !== "rgb" ? refusedAlpha : undefined);
  return {
    interpretation,
    from,
    ...(palette && { palette }),
    ...(lab && { lab }),
    ...(!byProfile && boxes.inverted && { inverted: true }),
    ...(premultiplied && { premultiplied }),
    ...(refused && { unsupported: `${refused}; convert the file.` }),
  };
}

/** Returns the space of a profile for the number of colours. */
function profileSpace({ profile, definitions }: Facts["boxes"], channels: number): ColourSpace | undefined {
  const space = profile?.space;
  const defined = definitions?.filter(({ type }) => type === 0).length;
  const fits = (colours: number) =>
    defined === undefined ? channels === colours || channels === colours + 1 : defined === colours;
  return space && (space === "other" || fits(colourBands[space])) ? space : undefined;
}

/** Sorts channels in the order of the bands, colours first, alpha last. */
function orderChannels(
  channels: number,
  colours: 1 | 3 | 4,
  definitions: Boxes["definitions"],
): { order: number[]; premultiplied?: true; unsupported?: string } {
  const plain = Array.from({ length: colours }, (_, i) => Math.min(i, channels - 1));
  if (!definitions) {
    if (channels === colours) return { order: plain };
    if (channels === colours + 1 && colours < 4) return { order: [...plain, colours] };
    return {
      order: plain,
      unsupported: `Expected ${colours} colour channels of this JPEG 2000 file, with or without alpha, received ${channels} channels`,
    };
  }
  const isColour = (i: number) => (row: ChannelDefinition) =>
    row.type === 0 && (row.association === i + 1 || (colours === 1 && row.association === 0)); // Kakadu's gray
  const order = plain.map((_, i) => definitions.find(isColour(i))?.channel ?? channels);
  const alphaOf = (type: number) => definitions.find(isAlpha(type, colours));
  const alpha = alphaOf(channelTypes.opacity) ?? alphaOf(channelTypes.premultiplied);
  if (alpha) order.push(alpha.channel);
  if (order.some((channel) => channel >= channels))
    return {
      order: plain,
      unsupported: "Expected a JPEG 2000 channel for each colour, received definitions that lack one",
    };
  const { opacity, premultiplied } = channelTypes;
  const others = definitions.some(
    (row) =>
      row !== alpha &&
      ((row.type === premultiplied && row.association !== 0) ||
        (row.type === opacity && row.association >= 1 && row.association <= colours)),
  );
  if (others) return { order, unsupported: refusedAlpha };
  return { order, ...(alpha?.type === premultiplied && { premultiplied: true }) };
}

/** T.800 table I.16: contents of a channel that is no colour. */
const channelTypes = { opacity: 1, premultiplied: 2 } as const;
/** Alpha of the image as a whole (table I.17), or of the one colour of a gray image. */
const isAlpha = (type: number, colours: number) => (row: ChannelDefinition) =>
  row.type === type && (row.association === 0 || (colours === 1 && row.association === 1));

const refusedAlpha =
  "Expected one alpha for all colours of a JPEG 2000 file, premultiplied only with gray or RGB";

/** Returns why components are unsupported, or undefined. */
function refuse(
  codestream: Codestream,
  boxes: Boxes,
  unknownColour: boolean,
  palette: Palette | undefined,
): string | undefined {
  if (unknownColour)
    return `Expected gray, sRGB, sYCC, CMYK or CIELab colour in a JPEG 2000 file, received ${boxes.colourName ?? "another colour space"}`;
  const refused = refuseSamples(codestream);
  if (refused) return refused;
  if (palette && !boxes.mapping?.every(mapChannel(palette, codestream.components)))
    return "Expected JPEG 2000 palette columns and components that exist, received a mapping to others";
  return undefined;
}

/** Returns why CIELab cannot be served; undefined if it can. */
function refuseLab(
  { components }: Codestream,
  { unknownWhite }: LabCoding,
  palette: Palette | undefined,
): string | undefined {
  if (unknownWhite)
    return "Expected a standard illuminant such as D50 for CIELab in a JPEG 2000 file, received another";
  if (palette || components.slice(0, 3).some(({ signed }) => signed))
    return `Expected unsigned components for CIELab in a JPEG 2000 file, received ${palette ? "a palette" : "signed ones"}`;
  return undefined;
}

/** Returns why samples cannot be decoded, whatever they mean; undefined if they can. */
export function refuseSamples(codestream: Codestream): string | undefined {
  const { components } = codestream;
  if (components.some((component) => !hasSamples(codestream, component)))
    return "Expected samples in each JPEG 2000 component, received a picture too small for its subsampling";
  const deepest = Math.max(...components.map(({ bits }) => bits));
  if (deepest > 16) return `Expected at most 16 bits per JPEG 2000 sample, received ${deepest}`;
  if (codestream.transformed && components.length >= 3 && areUnequal(components))
    return "Expected a multi-component transform of JPEG 2000 components of one size, received one of unequal components";
  return undefined;
}

function hasSamples(codestream: Codestream, component: Component): boolean {
  const { width, height } = componentExtent(codestream, component, 0);
  return width > 0 && height > 0;
}

const mapChannel =
  (palette: Palette, components: readonly Component[]) =>
  ({ component, column }: Mapping) => {
    const own = components[component];
    return own !== undefined && (column === undefined || (column < palette.bits.length && !own.signed));
  };
