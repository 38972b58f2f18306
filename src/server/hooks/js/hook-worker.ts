// One worker that runs the operator's file, one call at a time.

import { createDeadline, type WorkerPort } from "../../../base/index.ts";
import { HookError, type HookFunction } from "../hook.ts";
import type { FromHookWorker, PrintLevel, Program, ToHookWorker } from "./messages.ts";
import { hookError } from "./sandbox.ts";
import type { UnusedExport } from "./unused-exports.ts";

/** What the operator's file exports. */
export interface Exports {
  /** The functions that the service calls. */
  readonly functions: ReadonlySet<HookFunction>;
  /** Its other exports. */
  readonly unused: readonly UnusedExport[];
}

/** A call of one function. */
export interface Call {
  readonly name: HookFunction;
  readonly input: string;
  /** Time when its wait began. */
  readonly since: number;
  done(result: string | undefined): void;
  fail(error: unknown): void;
}

export interface HookWorkerOptions {
  readonly module: WebAssembly.Module;
  readonly startWorker: () => WorkerPort;
  readonly print: (level: PrintLevel, text: string) => void;
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void };
}

/** What gives calls to a worker, and is called back by it. */
export interface Giver {
  /** The worker can be called. */
  onIdle(): void;
  /** The worker has ended. `wasReady`: it had loaded the program. */
  onEnd(worker: HookWorker, wasReady: boolean): void;
}

/**
 * Milliseconds after the time limit within which a call stopped by QuickJS reports back on a busy machine.
 */
const graceMs = 500;
/** Milliseconds for a worker to start and load the file, in addition to the file's own time. */
const startMs = 20_000;
/** Milliseconds to process messages that arrived while this thread was busy. */
const hearMs = 10;

/** A worker of the platform with the operator's file. */
export class HookWorker {
  readonly #port: WorkerPort;
  readonly #program: Program;
  readonly #options: HookWorkerOptions;
  readonly #giver: Giver;
  readonly #deadline = createDeadline(() => this.#onLate());
  #loaded: { resolve(exports: Exports): void; reject(error: HookError): void } | undefined;
  /** `loading`: sends `ready` before it can be called. */
  #state: "loading" | "idle" | "busy" | "gone" = "loading";
  #running: { readonly id: number; readonly call: Call } | undefined;
  #lastId = 0;
  #wasReady = false;

  /** Starts a worker. Throws what the platform throws. */
  constructor(program: Program, options: HookWorkerOptions, giver: Giver) {
    this.#program = program;
    this.#options = options;
    this.#giver = giver;
    this.#port = options.startWorker();
  }

  /** True if it can be called. */
  get isIdle(): boolean {
    return this.#state === "idle";
  }

  /** True if a call runs. */
  get isBusy(): boolean {
    return this.#state === "busy";
  }

  /** Loads the program. Throws HookError if it cannot be loaded. */
  load(): Promise<Exports> {
    return new Promise((resolve, reject) => {
      this.#loaded = { resolve, reject };
      this.#port.onMessage((message) => this.#onMessage(message as FromHookWorker));
      this.#port.onDeath((reason) => this.#onDeath(reason));
      this.#post({ kind: "load", module: this.#options.module, program: this.#program });
      this.#deadline.expect(startMs);
    });
  }

  /** Runs a call on an idle worker. */
  run(call: Call): void {
    const id = ++this.#lastId;
    this.#running = { id, call };
    this.#state = "busy";
    this.#post({ kind: "call", call: id, name: call.name, input: call.input });
    this.#deadline.expect(this.#program.timeoutMs + graceMs);
  }

  /** Ends the worker; its call fails. */
  end(reason: string): void {
    if (this.#state === "gone") return;
    this.#state = "gone";
    this.#deadline.stop();
    this.#port.kill();
    this.#loaded?.reject(new HookError(reason));
    this.#running?.call.fail(new HookError(reason));
    this.#giver.onEnd(this, this.#wasReady);
  }

  #post(message: ToHookWorker): void {
    this.#port.post(message);
  }

  #onMessage(message: FromHookWorker): void {
    if (this.#state === "gone") return;
    if (message.kind === "printed") this.#options.print(message.level, message.text);
    else if (message.kind === "ready") this.#onReady(message);
    else if (message.kind === "refused") {
      this.#loaded?.reject(hookError(message.failure));
      this.end(message.failure.message);
    } else if (this.#running && message.call === this.#running.id) this.#onDone(this.#running.call, message);
  }

  #onReady({ functions, unused }: Extract<FromHookWorker, { kind: "ready" }>): void {
    this.#wasReady = true;
    this.#deadline.met();
    this.#state = "idle";
    this.#loaded?.resolve({ functions: new Set(functions), unused });
    this.#giver.onIdle();
  }

  #onDone(call: Call, message: Extract<FromHookWorker, { kind: "done" }>): void {
    this.#running = undefined;
    this.#state = message.again ? "loading" : "idle";
    if (message.again) this.#deadline.expect(startMs);
    else this.#deadline.met();
    if (message.failure) call.fail(hookError(message.failure));
    else call.done(message.result);
    this.#giver.onIdle();
  }

  #onLate(): void {
    const state = this.#state;
    const id = this.#running?.id;
    // Messages that arrived while this thread was busy are processed first: those were not late.
    setTimeout(() => {
      if (this.#state !== state || this.#running?.id !== id) return;
      if (!this.#running) return this.end("it did not start in time");
      this.#options.log.warn("a hook worker did not stop by itself and was terminated", {
        function: this.#running.call.name,
      });
      this.end(`it ran longer than its time limit of ${this.#program.timeoutMs} ms and had to be terminated`);
    }, hearMs);
  }

  #onDeath(reason: unknown): void {
    if (this.#state !== "gone")
      this.#options.log.warn("a hook worker ended and is being replaced", { reason });
    this.end("its worker ended");
  }
}
