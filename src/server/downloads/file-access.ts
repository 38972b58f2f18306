// Decides who may have the file of a master: readers whose derivatives would show all of every page in it.

import { forEachConcurrently, ServiceError } from "../../base/index.ts";
import { type ImageRequest, splitPage, usualRequest } from "../../iiif/index.ts";
import { type ImageHeader, shownSize } from "../../imaging/index.ts";
import type { Caller, RefusedDecision, Sharing } from "../access/access.ts";
import type { GrantedMaster } from "../images/describe.ts";
import { withMaster } from "../images/open.ts";
import { prepare, type RenderParts, resolveRequest } from "../images/render.ts";

export const wholeRequest: ImageRequest = {
  ...usualRequest,
  region: { kind: "full" },
  size: { kind: "max", upscale: false },
};

/** Kinds of errors that are about one image alone, and will be the same next time. */
export const lasting: ReadonlySet<string> = new Set([
  "decode",
  "unsupported",
  "too-large",
  "not-found",
  "bad-request",
]);

/** What a reader may see of one page of a master. */
export interface View {
  readonly header: ImageHeader;
  readonly upright: ReturnType<typeof shownSize>;
  /** True if the largest derivative shows all of the page, and nothing else. */
  readonly isWhole: boolean;
}

/** Names the file of a master in its present version. */
export const fileTag = ({ source, key, validator }: GrantedMaster) => `${source.name}:${key} ${validator}`;

/** Returns what the caller of an opened master may see of it. Throws what `prepare` throws. */
export async function viewOf(
  parts: RenderParts,
  master: GrantedMaster,
  signal: AbortSignal | undefined,
): Promise<View> {
  const { header, geometry } = await resolveRequest(parts, master, wholeRequest, signal);
  // Without overlays a page of hundreds needs no key of a cache.
  const isOverlaid =
    parts.overlays?.mayChange() === true &&
    (await prepare(parts, master, wholeRequest, signal)).overlay !== undefined;
  const upright = shownSize(header, parts.policy);
  const { grant } = master;
  const isWhole =
    grant.tier !== "substitute" &&
    grant.identifier === undefined &&
    grant.maxSize === undefined &&
    !isOverlaid &&
    geometry.size.width === upright.width &&
    geometry.size.height === upright.height;
  return { header, upright, isWhole };
}

/** Resolves to true if the caller may see all pages of the file of an opened master. */
export type FileAccess = (master: GrantedMaster, view: View) => Promise<boolean>;

interface FileAccessOptions {
  /** A file with more pages is refused. */
  readonly maxPages: number;
  /** Receives what the result depends on. */
  readonly note: (sharing: Sharing) => void;
  readonly onDenial: (denied: RefusedDecision) => void;
}

/** Pages that are opened at the same time. */
const maxOpen = 16;

/**
 * Returns a function that decides once for each file. It throws what sources, hooks and stores throw if they
 * cannot be asked.
 */
export function fileAccess(parts: RenderParts, caller: Caller, options: FileAccessOptions): FileAccess {
  const { maxPages, note, onDenial } = options;
  const results = new Map<string, Promise<boolean>>();

  async function isPageWhole(identifier: string, page: number, master: GrantedMaster): Promise<boolean> {
    const look = async (opened: GrantedMaster) => {
      note(opened.grant);
      const isSame = opened.page === page && fileTag(opened) === fileTag(master);
      return isSame && (await viewOf(parts, opened, caller.signal)).isWhole;
    };
    try {
      return await withMaster<boolean>(parts, { ...caller, identifier }, look, (denied) => {
        onDenial(denied);
        return false;
      });
    } catch (error) {
      if (error instanceof ServiceError && lasting.has(error.kind)) return false;
      throw error;
    }
  }

  async function areAllWhole(master: GrantedMaster, pages: number): Promise<boolean> {
    const paged = splitPage(master.identifier);
    const name = paged?.page === master.page ? paged.identifier : master.identifier;
    let areWhole = true;
    await forEachConcurrently(Array.from({ length: pages }).keys(), maxOpen, async (at) => {
      const identifier = at === 0 ? name : `${name};${at + 1}`;
      if (areWhole && !(await isPageWhole(identifier, at + 1, master))) areWhole = false;
    });
    return areWhole;
  }

  return async (master, { header, isWhole }) => {
    // What is not served cannot be decided on.
    if (!isWhole || header.pagesCut || header.pages > maxPages) return false;
    if (header.pages === 1) return true;
    const tag = fileTag(master);
    let result = results.get(tag);
    if (!result) results.set(tag, (result = areAllWhole(master, header.pages)));
    return result;
  };
}
