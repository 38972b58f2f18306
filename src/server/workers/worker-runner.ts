// Runs jobs on a worker of the platform, from the side of the main thread: requests, responses and
// termination.

import {
  cancelledError,
  createDeadline,
  fromErrorRecord,
  noteDigest,
  ServiceError,
  toErrorRecord,
  type WorkerPort,
} from "../../base/index.ts";
import { type CodecHost, type Encoded, type SidecarAccess, workerModules } from "../../imaging/index.ts";
import { type FromWorker, type JobSidecar, ownBuffer, type ToWorker } from "./messages.ts";
import { type Awaiting, awaitWithoutPermit, type Permit } from "./permit.ts";
import { type Job, type JobLimits, lateError, type Runner } from "./runner.ts";

export interface WorkerRunnerOptions {
  readonly module: CodecHost["wasm"];
  readonly loadModule: CodecHost["loadWasm"];
  readonly ignoredProfile?: CodecHost["noteIgnoredProfile"];
  /** Number of the worker among all workers of the pool so far, from 1. */
  readonly number: number;
  /** True if the worker renders a small image before its first job. */
  readonly warm: boolean;
  /**
   * Milliseconds that a cancelled job may continue before its worker is killed; they begin when the worker
   * has started.
   */
  readonly cancelGraceMs: number;
  /** See CodecHost. */
  readonly cacheBytes?: number | undefined;
  /** A worker is not used again after a job of more estimated bytes: WebAssembly memories never shrink. */
  readonly maxJobBytes: number;
}

interface Running {
  readonly id: number;
  readonly job: Job;
  readonly limits: JobLimits;
  /**
   * Functions that reject pending reads when the job is cancelled, so that a hanging read does not block the
   * worker.
   */
  readonly reads: Set<(error: ServiceError) => void>;
  readonly awaiting: Awaiting;
  /** True if the job was cancelled and may continue for the grace period. */
  isCancelled: boolean;
  /** Timer that ends the worker after the grace period, unless the job ends before. */
  grace: ReturnType<typeof setTimeout> | undefined;
  resolve(made: Encoded): void;
  reject(error: ServiceError): void;
  /** Cleans up after this job, and frees the runner. */
  settle(usable: boolean): void;
}

/**
 * A runner on a worker of the platform. A late job ends the worker, since nothing else stops a decoder. A
 * cancelled job finds that out between two stages, from shared memory; its worker is ended only if the job
 * does not stop within a short grace period, since starting a new worker costs more than the rest of a tile.
 */
