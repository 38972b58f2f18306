// Files that only another decoder can read, as a whole: how a codec reports one, and how a caller handles it.

import { ImagingError } from "../../base/index.ts";

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

/** Runs a job, and again with `whole` if its file cannot be read by regions, which depends only on it. */
export async function orWhole<T>(job: (whole: boolean) => Promise<T>): Promise<T> {
  try {
    return await job(false);
  } catch (error) {
    if (isWholeFileError(error)) return job(true);
    throw error;
  }
}
