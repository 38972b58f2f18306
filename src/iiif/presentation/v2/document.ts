// Converts documents of Presentation API 3.0, from any author, to 2.1. Anything that 2.1 cannot express is
// left out.

import { searchInVersion } from "../../search/mounts.ts";
import { changedItems, changedMembers } from "../changed.ts";
import { presentationContext } from "../context.ts";
import { idOf, isThere, objectOf, objectsOf, oneOrMany, present, textsOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { annotation2, target2 } from "./annotations.ts";
import { canvas2 } from "./canvases.ts";
import {
  type Address2,
  addressOf,
  fallbackTitle,
  toImage2,
  toTexts2,
  writeHead,
  writeId,
} from "./properties.ts";

/**
 * Returns a document, or a part with an address of its own, in version 2.1; undefined if 2.1 has no such
 * resource. `base`: the public URL of the service, to whose documents references become version 2.1.
 * `services`: those of the manifest, which 2.1 has where they are referred to.
 */
export function version2(
  document: Resource,
  base: string,
  services: unknown = document.services,
): Resource | undefined {
  const own = inlineServices(document, services);
  const written = resource2(own, (address) => searchInVersion(address, base, 2));
  return written && { "@context": presentationContext[2], ...written };
}

/** Returns a document with the services that it refers to. */
function inlineServices(document: Resource, services: unknown): Resource {
  const known = new Map(objectsOf(services).map((each) => [idOf(each), each] as const));
  if (known.size === 0) return document;
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return changedItems(value, walk);
    const resource = objectOf(value);
    return resource
      ? changedMembers(resource, (name, held) =>
          name === "service"
            ? objectsOf(held).map((each) => known.get(idOf(each)) ?? walk(each))
            : walk(held),
        )
      : value;
  };
  return walk(document) as Resource;
}

function resource2(resource: Resource, address: Address2): Resource | undefined {
  switch (resource.type) {
    case "Collection":
      return collection2(resource, address);
    case "Manifest":
      return manifest2(resource, address);
    case "Canvas":
      return canvas2(resource, address);
    case "Range":
      return ranges2([resource], address)[0];
    case "AnnotationPage":
      return annotationList2(resource, address);
    case "AnnotationCollection":
      return layer2(resource, address);
    case "Annotation":
      return annotation2(resource, address);
    default:
      return undefined;
  }
}

function collection2(collection: Resource, address: Address2): Resource {
  const members = objectsOf(collection.items).filter(
    ({ type }) => type === "Collection" || type === "Manifest",
  );
  const written = members.map((member) => member2(member, address));
  const isCollection = ({ "@type": type }: Resource) => type === "sc:Collection";
  const collections = written.filter(isCollection);
  const manifests = written.filter((member) => !isCollection(member));
  // All clients support the two lists, but only `members` preserves a mixed order.
  const sorted = written.every((member, at) => isCollection(member) === at < collections.length);
  return present({
    ...writeHead(collection, "Collection", address),
    ...(sorted ? { collections, manifests } : { members: written }),
  });
}

function member2(member: Resource, address: Address2): Resource {
  return present({
    ...writeId(member, String(member.type), address),
    label: toTexts2(member.label) ?? fallbackTitle(member),
    thumbnail: oneOrMany(objectsOf(member.thumbnail).map(toImage2)),
    navDate: member.navDate,
  });
}

function manifest2(manifest: Resource, address: Address2): Resource {
  const { "@id": id, "@type": type, ...described } = writeHead(manifest, "Manifest", address);
  const { viewingDirection, viewingHint } = described;
  const ranges = objectsOf(manifest.structures);
  return present({
    "@id": id,
    "@type": type,
    ...described,
    sequences: [
      {
        ...present({
          "@type": "sc:Sequence",
          viewingDirection,
          viewingHint,
          startCanvas: startCanvas(manifest, address),
        }),
        canvases: objectsOf(manifest.items).map((canvas) => canvas2(canvas, address)),
      },
    ],
    structures: ranges2(ranges, address),
  });
}

/**
 * Returns ranges and all nested ranges as the flat list of 2.1, each before its children; a single table of
 * contents is the top one.
 */
function ranges2(ranges: readonly Resource[], address: Address2): readonly Resource[] {
  const flatten = (range: Resource): readonly Resource[] => {
    const inner = objectsOf(range.items).filter(({ type }) => type === "Range");
    const canvases = objectsOf(range.items).filter(
      ({ type }) => type === "Canvas" || type === "SpecificResource",
    );
    const alone = ranges.length === 1 && range === ranges[0];
    const own = present({
      ...writeHead(range, "Range", address),
      ...(alone && inner.length > 0 && { viewingHint: "top" }),
      startCanvas: startCanvas(range, address),
      ranges: inner.flatMap((each) => addressOf(each, address)),
      canvases: canvases.map((canvas) => target2(canvas, address)).filter(isThere),
    });
    return [own, ...inner.filter(({ items }) => items !== undefined).flatMap(flatten)];
  };
  return ranges.filter(({ behavior }) => !textsOf(behavior).includes("sequence")).flatMap(flatten);
}

function startCanvas({ start }: Resource, address: Address2): string | undefined {
  const from = objectOf(start)?.type === "SpecificResource" ? objectOf(start)?.source : start;
  const id = idOf(from);
  return id === undefined ? undefined : address(id);
}

function annotationList2(page: Resource, address: Address2): Resource {
  return {
    ...writeId(page, "AnnotationList", address),
    ...present({ label: toTexts2(page.label), ...paging2(page, address) }),
    resources: objectsOf(page.items)
      .map((annotation) => annotation2(annotation, address))
      .filter(isThere),
  };
}

/** The pages of an annotation collection are the lists of a layer. */
function layer2(collection: Resource, address: Address2): Resource {
  return { ...writeHead(collection, "Layer", address), ...present(paging2(collection, address)) };
}

/** Members that link pages (2.1, section 5.9). */
function paging2(resource: Resource, address: Address2): Resource {
  const { total, startIndex } = resource;
  const [first, last, next, prev, within] = [
    resource.first,
    resource.last,
    resource.next,
    resource.prev,
    objectsOf(resource.partOf)[0],
  ].map((each) => addressOf(each, address)[0]);
  return { within, total, startIndex, first, last, next, prev };
}
