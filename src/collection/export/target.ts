// The folder that an export is written to, and its notes about what is complete.

import { ServiceError } from "../../errors.ts";
import { hash } from "../../images/cache-keys.ts";
import { toHex } from "../../imaging/lib/digest.ts";
import type { FileSystem } from "../../platform/platform.ts";
import { FatalError } from "../tally.ts";

/** A note about an exported image; it is complete once all of its files are written. */
export interface ImageNote {
  /** Digest of everything that its derivatives depend on. */
  readonly version: string;
  readonly complete: boolean;
}

export interface Target {
  /**
   * Writes a file; it appears as a whole or not at all. Throws ServiceError `unsupported` (code export_name)
   * if the file system cannot have a file of that name, else FatalError.
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  has(path: string): Promise<boolean>;
  /** Removes a file. */
  remove(path: string): Promise<void>;
  /** Removes the folder of an image, but not the folders of images below it. */
  removeImage(folder: string): Promise<void>;
  /** Returns the note about an image; undefined if there is none. */
  noteOf(identifier: string): Promise<ImageNote | undefined>;
  note(identifier: string, note: ImageNote): Promise<void>;
  /** Removes the note about an image. */
  forget(identifier: string): Promise<void>;
  /** Yields the identifiers of all notes about images. */
  noted(): AsyncIterable<string>;
  /** Returns the identifiers of documents that earlier runs have noted; undefined without such a note. */
  documents(): Promise<ReadonlySet<string> | undefined>;
  noteDocuments(identifiers: Iterable<string>): Promise<void>;
  /** Puts bytes aside, and returns a function that reads them. */
  setAside(bytes: Uint8Array): Promise<() => Promise<Uint8Array>>;
  /** Removes everything that was put aside. */
  dropAside(): Promise<void>;
  readonly bytesWritten: () => number;
}

/** Folder of the notes, which no web server has to serve. */
export const notesFolder = ".smalti-export";

/** Codes of errors about the name of a file, and not about the disk. */
const nameCodes = new Set(["ENAMETOOLONG", "EISDIR", "ENOTDIR", "EEXIST", "EINVAL", "EILSEQ"]);

const nameError = (cause: unknown) =>
  new ServiceError(
    "unsupported",
    "The name of its file is too long where the export is written, or another exported file has that name. Rename the image or its folder.",
    { code: "export_name", cause },
  );

/** What the folder of an image contains of its own: names of other images have no comma or colon. */
const ownName = /[,:]|^(?:info\.json|full|square)$/;

/** A target in a folder, by its absolute path. */
export function folderTarget(files: FileSystem, folder: string): Target {
  let bytesWritten = 0;
  const at = (path: string) => `${folder}/${path}`;
  const notePath = async (identifier: string) => {
    const name = await hash([identifier]);
    return at(
      `${notesFolder}/${name.slice(0, 2).toLowerCase()}/${toHex(new TextEncoder().encode(name))}.json`,
    );
  };
  // Nothing waits for the disk: a note is no safer there than the files that it is about.
  const write = async (path: string, bytes: Uint8Array) => {
    try {
      await files.writeFile(path, bytes, { unsynced: true });
    } catch (error) {
      if (nameCodes.has((error as { code?: string }).code ?? "")) throw nameError(error);
      throw new FatalError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
    }
  };
  const documentNote = at(`${notesFolder}/documents.json`);
  const aside = at(`${notesFolder}/aside`);
  let setAside = 0;
  return {
    async write(path, bytes) {
      await write(at(path), bytes);
      bytesWritten += bytes.length;
    },
    async has(path) {
      try {
        return (await files.stat(at(path)))?.kind === "file";
      } catch (error) {
        throw nameError(error);
      }
    },
    remove: (path) => files.remove(at(path)),
    async removeImage(folder) {
      const names = await namesIn(files, at(folder));
      const own = names.filter((name) => ownName.test(name));
      if (own.length === names.length) await files.remove(at(folder));
      else for (const name of own) await files.remove(at(`${folder}/${name}`));
    },
    noteOf: async (identifier) =>
      (await readJson(files, await notePath(identifier))) as ImageNote | undefined,
    async note(identifier, note) {
      await write(await notePath(identifier), encode({ identifier, ...note }));
    },
    forget: async (identifier) => files.remove(await notePath(identifier)),
    async *noted() {
      for (const group of (await namesIn(files, at(notesFolder))).filter(({ length }) => length === 2))
        for (const name of await namesIn(files, at(`${notesFolder}/${group}`))) {
          const note = await readJson(files, at(`${notesFolder}/${group}/${name}`));
          const { identifier } = Object(note) as { readonly identifier?: unknown };
          if (typeof identifier === "string") yield identifier;
        }
    },
    async documents() {
      const noted = await readJson(files, documentNote);
      return Array.isArray(noted) ? new Set(noted.map(String)) : undefined;
    },
    noteDocuments: (identifiers) => write(documentNote, encode([...identifiers])),
    async setAside(bytes) {
      const path = `${aside}/${setAside++}`;
      await write(path, bytes);
      return async () => (await files.readFile(path)) as Uint8Array;
    },
    dropAside: () => files.remove(aside),
    bytesWritten: () => bytesWritten,
  };
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Returns the value of a JSON file; undefined if there is none, or another text. */
async function readJson(files: FileSystem, path: string): Promise<unknown> {
  const bytes = await files.readFile(path);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the names in a folder; none if it does not exist. */
async function namesIn(files: FileSystem, folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  if ((await files.stat(folder))?.kind === "directory")
    for await (const { name } of files.list(folder)) names.push(name);
  return names;
}
