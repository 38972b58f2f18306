// What a page shows: the document that an address or a content state names, and its initial canvas and
// region.

import { ServiceError } from "../../../base/index.ts";
import {
  decodeState,
  idOf,
  type PresentationPath,
  pixelRegion,
  presentationPaths,
  type StateRegion as Region,
  type Resource,
  type StateTarget,
} from "../../../iiif/index.ts";
import type { RefusedDecision, Sharing } from "../../access/access.ts";
import { type Canvases, canvasesOf, type Made } from "../../manifests/documents/making.ts";
import type { Presented } from "../../manifests/manifests.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
import { openState } from "../http/open-state.ts";
import { ownAddress } from "./own-readings.ts";

/** A canvas of a manifest. */
export interface CanvasPosition {
  readonly canvas: Resource;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly previous?: Resource;
  readonly next?: Resource;
}

/** A document to show. */
export interface OpenedDocument extends Pick<Presented, "above"> {
  /** Who may cache the page. */
  readonly sharing: Sharing;
  readonly document: Resource;
  /** Why the reader gets only the title of the document. */
  readonly refused?: RefusedDecision;
  /** Initial position in a manifest; absent for collections, and for manifests without canvases. */
  readonly shown?: CanvasPosition;
  /** True if an address or a state named that canvas. */
  readonly isNamed: boolean;
  /** Region of that canvas, in its pixels. */
  readonly region?: Region;
  /** What a state names but does not exist; `selector`: a part that it names in an unsupported way. */
  readonly missing?: "canvas" | "region" | "selector";
}

/** A folder that a page lists. */
export interface ListedFolder {
  /** Its identifier; "" is the root. */
  readonly lists: string;
}

/** A state whose target is on another site. */
export interface Elsewhere {
  readonly elsewhere: StateTarget;
}

/** Opens what a path after /view names. Throws as {@link presentationPaths} and `Manifests.present` do. */
export async function openPath(
  c: RequestContext,
  service: Service,
  rawPath: string,
): Promise<OpenedDocument | ListedFolder> {
  return openReadings(c, service, presentationPaths(rawPath));
}

/**
 * Opens what the value of `iiif-content` names. Throws `bad-request` for anything but a state, `not-found` if
 * it does not exist.
 */
export async function openContent(
  c: RequestContext,
  service: Service,
  value: string,
): Promise<OpenedDocument | ListedFolder | Elsewhere> {
  const { targets } = await openState(c, service, decodeState(value));
  const [target] = targets;
  const manifest = target.manifestId === undefined ? undefined : ownAddress(c, service, target.manifestId);
  const own = ownAddress(c, service, target.id, target.region);
  const shown = target.region || !own?.region ? target : { ...target, region: own.region };
  if (manifest?.readings && target.manifestId !== target.id) {
    const found = await openReadings(c, service, manifest.readings, own?.id ?? target.id);
    // Documents of operators may have canvases with addresses of any form, or may lack some.
    if ("lists" in found || !found.missing || !own?.readings) return withRegion(found, shown);
  }
  if (own?.readings) return withRegion(await openReadings(c, service, own.readings), shown);
  if (own)
    throw new ServiceError(
      "not-found",
      "The link names an address of this service at which there is no manifest, collection, canvas or image. Check the link.",
      { code: "no_such_manifest" },
    );
  return { elsewhere: target };
}

