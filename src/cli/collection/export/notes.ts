// Notes of an export about what it has written, for later runs.

import { type FileEntry, plainSegments, toHex } from "../../../base/index.ts";
import { hash } from "../../../server/index.ts";

/** A note about an exported image; it is complete once all of its files are written. */
export interface ImageNote {
  /** Digest of everything that its derivatives depend on. */
  readonly version: string;
  readonly complete: boolean;
}

export interface Notes {
  /** Makes the folder one of an export. */
  begin(): Promise<void>;
  /** Returns the note about an image; undefined if there is none. */
  image(identifier: string): Promise<ImageNote | undefined>;
  /** Notes an image of which no files of others are there, since later runs replace and remove its files. */
  noteImage(identifier: string, note: ImageNote): Promise<void>;
  forgetImage(identifier: string): Promise<void>;
  /** Yields the identifiers of all notes about images. */
  images(): AsyncIterable<string>;
  /** Returns the identifiers of all noted documents. */
  documents(): Promise<ReadonlySet<string>>;
  noteDocuments(identifiers: Iterable<string>): Promise<void>;
  /** Removes the list of documents. */
  forgetDocuments(): Promise<void>;
  /** Returns the paths of the files of the search; none without one. */
  searchFiles(): Promise<readonly string[]>;
  noteSearchFiles(paths: readonly string[]): Promise<void>;
  /** Removes the list of those files. */
  forgetSearch(): Promise<void>;
}

/** Files by their path below the folder of the export. */
export interface NoteFiles {
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  list(path: string): Promise<readonly FileEntry[]>;
}

/** Folder of the notes, which no web server has to serve. */
export const notesFolder = ".smalti-export";

const documentsPath = `${notesFolder}/documents.json`;
const searchPath = `${notesFolder}/search.json`;
/** Files of a search, which a later run may remove. */
const searchFile = /^search\/[a-z]+(?:-\d+)?\.[a-z]+$/;

async function notePath(identifier: string): Promise<string> {
  const name = await hash([identifier]);
  const file = toHex(new TextEncoder().encode(name));
  return `${notesFolder}/${name.slice(0, 2).toLowerCase()}/${file}.json`;
}

export function createNotes(files: NoteFiles): Notes {
  const documents = async () => {
    const noted = await readJson(files, documentsPath);
    const isPlainName = (id: unknown): id is string =>
      id === "" || (typeof id === "string" && plainSegments(id) !== undefined);
    return Array.isArray(noted) ? noted.filter(isPlainName) : undefined;
  };
  const noteDocuments = (identifiers: Iterable<string>) =>
    files.write(documentsPath, encode([...identifiers]));
  return {
    async begin() {
      if (!(await documents())) await noteDocuments([]);
    },
    async image(identifier) {
      const { version, complete } = await readNote(files, await notePath(identifier));
      return typeof version === "string" ? { version, complete: complete === true } : undefined;
    },
    noteImage: async (identifier, note) =>
      files.write(await notePath(identifier), encode({ identifier, ...note })),
    forgetImage: async (identifier) => files.remove(await notePath(identifier)),
    async *images() {
      const groups = (await files.list(notesFolder)).filter(({ name, link }) => name.length === 2 && !link);
      for (const group of groups)
        for (const { name, link } of await files.list(`${notesFolder}/${group.name}`)) {
          if (link) continue;
          const path = `${notesFolder}/${group.name}/${name}`;
          const { identifier } = await readNote(files, path);
          // A note under another name was not written by an export.
          if (typeof identifier !== "string" || plainSegments(identifier) === undefined) continue;
          if ((await notePath(identifier)) === path) yield identifier;
        }
    },
    documents: async () => new Set(await documents()),
    noteDocuments,
    forgetDocuments: () => files.remove(documentsPath),
    async searchFiles() {
      const noted = await readJson(files, searchPath);
      const isOurs = (path: unknown): path is string => typeof path === "string" && searchFile.test(path);
      return Array.isArray(noted) ? noted.filter(isOurs) : [];
    },
    noteSearchFiles: (paths) => files.write(searchPath, encode(paths)),
    forgetSearch: () => files.remove(searchPath),
  };
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const readNote = async (files: NoteFiles, path: string) =>
  Object(await readJson(files, path)) as { readonly [name: string]: unknown };

/** Returns the value of a JSON file; undefined if there is none, or another text. */
async function readJson(files: NoteFiles, path: string): Promise<unknown> {
  const bytes = await files.read(path);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
