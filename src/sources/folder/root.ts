// What lies in the folder of a source: resolved paths, and nothing hidden or outside of it.

import { ServiceError } from "../../errors.ts";
import type { FileStat } from "../../platform/platform.ts";
import { isHidden } from "../listing.ts";
import type { MasterFiles } from "./bounded-files.ts";

/** Codes of file system errors that mean that no file has such a name: not there, too long, links in a circle. */
const absentCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"]);

/** How long the resolved root counts, so that a request for a tile does not ask for it again. */
const rootKeptMs = 1000;

export interface RootOptions {
  /** Name of the source. */
  readonly name: string;
  /** Absolute path of the folder; may itself be a symbolic link. */
  readonly root: string;
  readonly files: MasterFiles;
  /** Called for each error of the source. */
  readonly onError: () => void;
}

/** The folder of a source. Its functions throw ServiceError `source`. */
export interface Root {
  /** The path of the folder, without a separator at its end. */
  readonly top: string;
  /** The path of what has these names one below the other. */
  pathOf(segments: readonly string[]): string;
  /** The resolved path of the folder. Throws where it is not there. */
  real(): Promise<string>;
  /** The resolved path, when it lies in the resolved root and nothing on its way from there is hidden. */
  resolve(realRoot: string, path: string): Promise<string | undefined>;
  /** The facts of a file; undefined where nothing or no file is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** What `look` returns; undefined where nothing can be there. */
  unlessAbsent<T>(look: () => Promise<T | undefined>): Promise<T | undefined>;
  /** The error of a file that is there and could not be read. */
  unreadable(cause: unknown): ServiceError;
}

export function createRoot({ name, root, files, onError }: RootOptions): Root {
  const top = root.replace(/(?<=[^/\\:])[/\\]+$/, "");
  const base = top.replace(/[/\\]$/, "");

  const broken = (code: string, message: string, cause?: unknown) => {
    onError();
    return new ServiceError("source", message, { code, cause });
  };
  const unreadable = (cause: unknown) =>
    broken(
      "source_unreadable",
      "The file of this image could not be read. Ask the operator of this service.",
      cause,
    );

  const unlessAbsent: Root["unlessAbsent"] = async (look) => {
    try {
      return await look();
    } catch (error) {
      if (absentCodes.has((error as { code?: unknown } | null)?.code)) return undefined;
      throw unreadable(error);
    }
  };

  let known: { readonly path: string; readonly until: number } | undefined;
  return {
    top,
    pathOf: (segments) => `${base}/${segments.join("/")}`,
    async real() {
      if (known && Date.now() < known.until) return known.path;
      const path = await unlessAbsent(() => files.realPath(top));
      known = path === undefined ? undefined : { path, until: Date.now() + rootKeptMs };
      if (path !== undefined) return path;
      // A root that is gone (a disk that is not mounted) is a fault, not thousands of images that do not exist.
      throw broken(
        "source_root_missing",
        `The folder of source "${name}" was expected; it is not there. Ask the operator of this service.`,
      );
    },
    async resolve(realRoot, path) {
      const real = await unlessAbsent(() => files.realPath(path));
      return real !== undefined && isServed(real, realRoot) ? real : undefined;
    },
    async stat(path) {
      const stat = await unlessAbsent(() => files.stat(path));
      return stat?.kind === "file" ? stat : undefined;
    },
    unlessAbsent,
    unreadable,
  };
}

/** Whether a resolved path is a resolved root or lies below it, under names that are not hidden. */
export function isServed(real: string, realRoot: string): boolean {
  // On POSIX a backslash is part of a name, so it separates only where the root is written with it.
  const separator = realRoot.includes("/") ? "/" : "\\";
  const above = realRoot.endsWith(separator) ? realRoot : realRoot + separator;
  if (real === realRoot) return true;
  return real.startsWith(above) && !real.slice(above.length).split(separator).some(isHidden);
}

/** Throws ServiceError `source` where the folder of a source is not there or cannot be read, in words for the operator. */
export async function checkRoot(name: string, top: string, files: MasterFiles): Promise<void> {
  const fault = (code: string, found: string, advice: string, cause?: unknown) =>
    new ServiceError(
      "source",
      `The root of source "${name}" was expected to be a readable folder; ${found}. ${advice}`,
      { code, cause },
    );
  try {
    const stat = await files.stat(top);
    if (!stat)
      throw fault("source_root_missing", "nothing is there", "Create it, mount it, or correct root.");
    if (stat.kind !== "directory")
      throw fault(
        "source_root_no_folder",
        "it is no folder",
        "Set root to the folder that holds the images.",
      );
    for await (const _ of files.list(top)) break;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if ((error as { code?: unknown } | null)?.code === "ETIMEDOUT")
      throw fault("source_root_unreadable", "it does not answer", "Check its mount and its disk.", error);
    throw fault(
      "source_root_unreadable",
      "it cannot be read",
      "Give the service's user the right to read it.",
      error,
    );
  }
}
