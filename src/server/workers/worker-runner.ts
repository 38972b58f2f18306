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
import {
  type CodecHost,
  type Encoded,
  type SidecarAccess,
  type WorkerModule,
  workerModules,
} from "../../imaging/index.ts";
import { type FromWorker, type JobSidecar, ownBuffer, type ToWorker } from "./messages.ts";
import { type Awaiting, awaitingWithout, type Permit } from "./place.ts";
import { type Job, type JobWatch, late, type Runner } from "./runner.ts";

export interface WorkerRunnerOptions {
  readonly module: (name: WorkerModule) => WebAssembly.Module;
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
  readonly keptBytes?: number | undefined;
  /** A worker is not used again after a job of more estimated bytes: WebAssembly memories never shrink. */
  readonly maxJobBytes: number;
}

interface Running {
  readonly id: number;
  readonly job: Job;
  /**
   * Functions that reject pending reads when the job is cancelled, so that a hanging read does not block the
   * worker.
   */
  readonly reads: Set<(error: ServiceError) => void>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly watch: JobWatch | undefined;
  readonly awaiting: Awaiting;
  /** True if the job was cancelled and may continue for the grace period. */
  cancelled: boolean;
  /** Ends the worker after the grace period, unless the job ends before. */
  limitGrace(): void;
  resolve(made: Encoded): void;
  reject(error: ServiceError): void;
  /** Cleans up after this job, and frees the runner. */
  settle(usable: boolean): void;
}

/**
 * Creates a runner on a worker of the platform. A late job ends the worker, since nothing else stops a
 * decoder. A cancelled job finds that out between two stages, from shared memory; its worker is ended only if
 * the job does not stop within a short grace period, since starting a new worker costs more than the rest of
 * a tile.
 */
