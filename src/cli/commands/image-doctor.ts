// `smalti doctor IMAGE`: the diagnosis of one image as text or JSON.

import { countFindings, type Platform, silentLog, version } from "../../base/index.ts";
import { baseName, type Diagnosis, diagnose, type NameCommands } from "../../doctor/index.ts";
import { archivesIn, type Config, createService } from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { inWords } from "./command-error.ts";
import { findingLines, removeControls, sectionLines, verdictText } from "./findings-text.ts";
import { namesFolder, surveyCollection } from "./folder-doctor.ts";
import { configOfFile } from "./image-file.ts";
import { isFolder, readConfig } from "./read-config.ts";
import { readSelection } from "./selection.ts";

export const doctor = command({
  name: "doctor",
  summary: "say why an image looks or behaves as it does, or what is damaged, slow or odd in a folder",
  more: "format, colours, levels, cost, limits, each with what to do about it; IMAGE is an identifier, or a file if no\nsources are configured, and may be a folder; nothing means everything that the sources list",
  examples: [
    "smalti doctor scan.tif",
    "smalti doctor /srv/images --json > report.json",
    "smalti doctor maps/sheet-1.tif -config smalti.yaml",
  ],
  json: "the findings",
  flags: {
    "no-measure": {
      kind: "switch",
      text: "of an image render nothing; if omitted, a tile and, if that is cheap, the whole image",
    },
    measure: {
      kind: "switch",
      text: "render the same of each image of a folder, which finds damage behind sound headers",
    },
    limit: {
      kind: "number",
      value: "N",
      from: 1,
      to: 1e9,
      text: "files of a folder to look at; if omitted all",
    },
    config: configFlag,
  },
  operands: [{ name: "IMAGE", among: "file", optional: true, many: true }],
  async run({ platform, flags, operands }) {
    const { limit, measure, config: file } = flags;
    const { config } = await readConfig(platform, { file });
    const [image] = operands;
    const isPath = config.sources.length === 0;
    const isOne = operands.length === 1 && !(isPath && (await isFolder(platform, image as string)));
    if (isOne)
      return inWords(
        askAboutImage(config, platform, {
          image: image as string,
          warm: warmWords(operands, file),
          measures: !flags["no-measure"],
          limit,
          measure,
        }),
      );
    const selected = await readSelection(platform, file, operands);
    const service = await inWords(createService(selected.config, platform, silentLog, version));
    try {
      const nameCommands = namesFrom({
        config: selected.config,
        cwd: platform.cwd,
        warm: warmWords(operands, file),
      });
      const selection = selected.identifiers;
      return await surveyCollection(service, platform, { selection, limit, measures: measure, nameCommands });
    } finally {
      await service.close();
    }
  },
});

const nameConfig = "; to ask about an identifier, name the configuration with -config";

interface ImageQuestion {
  /** An identifier, or the path of a file if no sources are configured. */
  readonly image: string;
  /** Words after `smalti warm` for it. */
  readonly warm: readonly string[];
  /** True if derivatives are rendered to measure their cost. */
  readonly measures: boolean;
  /** Maximum number of images of a folder that the identifier may name instead. */
  readonly limit: number | undefined;
  readonly measure: boolean;
}

/** Throws an Error with advice if the configuration cannot be built or the command line names no file. */
async function askAboutImage(
  config: Config,
  platform: Platform,
  { image, warm, measures, limit, measure }: ImageQuestion,
): Promise<Result> {
  const asked =
    config.sources.length > 0
      ? { config, identifier: image }
      : await configOfFile(config, platform, image, nameConfig);
  const nameCommands = namesFrom({ config: asked.config, cwd: platform.cwd, warm });
  const service = await createService(asked.config, platform, silentLog, version);
  try {
    if (await namesFolder(service, asked.identifier)) {
      const selection = [asked.identifier.replace(/\/+$/, "")];
      return await surveyCollection(service, platform, { selection, limit, measures: measure, nameCommands });
    }
    const diagnosis = await diagnose(service.images, asked.identifier, { measures, nameCommands });
    const { identifier, findings, sections } = diagnosis;
    const problems = countFindings(findings, "problem");
    return {
      text: diagnosisText(diagnosis),
      data: { identifier, problems, findings, sections },
      failed: problems > 0,
    };
  } finally {
    await service.close();
  }
}

/** Returns the findings, the worst first, then the facts by section, as lines for a terminal. */
function diagnosisText({ identifier, findings, sections }: Diagnosis): string {
  const facts = sectionLines(sections);
  const lines = [
    removeControls(identifier),
    "",
    ...findingLines(findings),
    ...facts,
    "",
    verdictText(findings),
  ];
  return `${lines.join("\n")}\n`;
}

/** What the names of files in commands depend on. */
interface NamingContext {
  readonly config: Config;
  /** The working folder. */
  readonly cwd: string | undefined;
  /** Words after `smalti warm` for the images of the report. */
  readonly warm: readonly string[];
}

/** Returns a function that names a master by its path, relative to the working folder if it is below that. */
function namesFrom({ config, cwd = "/", warm }: NamingContext): NameCommands {
  const folder = cwd.endsWith("/") ? cwd : `${cwd}/`;
  return ({ source: name, key }) => {
    const source = config.sources.find((each) => each.name === name);
    if (source?.type !== "filesystem" || (source.archives && archivesIn(key).length > 0))
      return { file: baseName(key), where: "Copy the file here before you run the command.", warm };
    const path = `${source.root.replace(/\/+$/, "")}/${key}`;
    return { file: path.startsWith(folder) ? path.slice(folder.length) : path, warm };
  };
}

/** Returns the words after `smalti warm` for operands of this command line. */
const warmWords = (operands: readonly string[], config: string | undefined): readonly string[] => [
  ...(config === undefined ? [] : ["-config", config]),
  ...(operands.some((word) => word.startsWith("-")) ? ["--"] : []),
  ...operands,
];
