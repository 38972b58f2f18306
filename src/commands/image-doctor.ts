// `smalti doctor IMAGE`: what the operator asks about one image, and the diagnosis in words or as JSON.

import { withFolder } from "../config/reading/paths.ts";
import type { Config } from "../config/schema.ts";
import { diagnose } from "../images/diagnosis/diagnose.ts";
import {
  type Diagnosis,
  type Finding,
  type FindingLevel,
  hasProblems,
} from "../images/diagnosis/diagnosis.ts";
import { silentLog } from "../lib/telemetry/log.ts";
import type { Platform } from "../platform/platform.ts";
import { createService } from "../service.ts";
import { version } from "../version.ts";
import { CommandError, UsageError } from "./command-error.ts";

/** What the command line says. */
export interface ImageQuestion {
  /** An identifier, or the path of a file where no sources are configured. */
  readonly image: string;
  /** Name of the configuration file. */
  readonly file?: string;
  readonly json: boolean;
  /** Whether pictures are rendered to see what they take. */
  readonly measures: boolean;
}

/** Parses the arguments of `smalti doctor`. Throws UsageError for unknown ones. */
export function imageQuestion(args: readonly string[]): ImageQuestion {
  const images: string[] = [];
  let file: string | undefined;
  let [json, measures] = [false, true];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    const [, name, given] = /^--?(config|identifier|json|no-measure)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === "config" || name === "identifier") {
      const value = given ?? args[++i];
      if (!value) throw new UsageError(`${word} needs a value`);
      if (name === "config") file = value;
      else images.push(value);
    } else if (name === "json") json = true;
    else if (name === "no-measure") measures = false;
    else if (word.startsWith("-")) throw new UsageError(`doctor does not know ${word}; see smalti --help`);
    else images.push(word);
  }
  const [image] = images;
  if (image === undefined || images.length > 1)
    throw new UsageError(
      `expected doctor auth, or doctor and one image, received ${["doctor", ...args].join(" ")}; see smalti --help`,
    );
  return { image, json, measures, ...(file !== undefined && { file }) };
}

/**
 * Throws an Error that says what to do if the configuration cannot be built or the command line names no
 * file.
 */
export async function askAboutImage(
  config: Config,
  platform: Platform,
  { image, json, measures }: Omit<ImageQuestion, "file">,
): Promise<{ readonly out: string; readonly failed: boolean }> {
  const asked = (config.sources.length === 0 && (await asFile(config, platform, image))) || {
    config,
    identifier: image,
  };
  const service = await createService(asked.config, platform, silentLog, version);
  try {
    const diagnosis = await diagnose(service.images, asked.identifier, { measures });
    const problems = countOf(diagnosis, "problem");
    const out = json
      ? `${JSON.stringify({ identifier: diagnosis.identifier, problems, findings: diagnosis.findings, sections: diagnosis.sections }, null, 2)}\n`
      : diagnosisText(diagnosis);
    return { out, failed: hasProblems(diagnosis) };
  } finally {
    await service.close();
  }
}

/**
 * The folder of a file as the only source, and the file's name in it. Throws CommandError if there is no such
 * file.
 */
async function asFile(config: Config, platform: Platform, image: string) {
  const path = /^([/\\]|[a-z]:)/i.test(image) ? image : `${platform.cwd ?? ""}/${image}`;
  const found = await platform.files?.stat(path).catch(() => undefined);
  const [, folder, name] = /^(.*)[/\\]([^/\\]+)$/s.exec(path) ?? [];
  if (found?.kind !== "file" || folder === undefined || name === undefined)
    throw new CommandError(
      `expected the path of an image file, received ${image}, ${
        found === undefined
          ? "which does not exist here; to ask about an identifier, name the configuration with -config"
          : found.kind === "file"
            ? "which names no file"
            : "which is a folder; name one of the files in it"
      }`,
    );
  return { config: withFolder(config, folder || "/"), identifier: name };
}

/** The findings, the worst first, then the facts by section; lines for a terminal. */
export function diagnosisText({ identifier, findings, sections }: Diagnosis): string {
  const wide = Math.max(0, ...sections.flatMap(({ facts }) => facts.map(({ label }) => label.length)));
  const facts = sections.flatMap(({ title, facts }) => [
    "",
    title,
    ...facts.map(({ label, text }) => `  ${label.padEnd(wide)}  ${plain(text)}`),
  ]);
  const end = verdictText(countOf({ findings }, "problem"), countOf({ findings }, "slow"));
  return `${[plain(identifier), "", ...findings.flatMap(findingLines), ...facts, "", end].join("\n")}\n`;
}

const countOf = ({ findings }: Pick<Diagnosis, "findings">, wanted: FindingLevel) =>
  findings.filter(({ level }) => level === wanted).length;

/** The last line: what is wrong, and what makes the image slow. */
function verdictText(problems: number, slow: number): string {
  const counts = [
    ...(problems > 0 ? [`${problems} problem${problems === 1 ? "" : "s"}`] : []),
    ...(slow > 0 ? [`${slow} reason${slow === 1 ? "" : "s"} why it is slow`] : []),
  ];
  return counts.length === 0
    ? "No problem was found."
    : `${counts.join(" and ")} ${problems + slow === 1 ? "was" : "were"} found.`;
}

function findingLines({ level, text, advice, command }: Finding): string[] {
  const indent = " ".repeat(9);
  return [
    `${level.padEnd(7)}  ${plain(text)}`,
    ...(advice === undefined ? [] : [`${indent}what to do: ${plain(advice)}`]),
    ...(command ?? "").split("\n").flatMap((line) => (line === "" ? [] : [`${indent}  ${plain(line)}`])),
  ];
}

/** What a file holds does not command the terminal. */
const plain = (text: string) => text.replace(/\p{C}+/gu, " ");
