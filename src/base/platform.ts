// Everything that differs between runtimes, behind one interface. Only this folder and the entries know the
// runtime.

import type { ByteSource } from "./bytes/byte-source.ts";
import type { NativeZlib } from "./bytes/zlib.ts";

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly modified: Date;
  /**
   * Time of the last change of its entry, if the runtime has it: later than `modified` if an older file was
   * moved or copied here.
   */
  readonly changed?: Date;
  /** Device and file number if the runtime has them, which detects a replaced file. */
  readonly id?: string;
  /** File number without the device, so that it is alike on all machines that mount the volume. */
  readonly state?: string;
}

export interface FileEntry {
  readonly name: string;
  readonly kind: FileStat["kind"];
  /** True for a symbolic link, if the runtime reports those. */
  readonly link?: boolean;
}

export interface OpenFile extends ByteSource {
  readonly size: number;
  /** Facts of the opened file, whatever is now at its path. */
  readonly stat: FileStat;
  close(): Promise<void>;
}

/** Why a file cannot be replaced. */
export type FileObstacle = "absent" | "not-a-file" | "read-only" | "folder-read-only";

/**
 * Replaces files that their owner created. Symbolic links are followed: their targets are replaced, the links
 * stay.
 */
export interface FileReplacement {
  /** Returns a known obstacle before anything is tried, or undefined. */
  obstacle(path: string): Promise<FileObstacle | undefined>;
  /**
   * Replaces a file with data, keeping its permissions and, if this user may, its owner and group. Readers
   * see the old file or the new one, also after a crash. `still` is called when everything is written and
   * only the rename is left; if it returns false, the old file stays and the result is false.
   */
  replace(path: string, data: Uint8Array, still: () => Promise<boolean>): Promise<boolean>;
  /** Removes leftovers of interrupted replacements of this file. A replacement in progress fails. */
  sweep(path: string): Promise<void>;
}

/** Bytes of a volume: in total, and those that are free for this user. */
export interface VolumeSpace {
  readonly size: number;
  readonly free: number;
}

export interface WriteOptions {
  readonly ownerOnly?: boolean;
  /** Does not wait until the bytes are on the disk, for many files that can be made again after a crash. */
  readonly unsynced?: boolean;
  /**
   * Fails with the code EEXIST if there is a file at the path, also one that appears meanwhile. Not all file
   * systems can do that.
   */
  readonly exclusive?: boolean;
}

export type FileData = Uint8Array | readonly Uint8Array[];

