// `smalti help` and `smalti COMMAND --help`, from the rows of the commands.

import { findNearest, version } from "../../base/index.ts";
import { allFlags, type Command, command, exitCodes, type Flag, type Operand } from "./command.ts";
import { UsageError } from "./command-error.ts";

export const help = command({
  name: "help",
  summary: "list the commands, or describe one",
  examples: ["smalti help doctor"],
  flags: {},
  operands: [{ name: "COMMAND", optional: true, many: true }],
  run: async ({ operands, commands }) => ({ text: helpAbout(operands, commands) }),
});

/** Returns the command that a word probably means, if any. */
export const guessCommand = (word: string, commands: readonly Command[]): string | undefined =>
  findNearest(word, [...new Set(commands.map(({ name }) => name.split(" ")[0] as string))]);

/**
 * Returns the text requested by `--help` or `-h` anywhere before `--`; undefined if none is. Throws
 * UsageError for help about an unknown command.
 */
export function requestedHelp(args: readonly string[], commands: readonly Command[]): string | undefined {
  const at = args.findIndex((word) => /^(-h|--?help|--)$/.test(word));
  if (at < 0 || args[at] === "--") return undefined;
  const firsts = commands.map(({ name }) => name.split(" ")[0]);
  const [first, second] = args.slice(args.findIndex((word) => firsts.includes(word)));
  if (first === undefined || !firsts.includes(first) || first === "help") return helpAbout([], commands);
  const isLong = commands.some(({ name }) => name === `${first} ${second}`);
  return helpAbout(isLong ? [first, second as string] : [first], commands);
}

/** Returns the help of the commands that begin with these words; of all if there are none. */
function helpAbout(words: readonly string[], commands: readonly Command[]): string {
  const [first] = words;
  if (first === undefined) return usage(commands);
  const asked = words.join(" ");
  const found = commands.filter(({ name }) => `${name} `.startsWith(`${asked} `));
  if (found.length > 0) return `${found.map(commandHelp).join("\n\n")}\n`;
  const meant = guessCommand(first, commands);
  throw new UsageError(
    `there is no command ${asked}; ${meant && meant !== first ? `did you mean ${meant}?` : "see smalti --help"}`,
  );
}

const usage = (commands: readonly Command[]) => `smalti ${version}, a IIIF image server

${columns(commands.map((each) => [usageLine(each), each.summary]))}

\`smalti COMMAND --help\` describes one command and its flags. Without a command smalti serves: \`smalti DIR\`.
-config FILE or SERVICE_CONFIG names the configuration. SERVICE_ADDR, SERVICE_LOG_LEVEL, SERVICE_LOG_FORMAT
and SERVICE_MAX_PIXEL_AREA override it.
Exit codes: ${exitCodes.map(([code, text]) => `${code} ${text}`).join("; ")}.
`;

const commandHelp = (row: Command) =>
  [
    usageLine(row),
    `  ${[row.summary, ...(row.more?.split("\n") ?? [])].join("\n  ")}`,
    ...(Object.keys(allFlags(row)).length === 0 ? [] : ["", columns(flagLines(row))]),
    ...(row.examples ? ["", ...row.examples.map((line) => `  $ ${line}`)] : []),
  ].join("\n");

/** Returns the command line of a command, with what it needs; words in capitals are placeholders. */
export function usageLine(row: Command): string {
  const flags = Object.entries(row.flags).flatMap(([name, flag]) =>
    flag.kind === "text" && flag.required
      ? [`${flag.short ? `-${flag.short}` : `--${name}`} ${flag.value}`]
      : [],
  );
  const name = row.name === "serve" ? "[serve]" : row.name;
  return ["smalti", name, ...flags, ...(row.operands ?? []).map(operandForm)].join(" ");
}

function operandForm({ name, optional, many }: Operand): string {
  const form = many ? `${name}…` : name;
  return optional ? `[${form}]` : form;
}

/** Returns each flag as it is written, and what it does. */
export const flagLines = (row: Command): [form: string, text: string][] =>
  Object.entries(allFlags(row)).map(([name, flag]) => [
    flagForm(name, flag),
    flag.kind === "list" ? `${flag.text}; may be repeated` : flag.text,
  ]);

/** The configuration has one dash, as in all examples; both forms are taken. */
function flagForm(name: string, flag: Flag): string {
  const dashes = name === "config" ? "-" : "--";
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  return `${short}${dashes}${name}${flag.kind === "switch" ? "" : ` ${flag.value}`}`;
}

/** Aligns the right column, whose lines may wrap at the terminal. */
function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const wide = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(wide)}  ${right}`).join("\n");
}
