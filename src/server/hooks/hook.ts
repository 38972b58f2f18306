// Input and results of an operator's hook; every engine implements the same interface.

import type { Finding, TraceHeaders } from "../../base/index.ts";

/** The functions that a hook may have. A hook has no opinion on missing ones. */
export const hookFunctions = ["resolve", "authorize", "presentation", "overlay"] as const;

export type HookFunction = (typeof hookFunctions)[number];

/** Facts about a request for a hook. Plain data: it crosses threads and the network as JSON. */
export interface RequestInput {
  /** Decoded, without its page suffix. */
  readonly identifier: string;
  /** Page of the master, from 1. */
  readonly page: number;
  /** Path of the request as received, without its query. */
  readonly request_path: string;
  /** Present only with hook.client_ip. */
  readonly client_ip?: string;
  /** The received headers among those named in hook.headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Input about a manifest or collection. */
export interface PresentationInput {
  /** Identifier of the described directory or master. */
  readonly id: string;
  readonly kind: "manifest" | "collection";
  /** The document that would be sent without the hook. */
  readonly descriptor: Readonly<Record<string, unknown>>;
}

/** Location of a master: its key in one of the configured sources; the default source if none is named. */
export interface Resolution {
  readonly key: string;
  readonly source?: string;
  /** Page of the master, from 1; the requested one if absent. */
  readonly page?: number;
}

/** A hook's decision on access. Hooks can only restrict access. */
export interface Authorization {
  readonly allow: boolean;
  /** For the reader. */
  readonly reason?: string;
  /**
   * Identifier of an image to serve instead of the requested one; true for the image of `max_size` of its
   * profile.
   */
  readonly substitute?: string | true;
  /** Absolute URL to send the reader to. */
  readonly redirect?: string;
  /** Used only in the decision record. */
  readonly profile?: string;
  /** HTTP status of a denial. */
  readonly status?: number;
}

/** A row of a table of identifiers. */
export interface TableRow {
  /** As written. */
  readonly identifier: string;
  /** From 1; undefined in JSON. */
  readonly line?: number | undefined;
  /** True if it names the master; otherwise the identifier is used as a path. */
  readonly hasKey: boolean;
}

/** An engine, built from its options. */
export interface HookEngine {
  readonly name: string;
  /**
   * True if the hook has this function now; missing functions cost nothing. May change when the file is read
   * again.
   */
  has(name: HookFunction): boolean;
  /**
   * Calls a function with plain data and returns plain data, not yet checked; undefined (or JSON null) is no
   * opinion. `resolve` may return false: there is no image under that identifier. `traceHeaders`: headers for
   * a request to another service. Throws `HookError` if the hook fails in any way, including its time limit,
   * and the reason of `signal` if it aborts.
   */
  call(
    name: HookFunction,
    input: unknown,
    signal?: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<unknown>;
  /** The rows of a table of identifiers; absent for other engines. */
  rows?(): Iterable<TableRow>;
  /** Returns doubts about a file that is valid; absent for engines without one. */
  doubts?(): readonly Finding[];
  /**
   * Resolves if all is well; throws with the reason, in words for the operator, without paths and secrets.
   */
  check(): Promise<void>;
  /**
   * What suffers while the check fails: responses, or (the default) only changes of a file whose last valid
   * content stays in effect.
   */
  readonly neededFor?: "answers" | "changes";
  close(): Promise<void>;
}

/** The reason for a failed call. It is for the operator's log: callers see a neutral sentence. */
export class HookError extends Error {
  /** Position in the operator's file or mapping, such as `hooks.js:12:5`. */
  readonly position?: string;

  constructor(message: string, options: { readonly position?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "HookError";
    if (options.position !== undefined) this.position = options.position;
  }
}
