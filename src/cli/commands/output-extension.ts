// Compares the extension of a file to write with the format of the derivative in it.

import { formats, writingOf, writtenFormats } from "../../imaging/index.ts";
import { UsageError } from "./command-error.ts";

/** Extensions of formats that are neither read nor written, in lower case. */
const foreign = ["apng", "heic", "bmp", "svg", "pdf"];

/** Extensions of image files, with the format that is written under each if there is one. */
const known = new Map<string, string | undefined>([
  ...[...foreign, ...Object.values(formats).flatMap(({ read }) => read?.extensions ?? [])].map(
    (extension) => [extension, undefined] as const,
  ),
  ...Object.entries(writtenFormats).flatMap(([format, { extensions }]) =>
    extensions.map((extension) => [extension, format] as const),
  ),
]);

/**
 * Throws UsageError if the extension of `output` is that of another format than the one that is written:
 * programs would take the file for what it is not. Any other name is accepted. `request`: the address that
 * chooses the format.
 */
export function refuseOtherExtension(output: string, format: string, request: string): void {
  const [, before = "", extension = ""] = /^(.*[^/\\])\.([A-Za-z0-9]+)$/s.exec(output) ?? [];
  const lower = extension.toLowerCase();
  const other = known.get(lower);
  if (!known.has(lower) || other === format) return;
  const asked = other && request.replace(/[A-Za-z0-9]+$/, other);
  throw new UsageError(
    `-o ${output} is the name of another format than ${writingOf(format).mediaType}, which the request asks for; write -o ${before}.${format}${asked === undefined ? "" : `, or request ${asked}`}`,
  );
}
