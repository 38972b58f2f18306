// The command `import`: from the configuration of Cantaloupe to one of smalti.

import {
  type Finding,
  findingJson,
  findingLine,
  messageOf,
  type Platform,
  pathWord,
  problemAt,
} from "../../base/index.ts";
import { absolutePath, loadConfig } from "../../server/index.ts";
import { type DelegateMethod, implementedMethods } from "./cantaloupe/delegates.ts";
import { type Imported, importCantaloupe, type Reported } from "./cantaloupe/import.ts";
import { isTrue, type Properties, parseProperties } from "./cantaloupe/properties.ts";
import { type ReportRow, reportLines } from "./cantaloupe/report.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { plainLines } from "./findings-text.ts";
import { newFileFlags, refuseExisting, writeNew } from "./new-file.ts";

export const importCommand = command({
  name: "import",
  summary: "write a configuration from cantaloupe.properties, and say what became of each property",
  more: "reads the properties of Cantaloupe 4.1, 5 and 6; secrets are not copied: the new file names variables for them",
  examples: ["smalti import cantaloupe.properties"],
  json: "what became of each property, and the variables to set",
  flags: newFileFlags,
  operands: [{ name: "PROPERTIES", among: "file" }],
  async run({ platform, flags: { output = "smalti.yaml", force }, operands: [name = ""] }) {
    const folder = platform.cwd ?? "/";
    const [from, to] = [absolutePath(folder, name), absolutePath(folder, output)];
    const { given, inputs } = await readProperties(platform, from);
    const { methods, doubt, script } = await readDelegates(platform, given, from);
    const read = script === undefined ? inputs : [...inputs, script];
    await refuseExisting(platform.files, { path: to, force, inputs: read });
    if (given.size === 0) throw new CommandError(`${from} sets no properties`);
    const imported = importCantaloupe(given, { file: nameOf(from), output, methods });
    const problems = problemsOf(imported);
    await writeNew(platform, to, imported.yaml);
    platform.write?.("err", plainLines(reportText(imported, problems, doubt)));
    const { properties, variables } = imported;
    const todo = [
      ...(variables.length > 0
        ? [`set ${variables.map(({ name }) => name).join(", ")} in the environment`]
        : []),
      ...(problems.length > 0 ? ["correct what the report says"] : []),
      "check it:",
    ].join(", then ");
    const next = `${platform.startCommands.program ?? "smalti"} check -config ${pathWord(output)}`;
    return {
      text: `${output} is written. ${todo[0]?.toUpperCase()}${todo.slice(1)}\n\n    ${next}\n`,
      data: { file: to, properties, methods, variables, problems: problems.map(findingJson.setting), next },
      failed: problems.length > 0,
    };
  },
});

const nameOf = (path: string) => path.replace(/^.*[/\\]/, "");
const folderOf = (path: string) => path.replace(/[^/\\]*$/, "");

/** Files that may extend each other. */
const maxFiles = 16;

/**
 * Reads a properties file and those that it extends, whose values count if the file itself has none. `inputs`
 * are the paths of all of them.
 */
async function readProperties(
  platform: Platform,
  path: string,
): Promise<{ readonly given: Properties; readonly inputs: readonly string[] }> {
  const inputs: string[] = [];
  const all = new Map<string, string>();
  let next: string | undefined = path;
  for (let count = 0; next !== undefined && count < maxFiles; count++) {
    const text = await readText(platform, next);
    if (text === undefined) throw new CommandError(`there is no file ${next}`);
    inputs.push(next);
    const own = parseProperties(text);
    for (const [key, value] of own) if (!all.has(key)) all.set(key, value);
    const parent = own.get("extends");
    next = parent === undefined ? undefined : absolutePath(folderOf(next), parent);
  }
  return { given: all, inputs };
}

/** Bytes of a file that is read; the sample of Cantaloupe has 40 KiB. */
const maxBytes = 2 ** 20;

/**
 * Returns the text of a file, undefined if there is none. Older properties files are in ISO 8859-1. Throws
 * CommandError for devices, pipes and folders, and for a file of more than a mebibyte.
 */
async function readText(platform: Platform, path: string): Promise<string | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBounded(platform, path);
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${messageOf(error)}`);
  }
  if (!bytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

async function readBounded({ files }: Platform, path: string): Promise<Uint8Array | undefined> {
  const found = await files?.stat(path);
  if (!files || !found) return undefined;
  if (found.kind !== "file") throw new Error("expected a regular file; correct the path");
  const file = await files.open(path);
  try {
    if (file.size > maxBytes) throw new Error("expected at most 1 MiB of properties; correct the path");
    return await file.read(0, file.size);
  } finally {
    await file.close();
  }
}

/** Returns the methods of the delegate script, which is next to the properties file or in this folder. */
async function readDelegates(
  platform: Platform,
  given: Properties,
  from: string,
): Promise<{
  readonly methods: readonly DelegateMethod[];
  readonly doubt?: string;
  readonly script?: string;
}> {
  const name = given.get("delegate_script.pathname") ?? given.get("DELEGATE_SCRIPT_PATHNAME");
  const isOn = isTrue(given.get("delegate_script.enabled") ?? given.get("DELEGATE_SCRIPT_ENABLED"));
  if (!isOn || name === undefined) return { methods: [] };
  for (const folder of [folderOf(from), platform.cwd ?? "/"]) {
    const script = absolutePath(folder, name);
    const text = await readText(platform, script).catch(() => undefined);
    if (text !== undefined) return { methods: implementedMethods(text), script };
  }
  return {
    methods: [],
    doubt: `the delegate script ${name} is not here, so its methods are not in this report`,
  };
}

/** Returns what the new configuration lacks; variables count as set. */
function problemsOf({ yaml, variables }: Imported): readonly Finding[] {
  const { problems, config } = loadConfig(
    yaml,
    Object.fromEntries(variables.map(({ name }) => [name, "set"])),
  );
  if (problems) return problems;
  return config.sources.length > 0 ? [] : [noSource];
}

const noSource = problemAt(
  ["sources"],
  "no source was taken over, so the service would serve only its sample; correct source.static and the properties of its source, or write `sources` by hand",
);

const headings = {
  missing: "Without an equivalent, and what to do instead",
  taken: "Taken over",
  unneeded: "Not needed, and why",
} as const;

/** Returns the report for a terminal: first problems, then what was taken over and what it needs. */
function reportText(
  { properties, methods, variables }: Imported,
  problems: readonly Finding[],
  doubt?: string,
): string {
  const section = (title: string, lines: readonly string[], count = lines.length) =>
    count === 0 ? [] : [`${title} (${count})`, ...lines, ""];
  const table = (title: string, rows: readonly ReportRow[]) => section(title, reportLines(rows), rows.length);
  const rowOf = ({ property, to, text }: Reported): ReportRow => [
    property,
    [to, text].filter((part) => part !== undefined).join(": "),
  ];
  const rows = (outcome: keyof typeof headings) =>
    table(headings[outcome], properties.filter((each) => each.outcome === outcome).map(rowOf));
  return [
    ...section(
      "To correct in the new file",
      problems.map((problem) => `  ${findingLine(problem)}`),
    ),
    ...rows("taken"),
    ...table(
      "Variables of the environment to set",
      variables.map(({ name, text }) => [name, text]),
    ),
    ...rows("missing"),
    ...table(
      "Methods of the delegate script, to be written as hooks",
      methods.map(({ method, text }) => [method, text]),
    ),
    ...rows("unneeded"),
    ...(doubt === undefined ? [] : [`smalti: ${doubt}`, ""]),
  ]
    .join("\n")
    .concat("\n");
}
