// Paths within the folder of a source: resolves them, and refuses hidden ones and those outside the folder.

import { type FileStat, ServiceError } from "../../../base/index.ts";
import { isHidden } from "../listing.ts";
import type { MasterFiles } from "./bounded-files.ts";

/**
 * Codes of file system errors that mean that no such file exists: a missing or too long name, or circular
 * links.
 */
const absentCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"]);

/** Milliseconds for which the resolved root is cached, so that it is not resolved again for each tile. */
const rootCacheMs = 1000;

export interface RootOptions {
  /** Name of the source. */
  readonly name: string;
  /** Absolute path of the folder; may itself be a symbolic link. */
  readonly root: string;
  readonly files: MasterFiles;
  /** Called for each error of the source. */
  readonly onError: () => void;
}

/** The folder of a source. All functions throw ServiceError `source`. */
export interface Root {
  /** Path of the folder, without a trailing separator. */
  readonly top: string;
  /** Returns the path of a file by the segments of its name. */
  pathOf(segments: readonly string[]): string;
  /** Returns the resolved path of the folder. Throws if it does not exist. */
  real(): Promise<string>;
  /**
   * Returns the resolved path if it is within the resolved root and has no hidden segment below it; undefined
   * otherwise.
   */
  resolve(realRoot: string, path: string): Promise<string | undefined>;
  /** Returns the facts of a file; undefined if nothing exists there, or no file. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Returns the result of `look`; undefined if nothing can exist there. */
  unlessAbsent<T>(look: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Returns the error of a file that exists but could not be read. */
  unreadable(cause: unknown): ServiceError;
}

export function createRoot({ name, root, files, onError }: RootOptions): Root {
  const top = root.replace(/(?<=[^/\\:])[/\\]+$/, "");
  const base = top.replace(/[/\\]$/, "");

  const sourceError = (code: string, message: string, cause?: unknown) => {
    onError();
    return new ServiceError("source", message, { code, cause });
  };
  const unreadableError = (cause: unknown) =>
    sourceError(
      "source_unreadable",
      "The file of this image could not be read. Ask the operator of this service.",
      cause,
    );

  const unlessAbsent: Root["unlessAbsent"] = async (look) => {
    try {
      return await look();
    } catch (error) {
      if (absentCodes.has((error as { code?: unknown } | null)?.code)) return undefined;
      throw unreadableError(error);
    }
  };

  let known: { readonly path: string; readonly until: number } | undefined;
  return {
    top,
    pathOf: (segments) => `${base}/${segments.join("/")}`,
    async real() {
      if (known && Date.now() < known.until) return known.path;
      const path = await unlessAbsent(() => files.realPath(top));
      known = path === undefined ? undefined : { path, until: Date.now() + rootCacheMs };
      if (path !== undefined) return path;
      // A missing root (a disk that is not mounted) is a fault: its images must not appear as not existing.
      throw sourceError(
        "source_root_missing",
        `The folder of source "${name}" was expected; it does not exist. Ask the operator of this service.`,
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
    unreadable: unreadableError,
  };
}

/** Returns the path below the resolved root if it passes through no link. */
export function plainPath(realRoot: string, segments: readonly string[]): string {
  const separator = realRoot.includes("/") ? "/" : "\\";
  const top = realRoot.endsWith(separator) ? realRoot.slice(0, -1) : realRoot;
  return [top, ...segments].join(separator);
}

/** True if a resolved path is spelled as it was asked for below the resolved root, so without any link. */
export const isPlainPath = (real: string, realRoot: string, segments: readonly string[]): boolean =>
  real === plainPath(realRoot, segments);

/** True if a resolved path is the resolved root, or below it and without a hidden segment. */
export function isServed(real: string, realRoot: string): boolean {
  // On POSIX a backslash is part of a name, so it is a separator only if the root uses it.
  const separator = realRoot.includes("/") ? "/" : "\\";
  const above = realRoot.endsWith(separator) ? realRoot : realRoot + separator;
  if (real === realRoot) return true;
  return real.startsWith(above) && !real.slice(above.length).split(separator).some(isHidden);
}

/**
 * Throws ServiceError `source`, in words for the operator, if the folder of a source does not exist or cannot
 * be read.
 */
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
        "it is not a folder",
        "Set root to the folder that contains the images.",
      );
    for await (const _ of files.list(top)) break;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if ((error as { code?: unknown } | null)?.code === "ETIMEDOUT")
      throw fault("source_root_unreadable", "it does not respond", "Check its mount and its disk.", error);
    throw fault(
      "source_root_unreadable",
      "it cannot be read",
      "Give the service's user the right to read it.",
      error,
    );
  }
}
