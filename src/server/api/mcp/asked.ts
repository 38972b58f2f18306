// What a client names by an identifier: as browse lists it, percent-encoded, or by an address of this server.

import { parseUrl, ServiceError, trimSlashes } from "../../../base/index.ts";
import {
  checkIdentifier,
  decodeState,
  idOf,
  type OwnLink,
  objectsOf,
  type PresentationPath,
  pixelRegion,
  presentationPaths,
  type StateRegion as Region,
  type Resource,
  readOwnLink,
  regionText,
} from "../../../iiif/index.ts";
import { foresee } from "../../images/foresee.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
import { openState } from "../http/open-state.ts";
import { ownAddresses } from "../http/own-addresses.ts";
import { denialText } from "./results.ts";

export interface Asked {
  /** Identifiers that may be meant, the most likely first; "" is the top folder. */
  readonly identifiers: readonly [string, ...string[]];
  /** Region that an address names, as the Image API writes it. */
  readonly region?: string;
  /** Why an address of another site is refused, unless a source has an image of that name. */
  readonly refusal?: ServiceError;
}

/**
 * Reads what a client named. Throws `bad-request` (code foreign_address) for an address of another site,
 * `not-found` for one of this server at which there is nothing of the kind, and for identifiers that
 * `checkIdentifier` refuses.
 */
export async function readAsked(c: RequestContext, service: Service, given: string): Promise<Asked> {
  const text = given.trim();
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return { identifiers: spellingsOf(given) };
  const link = readOwnLink(text, ownAddresses(c, service));
  if (link) return readLink(c, service, text, link);
  const refusal = foreignError(c, url);
  // Web servers and hooks may have images whose identifiers are addresses.
  const { hooks } = service.images;
  const mayHave = hooks?.has("resolve") || service.sources.all.some(({ list }) => !list);
  if (!mayHave) throw refusal;
  return { identifiers: [checkIdentifier(text)], refusal };
}

/**
 * Returns an identifier as it is, without white space around it, and decoded, as far as these are
 * identifiers. Throws what `checkIdentifier` throws if none is.
 */
function spellingsOf(given: string): Asked["identifiers"] {
  const text = trimSlashes(given.trim());
  if (text === "") return [""];
  const spellings = [trimSlashes(given), text, trimSlashes(decodeText(text) ?? text)].filter(isIdentifier);
  const [first = checkIdentifier(text), ...more] = new Set(spellings.map(checkIdentifier));
  return [first, ...more];
}

