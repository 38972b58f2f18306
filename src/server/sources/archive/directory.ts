// The directory of a ZIP file: which members it has, which of them can be read, and its folders.

import { type ByteSource, createPauses } from "../../../base/index.ts";
import { fileKind } from "../listing.ts";
import { findDirectory, viewOf } from "./end-record.ts";
import { damagedArchiveError, unsupportedArchiveError } from "./errors.ts";
import { createExtents, separate } from "./extents.ts";
import { type MemberHeader, readHeader } from "./header.ts";
import { pathOfName } from "./names.ts";

/** Reasons to refuse a member, as the end of a sentence about it, and what to do. */
export const refusals = {
  encrypted: { reason: "it is encrypted", advice: "Archive it without a password." },
  method: { reason: "it is compressed by another method than deflate", advice: "Store it, by zip -0." },
  name: { reason: "its name leads elsewhere, is too long or is no text", advice: "Rename it." },
  twice: { reason: "its name occurs twice", advice: "Remove one of them, or make the archive again." },
  kind: { reason: "it is a link or a device", advice: "Archive the file itself." },
  sizes: { reason: "its sizes cannot be true", advice: "Make the archive again." },
  outside: {
    reason: "it is not within this file",
    advice: "Copy the archive again; it may be cut or split.",
  },
} as const;

export type Refusal = keyof typeof refusals;

/** Names in a folder of an archive, in its order: no more of each kind than are listed. */
export interface ArchiveFolder {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

/**
 * Maximum number of images of a folder that are listed, of its other files, and of its folders. Longer lists
 * would block requests, and make documents that no viewer opens.
 */
export const maxListed = 20_000;

/** A directory that was read. Paths have no / at their ends; "" is the top. */
export interface ArchiveDirectory {
  /** Returns the header of a member; why it is refused; or undefined if there is none of that path. */
  find(path: string): MemberHeader | Refusal | undefined;
  /** Returns a folder; undefined if there is none of that path. */
  folder(path: string): ArchiveFolder | undefined;
  /** How many members are refused, by reason. */
  readonly refused: ReadonlyMap<Refusal, number>;
  /** How many images are deflated. */
  readonly deflatedImages: number;
  /** How many members and folders are not listed, since their folder has too many. */
  readonly unlisted: number;
  /** Positions of all members in ascending order, and the end of the last one. */
  readonly offsets: Float64Array;
  /** Estimated bytes in memory. */
  readonly weight: number;
}

/** Maximum number of folders of an archive. */
const maxFolders = 100_000;

/** Estimated bytes in memory of a member or folder besides its name. */
const bytesOfEntry = 128;

const encryptedFlags = (1 << 0) | (1 << 6) | (1 << 13);

/** Bytes of a local header without name and extra fields. */
export const localHeaderLength = 30;

/** Maximum ratio of deflate (Fifield, "A better zip bomb", 2019). */
const maxRatio = 1032;

/**
 * Reads the directory of a ZIP file, in pieces of work between which requests are served. Throws ServiceError
 * `decode` (code archive_damaged) and `unsupported` (archive_unsupported), and what reading throws.
 */
export async function readDirectory(bytes: ByteSource, signal?: AbortSignal): Promise<ArchiveDirectory> {
  const extent = await findDirectory(bytes, signal);
  const data = await bytes.read(extent.offset, extent.length, signal);
  if (data.length < extent.length) throw damagedArchiveError("it ends earlier than its length says");
  const view = viewOf(data);
  const members = new Members();
  const extents = createExtents(extent.entries);
  const pause = createPauses();
  let deflatedImages = 0;
  let at = 0;
  for (let n = 0; n < extent.entries; n++) {
    const header = readHeader(data, view, at);
    const end = header.offset + localHeaderLength + header.rawName.length + header.packed;
    const isInside = header.disk === 0 && end <= extent.offset;
    if (isInside) {
      extents.offsets[extents.count] = header.offset;
      extents.ends[extents.count++] = end;
    }
    const isServed = members.add(header, at, isInside ? refusalOf(header) : "outside");
    if (isServed && header.method === 8 && fileKind(header.name ?? "") === "image") deflatedImages++;
    at = header.next;
    const due = pause();
    if (due) await due;
  }
  if (at !== data.length && view.getUint32(at, true) !== signatureOfDirectory)
    throw damagedArchiveError("its directory has more members than its end says");
  const offsets = separate(extents, extent.offset);
  if (!offsets) throw damagedArchiveError("its members overlap");
  const folders = await members.settle(pause);
  const { positions, refused, unlisted } = members;
  const counts = new Map<Refusal, number>();
  for (const refusal of members.reasons) counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  return {
    find(path) {
      const position = positions.get(path);
      return position === undefined ? refused.get(path) : readHeader(data, view, position);
    },
    folder: (path) => folders.get(path),
    refused: counts,
    deflatedImages,
    unlisted,
    offsets,
    weight: 2 * data.length + offsets.byteLength + bytesOfEntry * (positions.size + folders.size),
  };
}

/** Begins the digital signature that may end a directory (APPNOTE.TXT, section 4.3.13). */
const signatureOfDirectory = 0x05054b50;

/** Returns why a member is refused whatever its name is. */
function refusalOf({ flags, method, packed, size, mode }: MemberHeader): Refusal | undefined {
  const type = mode & 0o170000;
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) return "kind";
  if (flags & encryptedFlags) return "encrypted";
  if (method !== 0 && method !== 8) return "method";
  if (method === 0 ? packed !== size : size > maxRatio * packed) return "sizes";
  return undefined;
}

