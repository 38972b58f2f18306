// Turns a document of the service into one for static files: addresses of images and documents become those
// of exported files, and what no file answers is left out.

import { ServiceError } from "../../../base/index.ts";
import {
  type ImagePath,
  type ImageRequest,
  level0Profile,
  mainMounts,
  mainPrefix,
  objectOf,
  objectsOf,
  parseImageRequest,
  presentationRoot,
  type Resource,
  splitImagePath,
} from "../../../iiif/index.ts";
import { writtenFormats } from "../../../imaging/index.ts";
import type { ExportedImage } from "./image.ts";
import { addressOf, documentFile, imageFolder, isCanvasPiece } from "./names.ts";

/** A derivative that a document names, beyond those of level 0. */
export interface NamedDerivative {
  readonly identifier: string;
  readonly request: ImageRequest;
  /** File of it. */
  readonly path: string;
}

export interface RewriteOptions {
  /** Public URL in the documents of the service. */
  readonly from: string;
  /** Address of the exported folder, without a trailing /. */
  readonly to: string;
  /** Version of the Image API. */
  readonly version: 2 | 3;
  /** Exported images by identifier. */
  readonly images: ReadonlyMap<string, Pick<ExportedImage, "thumbnail">>;
  /** True for identifiers of documents that are exported. */
  readonly hasDocument: (id: string) => boolean;
  /** True for identifiers of images of which no derivative is exported; default: none. */
  readonly isLeftOut?: (identifier: string) => boolean;
}

export interface Rewritten {
  readonly document: Resource;
  readonly derivatives: readonly NamedDerivative[];
}

/** Returns the identifier of a document of the service by its address; undefined for any other address. */
export function documentAt(address: string, base: string): string | undefined {
  const root = base + presentationRoot[3];
  if (address === root) return "";
  if (!address.startsWith(`${root}/`)) return undefined;
  return address
    .slice(root.length + 1)
    .split("/")
    .map(decodeURIComponent)
    .join("/");
}

/**
 * Returns a document of Presentation API 3.0 for static files. Canvases of images that are not exported are
 * left out, and references to documents that are not exported. Image services are those of level 0.
 */
