// The worker's side of the pool: takes one job at a time, reads its bytes directly or through the main
// thread, and responds with the result.

import {
  type ByteSource,
  fromErrorRecord,
  ImagingError,
  JobClock,
  notedDigest,
  timedBytes,
  toErrorRecord,
} from "../../base/index.ts";
import {
  type CodecHost,
  type Codecs,
  createCodecs,
  type OnDemandModule,
  runTask,
  type SidecarAccess,
  type SidecarBlocks,
} from "../../imaging/index.ts";
import { type FromWorker, type JobSidecar, ownBuffer, type ToWorker } from "./messages.ts";
import { type HostFile, type OpenFiles, openFiles } from "./open-files.ts";

/**
 * Functions that the entry point of a worker provides: messages to and from the main thread, and access to
 * the platform.
 */
export interface WorkerHost {
  post(message: FromWorker, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: ToWorker) => void): void;
  deflate: CodecHost["deflate"];
  zlib: CodecHost["zlib"];
  /** Opens a file. Throws what the runtime throws. */
  openFile(path: string): HostFile;
  /** Returns the memory of this thread in bytes. */
  memory(): number;
}

/**
 * Gap between reads through the main thread: each costs about as much as copying this many bytes, and may be
 * slow at its other end.
 */
const channelGap = 64 * 1024;

/** What the main thread responds to a request of the worker. */
type Requested = Uint8Array | WebAssembly.Module | undefined;

interface PendingRequest {
  resolve(value: Requested): void;
  reject(error: unknown): void;
}

/** Serves jobs until the worker is terminated. */
export function serveJobs(host: WorkerHost): void {
  const server = new JobServer(host);
  host.onMessage((message) => void server.receive(message));
}

/** One worker, and the job that it has. */
class JobServer {
  readonly #host: WorkerHost;
  readonly #pending = new Map<number, PendingRequest>();
  #lastRead = 0;
  readonly #modules = new Map<string, Promise<WebAssembly.Module>>();
  #codecs: Codecs | undefined;
  #wanted: { readonly aborted: boolean } = { aborted: false };
  readonly #files: OpenFiles;

  constructor(host: WorkerHost) {
    this.#host = host;
    this.#files = openFiles(host.openFile);
  }

