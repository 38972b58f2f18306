// `smalti export`: static files of IIIF level 0, as a folder or an archive.

import { writeArchive } from "../collection/export/archive.ts";
import { type ExportReport, exportCollection } from "../collection/export/export.ts";
import { folderTarget } from "../collection/export/target.ts";
import { absolutePath } from "../config/reading/paths.ts";
import type { Config } from "../config/schema.ts";
import { rendersAtOnce } from "../images/options.ts";
import { parseUrl } from "../lib/network/parse-url.ts";
import { formatSize } from "../lib/options/quantity.ts";
import { silentLog } from "../lib/telemetry/log.ts";
import { createService } from "../service.ts";
import { version as ownVersion } from "../version.ts";
import { counted, failureLines, slowLines } from "./collection-text.ts";
import { command, configFlag } from "./command.ts";
import { CommandError, InterruptedError, inWords, UsageError } from "./command-error.ts";
import { interruptOf } from "./interrupt.ts";
import { createProgress, duration } from "./progress.ts";
import { readSelection } from "./selection.ts";

export const exportCommand = command({
  name: "export",
  summary: "write tiles, image information and manifests as static files (IIIF level 0), for any web server",
  more: "without IMAGES everything that the sources list, as far as anyone may see it; a run that was interrupted\ncontinues, and a later one makes only what is new or has changed",
  examples: [
    "smalti export letters/1912 --to site --base-url https://www.example.org/letters -config smalti.yaml",
  ],
  json: "counts, the files to begin with, bytes written, failed and slowest files",
  flags: {
    to: {
      kind: "text",
      value: "FOLDER",
      among: "folder",
      required: true,
      text: "where to write; a name that ends with .zip becomes an archive",
    },
    "base-url": {
      kind: "text",
      value: "URL",
      required: true,
      text: "address at which the web server will serve that folder",
    },
    version: {
      kind: "text",
      value: "N",
      among: ["2", "3"],
      text: "version of the Image API: 3, or 2 for 2.1; if omitted 3",
    },
    concurrency: {
      kind: "number",
      value: "N",
      from: 1,
      to: 256,
      text: "derivatives at a time; if omitted as many as image.max_concurrent allows",
    },
    config: configFlag,
  },
  operands: [{ name: "IMAGES", among: "file", optional: true, many: true }],
  async run({ platform, flags, operands }) {
    const base = baseOf(flags["base-url"]);
    const { files } = platform;
    if (!files) throw new CommandError("this runtime has no files to export to");
    const { config, identifiers } = await readSelection(platform, flags.config, operands);
    const to = absolutePath(platform.cwd ?? "/", flags.to);
    refuseSources(config, to);
    const isArchive = /\.zip$/i.test(to);
    const folder = isArchive ? `${to}.work` : to;
    const signal = interruptOf(platform);
    const concurrency =
      flags.concurrency ??
      rendersAtOnce(config.image, platform.parallelism, platform.startWorker !== undefined);
    const image = { ...config.image, max_concurrent: concurrency };
    const service = await inWords(createService({ ...config, image }, platform, silentLog, ownVersion));
    const progress = createProgress(platform, "files");
    try {
      const report = await inWords(
        exportCollection(service, {
          selection: identifiers,
          target: folderTarget(files, folder),
          version: flags.version === "2" ? 2 : 3,
          base,
          concurrency,
          pages: config.presentation.pages,
          signal,
          onProgress: ({ done, total }) => progress.update(done, total),
        }),
      );
      if (report.interrupted)
        throw new InterruptedError(
          `interrupted after ${counted(report.images, "image")}; the same command continues from there`,
        );
      if (isArchive) {
        await inWords(writeArchive(files, folder, to, signal));
        await files.remove(folder);
      }
      progress.end();
      return { text: exportText(report, base, flags.to), data: report, failed: report.failed > 0 };
    } finally {
      progress.end();
      await service.close();
    }
  },
});

function baseOf(text: string): string {
  const address = parseUrl(text);
  const isPlain = address && address.search + address.hash + address.username + address.password === "";
  if (!isPlain || !/^https?:$/.test(address.protocol))
    throw new UsageError(
      `--base-url expects an address such as https://www.example.org/images, received ${text}`,
    );
  return address.href.replace(/\/+$/, "");
}

/** Throws CommandError for a target in a source, which would list exported files as images. */
function refuseSources({ sources }: Config, to: string): void {
  const inside = sources.find(({ type, ...rest }) => {
    const root = type === "filesystem" && "root" in rest ? rest.root.replace(/\/+$/, "") : undefined;
    return root !== undefined && (to === root || to.startsWith(`${root}/`));
  });
  if (inside)
    throw new CommandError(
      `--to is in the folder of the source ${inside.name}, which would list exported files as images; choose a folder outside of it`,
    );
}

function exportText(report: ExportReport, base: string, to: string): string {
  const { images, derivatives, documents, start, bytesWritten, seconds } = report;
  const lines = [
    `${counted(images, "image")} and ${counted(documents, "document")} in ${to}, in ${duration(seconds)}`,
    `${derivatives.toLocaleString("en-US")} derivatives were made, ${formatSize(bytesWritten)} written`,
    ...(start.length > 0
      ? ["", "once the folder is served, begin at:", ...start.map((file) => `  ${base}/${file}`)]
      : []),
    ...slowLines(report.slowest, 5000),
    ...failureLines(report.failures, report.failed),
  ];
  return `${lines.join("\n")}\n`;
}
