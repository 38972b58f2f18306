// Files over node:fs/promises, which Node, Deno and Bun all have.

import {
  close,
  closeSync,
  constants,
  fstat,
  fstatSync,
  open as openDescriptor,
  openSync,
  read,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  opendir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  unlink,
  utimes,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type {
  ByteRange,
  FileData,
  FileStat,
  FileSystem,
  FileWriter,
  OpenFile,
  VolumeSpace,
  WriteOptions,
} from "../../../base/index.ts";
import { fileReplacement, syncDirectory } from "./file-replacement.ts";

const absentCodes = new Set(["ENOENT", "ENOTDIR"]);
/** Error codes of removing a directory that is not empty; POSIX permits both. */
const notEmptyCodes = new Set(["ENOTEMPTY", "EEXIST"]);

/** Returns the result of `act`, or undefined if nothing exists at the path. */
async function unlessAbsent<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (absentCodes.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStat["kind"] {
  return entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";
}

/** Plain view: callers get bytes, not Node's Buffer with its own `slice`. */
function bytesOf(data: Uint8Array): Uint8Array {
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}

/** Flags for reading without waiting for the other end of a pipe; Windows has neither. */
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Flags of {@link readOnly} that also refuse symbolic links. */
const readPlain = readOnly | (constants.O_NOFOLLOW ?? 0);
/** Error codes of opening links, sockets and devices. */
const notPlainCodes = new Set(["ELOOP", "EMLINK", "ENXIO", "EOPNOTSUPP"]);

const stateOf = ({ ino, ctimeMs }: Stats) => `${ino}:${ctimeMs}`;
const idOf = (stats: Stats) => `${stats.dev}:${stateOf(stats)}`;

function factsOf(stats: Stats): FileStat {
  return {
    kind: kindOf(stats),
    size: stats.size,
    modified: stats.mtime,
    changed: stats.ctime,
    id: idOf(stats),
    state: stateOf(stats),
  };
}

const notRegular = () => new Error("Expected a regular file; what was opened is something else.");

function factsOfRegular(stats: Stats): FileStat {
  const facts = factsOf(stats);
  if (facts.kind !== "file") throw notRegular();
  return facts;
}

/** Calls a function of node:fs, which costs a third less than its counterpart that returns a promise. */
const promiseOf = <T>(call: (done: (error: Error | null, value: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));

const closeFile = (descriptor: number) => promiseOf<void>((done) => close(descriptor, done));

/** Opens a file for reads by range; a read loops until it is filled or the file ends. */
async function openFile(path: string): Promise<OpenFile> {
  return openedFile(await promiseOf<number>((done) => openDescriptor(path, readOnly, done)));
}

/** Takes over a descriptor, and closes it if it is not one of a regular file. */
async function openedFile(descriptor: number): Promise<OpenFile> {
  let facts: FileStat;
  try {
    facts = factsOfRegular(await promiseOf<Stats>((done) => fstat(descriptor, done)));
  } catch (error) {
    await closeFile(descriptor);
    throw error;
  }
  let reads = 0;
  let closed: Promise<void> | undefined;
  /** Closes the descriptor after the last read, since another file may get its number. */
  let closeLast: (() => void) | undefined;
  return {
    size: facts.size,
    stat: facts,
    async read(offset, length) {
      if (closed) throw new Error("Expected an open file; this one was closed.");
      reads++;
      try {
        return await readRange(descriptor, offset, length);
      } finally {
        if (--reads === 0) closeLast?.();
      }
    },
    close() {
      closed ??=
        reads === 0
          ? closeFile(descriptor)
          : new Promise((resolve, reject) => {
              closeLast = () => void closeFile(descriptor).then(resolve, reject);
            });
      return closed;
    },
  };
}

/**
 * Linux says which path an open file has, without asking its file system. The descriptors of other runtimes
 * need not be those of the system.
 */
const openPaths =
  process.platform === "linux" && !("deno" in process.versions) && !("bun" in process.versions)
    ? "/proc/self/fd"
    : undefined;

/** See {@link FileSystem.openPlain}. */
async function openPlain(path: string): Promise<OpenFile | undefined> {
  let descriptor: number;
  try {
    descriptor = await promiseOf<number>((done) => openDescriptor(path, readPlain, done));
  } catch {
    return undefined;
  }
  let file: OpenFile;
  try {
    file = await openedFile(descriptor);
  } catch {
    return undefined;
  }
  if (pathOf(descriptor) === path) return file;
  await file.close();
  return undefined;
}

function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`${openPaths}/${descriptor}`);
  } catch {
    return undefined; // a system without /proc
  }
}

