// Messages between the main thread and a hook worker. Plain data; the module is shared.

import type { HookFunction } from "../hook.ts";
import type { UnusedExport } from "./unused-exports.ts";

/** The operator's file and its limits. */
export interface Program {
  readonly source: string;
  /** Name of the file, without its folder. */
  readonly file: string;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}

/** Reason for a failed call. */
export interface Failure {
  readonly message: string;
  /** For example `hooks.js:12:5`. */
  readonly position?: string;
  /** True if the instance is unusable. */
  readonly spent?: boolean;
}

export type PrintLevel = "debug" | "info" | "warn" | "error";

/** Message from the main thread. */
export type ToHookWorker =
  /** First message. */
  | { readonly kind: "load"; readonly module: WebAssembly.Module; readonly program: Program }
  /** `input`: JSON. */
  | { readonly kind: "call"; readonly call: number; readonly name: HookFunction; readonly input: string };

/** From the worker. */
export type FromHookWorker =
  /** The program runs and can be called. */
  | {
      readonly kind: "ready";
      readonly functions: readonly HookFunction[];
      readonly unused: readonly UnusedExport[];
      readonly bytes: number;
    }
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "printed"; readonly level: PrintLevel; readonly text: string }
  /** `result`: JSON; absent for no opinion. `again`: it sends `ready` before it can be called again. */
  | {
      readonly kind: "done";
      readonly call: number;
      readonly result?: string;
      readonly failure?: Failure;
      readonly again: boolean;
    };
