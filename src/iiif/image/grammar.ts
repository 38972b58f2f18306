// Parser of image request parameters for every version (Image API 3.0 and 2.1, section 4). It accepts what a
// version's tables contain, and nothing else.

import { ServiceError } from "../../base/index.ts";
import type { Formats } from "./formats.ts";
import type { Decimal, ImageRequest, Quality, RegionRequest, Rotation, SizeRequest } from "./request.ts";
import type { ImageVersion, RegionForm, SizeToken } from "./version.ts";
import { imageVersions } from "./versions.ts";

/** The last four path segments, decoded; `file` is quality and format with the dot between them. */
export interface ImageSegments {
  readonly region: string;
  readonly size: string;
  readonly rotation: string;
  readonly file: string;
}

/**
 * Parses decoded segments, with one of `formats` at the end. Throws ServiceError `bad-request` with codes
 * `invalid_region`, `empty_region`, `invalid_size`, `empty_size`, `version_2_does_not_upscale`,
 * `invalid_rotation`, `invalid_quality` and `invalid_format`.
 */
export function parseImageRequest(version: 2 | 3, segments: ImageSegments, formats: Formats): ImageRequest {
  const tables = imageVersions[version];
  const dot = segments.file.lastIndexOf(".");
  return {
    version,
    region: parseRegion(tables, segments.region),
    size: parseSize(tables, segments.size),
    rotation: parseRotation(tables, segments.rotation),
    quality: parseQuality(tables, dot < 0 ? segments.file : segments.file.slice(0, dot)),
    format: parseFormat(formats, dot < 0 ? "" : segments.file.slice(dot + 1)),
  };
}

const regionForms: Record<RegionForm, (text: string) => RegionRequest | undefined> = {
  full: (text) => (text === "full" ? { kind: "full" } : undefined),
  square: (text) => (text === "square" ? { kind: "square" } : undefined),
  "x,y,w,h": (text) => {
    const [x, y, width, height] = list(text, 4, readPixels);
    if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
    if (width === 0 || height === 0) throw emptyRegion(text);
    return { kind: "pixels", x, y, width, height };
  },
  "pct:x,y,w,h": (text) => {
    const [x, y, width, height] = text.startsWith("pct:") ? list(text.slice(4), 4, readDecimal) : [];
    if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
    if (width.digits === 0n || height.digits === 0n) throw emptyRegion(text);
    return { kind: "percent", x, y, width, height };
  },
};

const sizeForms: Record<SizeToken, (text: string, upscale: boolean) => SizeRequest | undefined> = {
  max: (text, upscale) => (text === "max" ? { kind: "max", upscale } : undefined),
  full: (text, upscale) => (text === "full" ? { kind: "max", upscale } : undefined),
  "w,h": (text, upscale) => {
    const [width, height] = list(text, 2, readPixels);
    return width === undefined || height === undefined
      ? undefined
      : { kind: "exact", width, height, upscale };
  },
  "w,": (text, upscale) => {
    const width = text.endsWith(",") ? readPixels(text.slice(0, -1)) : undefined;
    return width === undefined ? undefined : { kind: "width", width, upscale };
  },
  ",h": (text, upscale) => {
    const height = text.startsWith(",") ? readPixels(text.slice(1)) : undefined;
    return height === undefined ? undefined : { kind: "height", height, upscale };
  },
  "pct:n": (text, upscale) => {
    const percent = text.startsWith("pct:") ? readDecimal(text.slice(4)) : undefined;
    return percent === undefined ? undefined : { kind: "percent", percent, upscale };
  },
  "!w,h": (text, upscale) => {
    const [width, height] = text.startsWith("!") ? list(text.slice(1), 2, readPixels) : [];
    return width === undefined || height === undefined
      ? undefined
      : { kind: "confined", width, height, upscale };
  },
};

function parseRegion(tables: ImageVersion, text: string): RegionRequest {
  for (const form of keys(tables.regions)) {
    const region = regionForms[form](text);
    if (region !== undefined) return region;
  }
  throw refuse(
    "invalid_region",
    `Expected a region as ${alternatives(keys(tables.regions))}, with digits only (in percentages also one point); received ${toPrintable(text)}.`,
    "Correct the first of the four image parameters.",
  );
}

/** Parses a size in the form of a path. Throws like {@link parseImageRequest}. */
export function parseSizeParameter(version: 2 | 3, text: string): SizeRequest {
  return parseSize(imageVersions[version], text);
}

