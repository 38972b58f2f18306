// Reads operators' links, providers and images into the forms of Presentation API 3.0 (sections 3.1 and 3.3).

import { isThere, objectOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { type FaultPath, fault, inside, noteUnexpected, type Reader, unknownWord } from "./faults.ts";
import { texts } from "./texts.ts";

/** True for an external address, or a path of this service, which begins with /. */
export const isAddress = (value: unknown): value is string =>
  typeof value === "string" &&
  (/^https?:\/\/[^\s/]/i.test(value) || (/^\/[^/]/.test(value) && !/\s/.test(value)));

const address: Reader<string> = (value, at) =>
  isAddress(value)
    ? value
    : noteUnexpected(at, "an address with https://, or a path of this service with /", value);

const word: Reader<string> = (value, at) =>
  typeof value === "string" && value !== "" ? value : noteUnexpected(at, "text", value);

const words: Reader<readonly string[]> = (value, at) => {
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item) => typeof item === "string")
    ? list
    : noteUnexpected(at, "text or a list of texts", value);
};

/** Reads a list; a single item may be given without one. */
export function many<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, at) => {
    const read = Array.isArray(value)
      ? value.map((item, index) => reader(item, inside(at, index)))
      : [reader(value, at)];
    const there = read.filter(isThere);
    return there.length === 0 ? undefined : there;
  };
}

/** Reads an object with exactly these keys. */
export function keys(
  readers: Readonly<Record<string, Reader>>,
  value: unknown,
  at: FaultPath,
): Resource | undefined {
  const object = objectOf(value);
  if (object === undefined) return noteUnexpected(at, "keys and values", value);
  const read: Record<string, unknown> = {};
  const known = Object.keys(readers);
  for (const [key, inner] of Object.entries(object)) {
    const index = inside(at, key);
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (reader === undefined) unknownWord(index, "unknown key", key, known);
    else {
      const found = reader(inner, index);
      if (found !== undefined) read[key] = found;
    }
  }
  return read;
}

/** A resource in the form of 3.0, used unchanged. */
export const asWritten: Reader<Resource> = (value, at) => {
  const object = objectOf(value);
  const named =
    typeof (object?.id ?? object?.["@id"]) === "string" &&
    typeof (object?.type ?? object?.["@type"]) === "string";
  return object && named ? object : noteUnexpected(at, "an object with id and type", value);
};

interface MediaType {
  readonly type: string;
  readonly format: string;
}

const byExtension: Readonly<Record<string, MediaType>> = {
  html: { type: "Text", format: "text/html" },
  htm: { type: "Text", format: "text/html" },
  pdf: { type: "Text", format: "application/pdf" },
  epub: { type: "Text", format: "application/epub+zip" },
  txt: { type: "Text", format: "text/plain" },
  md: { type: "Text", format: "text/markdown" },
  xml: { type: "Dataset", format: "application/xml" },
  json: { type: "Dataset", format: "application/json" },
  jsonld: { type: "Dataset", format: "application/ld+json" },
  ttl: { type: "Dataset", format: "text/turtle" },
  csv: { type: "Dataset", format: "text/csv" },
  zip: { type: "Dataset", format: "application/zip" },
  jpg: { type: "Image", format: "image/jpeg" },
  jpeg: { type: "Image", format: "image/jpeg" },
  png: { type: "Image", format: "image/png" },
  gif: { type: "Image", format: "image/gif" },
  svg: { type: "Image", format: "image/svg+xml" },
  tif: { type: "Image", format: "image/tiff" },
  webp: { type: "Image", format: "image/webp" },
  mp3: { type: "Sound", format: "audio/mpeg" },
  mp4: { type: "Video", format: "video/mp4" },
  glb: { type: "Model", format: "model/gltf-binary" },
};

/** Returns the media type according to the end of an address. */
function mediaOf(location: string): MediaType | undefined {
  const path = location.replace(/[?#].*$/s, "").replace(/^https?:\/\/[^/]*/i, "");
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : byExtension[extension];
}

const linkKeys = { id: address, type: word, label: texts, format: word, language: words, profile: word };

interface LinkForm {
  /** Default if the address does not say. */
  readonly usual: Partial<MediaType> & Pick<MediaType, "type">;
  /** Label if none is given. */
  readonly named?: (location: string) => string;
}

function link({ usual, named }: LinkForm): Reader<Resource> {
  return (value, at) => {
    const given = typeof value === "string" ? { id: value } : value;
    const index = typeof value === "string" ? at : undefined;
    const read = index ? referenceOf(address(value, index)) : keys(linkKeys, given, at);
    if (read === undefined) return undefined;
    const { id, label, ...rest } = read;
    if (typeof id !== "string")
      return objectOf(given)?.id === undefined ? fault(at, "expected an id: its address") : undefined;
    const media = mediaOf(id) ?? usual;
    const words = label ?? (named && { none: [named(id)] });
    return {
      id,
      type: media.type,
      ...(words !== undefined && { label: words }),
      ...formatOf(media),
      ...rest,
    };
  };
}

const referenceOf = (id: string | undefined): Resource | undefined => (id === undefined ? undefined : { id });
const formatOf = ({ format }: Partial<MediaType>) => (format === undefined ? {} : { format });

const hostOf = (location: string) => /^https?:\/\/([^/?#]+)/i.exec(location)?.[1] ?? location;
const fileOf = (location: string) => {
  const file = location
    .replace(/[?#].*$/s, "")
    .split("/")
    .at(-1);
  return file === undefined || file === "" ? hostOf(location) : file;
};

/** Pages about a resource; a single one may be just its address. */
export const homepages = many(link({ usual: { type: "Text", format: "text/html" }, named: hostOf }));
/** Other forms of a resource for people, such as a PDF. */
export const renderings = many(link({ usual: { type: "Text" }, named: fileOf }));
/** Data about a resource for machines. */
export const seeAlsos = many(link({ usual: { type: "Dataset" } }));

const picture: Reader<Resource> = (value, at) => {
  if (objectOf(value)) return asWritten(value, at);
  const id = address(value, at);
  return id === undefined ? undefined : { id, type: "Image", ...formatOf(mediaOf(id) ?? {}) };
};

/** Images by their addresses, or in the form of 3.0. */
export const pictures = many(picture);

/** Providers of a resource, with at least a name and a homepage. */
export const providers = many<Resource>((value, at) => {
  const readers = {
    id: address,
    type: word,
    label: texts,
    homepage: homepages,
    logo: pictures,
    seeAlso: seeAlsos,
  };
  const read = keys(readers, value, at);
  if (read === undefined) return undefined;
  const { id: given, label, type: _, ...rest } = read;
  const [page] = (read.homepage as readonly Resource[] | undefined) ?? [];
  const id = given ?? page?.id;
  if (label === undefined) return fault(at, "expected a label: the name of the provider");
  if (id === undefined)
    return fault(at, "expected an id or a homepage: an address that identifies the provider");
  return { id, type: "Agent", label, ...rest };
});

/** Annotation pages by their addresses, or in the form of 3.0. */
export const annotationPages = many<Resource>((value, at) =>
  isAddress(value) ? { id: value, type: "AnnotationPage" } : asWritten(value, at),
);
