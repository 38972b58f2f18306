// Which component of a JPEG 2000 file becomes which band: from its labels and channel definitions, unless
// they contradict the number of components (ITU-T T.800 I.5.3).

import type { Interpretation } from "../../pipeline/pixels.ts";
import type { Boxes, ChannelDefinition, Mapping, Palette } from "./boxes.ts";
import type { Codestream } from "./codestream.ts";
import type { LabCoding } from "./lab.ts";
import { type ColourLabel, coloursOf } from "./labels.ts";
import { refuseColours, refuseLab, refuseMapping, refuseSamples } from "./refusals.ts";

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
  /** Position of the profile of these colours in the file. */
  readonly profile?: ColourLabel["profile"];
  /** Reason why it cannot be served, in words for the caller. */
  readonly unsupported?: string;
}

/** Returns the bands of a file. */
export function chooseBands(codestream: Codestream, boxes: Boxes): Bands {
  const { components } = codestream;
  const { palette, mapping } = paletteOf(boxes, components.length);
  const channels = Array.from({ length: mapping?.length ?? components.length }, (_, c) => c);
  const roles = rolesOf(channels, boxes.definitions ?? []);
  const label = chooseLabel(boxes.labels, roles);
  const named = label?.space ?? (maxColours(roles) < 3 ? "gray" : "rgb");
  // Only chroma has fewer samples than others, whatever the file names; OpenJPEG and libvips interpret it so
  // too.
  const [first, ...others] = components.slice(0, 3);
  const isHalved = others.some(({ dx, dy }) => dx !== first?.dx || dy !== first.dy);
  const interpretation = named === "rgb" && isHalved ? "ycc" : named;
  const { order, premultiplied, unsupported } = orderChannels(roles, coloursOf[interpretation]);
  const lab = interpretation === "lab" ? (label?.lab ?? {}) : undefined;
  const profile = label?.profile ?? firstProfile(boxes.labels);
  const refused =
    (label && !label.space ? refuseColours(label.name) : undefined) ??
    refuseSamples(codestream) ??
    (palette && mapping && refuseMapping(codestream, palette, mapping)) ??
    (lab && refuseLab(codestream, lab, palette)) ??
    unsupported ??
    (premultiplied && interpretation !== "gray" && interpretation !== "rgb" ? refusedAlpha : undefined);
  return {
    interpretation,
    from: order.map((channel) => mapping?.[channel] ?? { component: channel }),
    ...(palette && { palette }),
    ...(lab && { lab }),
    ...(label?.inverted && { inverted: true }),
    ...(premultiplied && { premultiplied }),
    ...(profile && { profile }),
    ...(refused && { unsupported: `${refused}; convert the file.` }),
  };
}

/** Returns the palette and its mapping; without cmap, each column is a channel of the only component. */
function paletteOf(
  { palette, mapping }: Boxes,
  components: number,
): { readonly palette?: Palette; readonly mapping?: readonly Mapping[] } {
  if (palette && mapping && mapping.length > 0) return { palette, mapping };
  if (!palette || components > 1) return {};
  return { palette, mapping: palette.bits.map((_, column) => ({ component: 0, column })) };
}

/** What a channel is: a colour, alpha, of no stated meaning, or not mentioned. */
interface Role {
  readonly channel: number;
  readonly kind: "colour" | "opacity" | "premultiplied" | "unspecified" | "unsaid";
  readonly association: number;
}

/** T.800 table I.16. */
const kinds = ["colour", "opacity", "premultiplied"] as const;

/**
 * Returns the roles of all channels. Definitions that specify nothing, alpha alone or two colours, which no
 * space has, do not count.
 */
function rolesOf(channels: readonly number[], definitions: readonly ChannelDefinition[]): readonly Role[] {
  const roles = channels.map((channel): Role => {
    const row = definitions.find((one) => one.channel === channel);
    if (!row) return { channel, kind: "unsaid", association: 0 };
    return { channel, kind: kinds[row.type] ?? "unspecified", association: row.association };
  });
  const isSpecified = roles.some((role) => isColour(role) || isOpacity(role)) && !roles.every(isOpacity);
  return isSpecified && roles.filter(isColour).length !== 2
    ? roles
    : channels.map((channel) => ({ channel, kind: "unsaid", association: 0 }));
}

const isOpacity = ({ kind }: Role) => kind === "opacity" || kind === "premultiplied";
const isColour = ({ kind }: Role) => kind === "colour";

/** Number of colours if all channels but alpha are colours. */
const maxColours = (roles: readonly Role[]): number => roles.filter((role) => !isOpacity(role)).length;

/**
 * Returns the label that counts: the first one for which there are colours enough, by the definitions or by
 * the number of channels, and preferably one that is served. Gray cannot be right for three colours.
 */
function chooseLabel(labels: readonly ColourLabel[], roles: readonly Role[]): ColourLabel | undefined {
  const fits =
    (count: number) =>
    ({ colours = Number.POSITIVE_INFINITY }: ColourLabel) =>
      count >= colours && !(colours === 1 && count > 2);
  const defined = roles.filter(isColour).length;
  const fitting = [defined, maxColours(roles)].flatMap((count) => labels.filter(fits(count)));
  return fitting.find(({ space }) => space) ?? fitting[0];
}

/** Returns the profile of a file whose colours it may not fit: that of the first colr box. */
const firstProfile = ([first]: readonly ColourLabel[]) => first?.profile;

/** Sorts channels in the order of the bands, colours first, alpha last. */
function orderChannels(
  roles: readonly Role[],
  colours: 1 | 3 | 4,
): { order: number[]; premultiplied?: true; unsupported?: string } {
  const defined = roles.filter(isColour);
  const isDefined = defined.length >= colours;
  const associated = Array.from({ length: colours }, (_, i) =>
    defined.find(({ association }) => association === i + 1),
  ).filter((role) => role !== undefined);
  const inOrder = isDefined ? defined : roles.filter((role) => !isOpacity(role));
  const chosen = associated.length === colours ? associated : inOrder.slice(0, colours);
  // OpenJPEG and libvips take the first channel after the colours for alpha too.
  const unsaidAlpha = () =>
    roles.find((role) => !chosen.includes(role) && !(isDefined && role.kind === "unspecified"));
  const opacities = roles.filter(isOpacity);
  const isWhole = isOfWhole(colours);
  const alpha = opacities.length > 0 ? alphaOf(opacities.filter(isWhole)) : unsaidAlpha();
  const order = [...chosen, ...(alpha ? [alpha] : [])].map(({ channel }) => channel);
  if (!opacities.every(isWhole)) return { order, unsupported: refusedAlpha };
  return { order, ...(alpha?.kind === "premultiplied" && { premultiplied: true }) };
}

/**
 * True for alpha of the image as a whole (table I.17), of the one colour of a gray image, or of a colour that
 * there is not.
 */
const isOfWhole =
  (colours: number) =>
  ({ association }: Role) =>
    association === 0 || association > colours || (colours === 1 && association === 1);

/** Returns the alpha that counts. */
const alphaOf = (opacities: readonly Role[]): Role | undefined =>
  opacities.find(({ kind }) => kind === "opacity") ?? opacities[0];

const refusedAlpha =
  "Expected one alpha for all colours of a JPEG 2000 file, premultiplied only with gray or RGB";
