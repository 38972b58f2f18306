// An image as documents show it: what a canvas is painted with, its services, and its thumbnail (Presentation API 3.0,
// sections 3.4, 4.1 and 5.7).

import { type Limits, largestSize, resolve, type Size } from "../image/geometry.ts";
import { profileUri } from "../image/info.ts";
import { imageAddress } from "../image/mounts.ts";
import type { CanvasFacts, DocumentContext, Resource } from "./model.ts";

/** Sides of the box that thumbnails fit in, in pixels. */
const thumbnailBox = 200;

/** What paints a canvas: the largest JPEG of an image, with both image services and the authorization services of a gated one. */
export function paintingBody(image: CanvasFacts, size: Size, context: DocumentContext): Resource {
  return {
    ...jpeg(image, "max", largestSize(size, context.limits, false), context),
    service: imageServices(image, context, image.auth),
  };
}

/** The thumbnail of an image as a list of one; undefined where it cannot be read or this caller may not see it. */
export function thumbnailOf(image: CanvasFacts, context: DocumentContext): readonly Resource[] | undefined {
  if (image.size === undefined || !image.visible) return undefined;
  const { limits } = context;
  // A box that is larger than the image both ways would be a request to upscale.
  const small = image.size.width <= thumbnailBox && image.size.height <= thumbnailBox;
  const [spelling, size] = small
    ? ["max", largestSize(image.size, limits, false)]
    : [`!${thumbnailBox},${thumbnailBox}`, confined(image.size, limits)];
  return [{ ...jpeg(image, spelling, size, context), service: imageServices(image, context) }];
}

function confined(size: Size, limits: Limits): Size {
  const box = { kind: "confined", upscale: false, width: thumbnailBox, height: thumbnailBox } as const;
  return resolve({ ...wholeJpeg, size: box }, size, limits, thumbnailBox).size;
}

/** A whole image, of which only the size is still to be said. */
const wholeJpeg = {
  version: 3,
  region: { kind: "full" },
  rotation: { degrees: 0, mirror: false },
  quality: "default",
  format: "jpg",
} as const;

function jpeg({ identifier }: CanvasFacts, size: string, { width, height }: Size, context: DocumentContext) {
  return {
    id: `${serviceAddress(identifier, 3, context)}/full/${size}/0/default.jpg`,
    type: "Image",
    format: "image/jpeg",
    width,
    height,
  };
}

/** Image services of both versions, the newer one first. */
function imageServices(
  { identifier }: CanvasFacts,
  context: DocumentContext,
  auth: readonly object[] = [],
): readonly Resource[] {
  const gates = auth.map(typedService);
  // Clients of version 2 know the authorization services of 1.0 only.
  const gates1 = gates.filter((gate) => "@id" in gate);
  return [
    {
      id: serviceAddress(identifier, 3, context),
      type: "ImageService3",
      profile: "level2",
      ...(gates.length > 0 && { service: gates }),
    },
    {
      "@id": serviceAddress(identifier, 2, context),
      "@type": "ImageService2",
      profile: profileUri[2],
      ...(gates1.length > 0 && { service: gates1 }),
    },
  ];
}

function serviceAddress(
  identifier: string,
  version: 2 | 3,
  { base, imagePrefixes }: DocumentContext,
): string {
  return imageAddress(base + imagePrefixes[version], identifier);
}

/**
 * A service as documents of 3.0 have it. Those of Authentication 1.0 have no type of their own, but need one here, and none but
 * the document names contexts (Presentation API 3.0, section 4.6 and appendix on services).
 */
function typedService(service: object): Resource {
  const { "@context": _, service: inner, ...rest } = service as Resource;
  const type = typeof rest.profile === "string" ? type1Of(rest.profile) : undefined;
  return {
    ...rest,
    ...("@id" in rest && type !== undefined && { "@type": type }),
    ...(Array.isArray(inner) && { service: inner.map(typedService) }),
  };
}

/** The type that Presentation API 3.0 has for a service of Authentication 1.0. */
function type1Of(profile: string): string | undefined {
  if (!profile.startsWith("http://iiif.io/api/auth/1/")) return undefined;
  return types1[profile.slice("http://iiif.io/api/auth/1/".length)] ?? "AuthCookieService1";
}

const types1: Readonly<Record<string, string>> = { token: "AuthTokenService1", logout: "AuthLogoutService1" };
