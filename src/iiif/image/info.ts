// Image information documents (Image API 3.0 section 5, 2.1 section 5) and their media type.

import type { Size } from "../../base/index.ts";
import type { Formats } from "./formats.ts";
import type { Limits, SizeRules } from "./size.ts";
import { scaleFactors, tileWithin } from "./tiles.ts";
import type { ImageVersion, Mark } from "./version.ts";
import { imageVersions } from "./versions.ts";

/** JSON-LD context of image information, per version. */
export const contextUri = { 2: imageVersions[2].context, 3: imageVersions[3].context } as const;
/** Document of the compliance level, per version, for `rel="profile"` links. */
export const profileUri = { 2: imageVersions[2].level, 3: imageVersions[3].level } as const;
export const protocolUri = "http://iiif.io/api/image";
export const authContextUri = "http://iiif.io/api/auth/2/context.json";

export interface InformationInput {
  readonly version: 2 | 3;
  /** Absolute URI of the image service, without a trailing /. */
  readonly id: string;
  /** The upright image. */
  readonly size: Size;
  readonly rules: SizeRules;
  readonly formats: Formats;
  /** Formats that clients should ask for, in order (Image API 3.0, section 5.6). */
  readonly preferredFormats: readonly string[];
  /** Authorization services of a gated image. */
  readonly service?: readonly object[];
}

/** Returns the document as a plain object, with its fields in output order. */
export function imageInformation(input: InformationInput): Record<string, unknown> {
  return input.version === 2 ? information2(input) : information3(input);
}

function information3(input: InformationInput): Record<string, unknown> {
  const { id, size, rules, formats, preferredFormats, service = [] } = input;
  const tables = imageVersions[3];
  return {
    "@context": service.length > 0 ? [authContextUri, tables.context] : tables.context,
    id,
    type: "ImageService3",
    protocol: protocolUri,
    profile: "level2",
    width: size.width,
    height: size.height,
    extraFormats: listFormats(formats, tables),
    extraQualities: listAdvertised(marksOf(tables.qualities)),
    extraFeatures: listAdvertised(tables.features),
    preferredFormats,
    ...limitFields(rules.limits),
    ...tileFields(size, rules),
    ...(service.length > 0 ? { service } : {}),
  };
}

function information2({ id, size, rules, formats, service = [] }: InformationInput): Record<string, unknown> {
  const tables = imageVersions[2];
  return {
    "@context": tables.context,
    "@id": id,
    "@type": "iiif:Image",
    protocol: protocolUri,
    width: size.width,
    height: size.height,
    profile: [
      tables.level,
      {
        formats: listFormats(formats, tables),
        qualities: listAdvertised(marksOf(tables.qualities)),
        supports: listAdvertised(tables.features),
        ...limitFields(rules.limits),
      },
    ],
    ...tileFields(size, rules),
    ...(service.length > 0 ? { service } : {}),
  };
}

function limitFields(limits: Limits): Record<string, number> {
  const { maxWidth, maxHeight, maxArea } = limits;
  return Object.fromEntries(
    Object.entries({ maxWidth, maxHeight, maxArea }).filter(([, limit]) => limit > 0),
  );
}

/** A tile that the limits forbid is made smaller, or omitted if none is allowed. */
function tileFields(size: Size, rules: SizeRules): Record<string, unknown> {
  const width = tileWithin(rules);
  return width === undefined ? {} : { tiles: [{ width, scaleFactors: scaleFactors(size, width) }] };
}

function listFormats(formats: Formats, { impliedFormats }: ImageVersion): readonly string[] {
  return Object.keys(formats).filter((name) => formats[name]?.advertised && !impliedFormats.includes(name));
}

function listAdvertised(table: Readonly<Record<string, Mark>>): readonly string[] {
  return Object.keys(table).filter((token) => table[token] === "advertised");
}

function marksOf(table: Readonly<Record<string, { readonly mark: Mark }>>): Record<string, Mark> {
  return Object.fromEntries(Object.entries(table).map(([token, { mark }]) => [token, mark]));
}

/** Media types of image information; a client has to ask for JSON-LD (Image API 3.0, section 5.1). */
export const informationTypes = ["application/json", "application/ld+json"] as const;

/** Returns the content type of image information: JSON-LD includes its profile. */
export function informationType(type: (typeof informationTypes)[number], version: 2 | 3): string {
  return type === "application/ld+json" ? `${type};profile="${contextUri[version]}"` : type;
}
