// Files of workerd through its disk service: a directory of the host that responds to HTTP.
//
// The service opens whatever a request names, links included, and opening a named pipe blocks the whole
// process until somebody writes to it. So a path is requested only if the listings of its parents show
// directories and a regular file all the way. The target of a symbolic link cannot be determined without
// opening it, so links are not followed.

import { createLru, type FileStat, type FileSystem } from "../../../base/index.ts";

/** A service binding. */
export interface Fetcher {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

interface DiskEntry {
  readonly name: string;
  readonly type: string;
}

type Kind = FileStat["kind"];

/** The service's names of kinds; pipes, sockets, devices and links have others. */
const kinds: Readonly<Record<string, Kind>> = { file: "file", directory: "directory" };

/**
 * Milliseconds that a listing is valid, so that a request for a missing file does not list a large directory
 * again.
 */
const listingMs = 1000;
/** Names in all remembered listings together. */
const rememberedNames = 100_000;

const segmentsOf = (path: string) => path.split("/").filter(Boolean);

function urlOf(path: string): string {
  return `http://disk/${segmentsOf(path).map(encodeURIComponent).join("/")}`;
}

/** Files are always application/octet-stream. */
const isDirectory = (response: Response) =>
  response.headers.get("content-type")?.startsWith("application/json") === true;

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

function diskError(act: string, response: Response): Error {
  return new Error(`The disk service answered ${act} with ${response.status}.`);
}

/** Cancels the body of a response that is not needed. */
async function drop(response: Response): Promise<void> {
  await response.body?.cancel();
}

function notRegular(path: string, kind: Kind): Error {
  const found = kind === "directory" ? "a directory" : "a link, pipe, socket or device";
  return new Error(`Expected a regular file at ${path} of the disk service, found ${found}.`);
}

/**
 * The files below the directory of the binding; `/` is its top. Nothing can be renamed, so a write is not
 * atomic.
 */
export function diskFiles(disk: Fetcher): FileSystem {
  const listings = createLru<string, { readonly names: Map<string, Kind>; readonly until: number }>(
    rememberedNames,
  );

  /**
   * Returns the names in a directory; undefined for a file and if nothing exists. Never called for a possible
   * pipe.
   */
  const listDirectory = async (segments: readonly string[]): Promise<Map<string, Kind> | undefined> => {
    const path = segments.join("/");
    const response = await disk.fetch(urlOf(path));
    if (!response.ok || !isDirectory(response)) {
      await drop(response);
      return undefined;
    }
    const entries = (await response.json()) as readonly DiskEntry[];
    const names = new Map(entries.map(({ name, type }) => [name, kinds[type] ?? "other"]));
    listings.set(path, { names, until: Date.now() + listingMs }, names.size + 1);
    return names;
  };

  const kindIn = async (directory: readonly string[], name: string): Promise<Kind | undefined> => {
    const known = listings.get(directory.join("/"));
    const names = known && Date.now() < known.until ? known.names : await listDirectory(directory);
    return names?.get(name);
  };

  /** Returns the kind of a path, without following links; undefined if nothing exists. */
  const kindOf = async (path: string): Promise<Kind | undefined> => {
    let kind: Kind | undefined = "directory";
    const segments = segmentsOf(path);
    for (const [depth, name] of segments.entries()) {
      if (kind !== "directory") return undefined;
      kind = await kindIn(segments.slice(0, depth), name);
    }
    return kind;
  };

  /** Adds a file that was written, and the directories that were made for it, to the listings that count. */
  const noteWritten = (path: string): void => {
    const segments = segmentsOf(path);
    for (const [depth, name] of segments.entries())
      listings
        .get(segments.slice(0, depth).join("/"))
        ?.names.set(name, depth + 1 < segments.length ? "directory" : "file");
  };

  const stat: FileSystem["stat"] = async (path) => {
    const kind = await kindOf(path);
    if (kind === undefined) return undefined;
    if (kind === "other") return { kind, size: 0, modified: new Date(0) };
    const response = await disk.fetch(urlOf(path), { method: "HEAD" });
    await drop(response);
    if (response.status === 404) return undefined;
    if (!response.ok) throw diskError("HEAD", response);
    const modified = new Date(response.headers.get("last-modified") ?? 0);
    if (isDirectory(response)) return { kind: "directory", size: 0, modified };
    return { kind: "file", size: Number(response.headers.get("content-length") ?? 0), modified };
  };

  return {
    stat,
    async realPath(path) {
      const kind = await kindOf(path);
      return kind === "file" || kind === "directory" ? `/${segmentsOf(path).join("/")}` : undefined;
    },
    async open(path) {
      const facts = await stat(path);
      if (!facts) throw new Error("There is no file at this path on the disk service.");
      if (facts.kind !== "file") throw notRegular(path, facts.kind);
      const { size } = facts;
      return {
        size,
        stat: facts,
        async read(offset, length) {
          const end = Math.min(offset + length, size);
          if (end <= offset) return new Uint8Array(0);
          const response = await disk.fetch(urlOf(path), {
            headers: { range: `bytes=${offset}-${end - 1}` },
          });
          if (response.status !== 206 && response.status !== 200) {
            await drop(response);
            throw diskError("a range", response);
          }
          const bytes = await bytesOf(response);
          return response.status === 200 ? bytes.slice(offset, end) : bytes;
        },
        async close() {},
      };
    },
    async readFile(path, { plain = false } = {}) {
      const kind = await kindOf(path);
      if (kind === undefined || (plain && kind !== "file")) return undefined;
      if (kind !== "file") throw notRegular(path, kind);
      const response = await disk.fetch(urlOf(path));
      if (response.ok) return bytesOf(response);
      await drop(response);
      if (response.status === 404) return undefined;
      throw diskError("GET", response);
    },
    async *list(path) {
      const names = (await kindOf(path)) === "directory" ? await listDirectory(segmentsOf(path)) : undefined;
      if (!names) throw new Error("There is no directory at this path on the disk service.");
      for (const [name, kind] of names) yield { name, kind };
    },
    async writeFile(path, data, { exclusive = false } = {}) {
      if (exclusive) throw new Error("The files of workerd cannot be shared by several servers.");
      const response = await disk.fetch(urlOf(path), {
        method: "PUT",
        body: new Blob((data instanceof Uint8Array ? [data] : data) as Uint8Array<ArrayBuffer>[]),
      });
      await drop(response);
      if (!response.ok) throw diskError("PUT", response);
      noteWritten(path);
    },
    async remove(path) {
      const kind = await kindOf(path);
      if (kind === undefined) return;
      if (kind === "directory")
        for (const name of [...((await listDirectory(segmentsOf(path)))?.keys() ?? [])])
          await this.remove(`${path}/${name}`);
      const response = await disk.fetch(urlOf(path), { method: "DELETE" });
      await drop(response);
    },
  };
}