export function workerRunner(port: WorkerPort, options: WorkerRunnerOptions): Runner {
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  let running: Running | undefined;
  let alive = true;
  let ready = false;
  let waits = false;
  let lastId = 0;

  const post = (message: ToWorker, transfer?: readonly ArrayBuffer[]) => port.post(message, transfer);
  const meter = createMeter(() => {
    if (alive) post({ kind: "measure" });
    return alive;
  });

  /** Ends the current job; the runner continues if `usable`. */
  const settle = (usable: boolean) => {
    const over = running;
    running = undefined;
    waits = false;
    deadline.met();
    over?.settle(usable);
  };
  const end = (error?: ServiceError) => {
    alive = false;
    deadline.stop();
    port.kill();
    if (error) running?.reject(error);
    settle(false);
  };
  const deadline = createDeadline(() => end(late(running?.timeoutMs ?? 0)));

  const begin = () => {
    ready = true;
    if (running?.cancelled) running.limitGrace();
  };
  const answerRead = (message: Asking) => {
    const { read } = message;
    const job = running?.id === message.job ? running : undefined;
    const refuse = (error: unknown) => {
      if (alive) post({ kind: "unread", read, error: toErrorRecord(error, "source") });
    };
    if (!job || Atomics.load(cancel, 0) === 1) return refuse(cancelledError());
    job.reads.add(refuse);
    job.awaiting(wantedBytes(job, message)).then(
      (bytes) =>
        job.reads.delete(refuse) &&
        alive &&
        post({ kind: "bytes", read, ...(bytes && { bytes }) }, bytes && [bytes.buffer]),
      (error) => job.reads.delete(refuse) && refuse(error),
    );
  };

  port.onMessage((data) => {
    const message = data as FromWorker;
    if (message.kind === "ready") return begin();
    if (message.kind === "memory") return meter.answered(message.bytes);
    if (message.kind === "ignoredProfile") return options.ignoredProfile?.(message.master, message.reason);
    if (message.kind === "read" || message.kind === "recall" || message.kind === "keep")
      return answerRead(message);
    if (message.job !== running?.id) return;
    if (message.kind === "overlay") {
      // Shared memory, or copied by the message; never transferred, since the main thread keeps the pixels.
      const bytes = running.job.overlay?.data ?? new Uint8Array();
      return post({ kind: "bytes", read: message.read, bytes });
    }
    if (message.kind === "lost") return layerOf(running.job, message.of)?.reportLoss?.();
    const tooLarge = running.job.memory > options.maxJobBytes;
    if (message.kind === "done") {
      const { bytes, incomplete, unchanged, times } = message;
      running.watch?.did(times);
      running.resolve({ bytes, ...(incomplete && { incomplete }), ...(unchanged && { unchanged }) });
    } else running.reject(fromErrorRecord(message.error));
    if (tooLarge || (message.kind === "failed" && message.broken)) end();
    else settle(true);
  });
  port.onDeath((reason) =>
    end(
      new ServiceError("decode", "The worker that rendered the image ended; the image may be damaged.", {
        code: "worker_died",
        cause: reason,
      }),
    ),
  );
  post({
    kind: "start",
    modules: Object.fromEntries(workerModules().map((name) => [name, options.module(name)])) as Record<
      WorkerModule,
      WebAssembly.Module
    >,
    cancel,
    warm: options.warm,
    keptBytes: options.keptBytes,
  });

  return {
    run(job, { signal, timeoutMs, place, watch }, freed) {
      if (!alive) {
        freed(false);
        return Promise.reject(cancelledError()); // the pool was closed in the meantime
      }
      const id = ++lastId;
      let grace: ReturnType<typeof setTimeout> | undefined;
      const onAbort = () => {
        Atomics.store(cancel, 0, 1);
        if (!running) return;
        running.cancelled = true;
        running.reject(cancelledError());
        for (const refuse of running.reads) refuse(cancelledError());
        running.reads.clear();
        if (ready) running.limitGrace();
      };
      let left = timeoutMs;
      let since = performance.now();
      const isOver = () => running?.id !== id;
      const ownPlace: Permit | undefined = place && {
        leave() {
          if (isOver()) return;
          if (timeoutMs > 0) left = Math.max(1, left - (performance.now() - since));
          deadline.met();
          waits = true;
          place.leave();
        },
        async back() {
          await place.back();
          if (isOver()) return;
          waits = false;
          since = performance.now();
          deadline.expect(left);
        },
      };
      Atomics.store(cancel, 0, 0);
      return new Promise((resolve, reject) => {
        running = {
          id,
          job,
          reads: new Set(),
          timeoutMs,
          signal,
          watch,
          cancelled: false,
          limitGrace() {
            grace = setTimeout(() => end(), options.cancelGraceMs);
          },
          awaiting: ownPlace ? awaitingWithout(ownPlace) : (answer) => answer,
          resolve,
          reject,
          settle(usable) {
            if (grace !== undefined) clearTimeout(grace);
            signal?.removeEventListener("abort", onAbort);
            freed(usable);
          },
        };
        const { task, file, sidecar } = job;
        watch?.began(options.number);
        post({
          kind: "job",
          job: id,
          task,
          file,
          size: job.bytes.size,
          gap: job.bytes.gap,
          sidecar: sidecar && toJobSidecar(sidecar),
        });
        deadline.expect(timeoutMs);
        if (signal?.aborted) onAbort();
        else signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    memory: meter.read,
    alive: () => alive,
    waits: () => waits,
    kill: () => end(cancelledError()),
  };
}

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
    answered(bytes: number) {
      last = bytes;
      for (const done of waiting) done();
    },
    read: () =>
      new Promise<number | undefined>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve(last);
        };
        const timer = setTimeout(done, measureMs);
        waiting.add(done);
        if (!ask()) done();
      }),
  };
}

type Asking = FromWorker & { kind: "read" | "recall" | "keep" };

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
  { job, signal }: Pick<Running, "job" | "signal">,
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
  const kept = await (block === undefined ? sidecar?.load(lean) : sidecar?.blocks?.load(block));
  return kept && new Uint8Array(kept);
}
