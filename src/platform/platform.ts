// Everything that differs between runtimes, behind one interface. Only this folder and the entries know the runtime.

import type { ByteSource } from "../imaging/lib/byte-source.ts";

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly modified: Date;
  /** When its entry last changed, where the runtime tells: later than `modified` where an older file was moved or copied here. */
  readonly changed?: Date;
  /** Device and file number where the runtime tells, so that a replaced file is seen. */
  readonly id?: string;
  /** The same without the device, so that it is alike on all machines that mount the volume. */
  readonly state?: string;
}

export interface FileEntry {
  readonly name: string;
  readonly kind: FileStat["kind"];
  /** Whether it is a symbolic link, where the runtime shows those. */
  readonly link?: boolean;
}

export interface OpenFile extends ByteSource {
  readonly size: number;
  /** Of what was opened, whatever stands at its path now. */
  readonly stat: FileStat;
  close(): Promise<void>;
}

/** Why a file cannot be replaced. */
export type FileObstacle = "absent" | "not-a-file" | "read-only" | "folder-read-only";

/** Replaces files that their owner made. Symbolic links are followed: what they lead to is replaced, they stay. */
export interface FileReplacement {
  /** What is known to stand in the way before anything is tried; undefined where nothing is. */
  obstacle(path: string): Promise<FileObstacle | undefined>;
  /**
   * Puts data in the place of a file, with its permissions and, where this user may, its owner and group. Whoever looks sees the
   * old file or the new one, also after a crash. `still` is asked when all is written and only the rename is left; where it
   * answers false, the old file stays and the result is false.
   */
  replace(path: string, data: Uint8Array, still: () => Promise<boolean>): Promise<boolean>;
  /** Removes what replacements of this file have left beside it when they were cut off. One that is under way fails. */
  sweep(path: string): Promise<void>;
}

/** Bytes of a volume: in all, and those that this user may still take. */
export interface VolumeSpace {
  readonly size: number;
  readonly free: number;
}

export interface WriteOptions {
  readonly ownerOnly?: boolean;
}

/** Files, by absolute path. Methods throw the runtime's error except where undefined is said. */
export interface FileSystem {
  /** Follows symbolic links; undefined where nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** The path with all symbolic links resolved; undefined where nothing is there. */
  realPath(path: string): Promise<string | undefined>;
  /** Regular files only; opening a pipe or device is an error, and never waits. */
  open(path: string): Promise<OpenFile>;
  /**
   * With `plain` only a regular file that is no symbolic link, and undefined for anything else, without ever waiting for a
   * pipe's other end.
   */
  readFile(path: string, options?: { readonly plain?: boolean }): Promise<Uint8Array | undefined>;
  /** Entries of a directory; a symbolic link has the kind of what it leads to. */
  list(path: string): AsyncIterable<FileEntry>;
  /**
   * The whole file appears at once or not at all, also after a crash (temporary name, sync, rename) where
   * the runtime can. Makes parent directories. With `ownerOnly` nobody but the user of the process may
   * read it, nor look into these (modes 0600 and 0700).
   */
  writeFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Absent where nothing can be renamed (workerd). */
  readonly replacement?: FileReplacement;
  /** Marks a file as used now (its modification time); absent where the runtime cannot. */
  touch?(path: string): Promise<void>;
  /**
   * How much room the volume has that holds a path, or would hold it; absent if the runtime cannot tell
   * (workerd).
   */
  space?(path: string): Promise<VolumeSpace | undefined>;
  /** Removes a file, or a directory with what is in it; no error where nothing is there. */
  remove(path: string): Promise<void>;
}

/** What a worker runs, by the name of its file beside the bundle: jobs of the pool, hooks, or checks of passwords. */
export type WorkerEntry = "thread" | "hook-thread" | "password-thread";

/** A worker as the main thread sees it. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, when the worker ended by itself or by an uncaught error. */
  onDeath(listener: (reason: string) => void): void;
  kill(): void;
}

export interface Serving {
  /** The addresses in use, as URLs without a path. */
  readonly urls: readonly string[];
  /**
   * Stops accepting (Deno and Bun: after a moment), lets running requests finish for at most `graceMs`, then cuts them
   * (Deno: the end of the process does). Each connection ends with its running answer.
   */
  stop(graceMs: number): Promise<void>;
}

