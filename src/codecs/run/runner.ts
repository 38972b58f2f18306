// What runs one job at a time for the pool: a worker of the platform, or this thread where there are none.

import { cancelled, fromErrorRecord, ServiceError, toErrorRecord } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { createDeadline } from "../../lib/deadline.ts";
import { JobClock, type JobTimes, timedBytes } from "../../lib/job-clock.ts";
import { type Awaiting, awaitingWithout, type Place, readingWithout } from "../../lib/place.ts";
import type { WorkerPort } from "../../platform/platform.ts";
import type { CodecHost, Encoded, SidecarAccess } from "../codec.ts";
import type { Codecs } from "../codecs.ts";
import { type WorkerModule, workerModules } from "../modules.ts";
import { runTask, type Task, type Wanted } from "./job.ts";
import { type FromWorker, type JobFile, ownBuffer, type ToWorker } from "./messages.ts";
import type { OverlayImage } from "./overlay-pixels.ts";

/** One task over one master. `file`: where a worker can open the same bytes by itself. */
export interface Job {
  readonly task: Task;
  readonly file?: JobFile;
  readonly bytes: ByteSource;
  readonly sidecar?: SidecarAccess;
  /** Pixels of the overlay that the plan names. */
  readonly overlay?: OverlayImage;
  /** Estimated peak bytes. */
  readonly memory: number;
}

export interface JobLimits {
  readonly signal?: AbortSignal;
  /** Time of work, from the moment that the job runs; while it is without its place, it does not count. 0: no limit. */
  readonly timeoutMs: number;
  /** Is given back while the job waits for bytes; absent: the job only reads what is near. */
  readonly place?: Place | undefined;
  /** Hears when the job begins and what it took. */
  readonly watch?: JobWatch | undefined;
}

/** Whoever wants to know how a job went. */
export interface JobWatch {
  /** A runner has taken the job: the number of its worker, from 1; 0: the calling thread. */
  began(worker: number): void;
  /** It has ended well. */
  did(times: JobTimes): void;
}

/** Runs one job at a time. */
export interface Runner {
  /**
   * Rejects as soon as the job is cancelled or late. Calls `freed` once, which may be later, when the next job may come:
   * with true, or with false where the runner has ended.
   */
  run(job: Job, limits: JobLimits, freed: (usable: boolean) => void): Promise<Encoded>;
  /** False once it has ended, also while it was idle. */
  alive(): boolean;
  /** Bytes of its worker, or those that it had when it was last asked where it is busy; absent: it has no thread of its own. */
  memory?(): Promise<number | undefined>;
  /** Whether its job is without its place. */
  waits(): boolean;
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

/** Jobs on the calling thread: nothing can interrupt a stage, so signal and limit are looked at between stages and at each read. */
export function inPlaceRunner(codecs: Codecs): Runner {
  let waits = false;
  return {
    run(job, { signal, timeoutMs, place, watch }, freed) {
      watch?.began(0);
      const clock = new JobClock();
      let end = timeoutMs > 0 ? Date.now() + timeoutMs : Number.POSITIVE_INFINITY;
      const isLate = () => Date.now() > end;
      let leftAt = 0;
      const awaiting =
        place &&
        awaitingWithout({
          leave() {
            leftAt = Date.now();
            waits = true;
            place.leave();
          },
          async back() {
            await place.back();
            waits = false;
            end += Date.now() - leftAt;
          },
        });
      const bytes = awaiting ? readingWithout(job.bytes, awaiting, signal) : job.bytes;
      const wanted = {
        get aborted() {
          return signal?.aborted === true || isLate();
        },
        listen: () => new Promise<void>((resolve) => setTimeout(resolve)),
      };
      const { task, sidecar, overlay } = job;
      const result = runTask(
        task,
        timedBytes(whileWanted(bytes, wanted), clock),
        codecs,
        wanted,
        sidecar && timedSidecar(sidecar, clock),
        overlay && { load: async () => overlay.data },
        clock,
      ).catch((error) => {
        if (error instanceof ServiceError && error.kind === "cancelled" && isLate()) throw late(timeoutMs);
        throw fromErrorRecord(toErrorRecord(error, "decode"));
      });
      const done = () => {
        waits = false;
        freed(true);
      };
      result.then(() => watch?.did(clock.stop())).then(done, done);
      return result;
    },
    alive: () => true,
    waits: () => waits,
    kill() {},
  };
}

/** A sidecar whose parts are loaded on the clock. */
function timedSidecar(sidecar: SidecarAccess, clock: JobClock): SidecarAccess {
  const { blocks } = sidecar;
  return {
    ...sidecar,
    load: () => clock.wait("index", sidecar.load()),
    ...(blocks && {
      blocks: {
        room: blocks.room,
        load: (block) => clock.wait("index", blocks.load(block)),
        keep: (block, bytes) => clock.wait("index", blocks.keep(block, bytes)),
      },
    }),
  };
}

/** How long a worker has to say how much memory it has: one that decodes hears nothing meanwhile. */
const measureMs = 100;

/** How long a job in place works between two reads at most before it listens. */
const listenMs = 20;

/** The bytes of a job in place; a read of one that is no longer wanted throws ServiceError `cancelled`. */
function whileWanted(bytes: ByteSource, wanted: Required<Wanted>): ByteSource {
  let heard = Date.now();
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length) {
      if (Date.now() - heard > listenMs) {
        await wanted.listen();
        heard = Date.now();
      }
      if (wanted.aborted) throw cancelled();
      return bytes.read(offset, length);
    },
  };
}

