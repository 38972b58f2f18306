// Kinds of JPEG 2000 files that cannot be served, and the messages about them.

import type { Mapping, Palette } from "./boxes.ts";
import { areUnequal, type Codestream, type Component, componentExtent } from "./codestream.ts";
import { refuseExtension } from "./extensions.ts";
import type { LabCoding } from "./lab.ts";

/** Returns why colours of another space are unsupported. */
export const refuseColours = (name = "another colour space"): string =>
  `Expected gray, sRGB, sYCC, CMYK or CIELab colour in a JPEG 2000 file, received ${name}`;

/** Returns why the mapping of a palette cannot be served; undefined if it can. */
export function refuseMapping(
  { components }: Codestream,
  palette: Palette,
  mapping: readonly Mapping[],
): string | undefined {
  return mapping.every(mapChannel(palette, components))
    ? undefined
    : "Expected JPEG 2000 palette columns and components that exist, received a mapping to others";
}

/** Returns why CIELab cannot be served; undefined if it can. */
export function refuseLab(
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
  const { components, extension } = codestream;
  if (extension) return refuseExtension(extension);
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
