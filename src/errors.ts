// The one error type that carries meaning across layers.

/** What went wrong, as a closed list: `api/http` maps each kind to an HTTP status. */
export const errorKinds = [
  "bad-request", // the request is malformed or asks for what the image cannot give
  "too-large", // a limit of the configuration or the memory budget forbids it
  "not-found",
  "unauthorized",
  "busy", // a queue is full, or a store of ours does not answer: try again
  "timeout", // one render took longer than image.timeout
  "cancelled", // the client has gone; nobody reads the answer
  "unsupported", // a sound request for what this build cannot do (a kind of source file, a platform part)
  "source", // a master could not be read
  "changed", // a master was replaced while it was read: try again
  "decode", // a master is damaged or is not what its header says
  "encode",
  "hook",
] as const;

export type ErrorKind = (typeof errorKinds)[number];

export interface ServiceErrorOptions {
  /** Goes to the log only, never to the caller. */
  readonly cause?: unknown;
  /** Stable, documented, snake_case; the default is the kind in snake_case. */
  readonly code?: string;
}

/**
 * An error whose message may be shown to the caller: it says what was expected, of what, what was received, and
 * what to do; it never holds a path, key or secret. Anything else that is thrown is a bug and is answered with a
 * neutral 500.
 */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;

  constructor(kind: ErrorKind, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ServiceError";
    this.kind = kind;
    this.code = options.code ?? kind.replaceAll("-", "_");
  }
}

/** The error of work whose client has gone; `signal` tells why, for the log. */
export function cancelled(signal?: AbortSignal): ServiceError {
  return new ServiceError("cancelled", "The request ended before its answer was ready.", {
    cause: signal?.reason,
  });
}

/** The error of a read from a master that is no longer the one that was opened. */
export function sourceChanged(): ServiceError {
  return new ServiceError(
    "changed",
    "The file of this image was replaced while it was being read. Try again.",
    { code: "source_changed" },
  );
}

/** A ServiceError as plain data, for the way across a thread boundary (the cause becomes text). */
export interface ErrorRecord {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly code: string;
  readonly cause?: string | undefined;
}

/** Any thrown value as a record; what is no ServiceError becomes `fallback` with a neutral message. */
export function toErrorRecord(error: unknown, fallback: ErrorKind): ErrorRecord {
  if (error instanceof ServiceError) {
    const cause = error.cause === undefined ? undefined : describe(error.cause);
    return { kind: error.kind, message: error.message, code: error.code, cause };
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
  return new ServiceError(record.kind, record.message, { code: record.code, cause: record.cause });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
}
