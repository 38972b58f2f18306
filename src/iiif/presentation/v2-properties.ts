// What describes and links a resource, as Presentation API 2.1 has it (sections 3 and 4.3), from a resource of 3.0.

import { idOf, objectOf, objectsOf, oneOrMany, present, textOf, textsOf } from "./json.ts";
import type { Resource } from "./model.ts";
import { services2 } from "./v2-services.ts";

/** Writes an id or a reference: addresses of this service lead to documents of 2.1. */
export type Address2 = (address: string) => string;

/** The values of `viewingHint` that each type may have (2.1, section 3.2); 3.0 knows them as behaviours. */
const viewingHints: Readonly<Record<string, readonly string[]>> = {
  Collection: ["individuals", "multi-part"],
  Manifest: ["individuals", "paged", "continuous"],
  Canvas: ["non-paged", "facing-pages"],
  Range: ["individuals", "paged", "continuous"],
};

/** The members that say what a resource is and where more is found, in the order of documents. */
export function properties2(resource: Resource, type: string, address: Address2): Resource {
  const hints = viewingHints[type] ?? [];
  const provider = objectsOf(resource.provider);
  const dated = type === "Collection" || type === "Manifest";
  const directed = type === "Manifest" || type === "Range";
  return present({
    label: texts2(resource.label),
    description: texts2(resource.summary),
    metadata: objectsOf(resource.metadata).map(({ label, value }) => ({
      label: texts2(label) ?? "",
      value: texts2(value) ?? "",
    })),
    thumbnail: oneOrMany(objectsOf(resource.thumbnail).map(image2)),
    navDate: dated ? textOf(resource.navDate) : undefined,
    viewingDirection: directed ? textOf(resource.viewingDirection) : undefined,
    viewingHint: textsOf(resource.behavior).find((behavior) => hints.includes(behavior)),
    license: textOf(resource.rights),
    attribution: texts2(objectOf(resource.requiredStatement)?.value),
    logo: oneOrMany(provider.flatMap(({ logo }) => objectsOf(logo).map(image2))),
    related: oneOrMany(objectsOf(resource.homepage).map(link2)),
    rendering: oneOrMany(objectsOf(resource.rendering).map(link2)),
    seeAlso: oneOrMany(objectsOf(resource.seeAlso).map(link2)),
    within: oneOrMany(objectsOf(resource.partOf).flatMap((whole) => addressOf(whole, address))),
    service: services2(resource.service),
  });
}

/** An address as a list of one, or none. */
export function addressOf(value: unknown, address: Address2): readonly string[] {
  const id = idOf(value);
  return id === undefined ? [] : [address(id)];
}

/** A language map as a text, as a text with its language, or as a list of them (2.1, section 4.3); undefined where it is empty. */
export function texts2(map: unknown): unknown {
  if (typeof map === "string") return map;
  const values = Object.entries(objectOf(map) ?? {}).flatMap(([language, texts]) =>
    textsOf(texts).map((text) =>
      language === "none" || language === "@none" ? text : { "@value": text, "@language": language },
    ),
  );
  return oneOrMany<unknown>(values);
}

/** An image that stands for something: a thumbnail or a logo. */
export function image2(image: Resource): Resource {
  const { format, width, height } = image;
  return present({
    "@id": idOf(image),
    "@type": image.type === "Image" ? "dctypes:Image" : undefined,
    format,
    width,
    height,
    service: services2(image.service),
  });
}

function link2(link: Resource): Resource {
  const { format, profile } = link;
  return present({ "@id": idOf(link), format, profile, label: texts2(link.label) });
}
