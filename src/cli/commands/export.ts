// `smalti export`: static files of IIIF level 0, as a folder or an archive.

import {
  type FileSystem,
  findingJson,
  formatSize,
  version as ownVersion,
  parseUrl,
  silentLog,
} from "../../base/index.ts";
import { absolutePath, type Config, createService, rendersAtOnce } from "../../server/index.ts";
import { writeArchive } from "../collection/export/archive.ts";
import { type ExportReport, exportCollection } from "../collection/export/export.ts";
import type { LeftOut } from "../collection/export/left-out.ts";
import { notesFolder } from "../collection/export/notes.ts";
import type { Stale } from "../collection/export/stale.ts";
import { Target } from "../collection/export/target.ts";
import { countWithUnit, failureLines, slowLines } from "./collection-text.ts";
import { command, configFlag } from "./command.ts";
import { CommandError, InterruptedError, inWords, UsageError } from "./command-error.ts";
import { removeControls } from "./findings-text.ts";
import { interruptOf } from "./interrupt.ts";
import { forceFlag, refuseExisting } from "./new-file.ts";
import { createProgress, duration } from "./progress.ts";
import { readSelection } from "./selection.ts";

export const exportCommand = command({
  name: "export",
  summary: "write tiles, image information and manifests as static files (IIIF level 0), for any web server",
  more: "without IMAGES everything that the sources list, as far as anyone may see it; a run that was interrupted\ncontinues, and a later one makes only what is new or has changed",
  examples: [
    "smalti export letters/1912 --to site --base-url https://www.example.org/letters -config smalti.yaml",
  ],
  json: "counts, the files to begin with, bytes written, what was left out, is stale or was removed, failed and slowest files",
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
    words: {
      kind: "switch",
      text: "write the words of pages with a text as annotations too, in addition to their lines",
    },
    search: {
      kind: "switch",
      text: "write a page that searches the texts, search/index.html; later runs keep it up to date",
    },
    force: forceFlag,
    prune: {
      kind: "switch",
      text: "remove what earlier runs have exported and is gone, or needs a login now",
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
    const isArchive = /\.zip$/i.test(to);
    const folder = isArchive ? `${to}.work` : to;
    for (const path of new Set([to, folder])) await inWords(refuseSources(config, files, path));
    if (isArchive) await refuseExisting(files, { path: to, force: flags.force, flag: "--to FOLDER" });
    await inWords(refuseOthersFiles(files, folder));
    const signal = interruptOf(platform);
    const concurrency =
      flags.concurrency ??
      rendersAtOnce(config.image, platform.parallelism, platform.startWorker !== undefined);
    const image = { ...config.image, max_concurrent: concurrency };
    const service = await inWords(createService({ ...config, image }, platform, silentLog, ownVersion));
    const progress = createProgress(platform, "files");
    try {
      const target = new Target(files, folder);
      const { contents, ...report } = await inWords(
        exportCollection(service, {
          selection: identifiers,
          target,
          version: flags.version === "2" ? 2 : 3,
          base,
          replaces: flags.force,
          words: flags.words,
          search: flags.search,
          asset: (name) => platform.asset(`export/${name}`),
          prunes: flags.prune,
          concurrency,
          pages: config.presentation.pages,
          signal,
          onProgress: ({ done, total }) => progress.update(done, total),
        }),
      );
      if (report.interrupted)
        throw new InterruptedError(
          `interrupted after ${countWithUnit(report.images, "image")}; the same command continues from there`,
        );
      if (isArchive) {
        await inWords(writeArchive(files, folder, to, { target, contents, signal }));
        await inWords(target.clear());
      }
      progress.end();
      const isExposed = !isArchive && report.stale.some(({ reason }) => reason === "gated");
      const stale = isArchive ? [] : staleLines(report);
      return {
        text: exportText(report, { base, to: flags.to, stale }),
        data: { ...report, failures: report.failures.map(findingJson.image) },
        failed: report.failed > 0 || isExposed,
      };
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

/**
 * Throws CommandError for a target that is in the folder of a source, which would list exported files as
 * images, or around it, where an exported image may have the name of a master.
 */
async function refuseSources({ sources }: Config, files: FileSystem, to: string): Promise<void> {
  const targets = [`${to}/`, await realFolder(files, to)];
  for (const source of sources) {
    if (source.type !== "filesystem" || !source.root) continue;
    const roots = [`${source.root.replace(/\/+$/, "")}/`, await realFolder(files, source.root)];
    if (roots.some((root) => targets.some((target) => target.startsWith(root))))
      throw new CommandError(
        `--to is in the folder of the source ${source.name}, which would list exported files as images; choose a folder outside of it`,
      );
    if (roots.some((root) => targets.some((target) => root.startsWith(target))))
      throw new CommandError(
        `--to contains the folder of the source ${source.name}, whose files an export could replace; choose a folder outside of it`,
      );
  }
}

/**
 * Returns a path with all links resolved, ending with a /. What does not exist yet is below its nearest
 * folder that does.
 */
async function realFolder(files: FileSystem, path: string): Promise<string> {
  const removeControls = path.replace(/\/+$/, "");
  const real = await files.realPath(removeControls || "/");
  if (real !== undefined || removeControls === "") return `${(real ?? "").replace(/\/+$/, "")}/`;
  const end = removeControls.lastIndexOf("/");
  return `${await realFolder(files, removeControls.slice(0, end))}${removeControls.slice(end + 1)}/`;
}

/** Throws CommandError for a folder that holds anything and is not one of an earlier export. */
async function refuseOthersFiles(files: FileSystem, folder: string): Promise<void> {
  const stat = await files.stat(folder);
  if (!stat) return;
  if (stat.kind !== "directory") throw new CommandError(`${folder} is not a folder; choose another name`);
  let isEmpty = true;
  for await (const { name } of files.list(folder)) {
    if (name === notesFolder) return;
    isEmpty = false;
  }
  if (!isEmpty)
    throw new CommandError(
      `${folder} holds files that are not of an export; choose a new or empty folder, or one of an earlier export`,
    );
}

/** Returns what only readers with a login may see, in lines. */
function leftOutLines({ images, documents, identifiers }: LeftOut): readonly string[] {
  if (images + documents === 0) return [];
  const counts = [
    ...(images > 0 ? [countWithUnit(images, "image")] : []),
    ...(documents > 0 ? [countWithUnit(documents, "document")] : []),
  ];
  const named = identifiers.slice(0, maxLeftOut).map(removeControls).join(", ");
  return [
    "",
    `left out: ${counts.join(" and ")}, since an export has no logins, and only readers with one may see them`,
    `  ${named}${images + documents > maxLeftOut ? ", …" : ""}`,
  ];
}

/** Identifiers that a text names; `--json` has up to a thousand. */
const maxLeftOut = 5;

function exportText(
  report: ExportReport,
  { base, to, stale }: { readonly base: string; readonly to: string; readonly stale: readonly string[] },
): string {
  const { images, derivatives, documents, texts, start, bytesWritten, seconds } = report;
  const lines = [
    ...stale,
    `${countWithUnit(images, "image")} and ${countWithUnit(documents, "document")} in ${to}, in ${duration(seconds)}`,
    `${derivatives.toLocaleString("en-US")} derivatives were made,${texts > 0 ? ` ${countWithUnit(texts, "file")} of text,` : ""} ${formatSize(bytesWritten)} written`,
    ...(report.searched === undefined
      ? []
      : [
          `the texts of ${countWithUnit(report.searched, "page")} can be searched at ${base}/search/index.html`,
        ]),
    ...(start.length > 0
      ? ["", "once the folder is served, begin at:", ...start.map((file) => `  ${base}/${file}`)]
      : []),
    ...leftOutLines(report.leftOut),
    ...slowLines(report.slowest, 5000),
    ...failureLines(report.failures, report.failed),
  ];
  return `${lines.join("\n")}\n`;
}

/** Identifiers that a line names; `--json` has all. */
const maxNamed = 5;

/** Returns what is stale and what was removed, in lines; what stays public first. */
function staleLines({ stale, removed, unpruned }: ExportReport): readonly string[] {
  const [gated, gone] = (["gated", "gone"] as const).map((wanted) =>
    stale.filter(({ reason }) => reason === wanted),
  ) as [Stale[], Stale[]];
  const words = ({ length }: readonly Stale[]) =>
    length === 1 ? { need: "needs", are: "is", were: "was", them: "it" } : many;
  const { need, are, them } = words(gated);
  const after = words(gone);
  const then =
    unpruned === undefined ? `: --prune removes ${after.them}` : `, but not removed, since ${unpruned}`;
  return [
    ...describeStale(gated, `${need} a login now and ${are} still public: --prune removes ${them}`),
    ...describeStale(gone, `${after.are} gone${then}`),
    ...describeStale(removed, `${words(removed).were} removed`),
  ];
}

const many = { need: "need", are: "are", were: "were", them: "them" };

/** Returns a sentence about what earlier runs have exported, and the first identifiers as examples. */
function describeStale(some: readonly Stale[], sentence: string): readonly string[] {
  if (some.length === 0) return [];
  const counts = (["image", "document"] as const).flatMap((kind) => {
    const count = some.filter((one) => one.kind === kind).length;
    return count > 0 ? [countWithUnit(count, kind)] : [];
  });
  const named = some.slice(0, maxNamed).map(({ identifier }) => removeControls(identifier));
  const rest = some.length > maxNamed ? ", …" : "";
  return [`${counts.join(" and ")} of earlier runs ${sentence}.`, `  ${named.join(", ")}${rest}`];
}
