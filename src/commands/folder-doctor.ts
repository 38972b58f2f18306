// `smalti doctor FOLDER`: a survey of a collection as text or JSON.

import { type SurveyGroup, type SurveyReport, survey } from "../collection/survey/survey.ts";
import { placeOf } from "../manifests/places.ts";
import type { Platform } from "../platform/platform.ts";
import type { Service } from "../service.ts";
import { counted } from "./collection-text.ts";
import type { Result } from "./command.ts";
import { InterruptedError, inWords } from "./command-error.ts";
import { plain } from "./findings-text.ts";
import { interruptOf } from "./interrupt.ts";
import { createProgress, duration } from "./progress.ts";

export interface SurveyQuestion {
  readonly selection: readonly string[];
  readonly limit: number | undefined;
  readonly measures: boolean;
}

/** True if an identifier names a folder that the service can list. */
export async function namesFolder({ sources, folders }: Service, identifier: string): Promise<boolean> {
  const { source, key } = placeOf(sources, identifier.replace(/\/+$/, ""));
  return source.list !== undefined && (await folders.find(source, key).catch(() => undefined)) !== undefined;
}

/** Surveys a collection. Throws InterruptedError if a signal ends it. */
export async function surveyCollection(
  service: Service,
  platform: Platform,
  { selection, limit, measures }: SurveyQuestion,
): Promise<Result> {
  const signal = interruptOf(platform);
  const progress = createProgress(platform, "files");
  try {
    const report = await inWords(
      survey(service, {
        selection,
        limit,
        measures,
        concurrency: measures ? 1 : 4,
        signal,
        onProgress: ({ done, total }) => progress.update(done, total),
      }),
    );
    progress.end();
    if (report.interrupted) throw new InterruptedError(`interrupted after ${counted(report.files, "file")}`);
    const failed = report.problems + report.unlisted.length > 0;
    return { text: surveyText(report), data: withFixes(report), failed };
  } finally {
    progress.end();
  }
}

const withFixes = (report: SurveyReport) => ({
  ...report,
  groups: report.groups.map((group) => {
    const fix = fixOf(group);
    return { ...group, ...(fix !== undefined && { fix }) };
  }),
});

function surveyText(report: SurveyReport): string {
  const { files, problems, formats, megapixels, groups, slowestTiles, unlisted, seconds, limited } = report;
  const kinds = Object.entries(formats).sort(([, a], [, b]) => b - a);
  const lines = [
    `${counted(files, "file")}${limited ? " (the limit)" : ""}, ${counted(megapixels, "megapixel")}, in ${duration(seconds)}: ${kinds.map(([name, count]) => `${count} ${name === "none" ? "unreadable" : name}`).join(", ")}`,
    ...groups.flatMap(groupLines),
    ...(slowestTiles.length > 0
      ? [
          "",
          "slowest tiles expected, in processor time once a sidecar is built:",
          ...slowestTiles.map(({ identifier, ms }) => `  ${String(ms).padStart(6)} ms  ${plain(identifier)}`),
        ]
      : []),
    ...unlisted.map(({ identifier, message }) => `${plain(identifier) || "a source"}: ${plain(message)}`),
    "",
    problems === 0 ? "No problem was found." : `${counted(problems, "file")} with problems.`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Examples that a text names; `--json` has more. */
const mostNamed = 3;

function groupLines(group: SurveyGroup): readonly string[] {
  const { level, code, files, text, advice, examples } = group;
  const named = examples.slice(0, mostNamed).map(plain).join(", ");
  const fix = fixOf(group);
  return [
    "",
    `${level}: ${counted(files, "file")} [${code}]`,
    `  ${plain(text)}`,
    `  files: ${named}${files > mostNamed ? ", …" : ""}`,
    ...(advice === undefined ? [] : [`  what to do: ${plain(advice)}`]),
    ...(fix === undefined ? [] : fix.split("\n").map((line) => `    ${plain(line)}`)),
  ];
}

/** Returns the command of a group for its first example, to be run in the folder of the source. */
function fixOf({ command, examples }: SurveyGroup): string | undefined {
  const [first] = examples;
  if (command === undefined || first === undefined) return command;
  const file = first.replace(/;\d+$/, "");
  const stem = file.replace(/\.[^./]*$/, "");
  const out = (extension: string) =>
    quote(`${stem}${file === `${stem}${extension}` ? ".new" : ""}${extension}`);
  return command.replace(/\b(IN|OUT)(\.\w+)?\b/g, (_, name: string, extension = ".tif") =>
    name === "IN" ? quote(file) : out(extension),
  );
}

/** Returns a text as one word of a shell. */
const quote = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
