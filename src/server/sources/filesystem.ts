// Source of the files in a folder: a key is the exact name of a file below the root, and nothing outside the
// root is ever read.

import {
  createCounts,
  createLru,
  type FileEntry,
  type FileStat,
  forEachConcurrently,
  type OpenFile,
  ServiceError,
  sourceChangedError,
  takeUntil,
} from "../../base/index.ts";
import type { MasterFiles } from "./folder/bounded-files.ts";
import { checkedFile, lastChange, validatorOf } from "./folder/checked-file.ts";
import { checkRoot, createRoot, isPlainPath, plainPath, type Root } from "./folder/root.ts";
import { createKnownFolders, isSpelledAsStored } from "./folder/spelling.ts";
import { folderWay, type Way } from "./folder/way.ts";
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

export interface FilesystemSourceOptions {
  readonly name: string;
  /** Absolute path of a directory; may itself be a symbolic link. */
  readonly root: string;
  readonly prefix: string;
  readonly files: MasterFiles;
  /** Milliseconds for which a found file counts as unchanged; default 0: it is checked each time. */
  readonly revalidateMs?: number;
  readonly counts?: SourceCounts | undefined;
}

/** Facts of a file that was found and checked. */
type CheckedFacts = Required<Pick<SourceImage, "validator" | "modified" | "file">>;

/** A file that was found and checked. */
interface FoundFile {
  readonly checked: CheckedFacts;
  /** The open file, if the check has opened it. */
  readonly held?: OpenFile;
}

function factsOf(path: string, facts: FileStat): CheckedFacts {
  const { size, id } = facts;
  const file: MasterFile = { path, size, ...(id === undefined ? {} : { id }) };
  return { validator: validatorOf(facts), modified: lastChange(facts), file };
}

/** Maximum number of files that stay open from their check on; others are opened when a byte is read. */
const maxHeld = 64;

/** Maximum number of files whose facts are remembered. */
const maxFound = 20_000;

/**
 * Milliseconds after a change of a file or folder during which another change may leave its times the same.
 */
const settledMs = 2000;

/** Maximum number of attempts to open a file that is being replaced. */
const attempts = 3;

interface FoundFilesParts {
  readonly files: MasterFiles;
  readonly revalidateMs: number;
  readonly counts: SourceCounts;
}

/** The files that a source has found; some stay open from their check on. */
class FoundFiles {
  readonly #parts: FoundFilesParts;
  readonly #folder: Root;
  readonly #found = createLru<string, FoundFile & { readonly until: number }>(maxFound);
  readonly #knownFolders = createKnownFolders();
  /**
   * Number of calls that forgot files. The result of a check that began before the latest one is not
   * remembered.
   */
  #forgets = 0;
  /** Number of files that are open since their check. */
  #held = 0;

  constructor(parts: FoundFilesParts, folder: Root) {
    this.#parts = parts;
    this.#folder = folder;
  }

  /** Returns a file that was found recently, or else checks it again. */
  async find(segments: readonly string[]): Promise<SourceImage | "changed" | undefined> {
    const { revalidateMs, files, counts } = this.#parts;
    const folder = this.#folder;
    const path = folder.pathOf(segments);
    const known = this.#found.get(path);
    const isKnown = known !== undefined && Date.now() < known.until;
    const begun = this.#forgets;
    const looked = isKnown ? known : await this.#look(path, segments);
    if (looked === undefined || looked === "changed") {
      this.#found.delete(path);
      return looked;
    }
    const { checked, held } = looked;
    if (revalidateMs > 0 && checked !== known?.checked && begun === this.#forgets)
      this.#found.set(path, { checked, until: Date.now() + revalidateMs }, 1);
    const { validator, modified, file } = checked;
    const { bytes, close } = checkedFile({ root: folder, files, counts }, file, held);
    const isChanged = async () => {
      const now = await folder.stat(file.path);
      return now === undefined || validatorOf(now) !== validator;
    };
    return { validator, modified, file, bytes, close, hasChanged: isChanged };
  }

  /** Checks a file. Returns undefined if it does not exist, "changed" if it was replaced during the check. */
  async #look(path: string, segments: readonly string[]): Promise<FoundFile | "changed" | undefined> {
    const folder = this.#folder;
    const realRoot = await folder.real();
    const plain = await this.#openPlain(realRoot, segments);
    if (plain) return plain;
    const real = await folder.resolve(realRoot, path);
    const facts = real === undefined ? undefined : await folder.stat(real);
    if (real === undefined || facts === undefined) return undefined;
    if (!(await this.isSpelled(realRoot, segments, real))) return undefined;
    const isLinked = !isPlainPath(real, realRoot, segments);
    if (isLinked && !(await folderWay(folder, realRoot, segments.slice(0, -1)))) return undefined;
    // Resolved again, so that the checked facts are those of this path even if links were changed meanwhile.
    if ((await folder.resolve(realRoot, real)) !== real) return "changed";
    return { checked: factsOf(real, facts) };
  }