export function rewriteDocument(document: Resource, options: RewriteOptions): Rewritten {
  const derivatives: NamedDerivative[] = [];
  const own = String(document.id);
  const id = documentAt(own, options.from) ?? "";
  const ownFile = addressOf(options.to, documentFile(id));

  /** Returns the new address, or undefined if no file has it. */
  const move = (address: string): string | undefined => {
    if (!address.startsWith(`${options.from}/`) && address !== options.from) return address;
    if (address === own) return ownFile;
    const other = documentAt(address, options.from);
    if (other !== undefined && options.hasDocument(other)) return addressOf(options.to, documentFile(other));
    if (isCanvasPiece(address)) return undefined;
    const rest = address.slice(own.length);
    if (address.startsWith(own) && /^(#|\/(canvas|range)\/)/.test(rest)) return ownFile + rest;
    if (other !== undefined) return partOf(other);
    return moveImage(address);
  };

  /** Returns the address of a canvas or range of another document, which annotations are about. */
  const partOf = (id: string): string | undefined => {
    const [, whole, part = ""] = /^(.+?)(\/(?:canvas|range)\/[1-9]\d*(?:#.*)?)$/s.exec(id) ?? [];
    return whole !== undefined && options.hasDocument(whole)
      ? addressOf(options.to, documentFile(whole)) + part
      : undefined;
  };

  const moveImage = (address: string): string | undefined => {
    const found = imageAt(address, options.from);
    if (!found) return undefined;
    const { path } = found;
    if (options.isLeftOut?.(path.identifier)) return undefined;
    const image = options.images.get(path.identifier);
    const folder = imageFolder(path.identifier);
    if (path.kind === "info") return image && addressOf(options.to, `${folder}/info.json`);
    if (path.kind === "base") return image && addressOf(options.to, folder);
    const { region, size, rotation, file } = path;
    const isThumbnail = image && region === "full" && size === thumbnailSpelling && rotation === "0";
    if (isThumbnail) {
      const { width, height } = image.thumbnail;
      return addressOf(options.to, `${folder}/full/${width},${height}/0/${file}`);
    }
    const name = `${folder}/${region}/${size}/${rotation}/${file}`;
    // The largest derivative is a file of each image.
    if (!image || size !== "max" || region !== "full")
      derivatives.push({
        identifier: path.identifier,
        request: parseImageRequest(found.version, path, writtenFormats),
        path: name,
      });
    return addressOf(options.to, name);
  };

  /** Returns a member's new value, or undefined if nothing is left of it. */
  const moveMember = (member: string, value: unknown): unknown => {
    if (typeof value === "string") return addressMembers.has(member) ? move(value) : value;
    const moved = walk(value);
    // An empty list of references to other documents says nothing.
    const isEmpty = Array.isArray(moved) && moved.length === 0;
    return isEmpty && !contentMembers.has(member) ? undefined : moved;
  };

  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk).filter((item) => item !== undefined);
    const resource = objectOf(value);
    if (!resource) return value;
    const service = imageService(resource, move, options.version);
    if (service !== undefined) return service ?? undefined;
    // A reference to a canvas has no items.
    const isWhole = resource.type === "Canvas" && resource.items !== undefined;
    if (isWhole && !isShown(resource, options)) return undefined;
    const members = Object.entries(resource).map(([name, inner]) => [name, moveMember(name, inner)] as const);
    // A resource without its address is nothing.
    const isLost = members.some(([name, moved]) => moved === undefined && idMembers.has(name));
    return isLost ? undefined : Object.fromEntries(members.filter(([, moved]) => moved !== undefined));
  };
  return { document: walk(document) as Resource, derivatives };
}

/** Members whose texts are addresses. */
const idMembers = new Set(["id", "@id"]);
const addressMembers = new Set([...idMembers, "target", "source"]);
/** Members that stay when they are empty. */
const contentMembers = new Set(["items", "@context"]);

/** Spelling of thumbnails in documents of the service. */
const thumbnailSpelling = "!200,200";

/** The image that an address of the service names, with the version of the Image API. */
function imageAt(
  address: string,
  base: string,
): { readonly path: ImagePath; readonly version: 2 | 3 } | undefined {
  const mount = mainMounts.find(({ prefix }) => address.startsWith(base + prefix));
  if (!mount) return undefined;
  try {
    const raw = address.slice(base.length + mount.prefix.length).replace(/[?#].*$/s, "");
    return { path: splitImagePath(raw), version: mount.version };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Types of image services, by version. */
const serviceTypes = { 2: "ImageService2", 3: "ImageService3" } as const;

/**
 * Returns an image service of level 0 in place of one of the service; null if it is of the other version, or
 * its image is not exported. Undefined for anything else.
 */
function imageService(
  resource: Resource,
  move: (address: string) => string | undefined,
  version: 2 | 3,
): Resource | null | undefined {
  const type = resource.type ?? resource["@type"];
  if (type !== serviceTypes[2] && type !== serviceTypes[3]) return undefined;
  const address = String(resource.id ?? resource["@id"]);
  const moved = move(address);
  // A service of another server stays as it is.
  if (moved === address) return resource;
  if (moved === undefined) return null;
  const { sizes, width, height } = resource;
  // The image that a map is on, which needs its size, and no profile.
  if (typeof width === "number" && typeof height === "number")
    return { id: moved, type: serviceTypes[version], width, height };
  if (type !== serviceTypes[version]) return null;
  const profile = level0Profile[version];
  const named = version === 2 ? { "@id": moved, "@type": type } : { id: moved, type };
  return { ...named, profile, ...(Array.isArray(sizes) && { sizes }) };
}

/** True if a canvas shows an exported image, or anything that is not an image of the service. */
export function isShown(
  canvas: Resource,
  { from, images }: { readonly from: string; readonly images: { has(identifier: string): boolean } },
): boolean {
  const painted = paintedImagesOf(canvas, from);
  if (painted.length === 0) return objectsOf(canvas.items).length > 0;
  return painted.every((identifier) => identifier === undefined || images.has(identifier));
}

/** Returns the identifiers of the images that a canvas shows; undefined for those of other servers. */
export const paintedImagesOf = (canvas: Resource, from: string): readonly (string | undefined)[] =>
  objectsOf(canvas.items)
    .flatMap((page) => objectsOf(page.items))
    .flatMap((annotation) => objectsOf(annotation.body))
    .map(({ id }) =>
      typeof id === "string" && id.startsWith(from + mainPrefix[3])
        ? imageAt(id, from)?.path.identifier
        : undefined,
    );