/** `canvasId`: the initial canvas, instead of the one that the readings name. */
async function openReadings(
  c: RequestContext,
  service: Service,
  readings: readonly PresentationPath[],
  canvasId?: string,
): Promise<OpenedDocument | ListedFolder> {
  const presented = await present(c, service, readings);
  if (presented.lists !== undefined) return { lists: presented.lists };
  const made = await presented.make();
  const { type } = made.document;
  const { refused } = presented;
  if (refused) return { document: made.document, ...factsAround(presented), refused, isNamed: false };
  if (type === "Collection") return { document: made.document, ...factsAround(presented), isNamed: false };
  if (type === "Manifest") return openManifest(made, factsAround(presented), canvasId);
  const [manifest] = listOf(made.document.partOf);
  const whole = typeof manifest?.id === "string" ? ownAddress(c, service, manifest.id)?.readings : undefined;
  const named = canvasId ?? (type === "Range" ? firstCanvas(made.document) : made.document.id);
  if (!whole || typeof named !== "string")
    throw new ServiceError(
      "not-found",
      "A viewer opens manifests, collections, canvases and ranges; there is something else at this address.",
      { code: "no_such_manifest" },
    );
  const manifestAround = await present(c, service, whole);
  if (manifestAround.refused) return openReadings(c, service, whole);
  return openManifest(await manifestAround.make(), factsAround(manifestAround), named);
}

/** Returns what is known of a document. */
const factsAround = ({ sharing, above }: Presented) => ({
  sharing: sharing(),
  ...(above !== undefined && { above }),
});

function present(c: RequestContext, service: Service, readings: readonly PresentationPath[]) {
  const { manifests } = service;
  if (!manifests) throw new Error("Pages of documents need documents, received none.");
  return manifests.present(readings, callerOf(c, ""), documentContext(c, service), "partly");
}

async function openManifest(
  made: Made,
  around: Pick<OpenedDocument, "sharing" | "above">,
  canvasId?: string,
): Promise<OpenedDocument> {
  const { document } = made;
  const canvases = canvasesOf(made);
  const named = canvasId === undefined ? undefined : await canvases.indexOf(canvasId);
  const start = startOf(document);
  const begun = named === undefined && start !== undefined ? await canvases.indexOf(start) : undefined;
  const shown = await canvasAt(canvases, named ?? begun ?? 0);
  return {
    document,
    ...around,
    isNamed: named !== undefined,
    ...(shown && { shown }),
    ...(canvasId !== undefined && named === undefined && { missing: "canvas" as const }),
  };
}

/** Returns the canvas at an index from 0; undefined if there is none. */
async function canvasAt(canvases: Canvases, index: number): Promise<CanvasPosition | undefined> {
  const canvas = await canvases.at(index);
  if (!canvas) return undefined;
  const previous = index > 0 ? await canvases.at(index - 1) : undefined;
  const next = await canvases.at(index + 1);
  const count = await canvases.count();
  return { canvas, index, count, ...(previous && { previous }), ...(next && { next }) };
}

function withRegion(
  opened: OpenedDocument | ListedFolder,
  { region, unread }: StateTarget,
): OpenedDocument | ListedFolder {
  if ("lists" in opened || !opened.isNamed || !opened.shown) return opened;
  if (!region) return unread ? { ...opened, missing: "selector" } : opened;
  const { width, height } = opened.shown.canvas;
  const within =
    typeof width === "number" && typeof height === "number"
      ? pixelRegion(region, { width, height })
      : undefined;
  return within ? { ...opened, region: within } : { ...opened, missing: "region" };
}

/** Returns the address of a manifest's initial canvas (Presentation API 3.0, section 3.2, `start`). */
const startOf = ({ start }: Resource) => (isResource(start) ? canvasOf(start) : undefined);

/** Returns the address of a range's first canvas, without its fragment. */
function firstCanvas(range: Resource): string | undefined {
  for (const item of listOf(range.items)) {
    const found = item.type === "Range" ? firstCanvas(item) : canvasOf(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the address of a canvas, or of a specific resource's canvas, without its fragment. */
function canvasOf({ id, type, source }: Resource): string | undefined {
  const named = type === "SpecificResource" ? idOf(source) : id;
  return typeof named === "string" ? named.split("#")[0] : undefined;
}

/** Returns the objects of a list; nothing for other values. */
export const listOf = (value: unknown): readonly Resource[] =>
  Array.isArray(value) ? value.filter(isResource) : [];

const isResource = (value: unknown): value is Resource => typeof value === "object" && value !== null;
