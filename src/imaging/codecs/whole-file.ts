// Files that only another decoder can read, as a whole: how a codec reports one, and how a caller handles it.

import { ImagingError } from "../../base/index.ts";

/**
 * Replaces a result: the file has to be read again, with `whole` in the read. This depends only on the file.
 */
export const wholeFileNeeded = Symbol("whole file needed");

/**
 * The error of a codec that cannot read a file by regions. An error, since workers pass errors on; its code
 * appears in this file only.
 */
export function wholeFileError(cause?: ImagingError): ImagingError {
  return new ImagingError(
    "unsupported",
    "Expected a file that can be read by regions; this one has to be decoded as a whole. Try again.",
    { code: "whole_file_wanted", cause },
  );
}

/** True for the error of a codec that cannot read a file by regions. */
export const isWholeFileError = (error: unknown): boolean =>
  error instanceof ImagingError && error.code === "whole_file_wanted";

/** Returns the result of a job, or {@link wholeFileNeeded}. Throws other errors of the job. */
export async function orWholeFile<T>(job: Promise<T>): Promise<T | typeof wholeFileNeeded> {
  try {
    return await job;
  } catch (error) {
    if (isWholeFileError(error)) return wholeFileNeeded;
    throw error;
  }
}