export interface ServeOptions {
  /** undefined: all interfaces. */
  readonly hostname?: string | undefined;
  readonly port: number;
  /** Time for a request's head and body to arrive. 0: no limit. */
  readonly readTimeoutMs: number;
  /** Time a response may stand still. 0: no limit. */
  readonly writeTimeoutMs: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** How this program is started again with something else to serve, as a person types it. */
export interface StartCommands {
  /** Serves the folder `DIR`. */
  readonly folder: string;
  /** Serves what `smalti.yaml` says; absent where the configuration is not named by an argument (workerd). */
  readonly config?: string;
}

/** Resolves when the head of the answer is there. Rejects with the runtime's error, or where no address is allowed. */
export type CheckedGet = (
  url: URL,
  init: { readonly headers: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
) => Promise<Response>;

/** Codings that bodies of responses may be sent in (RFC 9110, section 8.4.1). */
export type ContentEncoding = "br" | "gzip";

/** Bodies of responses in a coding, at a level that costs little. */
export interface Compression {
  whole(bytes: Uint8Array, encoding: ContentEncoding): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Flushes each chunk, so that none waits for the next one. An error of the source, and a reader that
   * leaves, are passed on.
   */
  stream(source: ReadableStream<Uint8Array>, encoding: ContentEncoding): ReadableStream<Uint8Array>;
}

export interface Platform {
  readonly name: "node" | "deno" | "bun" | "workerd";
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names this process among those of the service: machine and number of the process. Absent where neither is known (workerd). */
  readonly instance?: string;
  /** Usable processors, at least 1. */
  readonly parallelism: number;
  /** Memory of the machine or container in bytes. */
  readonly memoryBytes: number;
  /** Bytes that the process with all its workers has in memory, and those of the main thread's objects; not on workerd. */
  memoryUsage?(): { readonly resident: number; readonly heap: number };
  /** The compiled module of that name in dist/wasm. Throws when there is none. */
  wasm(name: string): WebAssembly.Module;
  /** A file of static/, by relative path with `/`; undefined where there is none. */
  asset(path: string): Promise<Uint8Array | undefined>;
  /** zlib format (RFC 1950). */
  deflate(data: Uint8Array, level: number): Promise<Uint8Array>;
  readonly compression: Compression;
  /** The address of the socket's peer, without port. */
  clientAddress(request: Request): string | undefined;
  /** The request target as it came (path and query, before any URL parsing), where the runtime tells. */
  rawTarget(request: Request): string | undefined;
  readonly files?: FileSystem;
  /** File calls that can be under way at once, in the whole process; further ones wait. No bound where it is absent. */
  readonly fileThreads?: number;
  /** GET requests to addresses that `allowed` accepts; not on workerd, whose own network policy decides. */
  checkedGet?(allowed: (address: string, hostname: string) => boolean): CheckedGet;
  /**
   * Options of `fetch` for bodies that are not sent again to where a redirect leads. Without them Node keeps a copy of the body for that,
   * until it collects old objects. With them a redirect may be an error.
   */
  readonly sentOnce?: Pick<RequestInit, "redirect" | "window">;
  /** What one request opened no other may use: sockets are opened anew each time (workerd). */
  readonly connectionsEndWithRequest?: boolean;
  /** Where work ends with the request that began it (workerd): lets it go on to its end when the client has left. */
  readonly keepAlive?: (work: Promise<unknown>) => void;
  /** Where the process was started; file names in the configuration are relative to the file, command-line ones to this. */
  readonly cwd?: string;
  readonly startCommands: StartCommands;
  /** Starts a worker of the pool, or another. Undefined on workerd: jobs run in place. */
  startWorker?(entry?: WorkerEntry): WorkerPort;
  serve?(options: ServeOptions): Promise<Serving>;
  /** Calls back on SIGHUP (reload) and on SIGTERM and SIGINT (stop). */
  onSignal?(signal: "reload" | "stop", listener: () => void): void;
  /**
   * Ends the process after its output is flushed, within two seconds. Where threads hang that an exit would wait for (Node), it
   * ends by a signal, after `tell` was called with what they do.
   */
  exit?(code: number, tell?: (calls: readonly string[]) => void): void;
  /**
   * Writes a text in order, or what a function returns that is called when it is written. `mayWait`: lines of the log that come in
   * quick succession are made and written together, a tenth of a second later at most; at the end of the process too, unless a signal
   * or a want of memory kills it.
   */
  write?(stream: "out" | "err", text: string | (() => string), mayWait?: boolean): void;
  /** Calls back for each text that is left out, since the reader of the standard error is far behind. */
  onDropped?(listener: () => void): void;
  /**
   * One line that a person types and nobody sees, after a prompt; else the standard input to its end, without a final line
   * break. Rejects where the person breaks off, or more than 64 KiB come.
   */
  readSecret?(prompt: string): Promise<{ readonly text: string; readonly typed: boolean }>;
}
