// The folder that an export is written to. Nothing is written, read or removed through a link below it.

import {
  type FileEntry,
  type FileStat,
  type FileSystem,
  isTemporaryName,
  messageOf,
  ServiceError,
} from "../../../base/index.ts";
import { FatalError } from "../../../server/index.ts";
import { documentFile, imageFolder } from "./names.ts";
import { createNotes, notesFolder } from "./notes.ts";

/** Codes of errors about the name of a file, and not about the disk. */
const nameCodes = new Set(["ENAMETOOLONG", "EISDIR", "ENOTDIR", "EEXIST", "EINVAL", "EILSEQ"]);

const aside = `${notesFolder}/aside`;

const refusal = (code: string, message: string, cause?: unknown) =>
  new ServiceError("unsupported", message, { code, cause });

const linkError = (path: string) =>
  refusal(
    "export_foreign_file",
    `${path} is a symbolic link, and an export follows none. Put a folder or nothing in its place.`,
  );

export const foreignError = (path: string, more = "") =>
  refusal(
    "export_foreign_file",
    `Something that the export did not write has the name ${path}. Move it away${more}.`,
  );

const codeOf = (error: unknown) => (error as { readonly code?: string }).code ?? "";

/** Returns an error of the file system as one of this file. */
function fileError(path: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!nameCodes.has(codeOf(error))) return refusal("export_file", `${path}: ${messageOf(error)}`, error);
  return refusal(
    "export_name",
    "The name of its file is too long where the export is written, or another file has that name. Rename the image or its folder.",
    error,
  );
}

/**
 * The files of an export by their path below its folder. Methods throw ServiceError `unsupported`: code
 * export_foreign_file for a link or anything else in their way that no export writes, export_name if the file
 * system cannot have a file of that name, export_file for an error of the file system.
 */
export class Target {
  readonly #files: FileSystem;
  readonly #folder: string;
  #bytesWritten = 0;
  readonly notes = createNotes({
    read: (path) => this.read(path),
    write: (path, bytes) => this.#write(path, bytes),
    remove: (path) => this.remove(path),
    list: (path) => this.#list(path),
  });
  #setAside = 0;

  constructor(files: FileSystem, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Writes a file; it appears as a whole or not at all. Throws FatalError for an error of the disk. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.#write(path, bytes);
    this.#bytesWritten += bytes.length;
  }

  /** Returns a file; undefined if there is none. */
  read(path: string): Promise<Uint8Array | undefined> {
    return this.#runOnPath(path, (absolute) => this.#files.readFile(absolute));
  }