/**
 * A file with synchronous reads, for a thread that has nothing else to do. Methods throw the runtime's error.
 */
export interface FileAtOnce {
  /** Current facts of the open file, whatever is now at its path. */
  stat(): Pick<FileStat, "size" | "id">;
  /** Bytes as of {@link OpenFile}. */
  read(offset: number, length: number): Uint8Array;
  /** Bytes of several ranges, as of {@link OpenFile}, until the next call for any file. */
  borrow(ranges: readonly ByteRange[]): readonly Uint8Array[];
  close(): void;
}

/**
 * Memory of borrowed bytes, shared by all files of the thread: grows as needed, up to what a tile of a large
 * image takes.
 */
let lent = new Uint8Array();
const maxLent = 4 * 1024 * 1024;

/** Room for the given number of bytes. */
function lentRoom(length: number): Uint8Array {
  if (length > maxLent) return new Uint8Array(length);
  if (length > lent.length) lent = new Uint8Array(Math.min(maxLent, 2 * length));
  return lent;
}

/**
 * Short reads share the memory of one array of this size, since making one for each costs as much as reading.
 */
const shared = 64 * 1024;

/**
 * Opens a file for synchronous reads, which cost a tenth of the processor time of reads through the runtime's
 * thread pool. Regular files only.
 */
export function openFileAtOnce(path: string): FileAtOnce {
  const descriptor = openSync(path, readOnly);
  let size = 0;
  /** Writes to the file while it is open count from the next check on. */
  const stat = () => {
    const now = fstatSync(descriptor);
    if (!now.isFile()) throw notRegular();
    size = now.size;
    return { size, id: idOf(now) };
  };
  try {
    stat();
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  let closed = false;
  let room = new Uint8Array();
  let used = 0;
  /** Reads into an array from `from` on; fewer bytes than `length` only at the end of the file. */
  const fill = (into: Uint8Array, from: number, offset: number, length: number): number => {
    let filled = 0;
    while (filled < length) {
      const count = readSync(descriptor, into, from + filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  };
  /** Returns the available length of a range. */
  const availableLength = (offset: number, length: number) => Math.max(0, Math.min(length, size - offset));
  const confirmOpen = () => {
    // Its descriptor may belong to another file by now.
    if (closed) throw new Error("Expected an open file; this one was closed.");
  };
  return {
    stat,
    borrow(ranges) {
      confirmOpen();
      let total = 0;
      for (const { offset, length } of ranges) total += availableLength(offset, length);
      const lentTo = lentRoom(total);
      let at = 0;
      return ranges.map(({ offset, length }) => {
        const from = at;
        at += fill(lentTo, from, offset, availableLength(offset, length));
        return lentTo.subarray(from, at);
      });
    },
    read(offset, length) {
      confirmOpen();
      const wanted = availableLength(offset, length);
      if (wanted > shared / 8) {
        const out = new Uint8Array(wanted);
        const filled = fill(out, 0, offset, wanted);
        return filled < wanted ? out.slice(0, filled) : out;
      }
      if (wanted > room.length - used) {
        room = new Uint8Array(shared);
        used = 0;
      }
      const start = used;
      used += fill(room, start, offset, wanted);
      return room.subarray(start, used);
    },
    close() {
      if (!closed) closeSync(descriptor);
      closed = true;
    },
  };
}

async function readRange(descriptor: number, offset: number, length: number): Promise<Uint8Array> {
  // Not filled with zeros: what is not read is cut off.
  const out = bytesOf(Buffer.allocUnsafeSlow(Math.max(0, length)));
  let filled = 0;
  while (filled < out.length) {
    const from = filled;
    const count = await promiseOf<number>((done) =>
      read(descriptor, out, from, out.length - from, offset + from, done),
    );
    if (count === 0) return out.slice(0, filled);
    filled += count;
  }
  return out;
}

/** The bytes of a regular file that is no link; undefined for anything else. */
async function readPlainFile(path: string): Promise<Uint8Array | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, readPlain);
  } catch (error) {
    if (notPlainCodes.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    return (await handle.stat()).isFile() ? bytesOf(await handle.readFile()) : undefined;
  } finally {
    await handle.close();
  }
}

let written = 0;

const ignoreExisting = (error: NodeJS.ErrnoException) => {
  if (error.code !== "EEXIST") throw error;
};

/**
 * Creates a folder and its parents. Node's own function does not terminate if a parent cannot contain
 * folders, such as /proc.
 */
async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode).catch(ignoreExisting);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path) throw error;
    await makeFolder(parent, mode);
    await mkdir(path, mode).catch(ignoreExisting);
  }
}