function parseSize(tables: ImageVersion, text: string): SizeRequest {
  const caret = text.startsWith("^");
  const size = sizeOf(tables, caret ? text.slice(1) : text, caret);
  if (caret && size !== undefined && tables.upscaling === undefined) {
    throw refuse(
      `version_${tables.version}_does_not_upscale`,
      `Expected a size without ^, since version ${tables.version} of this service does not upscale; received ${toPrintable(text)}.`,
      "Remove the ^, or ask under version 3.",
    );
  }
  if (size === undefined) {
    const forms = alternatives(keys(tables.sizes));
    const prefix = tables.upscaling === undefined ? "" : ", each also after ^";
    throw refuse(
      "invalid_size",
      `Expected a size as ${forms}${prefix}; received ${toPrintable(text)}.`,
      text === "full"
        ? "Ask for max, the name of the full size in this version."
        : "Correct the second of the four image parameters.",
    );
  }
  if (isEmpty(size)) {
    throw refuse(
      "empty_size",
      `Expected a size of at least one pixel; received ${toPrintable(text)}.`,
      "Ask for a width and height above 0.",
    );
  }
  return size;
}

function sizeOf(tables: ImageVersion, text: string, upscale: boolean): SizeRequest | undefined {
  for (const form of keys(tables.sizes)) {
    const size = sizeForms[form](text, upscale);
    if (size !== undefined) return size;
  }
  return undefined;
}

function isEmpty(size: SizeRequest): boolean {
  return (
    ("width" in size && size.width === 0) ||
    ("height" in size && size.height === 0) ||
    ("percent" in size && size.percent.digits === 0n)
  );
}

/** The rotation of nearly all requests. */
const upright: Rotation = { mirror: false, degrees: 0 };

function parseRotation(tables: ImageVersion, text: string): Rotation {
  if (text === "0") return upright;
  const mirror = text.startsWith("!");
  const angle = readDecimal(mirror ? text.slice(1) : text);
  const turn = angle === undefined ? undefined : compare(angle, 360n);
  if (angle === undefined || turn === undefined || turn > 0 || (turn === 0 && !tables.rotation.fullTurn)) {
    throw refuse(
      "invalid_rotation",
      `Expected a rotation from 0 up to ${tables.rotation.fullTurn ? "and with" : "but not"} 360 degrees, with ! before it to mirror; received ${toPrintable(text)}.`,
      "Write it with digits and at most one point.",
    );
  }
  // A millionth of a degree moves no pixel of any picture, and all such numbers print without an exponent.
  const millionths = Number((angle.digits * 2_000_000n + angle.scale) / (2n * angle.scale));
  return { mirror, degrees: (millionths % 360_000_000) / 1_000_000 };
}

function parseQuality(tables: ImageVersion, text: string): Quality {
  const quality = ownEntry(tables.qualities, text);
  if (quality !== undefined) return quality.means;
  throw refuse(
    "invalid_quality",
    `Expected a quality as ${alternatives(keys(tables.qualities))}; received ${toPrintable(text)}.`,
    "Write the last image parameter as quality.format, such as default.jpg.",
  );
}

function parseFormat(formats: Formats, text: string): string {
  if (Object.hasOwn(formats, text)) return text;
  throw refuse(
    "invalid_format",
    `Expected a format as ${alternatives(keys(formats))} after the quality and a point; received ${toPrintable(text)}.`,
    "Write the last image parameter as quality.format, such as default.jpg.",
  );
}

const wholeNumber = /^[0-9]+$/;
const decimalNumber = /^([0-9]*)(?:\.([0-9]+))?$/;

/**
 * Returns whole pixels; a number beyond the safe integers becomes the largest one, which exceeds every image.
 */
function readPixels(text: string): number | undefined {
  if (!wholeNumber.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

function readDecimal(text: string): Decimal | undefined {
  const [found, whole = "", fraction = ""] = decimalNumber.exec(text) ?? [];
  if (found === undefined || found === "") return undefined;
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}

function compare(number: Decimal, whole: bigint): number {
  const difference = number.digits - whole * number.scale;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** Parses exactly `count` values between commas; undefined otherwise. */
function list<T>(
  text: string,
  count: number,
  read: (part: string) => T | undefined,
): readonly (T | undefined)[] {
  const parts = text.split(",");
  return parts.length === count ? parts.map(read) : [];
}

/** Returns own entries only, so that `constructor` is not a quality. */
function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function keys<K extends string>(table: Readonly<Partial<Record<K, unknown>>>): readonly K[] {
  return Object.keys(table) as K[];
}

function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join("; ")} or ${words.at(-1)}`;
}

/** Formats received text for a message: quoted, short, without unprintable characters. */
function toPrintable(text: string): string {
  const printable = [...text.slice(0, 80)].map((c) => (/[\p{C}\p{Z}]/u.test(c) && c !== " " ? "?" : c));
  return `"${printable.slice(0, 40).join("")}${text.length > 40 ? "…" : ""}"`;
}

function emptyRegion(text: string): ServiceError {
  return refuse(
    "empty_region",
    `Expected a region of at least one pixel; received ${toPrintable(text)}.`,
    "Ask for a width and height above 0.",
  );
}

function refuse(code: string, found: string, advice: string): ServiceError {
  return new ServiceError("bad-request", `${found} ${advice}`, { code });
}
