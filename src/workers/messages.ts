// What the main thread and a pool worker say to each other. Plain data; byte arrays and modules are transferred or shared.

import type { ErrorRecord } from "../errors.ts";
import type { WorkerModule } from "../imaging/codecs/modules.ts";
import type { NamedMaster } from "../imaging/codecs/plan.ts";
import type { Task } from "../imaging/render/job.ts";
import type { JobTimes } from "../lib/telemetry/job-clock.ts";

/** A file that a worker opens by itself; one of another size or file number at this path is not read. */
export interface JobFile {
  readonly path: string;
  readonly size: number;
  readonly id?: string | undefined;
}

/** From the main thread. */
export type ToWorker =
  /** First message. `cancel`: one shared number; 1 says that the running job is no longer wanted. */
  | {
      readonly kind: "start";
      readonly modules: Readonly<Record<WorkerModule, WebAssembly.Module>>;
      readonly cancel: Int32Array;
      readonly warm: boolean;
    }
  /** `file`: the worker opens it; else it asks for bytes, whose `size` and `gap` are those of the byte source. `sidecar`: it may ask for that one, unless it is absent; `memory`: bytes that making it may take; `room`: for blocks, where it can have any. */
  | {
      readonly kind: "job";
      readonly job: number;
      readonly task: Task;
      readonly file?: JobFile | undefined;
      readonly size?: number | undefined;
      readonly gap?: number | undefined;
      readonly sidecar?:
        | {
            readonly id: string;
            readonly absent: boolean;
            readonly memory?: number | undefined;
            readonly room?: number | undefined;
          }
        | undefined;
    }
  /** Answers to `read`, `recall`, `overlay` and, with no bytes, `keep`. `bytes` is missing where a block is not there. */
  | { readonly kind: "bytes"; readonly read: number; readonly bytes?: Uint8Array }
  | { readonly kind: "unread"; readonly read: number; readonly error: ErrorRecord }
  /** Asks how much memory the worker has. */
  | { readonly kind: "measure" };

/** From the worker. */
export type FromWorker =
  /** Started, and warm if that was asked. */
  | { readonly kind: "ready" }
  /** Bytes of its objects, buffers and WebAssembly, as far as the runtime counts them for one thread. */
  | { readonly kind: "memory"; readonly bytes: number }
  | {
      readonly kind: "read";
      readonly job: number;
      readonly read: number;
      readonly offset: number;
      readonly length: number;
    }
  /** Asks for the sidecar that the job named, or a block of it. */
  | { readonly kind: "recall"; readonly job: number; readonly read: number; readonly block?: number }
  /** Asks for the pixels of the overlay that the job's plan names, once for each that it does not know. */
  | { readonly kind: "overlay"; readonly job: number; readonly read: number }
  /** Hands over a block of the sidecar that the job makes. */
  | {
      readonly kind: "keep";
      readonly job: number;
      readonly read: number;
      readonly block: number;
      readonly bytes: Uint8Array;
    }
  /** The profile of the job's master turned out not to be usable. */
  | { readonly kind: "ignoredProfile"; readonly master: NamedMaster; readonly reason: string }
  /** A part of the job's sidecar is lost. */
  | { readonly kind: "lost"; readonly job: number }
  /** `unchanged`: after the last read, the worker found the file that it opened to be what was checked. */
  | {
      readonly kind: "done";
      readonly job: number;
      readonly bytes: Uint8Array;
      readonly incomplete: boolean;
      readonly unchanged: boolean;
      readonly times: JobTimes;
    }
  /** `broken`: the error was not foreseen, so the state of the worker is not known either. */
  | { readonly kind: "failed"; readonly job: number; readonly error: ErrorRecord; readonly broken: boolean };

/** The buffer of these bytes alone, to be transferred; copies only where they are part of something larger. */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return whole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
