// Reads and writes metadata with ExifTool: one call for many files, since each starts Perl.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInstalled, outputOf } from "../../programs.ts";

/** Tags by `group:name` (family 1 groups, as `IFD0:Artist`), with numbers as they are stored. */
export type Tags = Readonly<Record<string, unknown>>;

/** True if ExifTool is installed (Debian: libimage-exiftool-perl). */
export const hasExifTool = isInstalled("exiftool");

/** The tags of each file. */
export function tagsOf(files: Readonly<Record<string, Uint8Array>>): Record<string, Tags> {
  return inFolder(files, (folder) => {
    const rows = JSON.parse(run(["-json", "-n", "-a", "-G1", "-struct", folder])) as Tags[];
    return Object.fromEntries(rows.map((row) => [String(row.SourceFile).slice(folder.length + 1), row]));
  });
}

/**
 * The files with tags written into them by arguments such as `-Artist=Ann`. Kinds that a format lacks are
 * left out with a warning.
 */
export function withTags(
  files: Readonly<Record<string, Uint8Array>>,
  args: readonly string[],
): Record<string, Uint8Array> {
  return inFolder(files, (folder) => {
    const options = [
      "-q",
      "-q",
      "-m",
      "-overwrite_original",
      ...args,
      ...Object.keys(files).map((name) => join(folder, name)),
    ];
    run(["-@", "-"], options.join("\n")); // a command line has its bounds
    return Object.fromEntries(
      Object.keys(files).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
    );
  });
}

/** A block of each file as bytes: `-icc_profile`, `-exif`, `-xmp`. */
export function blockOf(file: Uint8Array, name: string, tag: string): Uint8Array {
  return inFolder({ [name]: file }, (folder) => outputOf("exiftool", ["-b", tag, join(folder, name)]));
}

/** Returns the ICC profile of each file; undefined if it has none. */
export function profilesOf(
  files: Readonly<Record<string, Uint8Array>>,
): Record<string, Uint8Array | undefined> {
  return inFolder(files, (folder) => {
    const rows = JSON.parse(run(["-json", "-b", "-icc_profile", folder])) as Tags[];
    const bytes = (value: unknown) =>
      value === undefined
        ? undefined
        : new Uint8Array(Buffer.from(String(value).replace("base64:", ""), "base64"));
    return Object.fromEntries(
      rows.map((row) => [String(row.SourceFile).slice(folder.length + 1), bytes(row.ICC_Profile)]),
    );
  });
}

function run(args: readonly string[], input = ""): string {
  return Buffer.from(outputOf("exiftool", args, { input })).toString();
}

/** True if two arrays hold the same bytes. */
export const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;

/** Runs `work` on a temporary folder with these files and returns its result. */
export function inFolder<T>(files: Readonly<Record<string, Uint8Array>>, work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "smalti-tags-"));
  try {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
