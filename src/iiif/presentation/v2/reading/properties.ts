// Converts descriptive and linking properties of a Presentation API 2.1 resource (sections 3 and 4.3) to 3.0.

import { idOf, isThere, objectOf, objectsOf, present, textOf, textsOf } from "../../json.ts";
import type { Resource } from "../../model.ts";
import { viewingHints } from "../properties.ts";
import { services3 } from "./services.ts";

/**
 * Returns the type of a resource without the prefix of its vocabulary: `Manifest`, `Image`, `ContentAsText`.
 */
export function typeOf(resource: unknown): string | undefined {
  return textsOf(objectOf(resource)?.["@type"])[0]?.replace(/^\w+:/, "");
}

/** Returns the items of a list; a single value counts as a list of one. */
export function listOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
}

/**
 * Returns a text, a text with its language or a list of them as texts by language; undefined if there is
 * none.
 */
export function texts3(value: unknown): Resource | undefined {
  const texts = new Map<string, string[]>();
  for (const each of listOf(value)) {
    const text = objectOf(each)?.["@value"] ?? each;
    if (typeof text !== "string" && typeof text !== "number") continue;
    const language = textOf(objectOf(each)?.["@language"]) ?? "none";
    texts.set(language, [...(texts.get(language) ?? []), String(text)]);
  }
  return texts.size > 0 ? Object.fromEntries(texts) : undefined;
}

/** Returns a whole number of pixels, even if it is written as a text. */
export function number3(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number.parseFloat(value) : value;
  return typeof number === "number" && number > 0 && Number.isFinite(number) ? Math.ceil(number) : undefined;
}

/** Members that describe a resource and link to more. `type`: its type in 3.0. */
export function properties3(resource: Resource, type: string): Resource {
  const { license, attribution, logo, related, within, viewingDirection, navDate } = resource;
  const rights = textsOf(license).find(isKnownRights);
  const otherLicences = textsOf(license).filter((each) => each !== rights);
  const label = texts3(resource.label);
  return present({
    label,
    summary: texts3(resource.description),
    metadata: [
      ...objectsOf(resource.metadata).map(pair3).filter(isThere),
      ...otherLicences.map((text) => ({ label: { en: ["License"] }, value: { none: [text] } })),
    ],
    thumbnail: images3(resource.thumbnail),
    navDate: textOf(navDate),
    viewingDirection: type === "Canvas" ? undefined : textOf(viewingDirection),
    behavior: textsOf(resource.viewingHint).filter((hint) => viewingHints[type]?.includes(hint)),
    rights: rights?.replace(/^https:/, "http:"),
    requiredStatement: statement3(attribution),
    provider: providers3(logo, texts3(attribution) ?? label),
    homepage: links3(listOf(related).filter(isPage), "Text"),
    rendering: [
      ...links3(listOf(resource.rendering), "Text"),
      ...links3(
        listOf(related).filter((each) => !isPage(each)),
        "Text",
      ),
    ],
    seeAlso: links3(listOf(resource.seeAlso), "Dataset"),
    service: services3(resource.service),
    partOf: listOf(within)
      .map((whole) => reference3(whole, wholes[type] ?? "Collection"))
      .filter(isThere),
  });
}

/** Parents of resources by type, if they do not say. */
const wholes: Readonly<Record<string, string>> = {
  Canvas: "Manifest",
  Range: "Manifest",
  AnnotationPage: "AnnotationCollection",
};

/** Returns a referenced resource, by its address or as an object; undefined if it has no address. */
export function reference3(value: unknown, usual: string): Resource | undefined {
  const id = idOf(value);
  if (id === undefined) return undefined;
  const type = typeOf(value) ?? usual;
  return present({ id, type: renamed[type] ?? type, label: texts3(objectOf(value)?.label) });
}

/** Types that were renamed in 3.0. */
export const renamed: Readonly<Record<string, string>> = {
  AnnotationList: "AnnotationPage",
  Layer: "AnnotationCollection",
  ContentAsText: "TextualBody",
  MovingImage: "Video",
};

/** 3.0 allows licences and statements of only these two; others are moved to the metadata. */
const isKnownRights = (text: string) => /^https?:\/\/(creativecommons|rightsstatements)\.org\//.test(text);

function pair3({ label, value }: Resource): Resource | undefined {
  const [name, text] = [texts3(label), texts3(value)];
  return name && text && { label: name, value: text };
}

function statement3(attribution: unknown): Resource | undefined {
  const value = texts3(attribution);
  return value && { label: { en: ["Attribution"] }, value };
}

/** 2.1 has the logo of a provider, but not its name. */
function providers3(logo: unknown, label: Resource | undefined): readonly Resource[] {
  const logos = images3(logo);
  const [first] = logos;
  return first
    ? [{ id: `${first.id}#provider`, type: "Agent", label: label ?? { none: [""] }, logo: logos }]
    : [];
}

/** Returns representative images: thumbnails or logos. */
function images3(value: unknown): readonly Resource[] {
  return listOf(value).map(image3).filter(isThere);
}

/** Returns an image by its address or as an object; undefined if it has no address. */
export function image3(value: unknown): Resource | undefined {
  const id = idOf(value);
  if (id === undefined) return undefined;
  const { format, width, height, service, label } = objectOf(value) ?? {};
  return present({
    id,
    type: "Image",
    label: texts3(label),
    format: textOf(format),
    width: number3(width),
    height: number3(height),
    service: services3(service),
  });
}

/** True for pages for people; other links are other forms of the resource. */
const isPage = (link: unknown) => /^(text\/html\b|$)/.test(textOf(objectOf(link)?.format) ?? "");

function links3(links: readonly unknown[], usual: string): readonly Resource[] {
  return links
    .map((link) => {
      const id = idOf(link);
      const { format, profile, label } = objectOf(link) ?? {};
      if (id === undefined) return undefined;
      return present({
        id,
        type: typeOfFormat(textOf(format)) ?? usual,
        // 3.0 requires labels of pages and renderings.
        label: texts3(label) ?? (usual === "Text" ? { none: [id] } : undefined),
        format: textOf(format),
        profile: textOf(profile),
      });
    })
    .filter(isThere);
}

const formats: Readonly<Record<string, string>> = {
  text: "Text",
  image: "Image",
  audio: "Sound",
  video: "Video",
  model: "Model",
};

function typeOfFormat(format = ""): string | undefined {
  if (/^text\/(xml|turtle|csv)\b/.test(format)) return "Dataset";
  return formats[format.split("/")[0] ?? ""];
}
