// `smalti convert FILE…`: tiled TIFF with all its levels, which this server and others read fastest.

import { type FileSystem, ImagingError, type OpenFile, type Platform } from "../../base/index.ts";
import {
  type Codecs,
  createCodecs,
  type Decoder,
  headLength,
  type ImageHeader,
  orWhole,
  type PyramidFileOptions,
  readableTitles,
  writePyramidFile,
} from "../../imaging/index.ts";
import { absolutePath, bytesText, codecHost } from "../../server/index.ts";
import { command } from "./command.ts";
import { asCommandError, CommandError, UsageError } from "./command-error.ts";
import { pageFlag } from "./image-file.ts";
import { interruptOf } from "./interrupt.ts";
import { forceFlag, refuseExisting } from "./new-file.ts";
import { createProgress, type Progress } from "./progress.ts";

export const convert = command({
  name: "convert",
  summary: "convert files to tiled TIFF with all levels, which this server and others read fastest",
  more: "keeps profile, resolution, orientation, XMP and IPTC; colours other than gray, RGB and CMYK become sRGB",
  examples: [
    "smalti convert scan.jpg",
    "smalti convert scans/*.png --to pyramids --compression jpeg --quality 90 --json > report.json",
  ],
  json: "a report of each file",
  flags: {
    output: {
      kind: "text",
      value: "OUT",
      short: "o",
      among: "file",
      text: "the file to write; if omitted, FILE with the extension .tif",
    },
    to: { kind: "text", value: "FOLDER", among: "folder", text: "the folder to write to" },
    compression: {
      kind: "text",
      value: "KIND",
      among: ["jpeg", "deflate"],
      text: "jpeg, or deflate without loss; if omitted, jpeg for what is JPEG already, else deflate",
    },
    quality: {
      kind: "number",
      value: "N",
      from: 1,
      to: 100,
      text: "quality of jpeg, 90 if omitted; from 90 on colours have full resolution",
    },
    tile: {
      kind: "number",
      value: "N",
      from: 16,
      to: 4096,
      text: "side of a tile in pixels, a multiple of 16; 256 if omitted",
    },
    page: pageFlag,
    force: forceFlag,
  },
  operands: [{ name: "FILE", among: "file", many: true }],
  async run({ platform, flags: { output, to, force, ...flags }, operands }) {
    const { tile: tileSide = 256, quality = 90, compression, page = 1 } = flags;
    if (tileSide % 16 !== 0) throw new UsageError("--tile expects a multiple of 16");
    const targets = targetsOf(platform, operands, { output, to });
    const { files } = platform;
    if (!files?.create) throw new CommandError(`the runtime ${platform.name} cannot write files in parts`);
    const host = codecHost(platform);
    const tools = { files, host, codecs: createCodecs(host), signal: interruptOf(platform) };
    const progress = createProgress(platform, "megapixels");
    const reports: Report[] = [];
    try {
      for (const target of targets)
        reports.push(
          await convertFile({ ...tools, progress }, target, { compression, quality, tileSide, page, force }),
        );
    } finally {
      progress.end();
    }
    const failed = reports.filter(({ error }) => error !== undefined).length;
    return {
      text: reports.map(reportText).join(""),
      data: { converted: reports.length - failed, failed, files: reports },
      failed: failed > 0,
    };
  },
});

interface Target {
  /** As the command line names it. */
  readonly file: string;
  /** Absolute paths. */
  readonly from: string;
  readonly to: string;
}

/** What became of a file. */
interface Report {
  readonly file: string;
  readonly output?: string;
  readonly error?: string;
  readonly width?: number;
  readonly height?: number;
  readonly page?: number;
  readonly pages?: number;
  readonly compression?: string;
  /** Lengths of both files. */
  readonly bytesBefore?: number;
  readonly bytes?: number;
}

