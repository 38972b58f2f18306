// `smalti warm`: fills the caches before the first reader comes.

import { findingJson, formatSize, silentLog, version } from "../../base/index.ts";
import { createService } from "../../server/index.ts";
import { filledSlots, type WarmReport, warm } from "../collection/warm/warm.ts";
import { countWithUnit, failureLines, slowLines } from "./collection-text.ts";
import { command, configFlag } from "./command.ts";
import { CommandError, InterruptedError, inWords } from "./command-error.ts";
import { interruptOf } from "./interrupt.ts";
import { createProgress, duration } from "./progress.ts";
import { readSelection } from "./selection.ts";

export const warmCommand = command({
  name: "warm",
  summary: "fill the caches before readers come: header facts, sidecars, thumbnails, smallest levels",
  more: "without IMAGES everything that the sources list; a run that was interrupted continues, since it skips what\nthe caches hold; fills only caches in files, Redis or S3: those in memory belong to the server",
  examples: [
    "smalti warm -config smalti.yaml",
    "smalti warm maps letters/1890 -config smalti.yaml --concurrency 4",
    "smalti warm books -config smalti.yaml --text --levels 0",
  ],
  json: "counts, bytes written, failed and slowest files",
  flags: {
    concurrency: {
      kind: "number",
      value: "N",
      from: 1,
      to: 256,
      text: "files at a time; if omitted 1, which leaves the processors to a running server",
    },
    levels: {
      kind: "number",
      value: "N",
      from: 0,
      to: 32,
      text: "how many levels to make tiles of, the smallest first; if omitted 2, 0 makes only thumbnails",
    },
    text: {
      kind: "switch",
      text: "also index the text of folders; without IMAGES that of whole sources too",
    },
    config: configFlag,
  },
  operands: [{ name: "IMAGES", among: "folder", optional: true, many: true }],
  async run({ platform, flags, operands }) {
    const { config, identifiers } = await readSelection(platform, flags.config, operands);
    const { concurrency = 1, levels = 2, text = false } = flags;
    const signal = interruptOf(platform);
    platform.lowerPriority?.();
    const image = { ...config.image, max_concurrent: concurrency };
    const service = await inWords(createService({ ...config, image }, platform, silentLog, version));
    let [unit, progress] = ["files", createProgress(platform, "files")];
    const show = (of: string, done: number, total: number | undefined) => {
      if (of !== unit) {
        progress.end();
        [unit, progress] = [of, createProgress(platform, of)];
      }
      progress.update(done, total);
    };
    try {
      const filled = filledSlots(service.slots, { texts: text });
      if (filled.every(({ backend }) => backend === "heap" || backend === "none"))
        throw new CommandError(
          "no cache of this configuration outlives a process, so there is nothing to fill; set cache.info, cache.origin and cache.render to filesystem, redis or s3",
        );
      const report = await inWords(
        warm(service, {
          selection: identifiers,
          concurrency,
          levels,
          pages: config.presentation.pages,
          texts: text,
          signal,
          onProgress: ({ done, total }) => show("files", done, total),
          onTexts: (done, total) => show("folders", done, total),
          onPages: (done, total) => show("pages", done, total),
        }),
      );
      progress.end();
      if (report.interrupted)
        throw new InterruptedError(
          `interrupted after ${countWithUnit(report.files, "file")}; the same command continues from there`,
        );
      const { failed, writeErrors } = report;
      const failures = report.failures.map(findingJson.image);
      return { text: warmText(report), data: { ...report, failures }, failed: failed + writeErrors > 0 };
    } finally {
      progress.end();
      await service.close();
    }
  },
});

function warmText(report: WarmReport): string {
  const { files, filesMade, failed, sidecars, derivatives, texts, bytesWritten, seconds } = report;
  const written = Object.entries(bytesWritten).filter(([, bytes]) => bytes > 0);
  const found = Math.max(0, files - filesMade - failed);
  const lines = [
    `${countWithUnit(files, "file")} in ${duration(seconds)}: ${filesMade} warmed, ${found} were warm already, ${failed} failed`,
    `sidecars:     ${sidecars.made} built, ${sidecars.found} found`,
    `derivatives:  ${derivatives.made} made, ${derivatives.found} found`,
    ...(texts ? [`texts:        ${texts.made} indexed, ${texts.found} found`] : []),
    ...(written.length > 0
      ? [`written:      ${written.map(([name, bytes]) => `${formatSize(bytes)} to ${name}`).join(", ")}`]
      : []),
    ...slowLines(report.slowest, 1000),
    ...failureLines(report.failures, failed),
    ...notes(report),
  ];
  return `${lines.join("\n")}\n`;
}

/** Says what the caches could not take, and what to do. */
function notes({ unfilled, full, writeErrors }: WarmReport): readonly string[] {
  const lines = [
    ...unfilled.map(({ cache, backend }) =>
      backend === "none"
        ? `cache.${cache} is switched off, so nothing was made for it`
        : `cache.${cache} is in the memory of each process, so nothing was made for it; set its backend to filesystem, redis or s3`,
    ),
    ...full.map(
      (cache) => `cache.${cache} is full, so it has removed older entries; give it more room with max_bytes`,
    ),
    ...(writeErrors > 0
      ? [
          `${countWithUnit(writeErrors, "value")} could not be stored; smalti check says which cache cannot be used`,
        ]
      : []),
  ];
  return lines.length > 0 ? ["", ...lines] : [];
}