/** The members of a directory while it is read. */
class Members {
  /** Positions of headers in the directory, by path. */
  readonly positions = new Map<string, number>();
  readonly refused = new Map<string, Refusal>();
  /** Reason of each refused member, also of those whose names cannot be asked for. */
  readonly reasons: Refusal[] = [];
  /** Paths by their normal form, in which two of them count as the same. */
  readonly #taken = new Map<string, string>();
  readonly #folders = new Map<string, ReadFolder>([["", emptyFolder()]]);
  /** Number of images among the files of each folder. */
  readonly #images = new Map<string, number>();
  /** How many names the folders leave out. */
  unlisted = 0;

  /** Adds a member, and returns true if nothing refuses it so far. */
  add({ name }: Pick<MemberHeader, "name">, position: number, refusal: Refusal | undefined): boolean {
    const named = name === undefined ? "refused" : pathOfName(name);
    if (named === "refused") this.reasons.push("name");
    if (typeof named === "string") return false;
    const { path } = named;
    if (name?.endsWith("/")) {
      this.#addFolder(path);
      return false;
    }
    const normal = path.normalize("NFC");
    const other = this.#taken.get(normal);
    if (other !== undefined) this.#refuse(other, "twice");
    else this.#taken.set(normal, path);
    const reason = other === undefined ? refusal : "twice";
    if (reason) this.#refuse(path, reason);
    else this.positions.set(path, position);
    return reason === undefined;
  }

  /** Returns the folders with the names of all members that are not refused. */
  async settle(pause: () => Promise<void> | undefined): Promise<ReadonlyMap<string, ArchiveFolder>> {
    this.#taken.clear();
    const forEach = async (paths: Iterable<string>, act: (path: string) => void) => {
      for (const path of paths) {
        act(path);
        const due = pause();
        if (due) await due;
      }
    };
    await forEach(this.positions.keys(), (path) => this.#addFolder(folderOf(path)));
    await forEach(this.#folders.keys(), (path) => {
      if (this.positions.has(path)) this.#refuse(path, "twice");
    });
    await forEach(this.positions.keys(), (path) => this.#list(path));
    return this.#folders;
  }

  /** Adds the name of a member to its folder, unless that has too many. */
  #list(path: string): void {
    const parent = folderOf(path);
    const { files } = this.#folders.get(parent) as ReadFolder;
    const images = this.#images.get(parent) ?? 0;
    const isImage = fileKind(path) === "image";
    if ((isImage ? images : files.length - images) >= maxListed) this.unlisted++;
    else {
      files.push(path.slice(path.lastIndexOf("/") + 1));
      if (isImage) this.#images.set(parent, images + 1);
    }
  }

  #refuse(path: string, refusal: Refusal): void {
    this.positions.delete(path);
    if (!this.refused.has(path)) this.reasons.push(refusal);
    this.refused.set(path, refusal);
  }

  /** Adds a folder and those above it. */
  #addFolder(path: string): void {
    let below = path;
    while (!this.#folders.has(below)) {
      if (this.#folders.size >= maxFolders)
        throw unsupportedArchiveError(`it has more than ${maxFolders} folders`);
      this.#folders.set(below, emptyFolder());
      below = folderOf(below);
    }
    // Each new folder is listed in the one above, which exists by now.
    for (let each = path; each !== below; each = folderOf(each)) {
      const { directories } = this.#folders.get(folderOf(each)) as ReadFolder;
      if (directories.length >= maxListed) this.unlisted++;
      else directories.push(each.slice(each.lastIndexOf("/") + 1));
    }
  }
}

interface ReadFolder {
  readonly files: string[];
  readonly directories: string[];
}

const emptyFolder = (): ReadFolder => ({ files: [], directories: [] });

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
