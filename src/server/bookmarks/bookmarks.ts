// Content states that the service stores for others: files in a folder, written once, never changed and never
// removed.

import { type Check, fromBase64Url, ServiceError, sha256, toBase64Url, toHex } from "../../base/index.ts";
import { type BoundedFiles, boundFiles, type EntryFiles } from "../stores/filesystem/entry-files.ts";
import { folderFault } from "../stores/filesystem/folder.ts";

export interface Bookmarks {
  /**
   * Stores a state, which must be JSON, and returns its id: the first 128 bits of the SHA-256 of its
   * canonical JSON as base64url. Equal states are stored once. Throws `bad-request` if it is nested too
   * deeply, and `busy` (code bookmarks_unavailable) if the folder cannot be written.
   */
  keep(state: unknown): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /**
   * Returns the canonical JSON of a state, or undefined if none has this id. Throws `busy` if the folder
   * cannot be read or the file is damaged.
   */
  find(id: string): Promise<string | undefined>;
  readonly check: Check;
}

/** Identifies the folder and its format for later versions of this service. */
const formatFile = "smalti-bookmarks.json";
const format = 1;

/** 128 bits as base64url: the last character holds two of them. */
const idForm = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** Opens the bookmarks below `dir`, an absolute path. `calls`: maximum of concurrent file calls. */
export function openBookmarks(files: EntryFiles, dir: string, calls?: number): Bookmarks {
  const bounded = boundFiles(files, calls);
  const root = dir.replace(/[/\\]+$/, "");
  // In hexadecimal digits, since some file systems do not distinguish upper and lower case.
  const fileOf = (digest: Uint8Array) => {
    const name = toHex(digest);
    return `${root}/states/${name.slice(0, 2)}/${name}.json`;
  };
  const read = (file: string) => bounded.readFile(file, { plain: true });
  return {
    async keep(state) {
      const text = canonicalJson(state);
      const digest = (await sha256(text)).subarray(0, 16);
      const file = fileOf(digest);
      const id = toBase64Url(digest);
      try {
        const bytes = await read(file);
        // This repairs a damaged file.
        if (bytes && new TextDecoder().decode(bytes) === text) return { id, isNew: false };
        await ensureFormat(bounded, root, true);
        await bounded.writeFile(file, new TextEncoder().encode(text));
        return { id, isNew: true };
      } catch (cause) {
        throw unavailableError(cause);
      }
    },
    async find(id) {
      const digest = idForm.test(id) ? fromBase64Url(id) : undefined;
      if (!digest) return undefined;
      try {
        const bytes = await read(fileOf(digest));
        if (bytes) return await readIntact(bytes, digest);
        // A missing folder, such as a lost mount, does not prove that a state was never stored.
        await ensureFormat(bounded, root, false);
        return undefined;
      } catch (cause) {
        throw unavailableError(cause);
      }
    },
    check: {
      part: "bookmarks",
      name: "content states",
      backend: "filesystem",
      key: "content_state.store.dir",
      location: root,
      neededFor: "start",
      run: () => ensureFormat(bounded, root, true),
      dryRun: () => ensureFormat(bounded, root, false),
    },
  };
}

/** Returns the text of a file, whose name has to be its digest. */
async function readIntact(bytes: Uint8Array, digest: Uint8Array): Promise<string> {
  if (toHex(await sha256(bytes)).startsWith(toHex(digest))) return new TextDecoder().decode(bytes);
  throw new Error(
    "The file of a content state is damaged. Restore it from a backup, or store the state again.",
  );
}

/** Resolves if the folder contains bookmarks, or is empty, in which case `write` marks it. */
async function ensureFormat(files: BoundedFiles, root: string, write: boolean): Promise<void> {
  const stat = await files.stat(root).catch((cause: unknown) => {
    throw new Error(folderFault(cause), { cause });
  });
  if (stat?.kind !== "directory")
    throw new Error(
      stat
        ? "The path of the content state folder is a file. Set another path."
        : "The content state folder does not exist. Create it, or set another path.",
    );
  const file = `${root}/${formatFile}`;
  const bytes = await files.readFile(file, { plain: true });
  if (bytes) {
    if (formatOf(new TextDecoder().decode(bytes)) !== format)
      throw new Error(
        `The content states in the folder were written by another version of this service: expected format ${format} in ${formatFile}. Start that version, or set another folder.`,
      );
    return;
  }
  if (!write) return;
  await files
    .writeFile(file, new TextEncoder().encode(`${JSON.stringify({ format })}\n`))
    .catch((cause: unknown) => {
      throw new Error(folderFault(cause), { cause });
    });
}

function formatOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly format?: unknown } | null)?.format;
  } catch {
    return undefined;
  }
}

const unavailableError = (cause: unknown) =>
  new ServiceError("busy", "Stored views cannot be reached at the moment. Try again later.", {
    code: "bookmarks_unavailable",
    cause,
  });

/** Maximum nesting of lists and objects. */
const maxDepth = 64;

/**
 * Returns JSON without white space, with the members of each object sorted by their names' UTF-16 code units
 * (RFC 8785, section 3.2.3). Throws `bad-request` (code content_state_too_deep) above 64 levels.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth === maxDepth)
    throw new ServiceError(
      "bad-request",
      `Expected a content state of at most ${maxDepth} levels of lists and objects; received more. Send a flatter one.`,
      { code: "content_state_too_deep" },
    );
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each, depth + 1)).join(",")}]`;
  const members = value as Readonly<Record<string, unknown>>;
  const texts = Object.keys(members)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name], depth + 1)}`);
  return `{${texts.join(",")}}`;
}
