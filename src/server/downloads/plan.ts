// Plans a file of a whole item: decides on each page for its reader, and finds out which masters pass through
// as they are, before the first byte is sent.

import { forEachConcurrently, parseSize, ServiceError, sha256, toHex } from "../../base/index.ts";
import { type ImageHeader, storedBytes } from "../../imaging/index.ts";
import { type Caller, combineSharing, type RefusedDecision, type Sharing } from "../access/access.ts";
import { isDamaged } from "../images/damaged-masters.ts";
import type { GrantedMaster } from "../images/describe.ts";
import { withMaster } from "../images/open.ts";
import { type Prepared, prepare, type RenderParts, resolveRequest } from "../images/render.ts";
import { type FileAccess, fileAccess, fileTag, lasting, viewOf, wholeRequest } from "./file-access.ts";
import type { Item, ItemPage } from "./item.ts";

/** How an image becomes a page. */
export type PlannedImage =
  /** Its file passes through, unless that turns out to be a kind that not all programs read. */
  | {
      readonly way: "stored";
      readonly header: ImageHeader;
      readonly validator: string;
      readonly size: number;
      readonly modified: Date | undefined;
    }
  | { readonly way: "derived"; readonly header: ImageHeader }
  | { readonly way: "missing"; readonly problem: string };

export interface PlannedPage extends ItemPage {
  readonly image: PlannedImage;
  /** Differs if the page has to look different. */
  readonly tag: string;
  /** Last name of the identifier. */
  readonly name: string;
}

/** A page whose master passes through. */
export type StoredPage = PlannedPage & { readonly image: Extract<PlannedImage, { way: "stored" }> };

export const isStored = (page: PlannedPage): page is StoredPage => page.image.way === "stored";

export interface Plan {
  readonly item: Item;
  /** Pages that the caller may see. */
  readonly pages: readonly PlannedPage[];
  readonly sharing: Sharing;
  /** The denial of an image that is left out; undefined if there is none. */
  readonly refused: RefusedDecision | undefined;
}

export interface PlanOptions {
  readonly kind: "pdf" | "zip";
  /** Bytes of masters in one file. */
  readonly maxSize: number | string;
  /** Pages of one item. */
  readonly maxPages: number;
  /** Longest side of rendered pages in pixels. */
  readonly pageSize: number;
  /** False if all pages of a PDF are rendered, since their masters are too large for one file. */
  readonly passes?: boolean;
}

/** Masters that are opened at the same time. */
const maxOpen = 16;

/**
 * Prepares the derivative of a page that is rendered: as large as its reader may have it, with sides of at
 * most `side` pixels. Throws what `prepare` throws.
 */
export async function preparePage(
  parts: RenderParts,
  master: GrantedMaster,
  side: number,
  signal: AbortSignal | undefined,
): Promise<Prepared> {
  const { geometry } = await resolveRequest(parts, master, wholeRequest, signal);
  const { width, height } = geometry.size;
  const size = { kind: "confined", width: side, height: side, upscale: false } as const;
  const isLarge = Math.max(width, height) > side;
  return prepare(parts, master, isLarge ? { ...wholeRequest, size } : wholeRequest, signal);
}

/**
 * Plans an item for a caller, whose identifier is ignored. Throws `too-large` (code download_too_large), and
 * what sources, hooks and stores throw if they cannot be asked; an image that cannot be read is a page that
 * says so.
 */
export async function planItem(
  parts: RenderParts,
  item: Item,
  caller: Caller,
  options: PlanOptions,
): Promise<Plan> {
  const { kind, maxSize, maxPages } = options;
  const planned: (PlannedPage | undefined)[] = [];
  const led: Sharing[] = [];
  let refused: RefusedDecision | undefined;
  const onDenial = (denied: RefusedDecision) => {
    led.push(denied);
    refused ??= denied;
  };
  const mayHaveFile = fileAccess(parts, caller, { maxPages, note: (grant) => led.push(grant), onDenial });
  await forEachConcurrently(item.pages.entries(), maxOpen, async ([at, page]) => {
    const { identifier } = page;
    if (identifier === undefined) {
      planned[at] = missingPage(page, page.problem ?? "There is no image of this page.");
      return;
    }
    const look = async (master: GrantedMaster) => {
      led.push(master.grant);
      planned[at] = await lookAt(parts, master, page, { ...options, mayHaveFile });
    };
    try {
      await withMaster<void>(parts, { ...caller, identifier }, look, onDenial);
    } catch (error) {
      planned[at] = problemOf(page, error);
    }
  });
  const pages = planned.filter((page) => page !== undefined);
  const stored = pages.filter(isStored);
  // Each file is in an archive once.
  const files = kind === "zip" ? [...new Map(stored.map((page) => [page.tag, page])).values()] : stored;
  const bytes = files.reduce((sum, { image }) => sum + image.size, 0);
  const max = parseSize(maxSize);
  if (bytes > max && kind === "pdf") return planItem(parts, item, caller, { ...options, passes: false });
  if (bytes > max)
    throw new ServiceError(
      "too-large",
      `The images of this item have ${bytes} bytes, more than the ${max} that one file may have. Download its pages one by one; the operator can raise presentation.download.max_size.`,
      { code: "download_too_large" },
    );
  return { item, pages, sharing: combineSharing(led), refused };
}

const lastName = (identifier: string) => identifier.slice(identifier.lastIndexOf("/") + 1);

function missingPage(page: ItemPage, problem: string): PlannedPage {
  return { ...page, image: { way: "missing", problem }, tag: problem, name: lastName(page.identifier ?? "") };
}

function problemOf(page: ItemPage, error: unknown): PlannedPage {
  if (error instanceof ServiceError && lasting.has(error.kind)) return missingPage(page, error.message);
  throw error;
}

async function lookAt(
  parts: RenderParts,
  master: GrantedMaster,
  page: ItemPage,
  { kind, pageSize, passes = true, mayHaveFile }: PlanOptions & { readonly mayHaveFile: FileAccess },
): Promise<PlannedPage> {
  const { signal } = master.caller ?? {};
  const name = lastName(page.identifier ?? "");
  const view = await viewOf(parts, master, signal);
  const { header, upright } = view;
  const fileSize = master.image.bytes.size ?? Number.NaN;
  const size = kind === "zip" ? fileSize : storedBytes(header, fileSize);
  const fits = kind === "zip" ? await mayHaveFile(master, view) : passes && !isDamaged(parts, master, header);
  if (view.isWhole && fits && size !== undefined && !Number.isNaN(fileSize)) {
    const { validator } = master;
    const image = { way: "stored", header, validator, size, modified: master.image.modified } as const;
    return { ...page, ...upright, image, tag: fileTag(master), name };
  }
  if (kind === "zip")
    return missingPage(
      page,
      "Only readers who may see all of this image, and all other pages of its file, get the file.",
    );
  const { etag } = await preparePage(parts, master, pageSize, signal);
  return { ...page, ...upright, image: { way: "derived", header }, tag: etag, name };
}

/** Returns 32 hexadecimal digits that differ if anything that a file is made of does. */
export async function tagOf(values: unknown): Promise<string> {
  return toHex(await sha256(JSON.stringify(values))).slice(0, 32);
}