interface Tools {
  readonly files: FileSystem;
  readonly host: Parameters<typeof createCodecs>[0];
  readonly codecs: Codecs;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

type Options = PyramidFileOptions & { readonly page: number; readonly force: boolean };

/** Throws UsageError if two files would be written to one place, or a file to its own. */
function targetsOf(
  { cwd = "/" }: Pick<Platform, "cwd">,
  operands: readonly string[],
  { output, to }: { readonly output: string | undefined; readonly to: string | undefined },
): Target[] {
  if (output !== undefined && (to !== undefined || operands.length > 1))
    throw new UsageError("-o names one file; use --to FOLDER alone for several");
  const seen = new Map<string, string>();
  return operands.map((file) => {
    const from = absolutePath(cwd, file);
    const name = `${/[^/\\]*$/.exec(from)?.[0].replace(/(.)\.[^.]*$/, "$1")}.tif`;
    const folder = to === undefined ? from.replace(/[/\\][^/\\]*$/, "") : absolutePath(cwd, to);
    const target = output === undefined ? `${folder}/${name}` : absolutePath(cwd, output);
    const other = seen.get(target);
    if (other !== undefined)
      throw new UsageError(
        `${other} and ${file} would both become ${target}; convert them one by one with -o`,
      );
    seen.set(target, file);
    if (target === from)
      throw new UsageError(`${file} would replace itself; name another file with -o, or a folder with --to`);
    return { file, from, to: target };
  });
}

/** Converts a file, or reports why it cannot; throws InterruptedError alone. */
async function convertFile(tools: Tools, target: Target, options: Options): Promise<Report> {
  const { file, from, to } = target;
  const { files, signal, progress } = tools;
  signal.throwIfAborted();
  let bytes: OpenFile | undefined;
  try {
    await confirmInput(files, from);
    await refuseExisting(files, {
      path: to,
      force: options.force,
      inputs: [from],
      flag: "-o FILE or --to FOLDER",
    });
    bytes = await files.open(from);
    const codec = await codecOf(tools.codecs, bytes);
    const header = await codec.probe(bytes, options.page);
    const compression = await writeFile(tools, { bytes, header, to }, options);
    const written = await files.stat(to);
    return {
      file,
      output: to,
      width: header.width,
      height: header.height,
      page: options.page,
      pages: header.pages,
      compression,
      bytesBefore: bytes.size,
      ...(written && { bytes: written.size }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const { message } = asCommandError(error);
    progress.note(`smalti: ${file}: ${message}`);
    return { file, error: message };
  } finally {
    await bytes?.close();
  }
}

/** Throws CommandError if there is no file to read. */
async function confirmInput(files: FileSystem, from: string): Promise<void> {
  const found = await files.stat(from);
  if (!found) throw new CommandError("there is no such file");
  if (found.kind === "directory") throw new CommandError("it is a folder; name the files in it");
}

async function codecOf(codecs: Codecs, bytes: OpenFile): Promise<Decoder> {
  const codec = codecs.recognise(await bytes.read(0, headLength));
  if (codec) return codec;
  throw new ImagingError("unsupported", `This file is not a ${readableTitles()} image.`);
}

/**
 * Writes the whole file or nothing, again if the image has to be decoded as a whole. Returns the compression
 * of its tiles.
 */
async function writeFile(
  { files, host, codecs, signal, progress }: Tools,
  { bytes, header, to }: { readonly bytes: OpenFile; readonly header: ImageHeader; readonly to: string },
  options: Options,
): Promise<string> {
  const total = (header.width * header.height) / 1e6;
  const attempt = async (whole: boolean) => {
    const sink = await files.create!(to).catch((error: Error) => {
      throw new CommandError(`${to} cannot be written: ${error.message}`);
    });
    let rows = 0;
    const onRows = (count: number) => {
      signal.throwIfAborted();
      rows += count;
      progress.update(Math.floor((rows * header.width) / 1e6), Math.ceil(total));
    };
    try {
      const master = { header, page: options.page };
      const written = { ...options, whole };
      const compression = await writePyramidFile(bytes, master, sink, written, { codecs, host, onRows });
      await sink.finish();
      return compression;
    } catch (error) {
      await sink.discard();
      throw error;
    }
  };
  return orWhole(attempt);
}

function reportText({ file, output, bytesBefore, bytes, compression, page, pages, error }: Report): string {
  // Errors were told when they came.
  if (error !== undefined) return "";
  const which = pages !== undefined && pages > 1 ? `, page ${page} of ${pages}` : "";
  return `${file}${which}: ${output}, ${compression}, ${bytesText(bytesBefore ?? 0)} to ${bytesText(bytes ?? 0)}\n`;
}