  /**
   * Opens a file whose path has no link, if the runtime can tell that of an open file: only its spelling has
   * to be checked then. Returns undefined for any other file and for failures, which the other checks
   * explain. Throws if a mount does not respond, so that it is not asked again.
   */
  async #openPlain(realRoot: string, segments: readonly string[]): Promise<FoundFile | undefined> {
    const { files } = this.#parts;
    const path = plainPath(realRoot, segments);
    const held = await this.#folder.unlessAbsent(async () => files.openPlain?.(path));
    if (!held) return undefined;
    const isSpelled = isSpelledAsStored(files, realRoot, segments, path, this.#knownFolders);
    const checked = (await isSpelled.catch(() => false)) ? factsOf(path, held.stat) : undefined;
    if (checked && this.#held < maxHeld) return { checked, held: this.#countHeld(held) };
    await held.close().catch(() => {});
    return checked && { checked };
  }

  /** Returns a file that counts as held until it is closed. */
  #countHeld(file: OpenFile): OpenFile {
    this.#held++;
    let closing: Promise<void> | undefined;
    return {
      ...file,
      close: () => {
        if (!closing) this.#held--;
        closing ??= file.close();
        return closing;
      },
    };
  }

  /** True if a path has the spelling that is stored. */
  async isSpelled(realRoot: string, segments: readonly string[], real: string): Promise<boolean> {
    const { files } = this.#parts;
    const check = () => isSpelledAsStored(files, realRoot, segments, real, this.#knownFolders);
    return (await this.#folder.unlessAbsent(check)) === true;
  }

  forget(segments: readonly string[]): void {
    this.#forgets++;
    this.#found.delete(this.#folder.pathOf(segments));
  }

  clear(): void {
    this.#forgets++;
    this.#found.clear();
    this.#knownFolders.clear();
  }
}

/**
 * Creates a source of the files below `root`. Symbolic links are followed if they stay below it. Hidden names
 * (a segment that begins with a dot), links to hidden names or out of the root, links to a folder that the
 * path has passed through, directories, devices and pipes count as missing.
 */
export function filesystemSource({
  name,
  root,
  prefix,
  files,
  revalidateMs = 0,
  counts = createCounts(...sourceCounts),
}: FilesystemSourceOptions): Source {
  const folder = createRoot({ name, root, files, onError: () => counts.errors.add() });
  const { pathOf, unlessAbsent } = folder;
  const found = new FoundFiles({ files, revalidateMs, counts }, folder);

  const open: Source["open"] = async (key, signal) => {
    const segments = keySegments(key);
    const endedError = () =>
      new ServiceError("cancelled", "The request ended before its image was opened.", {
        cause: signal?.reason,
      });
    if (signal?.aborted) throw endedError();
    for (let attempt = 0; attempt < attempts; attempt++) {
      const image = segments.some(isHidden) ? undefined : await found.find(segments);
      if (image === "changed") continue;
      if (!image) {
        counts.notFound.add();
        return undefined;
      }
      if (signal?.aborted) {
        await image.close();
        throw endedError();
      }
      counts.opens.add();
      return image;
    }
    counts.errors.add();
    throw sourceChangedError();
  };

  const list: Source["list"] = async (directory, enough = () => false, validators = false) => {
    const segments = directory === "" ? [] : keySegments(directory.replace(/\/$/, ""));
    if (segments.some(isHidden)) return undefined;
    const realRoot = await folder.real();
    const real = await folder.resolve(realRoot, pathOf(segments).replace(/\/$/, "") || "/");
    if (real === undefined || (await unlessAbsent(() => files.stat(real)))?.kind !== "directory")
      return undefined;
    const entries: SourceEntry[] = [];
    const isLinked = !isPlainPath(real, realRoot, segments);
    let way: Promise<Way | undefined> | undefined;
    const findWay = () => (way ??= folderWay(folder, realRoot, segments));
    if (isLinked && !(await findWay())) return undefined;
    if (!(await found.isSpelled(realRoot, segments, real))) return undefined;
    /** True for a folder that its own path passes through, as only links make it: it would have no end. */
    const isWithinItself = async ({ kind, link }: FileEntry, target: string) =>
      kind === "directory" && (link || isLinked) && (await findWay())?.has(target) === true;
    const look = async (entry: FileEntry) => {
      const { name, kind, link } = entry;
      if (kind === "other" || isUnlisted(name)) return;
      // A link that leads out of the root or to nothing counts as missing; any other entry is below the
      // folder that was checked.
      const path = `${real.replace(/\/$/, "")}/${name}`;
      const target = link ? await folder.resolve(realRoot, path).catch(() => undefined) : path;
      if (target === undefined || (await isWithinItself(entry, target))) return;
      const facts =
        validators && kind === "file" ? await folder.stat(path).catch(() => undefined) : undefined;
      entries.push({
        name,
        kind: kind === "file" ? fileKind(name) : kind,
        ...(facts && { validator: validatorOf(facts) }),
      });
    };
    await unlessAbsent(() => forEachConcurrently(takeUntil(files.list(real), enough), 8, look));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const statOf = async (key: string) => {
    const segments = key === "" ? [] : keySegments(key);
    return segments.some(isHidden) ? undefined : unlessAbsent(() => files.stat(pathOf(segments)));
  };

  const stateOf: Source["stateOf"] = async (key) => {
    const stat = await statOf(key);
    if (stat === undefined || Date.now() - lastChange(stat).getTime() < settledMs) return undefined;
    return `${stat.kind} ${stat.id ?? ""} ${lastChange(stat).getTime()} ${validatorOf(stat)}`;
  };

  return {
    name,
    backend: "filesystem",
    prefix,
    fingerprint: `filesystem:${folder.top}`,
    counts,
    open,
    forget: (key) => found.forget(keySegments(key)),
    purge(key) {
      if (key !== undefined) found.forget(keySegments(key));
      else found.clear();
    },
    list,
    has: async (key) => (await statOf(key)) !== undefined,
    stateOf,
    check: () => checkRoot(name, folder.top, files),
  };
}
