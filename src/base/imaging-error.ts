// The error type of the imaging library.

/** Kinds of errors; the list is closed. */
export type ImagingErrorKind =
  | "bad-request" // the request asks for something that the image does not have
  | "too-large" // a file is larger than its decoder accepts
  | "not-found" // the file has no such page
  | "cancelled" // the result is no longer wanted
  | "unsupported" // a valid file or request that the library cannot serve correctly
  | "source" // the bytes of a file could not be read
  | "changed" // a file was replaced while it was being read
  | "decode" // a file is damaged, or differs from its header
  | "encode";

export interface ImagingErrorOptions {
  /** Cause, for the log only. */
  readonly cause?: unknown;
  /** Stable, documented code in snake_case; the kind in snake_case by default. */
  readonly code?: string;
}

/**
 * An error whose message may be shown to anyone: it says what was expected, what was received, and what to
 * do. It never contains a path, key or secret. Byte sources throw it too. A program may add its own kinds in
 * a subclass, which the library passes on unchanged. Any other thrown value is a bug.
 */
export class ImagingError<Kind extends string = ImagingErrorKind> extends Error {
  readonly kind: Kind;
  readonly code: string;

  constructor(kind: Kind, message: string, options: ImagingErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ImagingError";
    this.kind = kind;
    this.code = options.code ?? kind.replaceAll("-", "_");
  }
}
