// What runs one job at a time for the pool: a worker of the platform, or this thread where there are none.

import { cancelled, fromErrorRecord, ServiceError, toErrorRecord } from "../errors.ts";
import type { ByteSource } from "../lib/byte-source.ts";
import type { WorkerPort } from "../platform/platform.ts";
import type { IndexAccess } from "./codec.ts";
import type { Codecs } from "./index.ts";
import { runTask, type Task } from "./job.ts";
import { type FromWorker, type JobFile, ownBuffer, type ToWorker } from "./messages.ts";
import { type WasmName, wasmNames } from "./modules.ts";

/** One task over one master. `file`: where a worker can open the same bytes by itself. */
export interface Job {
  readonly task: Task;
  readonly file?: JobFile;
  readonly bytes: ByteSource;
  readonly index?: IndexAccess;
  /** Estimated peak bytes. */
  readonly memory: number;
}

export interface JobLimits {
  readonly signal?: AbortSignal;
  /** From the moment that the job runs. 0: no limit. */
  readonly timeoutMs: number;
}

/** Runs one job at a time. */
export interface Runner {
  /** Rejects as soon as the job is cancelled or late, which may be before the runner is free again. */
  run(job: Job, limits: JobLimits): Promise<Uint8Array>;
  /** Resolves when the next job may come: true, or false where the runner has ended. */
  free(): Promise<boolean>;
  /** False once it has ended, also while it was idle. */
  alive(): boolean;
  kill(): void;
}

/** The error of a job that ran over its limit. */
function late(timeoutMs: number): ServiceError {
  return new ServiceError(
    "timeout",
    `Expected the image to be rendered within ${timeoutMs} ms, and it was not; ask for a smaller region or size.`,
    { code: "render_timeout" },
  );
}

/** Jobs on the calling thread: nothing can interrupt a stage, so signal and limit are looked at between stages. */
export function inPlaceRunner(codecs: Codecs): Runner {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(job, { signal, timeoutMs }) {
      const end = timeoutMs > 0 ? Date.now() + timeoutMs : Number.POSITIVE_INFINITY;
      const isLate = () => Date.now() > end;
      const wanted = {
        get aborted() {
          return signal?.aborted === true || isLate();
        },
      };
      const result = runTask(job.task, job.bytes, codecs, wanted, job.index).catch((error) => {
        if (error instanceof ServiceError && error.kind === "cancelled" && isLate()) throw late(timeoutMs);
        throw fromErrorRecord(toErrorRecord(error, "decode"));
      });
      last = result.catch(() => {});
      return result;
    },
    free: () => last.then(() => true),
    alive: () => true,
    kill() {},
  };
}

export interface WorkerRunnerOptions {
  readonly module: (name: WasmName) => WebAssembly.Module;
  /** Whether it renders a small image before its first job. */
  readonly warm: boolean;
  /** How long a cancelled job may go on before its worker is killed. */
  readonly cancelGraceMs: number;
  /** A worker is not used again after a job of more estimated bytes: WebAssembly memories never shrink. */
  readonly maxJobBytes: number;
}

interface Running {
  readonly id: number;
  readonly bytes: ByteSource;
  readonly index: IndexAccess | undefined;
  /** Rejects when the job is cancelled, so that a read that hangs does not hold the worker. */
  readonly gone: Promise<never>;
  resolve(bytes: Uint8Array): void;
  reject(error: ServiceError): void;
}

/**
 * Jobs on a worker of the platform. A job that is late ends the worker, since nothing else stops a decoder. A
 * cancelled one is told through shared memory, which a busy worker sees between stages, and the worker is only ended
 * when it has not stopped after a short grace: starting a new one costs more than a tile's remaining work.
 */
export function workerRunner(port: WorkerPort, options: WorkerRunnerOptions): Runner {
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  let running: Running | undefined;
  let alive = true;
  let lastId = 0;
  let freed: (alive: boolean) => void = () => {};
  let isFree: Promise<boolean> = Promise.resolve(true);

  const post = (message: ToWorker, transfer?: readonly ArrayBuffer[]) => port.post(message, transfer);
  const end = (error?: ServiceError) => {
    alive = false;
    port.kill();
    if (error) running?.reject(error);
    running = undefined;
    freed(false);
  };

  const answerRead = async (message: FromWorker & { kind: "read" | "recall" }) => {
    const { read } = message;
    const job = running?.id === message.job ? running : undefined;
    const wanted = async ({ bytes, index }: Running) => {
      if (message.kind === "read") return ownBuffer(await bytes.read(message.offset, message.length));
      // What the index's owner keeps is shared, and transferring would take it away: a copy goes.
      return new Uint8Array((await index?.load()) ?? []);
    };
    try {
      if (!job || Atomics.load(cancel, 0) === 1) throw cancelled();
      const bytes = await Promise.race([wanted(job), job.gone]);
      if (alive) post({ kind: "bytes", read, bytes }, [bytes.buffer]);
    } catch (error) {
      if (alive) post({ kind: "unread", read, error: toErrorRecord(error, "source") });
    }
  };

  port.onMessage((data) => {
    const message = data as FromWorker;
    if (message.kind === "ready") return;
    if (message.kind === "read" || message.kind === "recall") return void answerRead(message);
    if (message.job !== running?.id) return;
    if (message.kind === "done") running.resolve(message.bytes);
    else {
      running.reject(fromErrorRecord(message.error));
      if (message.broken) return end();
    }
    running = undefined;
    freed(true);
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
    modules: Object.fromEntries(wasmNames.map((name) => [name, options.module(name)])) as Record<
      WasmName,
      WebAssembly.Module
    >,
    cancel,
    warm: options.warm,
  });

  return {
    async run(job, { signal, timeoutMs }) {
      if (!alive) throw cancelled(); // the pool was closed in between
      const id = ++lastId;
      isFree = new Promise((resolve) => {
        freed = resolve;
      });
      Atomics.store(cancel, 0, 0);
      let grace: ReturnType<typeof setTimeout> | undefined;
      let limit: ReturnType<typeof setTimeout> | undefined;
      let leave: (error: ServiceError) => void = () => {};
      const result = new Promise<Uint8Array>((resolve, reject) => {
        const gone = new Promise<never>((_, abandon) => {
          leave = abandon;
        });
        gone.catch(() => {});
        running = { id, bytes: job.bytes, index: job.index, gone, resolve, reject };
        if (timeoutMs > 0) limit = setTimeout(() => end(late(timeoutMs)), timeoutMs);
      });
      const onAbort = () => {
        Atomics.store(cancel, 0, 1);
        running?.reject(cancelled());
        leave(cancelled());
        grace = setTimeout(() => end(), options.cancelGraceMs);
      };
      const { task, file, index } = job;
      post({
        kind: "job",
        job: id,
        task,
        file,
        size: job.bytes.size,
        index: index && { id: index.id, absent: index.absent === true },
      });
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
      void isFree.then(() => {
        clearTimeout(grace);
        clearTimeout(limit);
        signal?.removeEventListener("abort", onAbort);
      });
      isFree = isFree.then((usable) => {
        if (usable && job.memory > options.maxJobBytes) end();
        return alive;
      });
      return result;
    },
    free: () => isFree,
    alive: () => alive,
    kill: () => end(cancelled()),
  };
}
