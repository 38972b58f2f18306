// The canonical form of a request (Image API 3.0 section 4.7, 2.1 section 4.7), and the file name of its
// response.

import type { Size } from "../../base/index.ts";
import type { Geometry } from "./geometry.ts";
import { percentEncode } from "./path.ts";
import type { ImageRequest } from "./request.ts";
import { largestSize, sizeFromOneSide } from "./resolve-size.ts";

export interface CanonicalOptions {
  /** True if the source image is gray, so that `gray` changes nothing. */
  readonly gray: boolean;
}

/**
 * Returns `region/size/rotation/quality.format` in canonical form, not percent-encoded. Parsed again and
 * resolved for the same image, limits and tile side it yields the same geometry.
 */
export function canonicalParameters(
  request: ImageRequest,
  geometry: Geometry,
  image: Size,
  options: CanonicalOptions,
): string {
  const { mirror, degrees } = request.rotation;
  const rotation = `${mirror ? "!" : ""}${degrees}`;
  const quality =
    request.quality === "color" || (request.quality === "gray" && options.gray) ? "default" : request.quality;
  const size = request.version === 2 ? canonicalSize2(geometry, image) : canonicalSize3(geometry);
  return `${canonicalRegion(geometry, image)}/${size}/${rotation}/${quality}.${request.format}`;
}

function canonicalRegion({ region }: Geometry, image: Size): string {
  const whole = region.width === image.width && region.height === image.height;
  return whole ? "full" : `${region.x},${region.y},${region.width},${region.height}`;
}

function canonicalSize3({ region, size, limits }: Geometry): string {
  if (isSameSize(size, largestSize(region, limits, false))) return "max";
  if (isSameSize(size, largestSize(region, limits, true))) return "^max";
  const caret = size.width > region.width || size.height > region.height ? "^" : "";
  return `${caret}${size.width},${size.height}`;
}

function canonicalSize2({ region, size, limits, tileSize }: Geometry, image: Size): string {
  if (isSameSize(size, largestSize(region, limits, false))) return "full";
  const { width, height } = size;
  const isAspectEqual = isSameSize(size, sizeFromOneSide({ kind: "width", width }, region, image, tileSize));
  return isAspectEqual ? `${width},` : `${width},${height}`;
}

function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

/**
 * Returns the value of a Content-Disposition header (RFC 6266) that names the response by identifier, region,
 * size and format, the name percent-encoded (RFC 8187). `canonical` is the result of {@link
 * canonicalParameters}.
 */
export function contentDisposition(identifier: string, canonical: string, attachment: boolean): string {
  const [region, size] = canonical.split("/");
  const format = canonical.slice(canonical.lastIndexOf(".") + 1);
  const words = identifier
    .replace(/\.(?:jpe?g|png|tiff?|svs|webp|gif|jp[2xhc]|j2[kc]|jhc)(?=;[0-9]+$|$)/i, "")
    .replace(/[\p{C}\p{Z}/\\:*?"<>|%]+/gu, "_");
  const last = words.length > 100 ? [...words].slice(-100).join("") : words;
  const stem = last.replace(/^\.+/, "_");
  const name = `${stem}_${region}_${size}.${format}`;
  const encoded = percentEncode(name, /[^A-Za-z0-9!#$&+\-.^_`|~]+/gu);
  return `${attachment ? "attachment" : "inline"}; filename*=UTF-8''${encoded}`;
}
