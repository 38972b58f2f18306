// `smalti doctor FOLDER`: a survey of a collection as text or JSON.

import { type FindingLevel, findingJson, findingLine, type Platform } from "../../base/index.ts";
import { type NameCommands, type SurveyGroup, type SurveyReport, survey } from "../../doctor/index.ts";
import { locationOf, type Service } from "../../server/index.ts";
import { countWithUnit } from "./collection-text.ts";
import type { Result } from "./command.ts";
import { InterruptedError, inWords } from "./command-error.ts";
import { adviceLines, removeControls } from "./findings-text.ts";
import { interruptOf } from "./interrupt.ts";
import { createProgress, duration } from "./progress.ts";

export interface SurveyQuestion {
  readonly selection: readonly string[];
  readonly limit: number | undefined;
  readonly measures: boolean;
  readonly nameCommands: NameCommands;
}

/** True if an identifier names a folder that the service can list. */
export async function namesFolder({ sources, folders }: Service, identifier: string): Promise<boolean> {
  const { source, key } = locationOf(sources, identifier.replace(/\/+$/, ""));
  return source.list !== undefined && (await folders.find(source, key).catch(() => undefined)) !== undefined;
}

/** Surveys a collection. Throws InterruptedError if a signal ends it. */
export async function surveyCollection(
  service: Service,
  platform: Platform,
  { selection, limit, measures, nameCommands }: SurveyQuestion,
): Promise<Result> {
  const signal = interruptOf(platform);
  const progress = createProgress(platform, "files");
  try {
    const report = await inWords(
      survey(service, {
        selection,
        limit,
        measures,
        nameCommands,
        concurrency: measures ? 1 : 4,
        signal,
        onProgress: ({ done, total }) => progress.update(done, total),
      }),
    );
    progress.end();
    if (report.interrupted)
      throw new InterruptedError(`interrupted after ${countWithUnit(report.files, "file")}`);
    const failed = report.problems + report.unlisted.length + report.manifestFaultCount > 0;
    const data = {
      ...report,
      unlisted: report.unlisted.map(findingJson.image),
      manifestFaults: report.manifestFaults.map(findingJson.manifestFile),
    };
    return { text: surveyText(report, measures), data, failed };
  } finally {
    progress.end();
  }
}

function surveyText(report: SurveyReport, measures: boolean): string {
  const { files, formats, megapixels, groups, slowestTiles, unlisted, seconds, limited } = report;
  const kinds = Object.entries(formats).sort(([, a], [, b]) => b - a);
  const lines = [
    `${countWithUnit(files, "file")}${limited ? " (the limit)" : ""}, ${countWithUnit(megapixels, "megapixel")}, in ${duration(seconds)}${kinds.length > 0 ? ": " : ""}${kinds.map(([name, count]) => `${count} ${name === "none" ? "unreadable" : name}`).join(", ")}`,
    ...groups.flatMap(groupLines),
    ...(slowestTiles.length > 0
      ? [
          "",
          "slowest tiles expected, in processor time once a sidecar is built:",
          ...slowestTiles.map(
            ({ identifier, ms }) => `  ${String(ms).padStart(6)} ms  ${removeControls(identifier)}`,
          ),
        ]
      : []),
    ...(unlisted.length > 0 ? ["", "folders that cannot be listed:"] : []),
    ...unlisted.map(
      ({ where = "", text }) => `  ${removeControls(where) || "a source"}: ${removeControls(text)}`,
    ),
    ...faultLines(report),
    "",
    ...(measures || files === 0
      ? []
      : [
          "Only headers with metadata, and the ends of files, were read: --measure also finds damage in the pictures themselves.",
        ]),
    verdictOf(report),
  ];
  return `${lines.join("\n")}\n`;
}

/** Mistakes in manifest files that a text names; `--json` has up to a thousand. */
const maxFaults = 20;

function faultLines({ manifestFaults, manifestFaultCount }: SurveyReport): readonly string[] {
  if (manifestFaultCount === 0) return [];
  const named = manifestFaults.slice(0, maxFaults);
  const rest = manifestFaultCount - named.length;
  return [
    "",
    "mistakes in manifest files, whose other parts are used:",
    ...named.map((fault) => `  ${removeControls(findingLine(fault))}`),
    ...(rest > 0 ? [`  and ${countWithUnit(rest, "more mistake")}; --json names up to 1,000`] : []),
  ];
}

function verdictOf({ problems, slow, unlisted, manifestFaultCount }: SurveyReport): string {
  const counts = [
    ...(problems > 0 ? [`${countWithUnit(problems, "file")} with problems`] : []),
    ...(unlisted.length > 0 ? [`${countWithUnit(unlisted.length, "folder")} that cannot be listed`] : []),
    ...(manifestFaultCount > 0 ? [`${countWithUnit(manifestFaultCount, "mistake")} in manifest files`] : []),
    ...(slow > 0 ? [countWithUnit(slow, "slow file")] : []),
  ];
  return counts.length === 0 ? "No problem was found." : `Found: ${counts.join(", ")}.`;
}

/** Examples that a text names; `--json` has up to 20. Each damaged file has to be found. */
const maxNamed = (level: FindingLevel) => (level === "problem" ? 20 : 3);

function groupLines(group: SurveyGroup): readonly string[] {
  const { level, code, files, text, examples } = group;
  const max = maxNamed(level);
  const named = examples.slice(0, max).map(removeControls).join(", ");
  return [
    "",
    `${level}: ${countWithUnit(files, "file")} [${code}]`,
    `  ${removeControls(text)}`,
    `  files: ${named}${files > max ? ", …" : ""}`,
    ...adviceLines(group, "  "),
  ];
}
