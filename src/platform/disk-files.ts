// Files of workerd, through its disk service: a directory of the host that answers HTTP.

import type { FileSystem } from "./platform.ts";

/** A service binding. */
export interface Fetcher {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

interface DiskEntry {
  readonly name: string;
  readonly type: "file" | "directory" | string;
}

const kinds: Readonly<Record<string, "file" | "directory">> = { file: "file", directory: "directory" };

function urlOf(path: string): string {
  return `http://disk/${path.split("/").filter(Boolean).map(encodeURIComponent).join("/")}`;
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

function failed(act: string, response: Response): Error {
  return new Error(`The disk service answered ${act} with ${response.status}.`);
}

/** A response without its body, which has to be let go. */
async function drop(response: Response): Promise<void> {
  await response.body?.cancel();
}

/** The files below the directory of the binding; `/` is its top. Nothing can be renamed, so a write is not atomic. */
export function diskFiles(disk: Fetcher): FileSystem {
  /** Entries of a directory; undefined for a file and where nothing is. */
  const entries = async (path: string): Promise<readonly DiskEntry[] | undefined> => {
    const response = await disk.fetch(urlOf(path));
    // A directory is told by its content type; files are always application/octet-stream.
    if (!response.ok || !response.headers.get("content-type")?.startsWith("application/json")) {
      await drop(response);
      return undefined;
    }
    return response.json();
  };

  const stat: FileSystem["stat"] = async (path) => {
    const response = await disk.fetch(urlOf(path), { method: "HEAD" });
    await drop(response);
    if (response.status === 404) return undefined;
    if (!response.ok) throw failed("HEAD", response);
    const isDirectory = response.headers.get("content-type")?.startsWith("application/json") === true;
    const modified = new Date(response.headers.get("last-modified") ?? 0);
    const size = isDirectory ? 0 : Number(response.headers.get("content-length") ?? 0);
    return { kind: isDirectory ? "directory" : "file", size, modified };
  };

  return {
    stat,
    realPath: async (path) =>
      (await stat(path)) ? `/${path.split("/").filter(Boolean).join("/")}` : undefined,
    async open(path) {
      const facts = await stat(path);
      if (facts?.kind !== "file") throw new Error("There is no file at this path on the disk service.");
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
            throw failed("a range", response);
          }
          const bytes = await bytesOf(response);
          return response.status === 200 ? bytes.slice(offset, end) : bytes;
        },
        async close() {},
      };
    },
    async readFile(path) {
      const response = await disk.fetch(urlOf(path));
      if (response.ok) return bytesOf(response);
      await drop(response);
      if (response.status === 404) return undefined;
      throw failed("GET", response);
    },
    async *list(path) {
      const found = await entries(path);
      if (!found) throw new Error("There is no directory at this path on the disk service.");
      for (const { name, type } of found) yield { name, kind: kinds[type] ?? "other" };
    },
    async writeFile(path, data) {
      const response = await disk.fetch(urlOf(path), {
        method: "PUT",
        body: data as Uint8Array<ArrayBuffer>,
      });
      await drop(response);
      if (!response.ok) throw failed("PUT", response);
    },
    async remove(path) {
      for (const { name } of (await entries(path)) ?? []) await this.remove(`${path}/${name}`);
      const response = await disk.fetch(urlOf(path), { method: "DELETE" });
      await drop(response);
    },
  };
}
