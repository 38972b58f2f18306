// The one error type of the imaging library.

/** What went wrong, as a closed list. */
export type ImagingErrorKind =
  | "bad-request" // the request asks for what the image cannot give
  | "too-large" // a file is larger than its decoder takes
  | "not-found" // the file has no such page
  | "cancelled" // nobody wants the result any longer
  | "unsupported" // a sound file or request that the library cannot serve right
  | "source" // the bytes of a file could not be read
  | "changed" // a file was replaced while it was read
  | "decode" // a file is damaged or is not what its header says
  | "encode";

export interface ImagingErrorOptions {
  /** Goes to a log only. */
  readonly cause?: unknown;
  /** Stable, documented, snake_case; the default is the kind in snake_case. */
  readonly code?: string;
}

/**
 * An error whose message may be shown to anybody: it says what was expected, what was received, and what to do; it never
 * holds a path, key or secret. Byte sources throw it too; a program may give its own errors more kinds in a subclass,
 * which the library passes on unchanged. Anything else that is thrown is a bug.
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