export interface WorkerRunnerOptions {
  readonly module: (name: WorkerModule) => WebAssembly.Module;
  readonly ignoredProfile?: CodecHost["ignoredProfile"];
  /** Its number among the workers of the pool so far, from 1. */
  readonly number: number;
  /** Whether it renders a small image before its first job. */
  readonly warm: boolean;
  /** How long a cancelled job may go on before its worker is killed. */
  readonly cancelGraceMs: number;
  /** A worker is not used again after a job of more estimated bytes: WebAssembly memories never shrink. */
  readonly maxJobBytes: number;
}

interface Running {
  readonly id: number;
  readonly job: Job;
  /** What has to be told when the job is cancelled: a read that hangs does not hold the worker. */
  readonly reads: Set<(error: ServiceError) => void>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly watch: JobWatch | undefined;
  readonly awaiting: Awaiting;
  resolve(made: Encoded): void;
  reject(error: ServiceError): void;
  /** Takes back what was set up for this job, and frees the runner. */
  settle(usable: boolean): void;
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
  let waits = false;
  let lastId = 0;

  let memory: number | undefined;
  /** Those who wait for the worker to say how much memory it has. */
  const measured = new Set<() => void>();

  const post = (message: ToWorker, transfer?: readonly ArrayBuffer[]) => port.post(message, transfer);

  /** The job at hand is over; the runner goes on where `usable`. */
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

  const answerRead = (message: Asking) => {
    const { read } = message;
    const job = running?.id === message.job ? running : undefined;
    const refuse = (error: unknown) => {
      if (alive) post({ kind: "unread", read, error: toErrorRecord(error, "source") });
    };
    if (!job || Atomics.load(cancel, 0) === 1) return refuse(cancelled());
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
    if (message.kind === "ready") return;
    if (message.kind === "memory") {
      memory = message.bytes;
      for (const tell of measured) tell();
      return;
    }
    if (message.kind === "ignoredProfile") return options.ignoredProfile?.(message.master, message.reason);
    if (message.kind === "read" || message.kind === "recall" || message.kind === "keep")
      return answerRead(message);
    if (message.job !== running?.id) return;
    if (message.kind === "overlay") {
      // Shared memory, or copied on the way: never transferred, since it is kept here.
      const bytes = running.job.overlay?.data ?? new Uint8Array();
      return post({ kind: "bytes", read: message.read, bytes });
    }
    if (message.kind === "lost") return running.job.sidecar?.reportLoss?.();
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
  });

  return {
    run(job, { signal, timeoutMs, place, watch }, freed) {
      if (!alive) {
        freed(false);
        return Promise.reject(cancelled()); // the pool was closed in between
      }
      const id = ++lastId;
      let grace: ReturnType<typeof setTimeout> | undefined;
      const onAbort = () => {
        Atomics.store(cancel, 0, 1);
        running?.reject(cancelled());
        for (const refuse of running?.reads ?? []) refuse(cancelled());
        running?.reads.clear();
        grace = setTimeout(() => end(), options.cancelGraceMs);
      };
      let left = timeoutMs;
      let since = performance.now();
      const isOver = () => running?.id !== id;
      const ownPlace: Place | undefined = place && {
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
          sidecar: sidecar && {
            id: sidecar.id,
            absent: sidecar.absent === true,
            allParts: sidecar.allParts === true,
            room: sidecar.blocks?.room,
          },
        });
        deadline.expect(timeoutMs);
        if (signal?.aborted) onAbort();
        else signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    memory: () =>
      new Promise((resolve) => {
        const tell = () => {
          clearTimeout(timer);
          measured.delete(tell);
          resolve(memory);
        };
        const timer = setTimeout(tell, measureMs);
        measured.add(tell);
        if (alive) post({ kind: "measure" });
        else tell();
      }),
    alive: () => alive,
    waits: () => waits,
    kill: () => end(cancelled()),
  };
}

type Asking = FromWorker & { kind: "read" | "recall" | "keep" };

/** What a worker asked for. What is kept of a sidecar is shared, and transferring would take it away: a copy goes. */
async function wantedBytes(
  { job: { bytes, sidecar }, signal }: Pick<Running, "job" | "signal">,
  message: Asking,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (message.kind === "read") return ownBuffer(await bytes.read(message.offset, message.length, signal));
  if (message.kind === "keep") {
    await sidecar?.blocks?.keep(message.block, message.bytes);
    return undefined;
  }
  const { block } = message;
  const kept = await (block === undefined ? sidecar?.load() : sidecar?.blocks?.load(block));
  return kept && new Uint8Array(kept);
}
