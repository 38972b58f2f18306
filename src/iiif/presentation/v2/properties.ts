// Descriptive and linking properties in the form of Presentation API 2.1 (sections 3 and 4.3), from a
// resource of 3.0.

import { idOf, objectOf, objectsOf, oneOrMany, present, textOf, textsOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { services2 } from "./services.ts";

/** Writes an id or a reference, with this service's addresses in version 2.1. */
export type Address2 = (address: string) => string;

/** Values of `viewingHint` by type (2.1, section 3.2); in 3.0 they are behaviours. */
export const viewingHints: Readonly<Record<string, readonly string[]>> = {
  Collection: ["individuals", "multi-part"],
  Manifest: ["individuals", "paged", "continuous"],
  Canvas: ["non-paged", "facing-pages"],
  Range: ["individuals", "paged", "continuous"],
};

type Writer = (value: unknown, type: string, address: Address2) => unknown;

const dated = ["Collection", "Manifest"];
const directed = ["Manifest", "Range"];
const images: Writer = (value) => oneOrMany(objectsOf(value).map(toImage2));
const links: Writer = (value) => oneOrMany(objectsOf(value).map(toLink2));

/** Members of 3.0 with their names in 2.1 and the conversion of their values, in document order. */
const members: readonly (readonly [key: string, key2: string, write: Writer])[] = [
  ["label", "label", toTexts2],
  ["summary", "description", toTexts2],
  [
    "metadata",
    "metadata",
    (value) =>
      objectsOf(value).map(({ label, value }) => ({
        label: toTexts2(label) ?? "",
        value: toTexts2(value) ?? "",
      })),
  ],
  ["thumbnail", "thumbnail", images],
  ["navDate", "navDate", (value, type) => (dated.includes(type) ? textOf(value) : undefined)],
  [
    "viewingDirection",
    "viewingDirection",
    (value, type) => (directed.includes(type) ? textOf(value) : undefined),
  ],
  [
    "behavior",
    "viewingHint",
    (value, type) => textsOf(value).find((word) => viewingHints[type]?.includes(word)),
  ],
  ["rights", "license", textOf],
  ["requiredStatement", "attribution", (value) => toTexts2(objectOf(value)?.value)],
  [
    "provider",
    "logo",
    (value) => oneOrMany(objectsOf(value).flatMap(({ logo }) => objectsOf(logo).map(toImage2))),
  ],
  ["homepage", "related", links],
  ["rendering", "rendering", links],
  ["seeAlso", "seeAlso", links],
  [
    "partOf",
    "within",
    (value, _, address) => oneOrMany(objectsOf(value).flatMap((whole) => addressOf(whole, address))),
  ],
  ["service", "service", (value, _, address) => services2(value, address)],
];

/** Returns the members that describe a resource and link to more. */
export function toProperties2(resource: Resource, type: string, address: Address2): Resource {
  const written: Record<string, unknown> = {};
  for (const [key, key2, write] of members)
    if (resource[key] !== undefined) written[key2] = write(resource[key], type, address);
  return present(written);
}

/** Returns an address as a list of one, or an empty list. */
export function addressOf(value: unknown, address: Address2): readonly string[] {
  const id = idOf(value);
  return id === undefined ? [] : [address(id)];
}

/**
 * Returns a language map as a text, as a text with its language, or as a list of them (2.1, section 4.3);
 * undefined if it is empty.
 */
export function toTexts2(map: unknown): unknown {
  if (typeof map === "string") return map;
  const values = Object.entries(objectOf(map) ?? {}).flatMap(([language, texts]) =>
    textsOf(texts).map((text) =>
      language === "none" || language === "@none" ? text : { "@value": text, "@language": language },
    ),
  );
  return oneOrMany<unknown>(values);
}

/** Returns an image that represents something: a thumbnail or a logo. */
export function toImage2(image: Resource): Resource {
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

/** Returns a link to a document or file. */
export function toLink2(link: Resource): Resource {
  const { format, profile } = link;
  return present({ "@id": idOf(link), format, profile, label: toTexts2(link.label) });
}

/** Returns id, type and properties, which come before the contents of a resource. */
export function writeHead(resource: Resource, type: string, address: Address2): Resource {
  return {
    ...writeId(resource, type, address),
    // Required by 2.1, unlike by 3.0 on canvases and ranges.
    label: fallbackTitle(resource),
    ...toProperties2(resource, type, address),
  };
}

/**
 * Returns the replacement of a missing label, the end of the id, within a document or at an address of its
 * own.
 */
export function fallbackTitle(resource: Resource): string {
  const id = idOf(resource) ?? "";
  // A regular expression would try again at each character of an id that ends with one of these.
  const begin = Math.max(id.lastIndexOf("/"), id.lastIndexOf("?"), id.lastIndexOf("#")) + 1;
  return id.slice(begin) || "[Untitled]";
}

/** Returns id and type. */
export function writeId(resource: Resource, type: string, address: Address2): Resource {
  const [id] = addressOf(resource, address);
  return present({ "@id": id, "@type": `sc:${type}` });
}
