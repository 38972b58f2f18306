// Commands that findings advise, and how names of files get into them: IN and OUT stand for the master
// and the new file next to it, WARM for the words of `smalti warm`.

import { type Finding, pathWord, shellWord } from "../../../base/index.ts";
import { archivesIn } from "../../../server/index.ts";
import type { FoundAt } from "../known.ts";

/**
 * Converts to a tiled TIFF with all reduced levels, without loss: the layout whose regions are cheapest to
 * read.
 */
export const toPyramid = "smalti convert IN -o OUT.tif --compression deflate";

/** Converts like {@link toPyramid}, but to JPEG tiles, for photographs that were lossy before. */
export const toJpegPyramid = "smalti convert IN -o OUT.tif --compression jpeg --quality 90";

/**
 * Converts like {@link toPyramid} what this program does not read. Levels are pages, as other servers expect
 * them.
 */
export const toServedPyramid =
  "vips tiffsave IN OUT.tif --tile --tile-width 256 --tile-height 256 --pyramid --compression deflate --predictor horizontal --bigtiff";

/** Converts arithmetic to Huffman coding without loss. */
export const toHuffman = "jpegtran -copy all -outfile OUT.jpg IN";

/** Removes the encryption of a PDF that opens without a password. */
export const toDecrypted = "qpdf --decrypt IN OUT.pdf";

/** Removes an unusable profile from a file. */
export const dropProfile = "exiftool -icc_profile:all= IN";

/** Embeds a profile in a file; PROFILE.icc is the reader's. */
export const embedProfile = 'exiftool "-icc_profile<=PROFILE.icc" IN';

/** Fills the caches with what readers request first. */
export const toWarm = "smalti warm WARM";

/** Names in the commands of an image's findings. */
export interface CommandNames {
  /** The file, relative to the folder in which commands are run, or absolute. */
  readonly file: string;
  /** Where to run them, as a sentence; absent: where the finding is read. */
  readonly where?: string;
  /** Words after `smalti warm`; absent: the command is left out. */
  readonly warm?: readonly string[];
}

/** Chooses the names for an image. */
export type NameCommands = (master: FoundAt) => CommandNames;

/** Returns the names for somebody who does not see the folder of a source: keys of files in it. */
export const namesInSource: NameCommands = ({ source, backend, key }) =>
  backend === "filesystem" && archivesIn(key).length === 0
    ? { file: key, where: `Run the command in the folder of the source ${source}.` }
    : { file: baseName(key), where: "Run the command in a folder with a copy of the file." };

export const baseName = (path: string): string => path.replace(/^.*\//s, "");

/** Returns the finding with names in its command; without the command if the file is unknown. */
export function withNames(
  finding: Finding,
  master: FoundAt | undefined,
  nameCommands: NameCommands,
): Finding {
  const { command: template, ...rest } = finding;
  if (template === undefined || !master) return rest;
  const names = nameCommands(master);
  const command = template
    .split("\n")
    .filter((line) => !line.endsWith("WARM") || names.warm)
    .map((line) => commandLine(line, names, master.page))
    .join("\n");
  const advice = [rest.advice, names.where].filter((text) => text !== undefined).join(" ");
  return { ...rest, ...(advice !== "" && { advice }), command };
}

function commandLine(line: string, { file, warm = [] }: CommandNames, page: number): string {
  const stem = file.replace(/(?<=[^/])\.[^./]*$/, "") + (page > 1 ? `-${page}` : "");
  const named = line.replace(/\b(IN|OUT(\.\w+)|WARM)(?= |$)/g, (_, name: string, extension = "") =>
    name === "IN"
      ? pathWord(file)
      : name === "WARM"
        ? warm.map(shellWord).join(" ")
        : // Not the name of another master, which some programs would overwrite.
          pathWord(`${stem}.new${extension}`),
  );
  return page > 1 && line.startsWith("smalti convert") ? `${named} --page ${page}` : named;
}
