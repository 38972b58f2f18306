// `smalti info FILE`: what is known of an image file without decoding it.

import { type Diagnosis, diagnose, type FactValue } from "../../doctor/index.ts";
import {
  asOperator,
  informationOf,
  operatorCaller,
  type RenderParts,
  withMaster,
} from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { inWords } from "./command-error.ts";
import { findingLines, removeControls, sectionLines } from "./findings-text.ts";
import { pageFlag, withFile } from "./image-file.ts";
import { interruptOf } from "./interrupt.ts";
import { readConfig } from "./read-config.ts";

export const info = command({
  name: "info",
  summary: "say what a file contains: format, size, colours, pages, levels, the cost of a tile",
  more: "reads headers and metadata, and decodes nothing",
  examples: ["smalti info scan.tif", "smalti info book.tif --page 3 --json"],
  json: "the facts, with info.json",
  flags: { page: pageFlag, config: configFlag },
  operands: [{ name: "FILE", among: "file" }],
  async run({ platform, flags: { page, config: file }, operands: [path = ""] }) {
    const { config } = await readConfig(platform, { file });
    const signal = interruptOf(platform);
    return inWords(
      withFile(config, platform, { path, page }, ({ images }, identifier) =>
        infoOf(images, identifier, path, signal),
      ),
    );
  },
});

async function infoOf(
  parts: RenderParts,
  identifier: string,
  path: string,
  signal: AbortSignal,
): Promise<Result> {
  const { sections: all, findings } = await diagnose(parts, identifier, {
    signal,
    nameCommands: () => ({ file: path }),
  });
  const sections = withoutMaster(all);
  const problems = findings.filter(({ level }) => level === "problem");
  const document =
    problems.length > 0
      ? undefined
      : await withMaster(asOperator(parts), operatorCaller(identifier, signal), (master) =>
          informationOf(parts, master, { version: 3, id: identifier }, signal),
        );
  const lines = [removeControls(path), ...(problems.length > 0 ? ["", ...findingLines(problems)] : [])];
  return {
    text: `${[...lines, ...sectionLines(sections)].join("\n")}\n`,
    data: {
      path,
      ...factsByName(sections),
      ...(document && { info: document.document }),
      problems,
    },
    failed: problems.length > 0,
  };
}

/** Facts about the service that the file is not in. */
const masterFacts = new Set(["source", "key", "hook"]);

const withoutMaster = (sections: Diagnosis["sections"]): Diagnosis["sections"] =>
  sections
    .filter(({ name }) => name !== "access")
    .map((section) => ({ ...section, facts: section.facts.filter(({ name }) => !masterFacts.has(name)) }));

/** Returns the values of the facts by section and name. */
const factsByName = (sections: Diagnosis["sections"]): Record<string, Record<string, FactValue>> =>
  Object.fromEntries(
    sections.map(({ name, facts }) => [
      name,
      Object.fromEntries(facts.map((fact) => [fact.name, fact.value])),
    ]),
  );
