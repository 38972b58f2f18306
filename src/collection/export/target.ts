// The folder that an export is written to, and its notes about what is complete.

import { hash } from "../../images/cache-keys.ts";
import { toHex } from "../../imaging/lib/digest.ts";
import type { FileSystem } from "../../platform/platform.ts";

/** A note about an exported image; it is complete once all of its files are written. */
export interface ImageNote {
  /** Digest of everything that its derivatives depend on. */
  readonly version: string;
  readonly complete: boolean;
}

export interface Target {
  /** Writes a file; it appears as a whole or not at all. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  has(path: string): Promise<boolean>;
  /** Removes a file or folder. */
  remove(path: string): Promise<void>;
  /** Returns the note about an image; undefined if there is none. */
  noteOf(identifier: string): Promise<ImageNote | undefined>;
  note(identifier: string, note: ImageNote): Promise<void>;
  readonly bytesWritten: () => number;
}

/** Folder of the notes, which no web server has to serve. */
export const notesFolder = ".smalti-export";

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
  return {
    async write(path, bytes) {
      await files.writeFile(at(path), bytes, { unsynced: true });
      bytesWritten += bytes.length;
    },
    has: async (path) => (await files.stat(at(path)))?.kind === "file",
    remove: (path) => files.remove(at(path)),
    async noteOf(identifier) {
      const bytes = await files.readFile(await notePath(identifier));
      try {
        return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as ImageNote);
      } catch {
        return undefined;
      }
    },
    async note(identifier, note) {
      const bytes = new TextEncoder().encode(JSON.stringify({ identifier, ...note }));
      await files.writeFile(await notePath(identifier), bytes);
    },
    bytesWritten: () => bytesWritten,
  };
}
