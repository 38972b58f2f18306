// A source over a folder: a key is the exact name of a file below its root, and nothing outside the root is ever read.

import { ServiceError, sourceChanged } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import { forEachConcurrently, until } from "../lib/concurrent.ts";
import { createCounts } from "../lib/count.ts";
import { createLru } from "../lib/lru.ts";
import type { FileEntry, FileStat, OpenFile } from "../platform/platform.ts";
import type { MasterFiles } from "./bounded-files.ts";
import { keySegments } from "./key.ts";
import { fileKind, isHidden, isUnlisted } from "./listing.ts";
import {
  type MasterFile,
  type Source,
  type SourceCounts,
  type SourceEntry,
  type SourceImage,
  sourceCounts,
} from "./source.ts";
import { isSpelledAsStored } from "./spelling.ts";

export interface FilesystemSourceOptions {
  readonly name: string;
  /** Absolute path of a directory; may itself be a symbolic link. */
  readonly root: string;
  readonly prefix: string;
  readonly files: MasterFiles;
  /** How long a file that was found counts as unchanged, in milliseconds; 0, where not given: it is looked at each time. */
  readonly revalidateMs?: number;
  readonly counts?: SourceCounts | undefined;
}

/** Codes of file system errors that mean that no file has such a name: not there, too long, links in a circle. */
const absentCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"]);

/** What is known of a file that was found. */
type Checked = Required<Pick<SourceImage, "validator" | "modified" | "file">>;

/** Files of which it is kept that they were found. */
const foundKept = 20_000;

/** How long the resolved root counts, so that a request for a tile does not ask for it again. */
const rootKeptMs = 1000;

/** How often a file that is replaced while it is being opened is tried again. */
const attempts = 3;

/**
 * A source over the files below `root`. Symbolic links count where they stay below it; a hidden name (a segment that begins
 * with a dot), a link to one or to elsewhere, a directory, a device and a pipe are "not there".
 */