export class WorkerRunner implements Runner {
  readonly #port: WorkerPort;
  readonly #options: WorkerRunnerOptions;
  readonly #cancel = new Int32Array(new SharedArrayBuffer(4));
  readonly #deadline = createDeadline(() => this.#end(lateError(this.#running?.limits.timeoutMs ?? 0)));
  readonly #meter = createMeter(() => {
    if (this.#alive) this.#post({ kind: "measure" });
    return this.#alive;
  });
  #running: Running | undefined;
  #alive = true;
  #ready = false;
  #waits = false;
  #lastId = 0;

  /** Sends the worker the modules that it has from its start. */
  constructor(port: WorkerPort, options: WorkerRunnerOptions) {
    this.#port = port;
    this.#options = options;
    port.onMessage((message) => this.#onMessage(message as FromWorker));
    port.onDeath((cause) => this.#end(workerDied(cause)));
    this.#post({
      kind: "start",
      modules: workerModules(options.module),
      cancel: this.#cancel,
      warm: options.warm,
      cacheBytes: options.cacheBytes,
    });
  }

  run(job: Job, limits: JobLimits, freed: (usable: boolean) => void): Promise<Encoded> {
    if (!this.#alive) {
      freed(false);
      return Promise.reject(cancelledError()); // the pool was closed in the meantime
    }
    const id = ++this.#lastId;
    const { signal, permit } = limits;
    const onAbort = () => this.#cancelJob();
    Atomics.store(this.#cancel, 0, 0);
    return new Promise((resolve, reject) => {
      this.#running = {
        id,
        job,
        limits,
        reads: new Set(),
        awaiting: permit
          ? awaitWithoutPermit(this.#permitOf(id, permit, limits.timeoutMs))
          : (bytes) => bytes,
        isCancelled: false,
        grace: undefined,
        resolve,
        reject,
        settle(usable) {
          signal?.removeEventListener("abort", onAbort);
          freed(usable);
        },
      };
      limits.watch?.began(this.#options.number);
      this.#post({
        kind: "job",
        job: id,
        task: job.task,
        file: job.file,
        size: job.bytes.size,
        gap: job.bytes.gap,
        sidecar: job.sidecar && toJobSidecar(job.sidecar),
      });
      this.#deadline.expect(limits.timeoutMs);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  memory(): Promise<number | undefined> {
    return this.#meter.read();
  }

  alive(): boolean {
    return this.#alive;
  }

  waits(): boolean {
    return this.#waits;
  }

  kill(): void {
    this.#end(cancelledError());
  }

  #post(message: ToWorker, transfer?: readonly ArrayBuffer[]): void {
    this.#port.post(message, transfer);
  }

  /** Ends the current job; the runner continues if `usable`. */
  #settle(usable: boolean): void {
    const over = this.#running;
    this.#running = undefined;
    this.#waits = false;
    this.#deadline.met();
    clearTimeout(over?.grace);
    over?.settle(usable);
  }

  #end(error?: ServiceError): void {
    this.#alive = false;
    this.#deadline.stop();
    this.#port.kill();
    if (error) this.#running?.reject(error);
    this.#settle(false);
  }

  #cancelJob(): void {
    Atomics.store(this.#cancel, 0, 1);
    if (!this.#running) return;
    this.#running.isCancelled = true;
    this.#running.reject(cancelledError());
    for (const refuse of this.#running.reads) refuse(cancelledError());
    this.#running.reads.clear();
    if (this.#ready) this.#limitGrace(this.#running);
  }

  #limitGrace(running: Running): void {
    running.grace = setTimeout(() => this.#end(), this.#options.cancelGraceMs);
  }

  /** Returns the permit of a job, whose time limit stops while the job has released it. */
  #permitOf(id: number, permit: Permit, timeoutMs: number): Permit {
    let left = timeoutMs;
    let since = performance.now();
    const isOver = () => this.#running?.id !== id;
    return {
      leave: () => {
        if (isOver()) return;
        if (timeoutMs > 0) left = Math.max(1, left - (performance.now() - since));
        this.#deadline.met();
        this.#waits = true;
        permit.leave();
      },
      back: async () => {
        await permit.back();
        if (isOver()) return;
        this.#waits = false;
        since = performance.now();
        this.#deadline.expect(left);
      },
    };
  }

  #onMessage(message: FromWorker): void {
    switch (message.kind) {
      case "ready":
        this.#ready = true;
        if (this.#running?.isCancelled) this.#limitGrace(this.#running);
        return;
      case "memory":
        this.#meter.note(message.bytes);
        return;
      case "ignoredProfile":
        this.#options.ignoredProfile?.(message.master, message.reason);
        return;
      case "load":
        void this.#sendModule(message);
        return;
      case "read":
      case "recall":
      case "keep":
        this.#sendBytes(message);
        return;
      default:
        if (this.#running && message.job === this.#running.id) this.#onJobMessage(this.#running, message);
    }
  }

  #onJobMessage(running: Running, message: JobMessage): void {
    const { job } = running;
    switch (message.kind) {
      case "overlay":
        // Shared memory, or copied by the message; never transferred, since the main thread keeps the pixels.
        this.#post({
          kind: "bytes",
          read: message.read,
          bytes: job.overlay?.data ?? new Uint8Array(),
        });
        return;
      case "lost":
        layerOf(job, message.of)?.reportLoss?.();
        return;
      case "done": {
        const { bytes, incomplete, unchanged, times } = message;
        running.limits.watch?.did(times);
        running.resolve({ bytes, ...(incomplete && { incomplete }), ...(unchanged && { unchanged }) });
        break;
      }
      case "failed":
        running.reject(fromErrorRecord(message.error));
    }
    if (job.memory > this.#options.maxJobBytes || (message.kind === "failed" && message.broken)) this.#end();
    else this.#settle(true);
  }

  async #sendModule({ read, name }: FromWorker & { kind: "load" }): Promise<void> {
    let message: ToWorker;
    try {
      message = { kind: "module", read, module: await this.#options.loadModule(name) };
    } catch (error) {
      message = { kind: "unread", read, error: toErrorRecord(error, "source") };
    }
    if (this.#alive) this.#post(message);
  }

  #sendBytes(message: Asking): void {
    const { read } = message;
    const running = this.#running?.id === message.job ? this.#running : undefined;
    const refuse = (error: unknown) => {
      if (this.#alive) this.#post({ kind: "unread", read, error: toErrorRecord(error, "source") });
    };
    if (!running || Atomics.load(this.#cancel, 0) === 1) {
      refuse(cancelledError());
      return;
    }
    running.reads.add(refuse);
    running.awaiting(wantedBytes(running, message)).then(
      (bytes) => {
        if (running.reads.delete(refuse) && this.#alive)
          this.#post({ kind: "bytes", read, ...(bytes && { bytes }) }, bytes && [bytes.buffer]);
      },
      (error) => running.reads.delete(refuse) && refuse(error),
    );
  }
}

const workerDied = (cause: unknown) =>
  new ServiceError("decode", "The worker that rendered the image ended; the image may be damaged.", {
    code: "worker_died",
    cause,
  });

/** Time limit in milliseconds for a worker's memory report: a worker that decodes reads no messages. */
const measureMs = 100;

/**
 * Creates the memory meter of a worker, which caches the last report. `ask` requests a report; it returns
 * false if the worker has ended.
 */
function createMeter(ask: () => boolean) {
  let last: number | undefined;
  const waiting = new Set<() => void>();
  return {
    note(bytes: number) {
      last = bytes;
      for (const done of waiting) done();
    },
    read: () =>
      new Promise<number | undefined>((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(finish);
          resolve(last);
        };
        const timer = setTimeout(finish, measureMs);
        waiting.add(finish);
        if (!ask()) finish();
      }),
  };
}

/** Messages that ask for bytes or give some to keep. */
type Asking = FromWorker & { kind: "read" | "recall" | "keep" };
/** Other messages about the current job. */
type JobMessage = FromWorker & { kind: "overlay" | "lost" | "done" | "failed" };

const toJobSidecar = ({ id, absent, memory, blocks, faster, keepEntry }: SidecarAccess): JobSidecar => ({
  id,
  absent: absent === true,
  memory,
  room: blocks?.room,
  takes: keepEntry !== undefined,
  faster: faster && toJobSidecar(faster),
});

const layerOf = ({ sidecar }: Pick<Job, "sidecar">, of: "faster" | undefined) =>
  of ? sidecar?.[of] : sidecar;

/**
 * Returns the bytes that a worker requested. Cached sidecars are shared, and a transfer would detach them, so
 * a copy is sent.
 */
async function wantedBytes(
  { job, limits: { signal } }: Pick<Running, "job" | "limits">,
  message: Asking,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (message.kind === "read") return ownBuffer(await job.bytes.read(message.offset, message.length, signal));
  const sidecar = layerOf(job, message.of);
  if (message.kind === "keep") {
    const { block, bytes, digest } = message;
    if (digest) noteDigest(bytes, digest);
    await (block === undefined ? sidecar?.keepEntry?.(bytes) : sidecar?.blocks?.keep(block, bytes));
    return undefined;
  }
  const { block, lean } = message;
  const saved = await (block === undefined ? sidecar?.load(lean) : sidecar?.blocks?.load(block));
  return saved && new Uint8Array(saved);
}
