// The error type of the service, which carries meaning across layers.

import { ImagingError, type ImagingErrorOptions } from "./imaging-error.ts";

/** Kinds of errors as a closed list: `api/http` maps each kind to an HTTP status. */
export const errorKinds = [
  "bad-request", // the request is malformed or asks for something that the image does not have
  "too-large", // forbidden by a limit of the configuration or by the memory budget
  "not-found",
  "unauthorized",
  "limited", // the client has used more than it may: try again later
  "busy", // a queue is full, or a store of the service does not respond: try again
  "timeout", // a render, a listing or the opening of an image took longer than it may
  "cancelled", // the client has gone; nobody reads the response
  "unsupported", // a sound request for something that this build cannot do (a kind of source file, a platform part)
  "source", // a master could not be read
  "changed", // a master was replaced while it was read: try again
  "decode", // a master is damaged or differs from its header
  "encode",
  "hook",
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/**
 * An error whose message may be shown to the caller: it says what was expected, of what, what was received,
 * and what to do; it never contains a path, key or secret. Any other thrown value is a bug and becomes a
 * neutral 500.
 */
export class ServiceError extends ImagingError<ErrorKind> {
  /** Seconds after which the same request may succeed, if that is known. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    options: ImagingErrorOptions & { readonly retryAfter?: number | undefined } = {},
  ) {
    super(kind, message, options);
    this.name = "ServiceError";
    this.retryAfter = options.retryAfter;
  }
}

/**
 * Converts an error of the imaging library to the service's own; returns any other value unchanged. Errors of
 * jobs are converted already.
 */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof ImagingError) || error instanceof ServiceError) return error;
  return new ServiceError(error.kind, error.message, { code: error.code, cause: error.cause });
}

/** Runs calls of the imaging library outside of a job. Throws its errors as the service's own. */
export async function withServiceErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asServiceError(error);
  }
}

/** Returns the error of work whose client has gone; `signal` has the reason, for the log. */
export function cancelledError(signal?: AbortSignal): ServiceError {
  return new ServiceError("cancelled", "The request ended before its response was ready.", {
    cause: signal?.reason,
  });
}

/** Returns the error of a read from a master that was replaced after it was opened. */
export function sourceChangedError(): ServiceError {
  return new ServiceError(
    "changed",
    "The file of this image was replaced while it was being read. Try again.",
    { code: "source_changed" },
  );
}

/** Returns the message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A ServiceError as plain data, to cross a thread boundary (the cause becomes text). */
export interface ErrorRecord {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly code: string;
  readonly cause?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/**
 * Converts any thrown value to a record; a value that is no ImagingError becomes `fallback` with a neutral
 * message.
 */
export function toErrorRecord(error: unknown, fallback: ErrorKind): ErrorRecord {
  if (error instanceof ImagingError) {
    const cause = error.cause === undefined ? undefined : describe(error.cause);
    const retryAfter = error instanceof ServiceError ? error.retryAfter : undefined;
    return {
      kind: error.kind,
      message: error.message,
      code: error.code,
      cause,
      ...(retryAfter !== undefined && { retryAfter }),
    };
  }
  return {
    kind: fallback,
    message: "The image could not be processed.",
    code: `${fallback}_failed`,
    cause: describe(error),
  };
}

/** The inverse of {@link toErrorRecord}. */
export function fromErrorRecord(record: ErrorRecord): ServiceError {
  const { kind, message, ...options } = record;
  return new ServiceError(kind, message, options);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}

const noPermission: ReadonlySet<unknown> = new Set(["EACCES", "EPERM"]);

/**
 * Returns the message of an error for operators: that of a file which cannot be read has the reason of the
 * system, which HTTP clients do not see.
 */
export function operatorMessage({ code, cause, message }: ServiceError): string {
  const reason = (cause as { readonly code?: unknown } | undefined)?.code;
  if (code !== "source_unreadable" || typeof reason !== "string") return message;
  return noPermission.has(reason)
    ? "The user that runs smalti has no permission to read this."
    : `This cannot be read: ${reason}.`;
}