function isIdentifier(text: string): boolean {
  try {
    return checkIdentifier(text) !== "";
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function decodeText(text: string): string | undefined {
  try {
    return text.includes("%") ? decodeURIComponent(text) : undefined;
  } catch {
    return undefined; // a name with a percent sign
  }
}

async function readLink(
  c: RequestContext,
  service: Service,
  address: string,
  link: OwnLink,
  part?: Region,
): Promise<Asked> {
  const region = part ?? ("region" in link ? link.region : undefined);
  if (link.names === "image")
    return { identifiers: [link.identifier], ...(region && { region: imageRegion(region) }) };
  if (link.names === "document") return readDocument(c, service, presentationPaths(link.path), region);
  if (link.names === "nothing") throw nothingThere();
  const state = link.names === "state" ? decodeState(link.value) : address;
  const { targets } = await openState(c, service, state);
  const [{ id, region: named }] = targets;
  const inner = readOwnLink(id, ownAddresses(c, service));
  if (!inner) throw foreignError(c, new URL(id));
  // A state that names no other that could be opened.
  if (inner.names === "state" || inner.names === "stored") throw nothingThere();
  return readLink(c, service, id, inner, named);
}

/** Returns the folder or image of a document; for a part of one, the image of its canvas. */
async function readDocument(
  c: RequestContext,
  service: Service,
  readings: readonly PresentationPath[],
  region: Region | undefined,
): Promise<Asked> {
  const pieces = readings.filter(({ piece }) => piece !== undefined);
  const [first = "", ...more] = new Set(readings.filter(({ piece }) => !piece).map(({ of }) => of));
  if (pieces.length === 0 || !service.manifests) return { identifiers: [first, ...more] };
  const context = documentContext(c, service);
  const presented = await service.manifests.present(readings, callerOf(c, ""), context, "partly");
  if (presented.refused) {
    const text = denialText(c, service, readings[0]?.of ?? "", presented.refused);
    throw new ServiceError("unauthorized", text, { code: "access_denied" });
  }
  const { document } = await presented.make();
  if (document.type !== "Canvas") return { identifiers: [first, ...more] };
  const image = imageOfCanvas(c, service, document);
  if (!image)
    throw new ServiceError(
      "not-found",
      "Expected a canvas with an image of this server; this one has none. Read its manifest to see what it shows.",
      { code: "image_not_found" },
    );
  const cut = region && pixelsOf(region, document);
  return {
    identifiers: [image.identifier],
    ...(cut && { region: imageRegion(asShare(cut, document, image)) }),
  };
}

export interface CanvasImage {
  readonly identifier: string;
  readonly width?: unknown;
  readonly height?: unknown;
}

/** Returns the first image of this server that paints a canvas. */
export function imageOfCanvas(
  c: RequestContext,
  service: Service,
  canvas: Resource,
): CanvasImage | undefined {
  const addresses = ownAddresses(c, service);
  for (const page of objectsOf(canvas.items))
    for (const annotation of objectsOf(page.items))
      for (const body of objectsOf(annotation.body).flatMap((body) => [body, ...objectsOf(body.items)]))
        for (const image of objectsOf(body.service)) {
          const link = readOwnLink(idOf(image) ?? "", addresses);
          if (link?.names === "image")
            return { identifier: link.identifier, width: body.width, height: body.height };
        }
  return undefined;
}

const sizeOf = ({ width, height }: { readonly width?: unknown; readonly height?: unknown }) =>
  typeof width === "number" && typeof height === "number" ? { width, height } : undefined;

function pixelsOf(region: Region, canvas: Resource): Region | undefined {
  const size = sizeOf(canvas);
  return size && pixelRegion(region, size);
}

/** Returns a region of a canvas as one of its image: in percent if the two have different sizes. */
function asShare(region: Region, canvas: Resource, image: CanvasImage): Region {
  const [whole, own] = [sizeOf(canvas), sizeOf(image)];
  if (!whole || (own?.width === whole.width && own.height === whole.height)) return region;
  const [across, down] = [100 / whole.width, 100 / whole.height];
  const { x, y, w, h } = region;
  return { unit: "percent", x: x * across, y: y * down, w: w * across, h: h * down };
}

const imageRegion = (region: Region) => regionText(region).replace(/^percent:/, "pct:");

/**
 * Returns the one of several identifiers that names an image of the caller's; the last if none does, since a
 * client that writes an escape nearly always means the character.
 */
export async function imageAmong(
  c: RequestContext,
  service: Service,
  { identifiers }: Asked,
): Promise<string> {
  for (const identifier of identifiers.slice(0, -1)) {
    if (identifier === "") continue;
    const { decision, failure } = await foresee(service.images, callerOf(c, identifier));
    if (decision.allowed && failure?.kind !== "not-found") return identifier;
  }
  return identifiers.at(-1) ?? "";
}

const nothingThere = () =>
  new ServiceError(
    "not-found",
    "Expected the address of an image, manifest, canvas or folder of this server; there is none at this one. Use browse to find its identifier.",
    { code: "image_not_found" },
  );

function foreignError(c: RequestContext, { host }: URL): ServiceError {
  return new ServiceError(
    "bad-request",
    `Expected an identifier, or an address of this server, which begins with ${c.get("base")}/; received one of ${host}, whose images this server cannot show. Use browse to see what it has.`,
    { code: "foreign_address" },
  );
}
