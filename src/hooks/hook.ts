// What an operator's hook is asked and what it may answer; every engine implements the same interface.

import type { TraceHeaders } from "../lib/telemetry/trace-context.ts";

/** The functions a hook may have. A hook that lacks one has no opinion. */
export const hookFunctions = ["resolve", "authorize", "presentation", "overlay"] as const;

export type HookFunction = (typeof hookFunctions)[number];

/** What a hook is told of a request. Plain data: it crosses threads and the network as JSON. */
export interface RequestInput {
  /** Decoded, without its page suffix. */
  readonly identifier: string;
  /** Page of the master, from 1. */
  readonly page: number;
  /** Path of the request as it came, without its query. */
  readonly request_path: string;
  /** Only with hook.client_ip. */
  readonly client_ip?: string;
  /** The headers named in hook.headers that were sent, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a hook is asked about a manifest or collection. */
export interface PresentationInput {
  /** Identifier of the directory or master that the document describes. */
  readonly id: string;
  readonly kind: "manifest" | "collection";
  /** What would be sent without the hook. */
  readonly descriptor: Readonly<Record<string, unknown>>;
}

/** Where a master is: its key in one of the configured sources, the default source where none is named. */
export interface Resolution {
  readonly key: string;
  readonly source?: string;
}

/** What a hook says of access. It can only tighten what the rules allow. */
export interface Authorization {
  readonly allow: boolean;
  /** For the reader. */
  readonly reason?: string;
  /**
   * Identifier of an image to serve in place of the one that was asked for; true: the picture of
   * `max_size` of its profile.
   */
  readonly substitute?: string | true;
  /** Absolute URL to send the reader to. */
  readonly redirect?: string;
  /** For the decision record alone. */
  readonly profile?: string;
  /** HTTP status of a denial. */
  readonly status?: number;
}

/** An engine, built from its options. */
export interface HookEngine {
  readonly name: string;
  /** Whether the hook has this function now; what is not there costs nothing. It may change when a file is read again. */
  has(name: HookFunction): boolean;
  /**
   * Calls a function with plain data and returns plain data, not yet checked; undefined (or JSON null) is no opinion.
   * `resolve` may return false: there is no image under that identifier.
   * `traceHeaders`: headers for a request to another service. Throws `HookError` where the hook fails in any way, its time limit included, and what `signal` aborts with.
   */
  call(
    name: HookFunction,
    input: unknown,
    signal?: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<unknown>;
  /** Resolves when all is well; throws with the reason, in words for the operator, without paths and secrets. */
  check(): Promise<void>;
  /** What suffers while the check fails: answers, or (the default) only changes of a file whose last good content stays in force. */
  readonly neededFor?: "answers" | "changes";
  close(): Promise<void>;
}

/** Why a call failed. For the operator's log: callers are shown a neutral sentence. */
export class HookError extends Error {
  /** Position in the operator's file or mapping, such as `hooks.js:12:5`. */
  readonly position?: string;

  constructor(message: string, options: { readonly position?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "HookError";
    if (options.position !== undefined) this.position = options.position;
  }
}
