// The first pictures of a source, for the start page.

import { ServiceError } from "../errors.ts";
import { forEachConcurrently } from "../lib/concurrent.ts";
import type { Source } from "../sources/source.ts";
import { type DescribeParts, describe, openMaster } from "./describe.ts";
import { asShown, type Size, uprightSize } from "./orientation.ts";
import type { OutputPolicy } from "./policy.ts";

/** What is needed to tell sizes as answers have them. */
type Parts = DescribeParts & { readonly policy: Pick<OutputPolicy, "metadata"> };

export interface Listed {
  readonly identifier: string;
  /** Upright; absent where the picture cannot be served. */
  readonly size?: Size;
  /** Why not, in words. */
  readonly problem?: string;
}

/** Directories that are looked into at most. */
const maxDirectories = 16;
/** Pictures that are looked at at once. */
const atOnce = 8;

/** Up to `count` images of a source in natural order: its top directory first, then the ones below. */
export async function firstImages(
  parts: Parts,
  source: Source,
  count: number,
  signal?: AbortSignal,
): Promise<readonly Listed[]> {
  const identifiers = source.list ? await walk(source, count) : [];
  const listed: Listed[] = [];
  await forEachConcurrently(identifiers.entries(), atOnce, async ([at, identifier]) => {
    listed[at] = await look(parts, identifier, signal);
  });
  return listed;
}

async function walk(source: Source, count: number): Promise<string[]> {
  const found: string[] = [];
  const directories = [""];
  for (let n = 0; n < directories.length && n < maxDirectories && found.length < count; n++) {
    const directory = directories[n] as string;
    const entries = (await source.list?.(directory).catch(() => undefined)) ?? [];
    const sorted = [...entries].sort((a, b) => natural.compare(a.name, b.name));
    for (const { name, kind } of sorted) {
      const path = directory ? `${directory}/${name}` : name;
      if (kind === "directory") directories.push(path);
      else if (kind === "image" && found.length < count) found.push(source.prefix + path);
    }
  }
  return found;
}

const natural = new Intl.Collator("en", { numeric: true });

async function look(parts: Parts, identifier: string, signal?: AbortSignal): Promise<Listed> {
  try {
    const master = await openMaster(parts.sources, identifier, signal);
    try {
      const header = await describe(parts, master, signal);
      return { identifier, size: uprightSize(asShown(header, parts.policy)) };
    } finally {
      void master.image.close().catch(() => {});
    }
  } catch (error) {
    return {
      identifier,
      problem: error instanceof ServiceError ? error.message : "This picture cannot be read.",
    };
  }
}
