// The first pictures of a source, for the start page.

import { type Caller, combineSharing, publicGrant, type Sharing } from "../access/access.ts";
import { ServiceError } from "../errors.ts";
import { forEachConcurrently } from "../lib/concurrency/concurrent.ts";
import { compareNaturally } from "../lib/text/natural-order.ts";
import type { Source, SourceEntry } from "../sources/source.ts";
import type { Admission } from "./admission/admit.ts";
import { checkServable, type DescribeParts, describe } from "./describe.ts";
import { type OpenParts, withMaster } from "./open.ts";
import { asShown, type Size, uprightSize } from "./plan/orientation.ts";
import type { OutputPolicy } from "./plan/policy.ts";

/** What the sizes of derivatives follow from. */
export type LookParts = OpenParts &
  DescribeParts & {
    readonly policy: Pick<OutputPolicy, "metadata">;
    readonly admission: Pick<Admission, "allows">;
  };

export interface Listed {
  readonly identifier: string;
  /** Upright; absent where the picture cannot be served. */
  readonly size?: Size;
  /** Why not, in words. */
  readonly problem?: string;
}

export interface FirstImages {
  readonly listed: readonly Listed[];
  /** Who may keep a page that shows them. */
  readonly sharing: Sharing;
}

/** Directories that are looked into at most. */
const maxDirectories = 16;
/** Milliseconds after which a long listing ends with what it has. */
const listingMs = 1000;
/** Pictures that are looked at at once. */
const atOnce = 8;
/** Pictures among which one that works is looked for. */
const candidates = 96;

/**
 * Up to `count` images of a source in natural order: its top directory first, then the ones below. Where none of them works
 * but one soon after them does, that one follows. Leaves out images that the caller may not have, and all of them where a hook
 * maps identifiers; `callerOf` returns the caller for an identifier.
 */
export async function firstImages(
  parts: LookParts,
  source: Source,
  count: number,
  callerOf: (identifier: string) => Caller,
): Promise<FirstImages> {
  const own = parts.hooks.sharing();
  // Which identifiers lead to these files is for the hook alone to know.
  if (parts.hooks.has("resolve")) return { listed: [], sharing: own ?? publicGrant };
  const sharing: Sharing[] = own ? [own] : [];
  const identifiers = await walk(source, count, Math.max(count, candidates));
  const lookAt = async (from: number, to: number) => {
    const listed: (Listed | undefined)[] = [];
    await forEachConcurrently(identifiers.slice(from, to).entries(), atOnce, async ([at, identifier]) => {
      listed[at] = await look(parts, callerOf(identifier), sharing);
    });
    return listed.filter((image) => image !== undefined);
  };
  const works = ({ size }: Listed) => size !== undefined;
  const listed = await lookAt(0, count);
  for (let at = count; at < identifiers.length && !listed.some(works); at += atOnce)
    listed.push(...(await lookAt(at, at + atOnce)).filter(works).slice(0, 1));
  return { listed, sharing: combineSharing(sharing) };
}

/** Up to `most` identifiers; no further directory is read once there are `wanted`. */
async function walk(source: Source, wanted: number, most: number): Promise<string[]> {
  const found: string[] = [];
  const directories = source.list ? [""] : [];
  const end = performance.now() + listingMs;
  for (let n = 0; n < directories.length && n < maxDirectories && found.length < wanted; n++) {
    const directory = directories[n] as string;
    let entries = 0;
    const enough = () => ++entries >= most && performance.now() > end;
    const listed = (await source.list?.(directory, enough).catch(() => undefined)) ?? [];
    const pathOf = ({ name }: SourceEntry) => (directory ? `${directory}/${name}` : name);
    const images = listed.filter(({ kind }) => kind === "image");
    found.push(...firstByName(images, most - found.length).map((entry) => source.prefix + pathOf(entry)));
    directories.push(
      ...listed
        .filter(({ kind }) => kind === "directory")
        .sort(byName)
        .map(pathOf),
    );
  }
  return found;
}

const byName = (a: SourceEntry, b: SourceEntry) => compareNaturally(a.name, b.name);

/** The first `most` entries in natural order, without sorting the rest: a folder may hold a hundred thousand. */
function firstByName(entries: readonly SourceEntry[], most: number): SourceEntry[] {
  const first: SourceEntry[] = [];
  for (const entry of entries) {
    const last = first.at(-1);
    if (first.length >= most && (!last || byName(entry, last) >= 0)) continue;
    const at = first.findIndex((other) => byName(entry, other) < 0);
    first.splice(at < 0 ? first.length : at, 0, entry);
    first.length = Math.min(first.length, most);
  }
  return first;
}

/** One image for its caller; undefined where that one may not have it. Adds what was decided to `sharing`. Never throws. */
export async function look(
  parts: LookParts,
  caller: Caller,
  sharing: Sharing[],
): Promise<Listed | undefined> {
  const { identifier } = caller;
  try {
    return await withMaster(
      parts,
      caller,
      async (master): Promise<Listed> => {
        sharing.push(master.grant);
        const header = await describe(parts, master, caller.signal);
        checkServable(parts, master, header);
        return { identifier, size: uprightSize(asShown(header, parts.policy)) };
      },
      (denial) => {
        sharing.push(denial);
        return undefined;
      },
    );
  } catch (error) {
    // Nobody knows whether the caller may know of this image.
    if (error instanceof ServiceError && error.code === "sessions_unavailable") {
      sharing.push({ keptBy: "caller", vary: [] });
      return undefined;
    }
    return {
      identifier,
      problem: error instanceof ServiceError ? error.message : "This picture cannot be read.",
    };
  }
}
