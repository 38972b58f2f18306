// Converts services to Presentation API 2.1: each with its own context, and a profile instead of a type (2.1,
// section 3.3 and the annex on services).

import { contextUri } from "../../image/info.ts";
import { idOf, isThere, objectsOf, oneOrMany, present, textOf } from "../json.ts";
import type { Resource } from "../model.ts";

interface ServiceForm {
  readonly context: string;
  /** Expands a short profile, such as `level2`. */
  readonly profile?: (level: string) => string;
}

const level = (version: 2 | 3) => (name: string) => `http://iiif.io/api/image/${version}/${name}.json`;
const auth1: ServiceForm = { context: "http://iiif.io/api/auth/1/context.json" };

/** Types of services that clients of 2.1 can use. */
const forms: Readonly<Record<string, ServiceForm>> = {
  ImageService1: { context: "http://library.stanford.edu/iiif/image-api/1.1/context.json" },
  ImageService2: { context: contextUri[2], profile: level(2) },
  ImageService3: { context: contextUri[3], profile: level(3) },
  AuthCookieService1: auth1,
  AuthTokenService1: auth1,
  AuthLogoutService1: auth1,
  SearchService1: { context: "http://iiif.io/api/search/1/context.json" },
  AutoCompleteService1: { context: "http://iiif.io/api/search/1/context.json" },
};

/** Image services in order of preference. */
const versions = ["ImageService2", "ImageService1", "ImageService3"];

/**
 * Returns the services that 2.1 supports, and only the preferred version of image services. `address`:
 * returns the addresses of this service in version 2.1; absent if none has a version.
 */
export function services2(
  services: unknown,
  address: (address: string) => string = (own) => own,
): Resource | readonly Resource[] | undefined {
  const all = objectsOf(services);
  const version = versions.find((type) => all.some((service) => typeOf(service) === type));
  const suitable = all.filter((service) => {
    const type = typeOf(service);
    return type === version || !versions.includes(type ?? "");
  });
  return oneOrMany(suitable.map((service) => service2(service, undefined, address)).filter(isThere));
}

function service2(
  service: Resource,
  around: string | undefined,
  address: (address: string) => string,
): Resource | undefined {
  const type = typeOf(service);
  const form = type === undefined ? undefined : forms[type];
  const context = form?.context ?? textOf(service["@context"]);
  const id = idOf(service);
  // Without a context the service would be meaningless.
  if (context === undefined || id === undefined) return undefined;
  const { profile, service: inner } = service;
  return present({
    // Not repeated inside services of the same context.
    "@context": context === around ? undefined : context,
    "@id": address(id),
    profile:
      typeof profile === "string" && /^level\d$/.test(profile)
        ? (form?.profile?.(profile) ?? profile)
        : profile,
    // Image and search services describe the rest at their addresses; a thumbnail's only valid size is its
    // own.
    sizes: service.sizes,
    ...((form === undefined || form === auth1) && othersOf(service)),
    service: oneOrMany(
      objectsOf(inner)
        .map((each) => service2(each, context, address))
        .filter(isThere),
    ),
  });
}

function othersOf(service: Resource): Resource {
  const written = ["id", "type", "@id", "@type", "@context", "profile", "service"];
  return Object.fromEntries(Object.entries(service).filter(([key]) => !written.includes(key)));
}

const typeOf = (service: Resource) => textOf(service.type) ?? textOf(service["@type"]);