async function createFile(
  path: string,
  { ownerOnly = false, unsynced = false, exclusive = false }: WriteOptions = {},
): Promise<FileWriter> {
  const directory = dirname(path);
  // In the same directory, so that the rename stays within one file system.
  const temporary = join(directory, `.${process.pid}-${++written}-${crypto.randomUUID()}.tmp`);
  const begin = () => open(temporary, "wx", ownerOnly ? 0o600 : 0o666);
  const handle = await begin().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await makeFolder(directory, ownerOnly ? 0o700 : 0o777);
    return begin();
  });
  /** Writes bytes at an offset; without one, after those that were written before. */
  const write = async (bytes: Uint8Array, at?: number) => {
    for (let done = 0; done < bytes.length; ) {
      const position = at === undefined ? null : at + done;
      done += (await handle.write(bytes, done, bytes.length - done, position)).bytesWritten;
    }
  };
  return {
    append: (bytes) => write(bytes),
    replace: (at, bytes) => write(bytes, at),
    async finish() {
      if (!unsynced) await handle.sync();
      await handle.close();
      // Unlike a rename, a link replaces nothing.
      if (exclusive) await link(temporary, path);
      else await rename(temporary, path);
      if (exclusive) await unlink(temporary);
      if (!unsynced) await syncDirectory(directory);
    },
    async discard() {
      await handle.close().catch(() => {});
      await unlink(temporary).catch(() => {});
    },
  };
}

async function writeWhole(path: string, data: FileData, options?: WriteOptions): Promise<void> {
  const file = await createFile(path, options);
  try {
    for (const part of data instanceof Uint8Array ? [data] : data) await file.append(part);
    await file.finish();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Space of the volume that contains a path, or its nearest existing parent. */
async function spaceOf(path: string): Promise<VolumeSpace | undefined> {
  const volume = await unlessAbsent(() => statfs(path));
  if (volume) return { size: volume.blocks * volume.bsize, free: volume.bavail * volume.bsize };
  const above = dirname(path);
  return above === path ? undefined : spaceOf(above);
}

/** The files of this machine, by absolute path. */
export function nodeFiles(): FileSystem {
  return {
    stat: (path) =>
      unlessAbsent(async () => {
        return factsOf(await stat(path));
      }),
    isLink: async (path) => (await unlessAbsent(() => lstat(path)))?.isSymbolicLink() === true,
    realPath: (path) => unlessAbsent(() => realpath(path)),
    open: openFile,
    ...(openPaths && { openPlain }),
    readFile: (path, { plain = false } = {}) =>
      unlessAbsent(async () => (plain ? readPlainFile(path) : bytesOf(await readFile(path)))),
    async *list(path) {
      for await (const entry of await opendir(path)) {
        if (!entry.isSymbolicLink()) {
          yield { name: entry.name, kind: kindOf(entry) };
          continue;
        }
        const target = await unlessAbsent(() => stat(join(path, entry.name))).catch(() => undefined);
        yield { name: entry.name, kind: target ? kindOf(target) : "other", link: true };
      }
    },
    writeFile: writeWhole,
    create: createFile,
    replacement: fileReplacement,
    touch: (path) => {
      const now = new Date();
      return utimes(path, now, now);
    },
    space: spaceOf,
    remove: (path) => rm(path, { recursive: true, force: true }),
    unlink,
    async removeEmpty(path) {
      try {
        await rmdir(path);
        return true;
      } catch (error) {
        if (notEmptyCodes.has((error as NodeJS.ErrnoException).code ?? "")) return false;
        throw error;
      }
    },
  };
}
