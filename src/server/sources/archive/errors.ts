// Errors of archives, which name what is wrong and what to do, but never a path.

import { formatSize, ServiceError } from "../../../base/index.ts";

/** Returns the error of an archive that is damaged, or can be read in more than one way. */
export const damagedArchiveError = (what: string): ServiceError =>
  new ServiceError(
    "decode",
    `This archive was expected to be a whole ZIP file; ${what}. Copy it again, or make it again.`,
    { code: "archive_damaged" },
  );

/** Returns the error of an archive of a kind that is not read. */
export const unsupportedArchiveError = (what: string): ServiceError =>
  new ServiceError("unsupported", `The images of this archive cannot be read: ${what}.`, {
    code: "archive_unsupported",
  });

/** Returns the error of a member that is not read. */
export const refusedMemberError = ({
  reason,
  advice,
}: {
  readonly reason: string;
  readonly advice: string;
}) =>
  new ServiceError("unsupported", `This file of an archive cannot be read: ${reason}. ${advice}`, {
    code: "archive_unsupported",
  });

/** Returns the error of a member that has to be inflated as a whole, and is too large for that. */
export const deflatedTooLargeError = (limit: number): ServiceError =>
  new ServiceError(
    "too-large",
    `This image is deflated in its archive and has more than the ${formatSize(limit)} that are inflated. Store images in archives without compression, for example by zip -0: they hardly get smaller by it.`,
    { code: "deflated_too_large" },
  );