  async has(path: string): Promise<boolean> {
    return (await this.#kindAt(path)) === "file";
  }

  /** Yields the files of an image that are whole, by its folder. */
  async *filesOf(image: string): AsyncGenerator<string> {
    for await (const { path, isWhole } of this.#findImageFiles(image)) if (isWhole) yield path;
  }

  /** Throws export_foreign_file if there are files in the place of those of an image. */
  async refuseForeign(image: string): Promise<void> {
    const kind = await this.#kindAt(image);
    if (kind !== undefined && kind !== "directory") throw foreignError(image);
    for await (const path of this.filesOf(image)) throw foreignError(path);
  }

  /** Removes a file, and folders that contain only unfinished files then. */
  async remove(path: string): Promise<void> {
    await this.#unlink(path);
    if (await this.#kindAt(path.slice(0, path.lastIndexOf("/")))) await this.#removeEmptyFolders(path);
  }

  /** Removes the files of an image, unfinished ones too, and folders as `remove` does. */
  async removeImage(image: string): Promise<void> {
    const kind = await this.#kindAt(image);
    if (kind !== undefined && kind !== "directory") throw foreignError(image);
    for await (const { path } of this.#findImageFiles(image)) await this.remove(path);
  }

  /** Puts bytes aside, and returns a function that reads them. */
  async setAside(bytes: Uint8Array): Promise<() => Promise<Uint8Array>> {
    const path = `${aside}/${this.#setAside++}`;
    await this.#write(path, bytes);
    return async () => (await this.read(path)) as Uint8Array;
  }

  /** Removes everything that was put aside. */
  async dropAside(): Promise<void> {
    for (const entry of await this.#list(aside))
      if (/^\d+$/.test(entry.name) || isUnfinished(entry)) await this.remove(`${aside}/${entry.name}`);
  }

  /** Removes everything that is noted, then the notes. */
  async clear(): Promise<void> {
    for await (const identifier of this.notes.images()) {
      await this.removeImage(imageFolder(identifier));
      await this.notes.forgetImage(identifier);
    }
    for (const id of await this.notes.documents()) await this.remove(documentFile(id));
    await this.notes.forgetDocuments();
    for (const path of await this.notes.searchFiles()) await this.remove(path);
    await this.notes.forgetSearch();
    const groups = (await this.#list(notesFolder)).filter(({ kind, link }) => kind === "directory" && !link);
    const inside = groups.map(({ name }) => `${notesFolder}/${name}`);
    for (const name of [...inside, "images", "manifests", "search", notesFolder, ""])
      if ((await this.#kindAt(name)) === "directory") await this.#removeEmpty(name);
  }

  bytesWritten(): number {
    return this.#bytesWritten;
  }

  #absolutePathOf(path: string): string {
    return `${this.#folder}/${path}`;
  }

  async #refuseLinks(path: string): Promise<void> {
    const segments = path.split("/");
    for (let length = 1; length <= segments.length; length++) {
      const part = segments.slice(0, length).join("/");
      if (await this.#files.isLink?.(this.#absolutePathOf(part))) throw linkError(part);
    }
  }

  /** Runs work on a path that no link is part of. */
  async #runOnPath<T>(path: string, work: (absolute: string) => Promise<T>): Promise<T> {
    try {
      await this.#refuseLinks(path);
      return await work(this.#absolutePathOf(path));
    } catch (error) {
      throw fileError(path, error);
    }
  }

  #kindAt(path: string): Promise<FileStat["kind"] | undefined> {
    return this.#runOnPath(path, async (absolute) => (await this.#files.stat(absolute))?.kind);
  }

  async #list(path: string): Promise<readonly FileEntry[]> {
    if ((await this.#kindAt(path)) !== "directory") return [];
    return this.#runOnPath(path, async (absolute) => {
      const entries: FileEntry[] = [];
      for await (const entry of this.#files.list(absolute)) entries.push(entry);
      return entries;
    });
  }

  // Nothing waits for the disk: a note is no safer there than the files that it is about.
  #write(path: string, bytes: Uint8Array): Promise<void> {
    return this.#runOnPath(path, (absolute) =>
      this.#files.writeFile(absolute, bytes, { unsynced: true }),
    ).catch((error) => {
      if (error.code !== "export_file") throw error;
      throw new FatalError(`${path} cannot be written: ${messageOf(error.cause)}`);
    });
  }

  /** Removes a folder that contains at most unfinished files, and returns whether it did. */
  #removeEmpty(path: string): Promise<boolean | undefined> {
    return this.#runOnPath(path, async (absolute) => {
      if (await this.#files.removeEmpty?.(absolute)) return true;
      const unfinished: string[] = [];
      for await (const entry of this.#files.list(absolute)) {
        if (!isUnfinished(entry)) return false;
        unfinished.push(entry.name);
      }
      for (const name of unfinished) await this.#files.unlink?.(`${absolute}/${name}`);
      return this.#files.removeEmpty?.(absolute);
    });
  }

  /** Removes the folders of a file that are empty, except those of the export itself. */
  async #removeEmptyFolders(path: string): Promise<void> {
    const segments = path.split("/").slice(0, -1);
    for (; segments.length > 1; segments.pop()) if (!(await this.#removeEmpty(segments.join("/")))) return;
  }

  async #unlink(path: string): Promise<void> {
    const kind = await this.#kindAt(path);
    if (kind === undefined) return;
    if (kind !== "file") throw foreignError(path);
    await this.#runOnPath(path, async (absolute) => this.#files.unlink?.(absolute));
  }

  /**
   * Yields the files of an image: its information, its derivatives and unfinished files, but nothing of
   * images below it. Throws export_foreign_file for a symbolic link among them.
   */
  async *#findImageFiles(
    folder: string,
    level = 0,
  ): AsyncGenerator<{ readonly path: string; readonly isWhole: boolean }> {
    const isLast = level === shape.length - 1;
    for (const entry of await this.#list(folder)) {
      const { name, kind, link } = entry;
      const path = `${folder}/${name}`;
      if (isUnfinished(entry)) yield { path, isWhole: false };
      const isInformation = level === 0 && name === "info.json";
      if (!isInformation && !shape[level]?.test(name)) continue;
      if (link) throw linkError(path);
      if (isInformation || isLast) {
        if (kind === "file") yield { path, isWhole: true };
      } else if (kind === "directory") yield* this.#findImageFiles(path, level + 1);
    }
  }
}

/**
 * Names of a derivative below the folder of its image: region, size, rotation, then quality and format.
 * Everything else there belongs to others.
 */
const shape = [
  /^(?:full|square|(?:pct:)?[\d.]+(?:,[\d.]+){3})$/,
  /^\^?(?:full|max|pct:[\d.]+|!?\d+,\d*|,\d+)$/,
  /^!?[\d.]+$/,
  /^(?:default|color|gray|bitonal)\.[a-z0-9]+$/,
] as const;

/** True for a file that an earlier run left unfinished, since its process ended. */
const isUnfinished = ({ name, kind, link }: FileEntry): boolean =>
  kind === "file" && !link && isTemporaryName(name);
