// Messages between the main thread and a worker of the pool. Plain data; byte arrays and modules are
// transferred or shared.

import type { ByteRange, ErrorRecord, JobTimes } from "../../base/index.ts";
import type { NamedMaster, OnDemandModule, Task, workerModules } from "../../imaging/index.ts";

/**
 * A file that a worker opens itself. The worker refuses a file of another size or file number at this path.
 */
export interface JobFile {
  readonly path: string;
  readonly size: number;
  readonly id?: string | undefined;
  /** The part of the file that the job reads; absent if that is the whole file. */
  readonly section?: ByteRange | undefined;
}

/** Messages from the main thread. */
export type ToWorker =
  /** First message. `cancel`: one shared number; it becomes 1 when the running job is no longer wanted. */
  | {
      readonly kind: "start";
      readonly modules: ReturnType<typeof workerModules>;
      readonly cancel: Int32Array;
      readonly warm: boolean;
      /** See CodecHost. */
      readonly cacheBytes: number | undefined;
    }
  /**
   * `file`: the worker opens it; if absent, it requests bytes, and `size` and `gap` are those of the byte
   * source. `sidecar`: the worker may request it unless it is absent; `memory`: maximum of bytes for building
   * it; `room`: bytes for its blocks, if it may have any; `takes`: true if a read may leave its entry.
   */
  | {
      readonly kind: "job";
      readonly job: number;
      readonly task: Task;
      readonly file?: JobFile | undefined;
      readonly size?: number | undefined;
      readonly gap?: number | undefined;
      readonly sidecar?: JobSidecar | undefined;
    }
  /**
   * Response to `read`, `recall` and `overlay`, and to `keep` without bytes. `bytes` is missing if a block
   * does not exist.
   */
  | { readonly kind: "bytes"; readonly read: number; readonly bytes?: Uint8Array }
  /** Response to `load`. */
  | { readonly kind: "module"; readonly read: number; readonly module: WebAssembly.Module }
  /** The failure of any request. */
  | { readonly kind: "unread"; readonly read: number; readonly error: ErrorRecord }
  /** Asks how much memory the worker uses. */
  | { readonly kind: "measure" };

/** See SidecarAccess. */
export interface JobSidecar {
  readonly id: string;
  readonly absent: boolean;
  readonly memory?: number | undefined;
  readonly room?: number | undefined;
  readonly takes: boolean;
  readonly faster?: JobSidecar | undefined;
}

/** Names the `faster` layer of the job's sidecar instead of the sidecar itself. */
interface OfLayer {
  readonly of?: "faster" | undefined;
}

/** Messages from the worker. */
export type FromWorker =
  /** The worker has started, and warmed up if requested. */
  | { readonly kind: "ready" }
  /**
   * Bytes of the worker's objects, buffers and WebAssembly memories, as far as the runtime counts them per
   * thread.
   */
  | { readonly kind: "memory"; readonly bytes: number }
  /** Requests a module that is loaded on demand; the worker keeps it for later jobs. */
  | { readonly kind: "load"; readonly read: number; readonly name: OnDemandModule }
  | {
      readonly kind: "read";
      readonly job: number;
      readonly read: number;
      readonly offset: number;
      readonly length: number;
    }
  /** Requests the entry of the sidecar that the job names, as in SidecarAccess, or a block of it. */
  | ({
      readonly kind: "recall";
      readonly job: number;
      readonly read: number;
      readonly block?: number;
      readonly lean?: boolean;
    } & OfLayer)
  /**
   * Requests the pixels of the overlay that the job's plan names, once for each overlay that the worker does
   * not have.
   */
  | { readonly kind: "overlay"; readonly job: number; readonly read: number }
  /**
   * Passes on a block of the sidecar that the job makes; without a number, an entry as in SidecarAccess.
   * `digest`: its SHA-256, if the worker has computed it.
   */
  | ({
      readonly kind: "keep";
      readonly job: number;
      readonly read: number;
      readonly block?: number;
      readonly bytes: Uint8Array;
      readonly digest?: Uint8Array | undefined;
    } & OfLayer)
  /** The profile of the job's master is ignored because it is unusable. */
  | { readonly kind: "ignoredProfile"; readonly master: NamedMaster; readonly reason: string }
  /** A part of the job's sidecar is lost. */
  | ({ readonly kind: "lost"; readonly job: number } & OfLayer)
  /**
   * `unchanged`: true if the worker found after the last read that the open file is still the checked one.
   */
  | {
      readonly kind: "done";
      readonly job: number;
      readonly bytes: Uint8Array;
      readonly incomplete: boolean;
      readonly unchanged: boolean;
      readonly times: JobTimes;
    }
  /** `broken`: true if the error was unexpected, so that the state of the worker is unknown. */
  | { readonly kind: "failed"; readonly job: number; readonly error: ErrorRecord; readonly broken: boolean };

/**
 * Returns these bytes with a buffer of their own, which can be transferred; copies them only if they are part
 * of a larger buffer.
 */
export function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return whole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
