// The formats of this build, one row each, in the order of messages and documents.

import { ImagingError } from "../../base/index.ts";
import { avif } from "./avif/format.ts";
import type { Format, Reading, Writing } from "./format.ts";
import { gif } from "./gif/format.ts";
import { jp2 } from "./jp2/format.ts";
import { jpg } from "./jpg/format.ts";
import { jxl } from "./jxl/format.ts";
import { pdf } from "./pdf/format.ts";
import { png } from "./png/format.ts";
import { tif } from "./tif/format.ts";
import { webp } from "./webp/format.ts";

const rows = { jpg, png, tif, webp, gif, jp2, avif, jxl, pdf };

/** Formats by their names in requests and headers. */
export const formats: Readonly<Record<string, Format>> = rows;

/** Formats that can be written, by name. */
export const writtenFormats: Readonly<Record<string, Writing>> = Object.fromEntries(
  Object.entries(formats).flatMap(([name, { write }]) => (write ? [[name, write]] : [])),
);

/** Names of formats that a server writes only if its configuration names them. */
export const optInFormats: readonly string[] = Object.keys(writtenFormats).filter(
  (name) => writtenFormats[name]?.optIn,
);

/** Returns the formats that are written, of the optional ones those that are named. */
export const formatsWith = (named: readonly string[]): typeof writtenFormats =>
  Object.fromEntries(
    Object.entries(writtenFormats).filter(([name, { optIn }]) => !optIn || named.includes(name)),
  );

type Rows = typeof rows;

/** Name of a format that is read. */
export type SourceFormat = {
  [Name in keyof Rows]: Rows[Name] extends { readonly read: Reading } ? Name : never;
}[keyof Rows];

/** Returns how a format is read. Throws ImagingError `unsupported` for one that is not. */
export function readingOf(format: string): Reading {
  const read = formats[format]?.read;
  if (!read) throw new ImagingError("unsupported", `This service does not read ${format} images.`);
  return read;
}

/** Returns how a format is written. Throws ImagingError `unsupported` for one that is not. */
export function writingOf(format: string): Writing {
  const write = formats[format]?.write;
  if (!write) throw new ImagingError("unsupported", `This service does not write ${format} images.`);
  return write;
}

/** Bytes at the start of a file that identify its format; most need 64. */
export const headLength = 1024;

/** Returns the format of a file by its first `headLength` bytes, or undefined if it is unknown. */
export function recogniseFormat(head: Uint8Array): string | undefined {
  return Object.keys(formats).find((format) => formats[format]?.read?.recognises(head));
}

/** Returns the titles of the formats that are read, as messages list them: "JPEG, PNG or GIF". */
export function readableTitles(): string {
  const titles = Object.values(formats).flatMap(({ title, read }) => (read ? [title] : []));
  return `${titles.slice(0, -1).join(", ")} or ${titles.at(-1)}`;
}
