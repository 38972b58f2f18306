// Converts services of Presentation API 2.1 to 3.0: with a type, and without contexts (3.0, sections 3.4 and
// 4.6).

import { idOf, objectsOf, present, textOf, textsOf } from "../../json.ts";
import type { Resource } from "../../model.ts";

/** Type of a service according to its context or profile; the first match applies. */
const types: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/\/api\/image\/3\b/, "ImageService3"],
  [/\/api\/image\/2\b/, "ImageService2"],
  [/\/api\/image\/1\b|library\.stanford\.edu\/iiif\/image-api/, "ImageService1"],
  [/\/api\/auth\/\d\/token/, "AuthTokenService1"],
  [/\/api\/auth\/\d\/logout/, "AuthLogoutService1"],
  [/\/api\/auth\/\d/, "AuthCookieService1"],
  [/\/api\/search\/\d\/autocomplete/, "AutoCompleteService1"],
  [/\/api\/search\/\d/, "SearchService1"],
];

/** Returns the services of a resource that have an address. */
export function services3(value: unknown): readonly Resource[] {
  return objectsOf(value)
    .filter((service) => idOf(service) !== undefined)
    .map(service3);
}

function service3(service: Resource): Resource {
  const {
    "@context": context,
    "@id": _,
    "@type": given,
    id: _id,
    profile,
    service: inner,
    ...rest
  } = service;
  const said = [...textsOf(profile), ...textsOf(context)];
  const type = said.flatMap((text) => types.find(([pattern]) => pattern.test(text))?.[1] ?? [])[0];
  return present({
    "@id": idOf(service),
    "@type": type ?? textOf(given) ?? "Service",
    // The image service itself says what it supports beyond its level.
    profile: textsOf(profile)[0],
    ...rest,
    service: services3(inner),
  });
}