/** A file that is written in parts, and is at its path only once it is finished. */
export interface FileWriter {
  append(bytes: Uint8Array): Promise<void>;
  /** Replaces bytes that were appended before. */
  replace(at: number, bytes: Uint8Array): Promise<void>;
  /** Puts the whole file at its path, in place of any other. */
  finish(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** Files, by absolute path. Methods throw the runtime's error unless undefined is mentioned. */
export interface FileSystem {
  /** Follows symbolic links; undefined if nothing exists. */
  stat(path: string): Promise<FileStat | undefined>;
  /** True for a symbolic link, whether or not its target exists; absent if the runtime has none (workerd). */
  isLink?(path: string): Promise<boolean>;
  /** Returns the path with all symbolic links resolved; undefined if nothing exists. */
  realPath(path: string): Promise<string | undefined>;
  /** Regular files only; opening a pipe or device is an error, and never waits. */
  open(path: string): Promise<OpenFile>;
  /**
   * Opens a regular file if its own path is `path`, which passes through no link; undefined for anything
   * else, whatever the reason. The path is that of the open file, even if another one is there afterwards.
   * Absent if the runtime does not know the paths of open files.
   */
  openPlain?(path: string): Promise<OpenFile | undefined>;
  /**
   * With `plain` reads only a regular file that is not a symbolic link, and returns undefined for anything
   * else, without ever waiting for a pipe's other end.
   */
  readFile(path: string, options?: { readonly plain?: boolean }): Promise<Uint8Array | undefined>;
  /** Yields entries of a directory; a symbolic link has the kind of its target. */
  list(path: string): AsyncIterable<FileEntry>;
  /**
   * The whole file appears atomically or not at all, also after a crash (temporary name, sync, rename) if the
   * runtime supports it. Creates parent directories. With `ownerOnly` only the user of the process may read
   * the file, and list these directories (modes 0600 and 0700). `data`: its bytes, or their parts in order.
   */
  writeFile(path: string, data: FileData, options?: WriteOptions): Promise<void>;
  /**
   * Begins a file that appears like one of `writeFile`; absent if the runtime cannot write in parts
   * (workerd).
   */
  create?(path: string, options?: WriteOptions): Promise<FileWriter>;
  /** Absent if nothing can be renamed (workerd). */
  readonly replacement?: FileReplacement;
  /** Marks a file as used now (its modification time); absent if the runtime cannot. */
  touch?(path: string): Promise<void>;
  /**
   * Returns the space of the volume that contains a path, or would contain it; absent if the runtime cannot
   * tell (workerd).
   */
  space?(path: string): Promise<VolumeSpace | undefined>;
  /** Removes a file, or a directory with its contents; no error if nothing exists. */
  remove(path: string): Promise<void>;
  /** Removes a file or a link itself, never a directory; absent if the runtime cannot (workerd). */
  unlink?(path: string): Promise<void>;
  /** Removes a directory if it is empty, and returns whether it was; absent as `unlink` is. */
  removeEmpty?(path: string): Promise<boolean>;
}

/**
 * Work of a worker, by the name of its file next to the bundle: jobs of the pool, hooks, checks of passwords,
 * or reading of long texts.
 */
export type WorkerEntry = "thread" | "hook-thread" | "password-thread" | "text-thread";

/** A worker as the main thread sees it. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, when the worker ended on its own or by an uncaught error. */
  onDeath(listener: (reason: string) => void): void;
  kill(): void;
}

export interface Serving {
  /** The addresses in use, as URLs without a path. */
  readonly urls: readonly string[];
  /**
   * Stops accepting (Deno and Bun: after a moment), lets running requests finish for at most `graceMs`, then
   * aborts them (Deno: at the end of the process). Each connection ends with its current response.
   */
  stop(graceMs: number): Promise<void>;
}

export interface ServeOptions {
  /** undefined: all interfaces. */
  readonly hostname?: string | undefined;
  readonly port: number;
  /** Time for a request's head and body to arrive. 0: no limit. */
  readonly readTimeoutMs: number;
  /** How long a response may make no progress. 0: no limit. */
  readonly writeTimeoutMs: number;
  /** How long a connection stays open at least while it waits for its next request. */
  readonly keepAliveMs: number;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

/** Commands that start this program with other content, as a person types them. */
export interface StartCommands {
  /** Serves the folder `DIR`. */
  readonly folder: string;
  /** Serves the configuration of `smalti.yaml`; absent if the configuration is not an argument (workerd). */
  readonly config?: string;
  /**
   * The program alone, so that it works in the current folder. For the operator: it may contain a path of
   * this machine. Absent if its folders are not those of this machine, as in a container.
   */
  readonly program?: string;
}

/**
 * Resolves when the head of the response has arrived. Rejects with the runtime's error, or if no address is
 * allowed.
 */
export type CheckedGet = (
  url: URL,
  init: {
    /** GET unless it says otherwise. */
    readonly method?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

/** Questions to DNS. They reject if no server responds. */
export interface Dns {
  /** Returns the names of an address (PTR records); none if there are none. */
  namesOf(address: string): Promise<readonly string[]>;
  /** Returns the addresses of a name (A and AAAA records); none if there are none. */
  addressesOf(name: string): Promise<readonly string[]>;
}

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

/** Questions to a person, or to a program that writes the lines of the standard input. */
export interface Prompt {
  /** True if a person types; only then questions are shown. */
  readonly typed: boolean;
  /** Returns the next line, undefined at the end of the input. `hidden`: what a person types is not shown. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
  /** Leaves the standard input to others. */
  close(): void;
}

export interface ExitOptions {
  /** Milliseconds for the output and for threads; two seconds if absent. */
  readonly patienceMs?: number;
  /** Receives the calls of threads that hang, by the runtime's names, before a signal ends the process. */
  readonly tell?: (calls: readonly string[]) => void;
}

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

export interface Platform {
  readonly name: "node" | "deno" | "bun" | "workerd";
  readonly version: string;
  readonly env: Env;
  /**
   * Identifies this process among those of the service: machine name and process number. Absent if neither is
   * known (workerd).
   */
  readonly instance?: string;
  /** Usable processors, at least 1. */
  readonly parallelism: number;
  /** Memory of the machine or container in bytes. */
  readonly memoryBytes: number;
  /**
   * Bytes that the process with all its workers has in memory, and those of the main thread's objects; not on
   * workerd.
   */
  memoryUsage?(): { readonly resident: number; readonly heap: number };
  /** The compiled module of that name in dist/wasm. Throws if there is none. */
  wasm(name: string): WebAssembly.Module;
  /**
   * The module of that name in dist/wasm/on-demand, compiled off the main thread when it is first needed.
   * Throws ImagingError `unsupported`, code module_missing, if this runtime does not have it.
   */
  loadWasm(name: string): Promise<WebAssembly.Module>;
  /** Returns a file of static/, by relative path with `/`, or undefined. */
  asset(path: string): Promise<Uint8Array | undefined>;
  /** zlib format (RFC 1950). */
  deflate(data: Uint8Array, level: number): Promise<Uint8Array>;
  /** Absent if the runtime inflates by the Web's streams alone (workerd). */
  readonly zlib?: NativeZlib;
  readonly compression: Compression;
  /** The address of the socket's peer, without port. */
  clientAddress(request: Request): string | undefined;
  /** Returns the raw request target (path and query, before any URL parsing), if the runtime has it. */
  rawTarget(request: Request): string | undefined;
  readonly files?: FileSystem;
  /** Maximum of simultaneous file calls in the whole process; further ones wait. Absent: no limit. */
  readonly fileThreads?: number;
  /**
   * True if the body of a response may be a stream although its length is known. workerd drops the length of
   * such a response.
   */
  readonly sendsPieces?: boolean;
  /**
   * GET requests, or other requests without a body, to addresses that `allowed` accepts; not on workerd,
   * whose own network policy decides.
   */
  checkedGet?(allowed: (address: string, hostname: string) => boolean): CheckedGet;
  /** Absent if the runtime has no sockets of its own (workerd). */
  readonly dns?: Dns;
  /**
   * Options of `fetch` for bodies that are not sent again after a redirect. Without them Node keeps a copy of
   * the body for that, until it collects old objects. With them a redirect may be an error.
   */
  readonly sentOnce?: Pick<RequestInit, "redirect" | "window">;
  /** True if no request may use connections of another: a socket is opened each time (workerd). */
  readonly connectionsEndWithRequest?: boolean;
  /**
   * If work ends with the request that began it (workerd): lets it continue to its end when the client has
   * left.
   */
  readonly keepAlive?: (work: Promise<unknown>) => void;
  /**
   * Folder in which the process was started; file names in the configuration are relative to the file,
   * command-line ones to this.
   */
  readonly cwd?: string;
  readonly startCommands: StartCommands;
  /** Addresses by which other machines reach this one, at most three; absent if the runtime has none. */
  networkAddresses?(): readonly string[];
  /** Starts a worker of the pool, or another. Undefined on workerd: jobs run in place. */
  startWorker?(entry?: WorkerEntry): WorkerPort;
  serve?(options: ServeOptions): Promise<Serving>;
  /** Calls back on SIGHUP (reload) and on SIGTERM and SIGINT (stop). */
  onSignal?(signal: "reload" | "stop", listener: () => void): void;
  /**
   * Lets other processes go first, with all threads that start later. It cannot be undone, and does nothing
   * if the runtime or the system does not allow it.
   */
  lowerPriority?(): void;
  /**
   * Ends the process after its output is flushed. If hanging threads would block an exit (Node), it ends by a
   * signal, which hides the code.
   */
  exit?(code: number, options?: ExitOptions): void;
  /**
   * Writes a text in order, or the result of a function that is called at that time. `mayWait`: log lines in
   * quick succession are formatted and written together, at most a tenth of a second later; also at the end
   * of the process, unless a signal or lack of memory kills it.
   */
  write?(stream: "out" | "err", text: string | (() => string), mayWait?: boolean): void;
  /** Writes bytes on the standard output. Rejects if that fails; a reader that has gone is no failure. */
  writeBytes?(bytes: Uint8Array): Promise<void>;
  /** Width of the terminal that shows a stream; undefined if it is no terminal. */
  columns?(stream: "out" | "err"): number | undefined;
  /** Calls back for each text that is dropped because the reader of the standard error is far behind. */
  onDropped?(listener: () => void): void;
  /**
   * Reads one line that a person types without echo, after a prompt; otherwise the standard input to its end,
   * without a final line break. Rejects if the person cancels, or if there are more than 64 KiB.
   */
  readSecret?(prompt: string): Promise<{ readonly text: string; readonly typed: boolean }>;
  /** Asks on the standard error, and reads the standard input; absent without one (workerd). */
  prompt?(): Prompt;
}