  async receive(message: ToWorker): Promise<void> {
    if (message.kind === "start") {
      const { modules, cancel, cacheBytes } = message;
      this.#wanted = {
        get aborted() {
          return Atomics.load(cancel, 0) === 1;
        },
      };
      this.#codecs = createCodecs({
        wasm: (name) => modules[name],
        loadWasm: (name) => this.#loadModule(name),
        deflate: this.#host.deflate,
        zlib: this.#host.zlib,
        cacheBytes,
        noteIgnoredProfile: (master, reason) => this.#host.post({ kind: "ignoredProfile", master, reason }),
      });
      if (message.warm) await warm(this.#codecs);
      this.#host.post({ kind: "ready" });
      return;
    }
    if (message.kind === "job") return this.#run(message);
    if (message.kind === "measure") return this.#host.post({ kind: "memory", bytes: this.#host.memory() });
    const pending = this.#pending.get(message.read);
    this.#pending.delete(message.read);
    if (message.kind === "unread") pending?.reject(fromErrorRecord(message.error));
    else pending?.resolve(message.kind === "bytes" ? message.bytes : message.module);
  }

  #request<Value extends Requested>(
    message: (read: number) => FromWorker,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      const read = ++this.#lastRead;
      this.#pending.set(read, { resolve: resolve as PendingRequest["resolve"], reject });
      this.#host.post(message(read), transfer);
    });
  }

  /** Requests a module once, so that each worker compiles its functions once. */
  #loadModule(name: OnDemandModule): Promise<WebAssembly.Module> {
    let module = this.#modules.get(name);
    if (!module) {
      module = this.#request<WebAssembly.Module>((read) => ({ kind: "load", read, name }));
      this.#modules.set(name, module);
      module.catch(() => this.#modules.delete(name)); // the next job tries again
    }
    return module;
  }

  #askFor(
    message: (read: number) => FromWorker,
    transfer?: readonly ArrayBuffer[],
  ): Promise<Uint8Array | undefined> {
    return this.#request(message, transfer);
  }

  async #ask(message: (read: number) => FromWorker): Promise<Uint8Array> {
    return (await this.#askFor(message)) ?? new Uint8Array();
  }

  #channel(job: number, { size, gap = 0 }: Pick<ByteSource, "size" | "gap">): ByteSource {
    return {
      size,
      gap: Math.max(gap, channelGap),
      read: (offset, length) => this.#ask((read) => ({ kind: "read", job, read, offset, length })),
    };
  }

  #blocksOf(job: number, room: number, clock: JobClock, of?: "faster"): SidecarBlocks {
    return {
      room,
      load: (block) =>
        clock.wait(
          "index",
          this.#askFor((read) => ({ kind: "recall", job, read, block, of })),
        ),
      keep: async (block, bytes) => {
        const digest = notedDigest(bytes);
        const own = ownBuffer(bytes);
        const saved = this.#askFor(
          (read) => ({ kind: "keep", job, read, block, bytes: own, digest, of }),
          [own.buffer],
        );
        await clock.wait("index", saved);
      },
    };
  }

  #sidecarOf(
    job: number,
    sidecar: JobSidecar | undefined,
    clock: JobClock,
    of?: "faster",
  ): SidecarAccess | undefined {
    return (
      sidecar && {
        id: sidecar.id,
        absent: sidecar.absent,
        memory: sidecar.memory,
        blocks: sidecar.room === undefined ? undefined : this.#blocksOf(job, sidecar.room, clock, of),
        faster: this.#sidecarOf(job, sidecar.faster, clock, "faster"),
        load: (lean = false) =>
          clock.wait(
            "index",
            this.#ask((read) => ({ kind: "recall", job, read, lean, of })),
          ),
        ...(sidecar.takes && {
          keepEntry: async (entry: Uint8Array) => {
            const bytes = ownBuffer(entry);
            await this.#askFor((read) => ({ kind: "keep", job, read, bytes, of }), [bytes.buffer]);
          },
        }),
        reportLoss: () => this.#host.post({ kind: "lost", job, of }),
      }
    );
  }

  async #run(message: ToWorker & { kind: "job" }): Promise<void> {
    const { job, task, sidecar } = message;
    try {
      if (!this.#codecs) throw new Error("a job arrived before the start message");
      if (this.#wanted.aborted) throw new ImagingError("cancelled", "The client has left.");
      const clock = new JobClock();
      const bytes = message.file
        ? this.#files.open(message.file, clock)
        : timedBytes(this.#channel(job, message), clock);
      const overlay = { load: () => this.#ask((read) => ({ kind: "overlay", job, read })) };
      const made = await runTask(task, {
        codecs: this.#codecs,
        bytes,
        sidecar: this.#sidecarOf(job, sidecar, clock),
        overlay,
        wanted: this.#wanted,
        stages: clock,
      });
      const times = clock.stop();
      const result = ownBuffer(made.bytes);
      const unchanged = message.file !== undefined && this.#files.isUnchanged();
      const incomplete = made.incomplete === true;
      this.#host.post({ kind: "done", job, bytes: result, incomplete, unchanged, times }, [result.buffer]);
    } catch (error) {
      const broken = !(error instanceof ImagingError);
      this.#host.post({ kind: "failed", job, error: toErrorRecord(error, "decode"), broken });
    } finally {
      this.#files.rest();
    }
  }
}

/**
 * Encodes, decodes and resamples a small JPEG, since first calls are several times slower than later ones.
 */
async function warm(codecs: Codecs): Promise<void> {
  const side = 32;
  const data = Uint8Array.from({ length: side * side * 3 }, (_, i) => (i * 7) & 255);
  const options = { format: "jpg", quality: 80, progressive: false, chroma: "420", encoder: "fast" } as const;
  try {
    const jpeg = await codecs
      .encoder("jpg")
      .encode({ width: side, height: side, bands: 3, interpretation: "rgb", data }, options);
    const bytes: ByteSource = {
      size: jpeg.length,
      read: async (offset, length) => jpeg.slice(offset, offset + length),
    };
    const codec = codecs.decoder("jpg");
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: side, height: side };
    const pixels = await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    const half = { size: side / 2, origin: 0, scale: 2 };
    codecs.kernels.resize?.(pixels, half, half);
  } catch {
    // errors are ignored here; a real job reports them
  }
}
