// An image in documents: the body that paints a canvas, its services, and its thumbnail (Presentation API
// 3.0, sections 3.4, 4.1 and 5.7).

import type { Size } from "../../base/index.ts";
import { profileUri } from "../image/info.ts";
import { imageAddress } from "../image/mounts.ts";
import { largestSize } from "../image/resolve-size.ts";
import { effectiveLimits } from "../image/size.ts";
import { idOf, objectsOf, present } from "./json.ts";
import type { CanvasFacts, DocumentContext, Resource } from "./model.ts";

/** Sides of the thumbnail box, in pixels. */
export const thumbnailBox = 200;

/**
 * Returns the body that paints a canvas: the largest JPEG of an image, with both image services and, if it is
 * gated, references to its authorization services, or these themselves.
 */
export function paintingBody(image: CanvasFacts, size: Size, context: DocumentContext): Resource {
  const addresses = addressesOf(image.identifier, context);
  return {
    ...jpeg(addresses, "max", largestSize(size, effectiveLimits(context.limits), false)),
    service: imageServices(addresses, { gates: gatesOf(image, context) }),
  };
}

/**
 * Returns the thumbnail of an image as a list of one; undefined if it is unreadable or hidden from this
 * caller. Its services state its size: otherwise viewers may choose a size larger than a small image.
 */
export function thumbnailOf(image: CanvasFacts, context: DocumentContext): readonly Resource[] | undefined {
  const { size, visible } = image;
  if (size === undefined || !visible) return undefined;
  // A box that is larger than the image in both directions would request upscaling.
  const small = size.width <= thumbnailBox && size.height <= thumbnailBox;
  const spelling = small ? "max" : `!${thumbnailBox},${thumbnailBox}`;
  const { maxWidth, maxHeight, maxArea } = effectiveLimits(context.limits);
  const box = {
    maxWidth: Math.min(maxWidth || thumbnailBox, thumbnailBox),
    maxHeight: Math.min(maxHeight || thumbnailBox, thumbnailBox),
    maxArea,
  };
  const addresses = addressesOf(image.identifier, context);
  const { width, height } = largestSize(size, box, false);
  const service = imageServices(addresses, { sizes: [{ width, height }] });
  return [{ ...jpeg(addresses, spelling, { width, height }), service }];
}

/** Addresses of an image's services, by version. */
type Addresses = Readonly<Record<2 | 3, string>>;

function addressesOf(identifier: string, { base, imagePrefixes }: DocumentContext): Addresses {
  const path = imageAddress("", identifier);
  return { 2: base + imagePrefixes[2] + path, 3: base + imagePrefixes[3] + path };
}

function jpeg(addresses: Addresses, size: string, { width, height }: Size) {
  return {
    id: `${addresses[3]}/full/${size}/0/default.jpg`,
    type: "Image",
    format: "image/jpeg",
    width,
    height,
  };
}

function gatesOf({ auth = [] }: CanvasFacts, { loginsAtImages }: DocumentContext): readonly Resource[] {
  const gates = auth.map(typedService);
  return loginsAtImages ? gates : gates.map(referenceTo);
}

/**
 * Returns the image services of both versions, the newer one first. `sizes`: as in image information (Image
 * API 3.0, section 5.3).
 */
function imageServices(
  addresses: Addresses,
  { gates = [], sizes }: { gates?: readonly Resource[]; sizes?: readonly Size[] },
): readonly Resource[] {
  // Clients of version 2 support only the authorization services of 1.0.
  const gates1 = gates.filter((gate) => "@id" in gate);
  return [
    {
      id: addresses[3],
      type: "ImageService3",
      profile: "level2",
      ...(sizes && { sizes }),
      ...(gates.length > 0 && { service: gates }),
    },
    {
      "@id": addresses[2],
      "@type": "ImageService2",
      profile: profileUri[2],
      ...(sizes && { sizes }),
      ...(gates1.length > 0 && { service: gates1 }),
    },
  ];
}

/**
 * Returns a service in the form of 3.0. Those of Authentication 1.0 have no type, but need one here, and only
 * the document may have contexts (Presentation API 3.0, section 4.6 and appendix on services).
 */
export function typedService(service: object): Resource {
  const { "@context": _, service: inner, ...rest } = service as Resource;
  const type = typeof rest.profile === "string" ? type1Of(rest.profile) : undefined;
  return {
    ...rest,
    ...("@id" in rest && type !== undefined && { "@type": type }),
    ...(Array.isArray(inner) && { service: inner.map(typedService) }),
  };
}

/**
 * Returns an authorization service as an image names it: the manifest has the rest in its `services`
 * (Presentation API 3.0, section 3.3), and so has the image information.
 */
function referenceTo({ id, type, "@id": id1, "@type": type1, profile, service }: Resource): Resource {
  const isProbe = type === "AuthProbeService2";
  return present({
    id,
    type,
    "@id": id1,
    "@type": type1,
    profile,
    service: isProbe ? objectsOf(service).map(referenceTo) : undefined,
  });
}

/** Returns the services to log in to images, each once. `auths`: the authorization services of each image. */
export function loginServices(auths: Iterable<readonly object[]>): readonly Resource[] {
  const found = new Map<string | undefined, Resource>();
  for (const auth of auths)
    for (const gate of auth.map(typedService))
      for (const each of gate.type === "AuthProbeService2" ? objectsOf(gate.service) : [gate])
        if (!found.has(idOf(each))) found.set(idOf(each), each);
  return [...found.values()];
}

/** Returns the type that Presentation API 3.0 defines for a service of Authentication 1.0. */
function type1Of(profile: string): string | undefined {
  if (!profile.startsWith("http://iiif.io/api/auth/1/")) return undefined;
  return types1[profile.slice("http://iiif.io/api/auth/1/".length)] ?? "AuthCookieService1";
}

const types1: Readonly<Record<string, string>> = { token: "AuthTokenService1", logout: "AuthLogoutService1" };
