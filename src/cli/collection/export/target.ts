// The folder that an export is written to. Nothing is written, read or removed through a link below it.

import { type FileEntry, type FileSystem, messageOf, ServiceError } from "../../../base/index.ts";
import { FatalError } from "../../../server/index.ts";
import { findImageFiles, isUnfinished } from "./image-files.ts";
import { documentFile, imageFolder } from "./names.ts";
import { createNotes, type Notes, notesFolder } from "./notes.ts";

/**
 * Files by their path below the folder. Methods throw ServiceError `unsupported`: code export_foreign_file
 * for a link or anything else in their way that no export writes, export_name if the file system cannot have
 * a file of that name, export_file for an error of the file system.
 */
export interface Target {
  /** Writes a file; it appears as a whole or not at all. Throws FatalError for an error of the disk. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Returns a file; undefined if there is none. */
  read(path: string): Promise<Uint8Array | undefined>;
  has(path: string): Promise<boolean>;
  /** Yields the files of an image that are whole, by its folder. */
  filesOf(folder: string): AsyncIterable<string>;
  /** Throws export_foreign_file if there are files in the place of those of an image. */
  refuseForeign(folder: string): Promise<void>;
  /** Removes a file, and folders that contain only unfinished files then. */
  remove(path: string): Promise<void>;
  /** Removes the files of an image, unfinished ones too, and folders as `remove` does. */
  removeImage(folder: string): Promise<void>;
  /** Removes everything that is noted, then the notes. */
  clear(): Promise<void>;
  readonly notes: Notes;
  /** Puts bytes aside, and returns a function that reads them. */
  setAside(bytes: Uint8Array): Promise<() => Promise<Uint8Array>>;
  /** Removes everything that was put aside. */
  dropAside(): Promise<void>;
  readonly bytesWritten: () => number;
}

/** Codes of errors about the name of a file, and not about the disk. */
const nameCodes = new Set(["ENAMETOOLONG", "EISDIR", "ENOTDIR", "EEXIST", "EINVAL", "EILSEQ"]);

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

/** A target in a folder, by its absolute path. */
export function folderTarget(files: FileSystem, folder: string): Target {
  let bytesWritten = 0;
  const absolutePathOf = (path: string) => `${folder}/${path}`;

  async function refuseLinks(path: string): Promise<void> {
    const segments = path.split("/");
    for (let length = 1; length <= segments.length; length++) {
      const part = segments.slice(0, length).join("/");
      if (await files.isLink?.(absolutePathOf(part))) throw linkError(part);
    }
  }

  /** Runs work on a path that no link is part of. */
  async function runOnPath<T>(path: string, work: (absolute: string) => Promise<T>): Promise<T> {
    try {
      await refuseLinks(path);
      return await work(absolutePathOf(path));
    } catch (error) {
      throw fileError(path, error);
    }
  }

  const kindAt = (path: string) => runOnPath(path, async (absolute) => (await files.stat(absolute))?.kind);
  const read = (path: string) => runOnPath(path, (absolute) => files.readFile(absolute));

  async function list(path: string): Promise<readonly FileEntry[]> {
    if ((await kindAt(path)) !== "directory") return [];
    return runOnPath(path, async (absolute) => {
      const entries: FileEntry[] = [];
      for await (const entry of files.list(absolute)) entries.push(entry);
      return entries;
    });
  }

  // Nothing waits for the disk: a note is no safer there than the files that it is about.
  const write = (path: string, bytes: Uint8Array) =>
    runOnPath(path, (absolute) => files.writeFile(absolute, bytes, { unsynced: true })).catch((error) => {
      if (error.code !== "export_file") throw error;
      throw new FatalError(`${path} cannot be written: ${messageOf(error.cause)}`);
    });

  /** Removes a folder that contains at most unfinished files, and returns whether it did. */
  const removeEmpty = (path: string) =>
    runOnPath(path, async (absolute) => {
      if (await files.removeEmpty?.(absolute)) return true;
      const unfinished: string[] = [];
      for await (const entry of files.list(absolute)) {
        if (!isUnfinished(entry)) return false;
        unfinished.push(entry.name);
      }
      for (const name of unfinished) await files.unlink?.(`${absolute}/${name}`);
      return files.removeEmpty?.(absolute);
    });

  /** Removes the folders of a file that are empty, except those of the export itself. */
  async function removeEmptyFolders(path: string): Promise<void> {
    const segments = path.split("/").slice(0, -1);
    for (; segments.length > 1; segments.pop()) if (!(await removeEmpty(segments.join("/")))) return;
  }

  async function unlink(path: string): Promise<void> {
    const kind = await kindAt(path);
    if (kind === undefined) return;
    if (kind !== "file") throw foreignError(path);
    await runOnPath(path, async (absolute) => files.unlink?.(absolute));
  }

  async function remove(path: string): Promise<void> {
    await unlink(path);
    if (await kindAt(path.slice(0, path.lastIndexOf("/")))) await removeEmptyFolders(path);
  }

  async function* filesOf(image: string): AsyncGenerator<string> {
    for await (const { path, isWhole } of findImageFiles(image, list, linkError)) if (isWhole) yield path;
  }

  async function removeImage(image: string): Promise<void> {
    const kind = await kindAt(image);
    if (kind !== undefined && kind !== "directory") throw foreignError(image);
    for await (const { path } of findImageFiles(image, list, linkError)) await remove(path);
  }

  const notes = createNotes({ read, write, remove, list });
  const aside = `${notesFolder}/aside`;
  let setAside = 0;
  return {
    async write(path, bytes) {
      await write(path, bytes);
      bytesWritten += bytes.length;
    },
    read,
    has: async (path) => (await kindAt(path)) === "file",
    filesOf,
    async refuseForeign(image) {
      const kind = await kindAt(image);
      if (kind !== undefined && kind !== "directory") throw foreignError(image);
      for await (const path of filesOf(image)) throw foreignError(path);
    },
    remove,
    removeImage,
    notes,
    async setAside(bytes) {
      const path = `${aside}/${setAside++}`;
      await write(path, bytes);
      return async () => (await read(path)) as Uint8Array;
    },
    async dropAside() {
      for (const entry of await list(aside))
        if (/^\d+$/.test(entry.name) || isUnfinished(entry)) await remove(`${aside}/${entry.name}`);
    },
    async clear() {
      for await (const identifier of notes.images()) {
        await removeImage(imageFolder(identifier));
        await notes.forgetImage(identifier);
      }
      for (const id of await notes.documents()) await remove(documentFile(id));
      await notes.forgetDocuments();
      const groups = (await list(notesFolder)).filter(({ kind, link }) => kind === "directory" && !link);
      const inside = groups.map(({ name }) => `${notesFolder}/${name}`);
      for (const name of [...inside, "images", "manifests", notesFolder, ""])
        if ((await kindAt(name)) === "directory") await removeEmpty(name);
    },
    bytesWritten: () => bytesWritten,
  };
}