export function filesystemSource({
  name,
  root,
  prefix,
  files,
  revalidateMs = 0,
  counts = createCounts(...sourceCounts),
}: FilesystemSourceOptions): Source {
  const top = root.replace(/(?<=[^/\\:])[/\\]+$/, "");
  const base = top.replace(/[/\\]$/, "");
  const pathOf = (segments: readonly string[]) => `${base}/${segments.join("/")}`;

  const broken = (code: string, message: string, cause?: unknown) => {
    counts.errors.add();
    return new ServiceError("source", message, { code, cause });
  };
  const unreadable = (cause: unknown) =>
    broken(
      "source_unreadable",
      "The file of this image could not be read. Ask the operator of this service.",
      cause,
    );

  /** What `look` gives; undefined where nothing can be there. Throws ServiceError `source` for other errors. */
  const unlessAbsent = async <T>(look: () => Promise<T | undefined>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (absentCodes.has((error as { code?: unknown } | null)?.code)) return undefined;
      throw unreadable(error);
    }
  };

  let knownRoot: { readonly path: string; readonly until: number } | undefined;
  const realRootPath = async (): Promise<string> => {
    if (knownRoot && Date.now() < knownRoot.until) return knownRoot.path;
    const realRoot = await unlessAbsent(() => files.realPath(top));
    if (realRoot !== undefined) {
      knownRoot = { path: realRoot, until: Date.now() + rootKeptMs };
      return realRoot;
    }
    knownRoot = undefined;
    // A root that is gone (a disk that is not mounted) is a fault, not thousands of images that do not exist.
    throw broken(
      "source_root_missing",
      `The folder of source "${name}" was expected; it is not there. Ask the operator of this service.`,
    );
  };

  /** The resolved path, when it lies in the resolved root and nothing on its way from there is hidden. */
  const realPathIn = async (realRoot: string, path: string): Promise<string | undefined> => {
    const real = await unlessAbsent(() => files.realPath(path));
    return real !== undefined && isServed(real, realRoot) ? real : undefined;
  };

  const statFile = async (path: string): Promise<FileStat | undefined> => {
    const stat = await unlessAbsent(() => files.stat(path));
    return stat?.kind === "file" ? stat : undefined;
  };

  const found = createLru<string, { readonly checked: Checked; readonly until: number }>(foundKept);
  // What was looked at before a file was to be forgotten is not remembered after it.
  let forgets = 0;

  /** A file that was found lately, else looked for anew. */
  const find = async (segments: readonly string[]): Promise<SourceImage | "changed" | undefined> => {
    const path = pathOf(segments);
    const known = found.get(path);
    let checked: Checked | "changed" | undefined =
      known && Date.now() < known.until ? known.checked : undefined;
    const begun = forgets;
    checked ??= await look(path, segments);
    if (checked === undefined || checked === "changed") {
      found.delete(path);
      return checked;
    }
    if (revalidateMs > 0 && checked !== known?.checked && begun === forgets)
      found.set(path, { checked, until: Date.now() + revalidateMs }, 1);
    const { validator, modified, file } = checked;
    const { bytes, close } = opened(file);
    const isChanged = async () => {
      const now = await statFile(file.path);
      return now === undefined || validatorOf(now) !== validator;
    };
    return { validator, modified, file, bytes, close, changed: isChanged };
  };

  /** undefined: not there. "changed": it was exchanged for another between the looks. */
  const look = async (
    path: string,
    segments: readonly string[],
  ): Promise<Checked | "changed" | undefined> => {
    const realRoot = await realRootPath();
    const real = await realPathIn(realRoot, path);
    const facts = real === undefined ? undefined : await statFile(real);
    if (real === undefined || facts === undefined) return undefined;
    const spelled = () => isSpelledAsStored(files, realRoot, segments, real);
    if (!(await unlessAbsent(spelled))) return undefined;
    // Looked at again, so that what was looked at lies where it was checked, wherever links were turned to meanwhile.
    if ((await realPathIn(realRoot, real)) !== real) return "changed";
    const { size, id } = facts;
    const file: MasterFile = { path: real, size, ...(id === undefined ? {} : { id }) };
    return { validator: validatorOf(facts), modified: lastChange(facts), file };
  };

  const changed = () => {
    counts.errors.add();
    return sourceChanged();
  };

  /** Opens what was checked: another file at its path is an error. */
  const openChecked = async ({ path, size, id }: MasterFile): Promise<OpenFile> => {
    const opening = files.open(path).catch((error) => {
      throw unreadable(error);
    });
    const file = await opening;
    const same = file.size === size && file.stat.id === id;
    // Where files have no number, the path is what tells that no link was put there.
    if (same && (id !== undefined || (await realPathIn(await realRootPath(), path)) === path)) return file;
    await file.close();
    throw changed();
  };

  /** Opened by the first read: most requests need no byte of it here. A read after the end opens it for itself. */
  const opened = (checked: MasterFile): Pick<SourceImage, "bytes" | "close"> => {
    let kept: Promise<OpenFile> | undefined;
    let over = false;
    const readFrom = async (file: OpenFile, offset: number, length: number): Promise<Uint8Array> => {
      const part = await file.read(offset, length).catch((error) => {
        throw unreadable(error);
      });
      counts.reads.add();
      counts.bytes.add(part.length);
      if (part.length < length) throw changed();
      return part;
    };
    const bytes: ByteSource = {
      size: checked.size,
      async read(offset, length) {
        const wanted = Math.max(0, Math.min(length, checked.size - offset));
        if (wanted === 0) return new Uint8Array();
        if (!over) return readFrom(await (kept ??= openChecked(checked)), offset, wanted);
        const file = await openChecked(checked);
        return readFrom(file, offset, wanted).finally(() => file.close());
      },
    };
    const close = async () => {
      if (over) return;
      over = true;
      await kept?.then(
        (file) => file.close(),
        () => {},
      );
    };
    return { bytes, close };
  };

  const open: Source["open"] = async (key, signal) => {
    const segments = keySegments(key);
    const gone = () =>
      new ServiceError("cancelled", "The request ended before its image was opened.", {
        cause: signal?.reason,
      });
    if (signal?.aborted) throw gone();
    for (let attempt = 0; attempt < attempts; attempt++) {
      const image = segments.some(isHidden) ? undefined : await find(segments);
      if (image === "changed") continue;
      if (!image) {
        counts.notFound.add();
        return undefined;
      }
      if (signal?.aborted) {
        await image.close();
        throw gone();
      }
      counts.opens.add();
      return image;
    }
    throw changed();
  };

  const forget = (key: string): void => {
    forgets++;
    found.delete(pathOf(keySegments(key)));
  };

  const list: Source["list"] = async (directory, enough = () => false, validators = false) => {
    const segments = directory === "" ? [] : keySegments(directory.replace(/\/$/, ""));
    if (segments.some(isHidden)) return undefined;
    const realRoot = await realRootPath();
    const real = await realPathIn(realRoot, pathOf(segments).replace(/\/$/, "") || "/");
    if (real === undefined || (await unlessAbsent(() => files.stat(real)))?.kind !== "directory")
      return undefined;
    const entries: SourceEntry[] = [];
    const look = async ({ name, kind, link }: FileEntry) => {
      if (kind === "other" || isUnlisted(name)) return;
      // A link that leads out of the root or to nothing is not there; what is no link lies where its directory lies.
      const path = `${real.replace(/\/$/, "")}/${name}`;
      if (link && !(await realPathIn(realRoot, path).catch(() => undefined))) return;
      const facts = validators && kind === "file" ? await statFile(path).catch(() => undefined) : undefined;
      entries.push({
        name,
        kind: kind === "file" ? fileKind(name) : kind,
        ...(facts && { validator: validatorOf(facts) }),
      });
    };
    await unlessAbsent(() => forEachConcurrently(until(files.list(real), enough), 8, look));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const check = async (): Promise<void> => {
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
  };

  return {
    name,
    backend: "filesystem",
    prefix,
    fingerprint: `filesystem:${top}`,
    counts,
    open,
    forget,
    purge(key) {
      if (key !== undefined) return forget(key);
      forgets++;
      found.clear();
    },
    list,
    check,
  };
}

/** Whether a resolved path is a resolved root or lies below it, under names that are not hidden. */
function isServed(real: string, realRoot: string): boolean {
  // On POSIX a backslash is part of a name, so it separates only where the root is written with it.
  const separator = realRoot.includes("/") ? "/" : "\\";
  const above = realRoot.endsWith(separator) ? realRoot : realRoot + separator;
  if (real === realRoot) return true;
  return real.startsWith(above) && !real.slice(above.length).split(separator).some(isHidden);
}

/** Size, modification time and, where the runtime tells, file number. */
/** Without the device, so that servers that mount the same volume share what they keep and send the same ETags. */
/** An older file that was moved into the place of another has changed the picture now, not when it was written. */
const lastChange = ({ modified, changed }: FileStat): Date =>
  changed && changed > modified ? changed : modified;

function validatorOf({ size, modified, state }: FileStat): string {
  const parts = [size.toString(36), modified.getTime().toString(36), state];
  return parts.filter((part) => part !== undefined).join("-");
}
