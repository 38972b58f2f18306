// Parses a command line by the rows of the commands.

import { findNearest } from "../../base/index.ts";
import { type Among, allFlags, type Command, type Flag, type Flags } from "./command.ts";
import { UsageError } from "./command-error.ts";

/** The parsed words after a command. */
export interface Arguments {
  readonly flags: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly operands: readonly string[];
  readonly json: boolean;
}

/** A command and the words that belong to it. */
export interface Chosen {
  readonly command: Command;
  readonly words: readonly string[];
}

/**
 * Chooses the command that a command line names, which only `-config` may precede. Throws UsageError for half
 * a name.
 */
export function chooseCommand(args: readonly string[], commands: readonly Command[]): Chosen {
  let at = 0;
  while (/^--?config(=|$)/.test(args[at] ?? "")) at += (args[at] as string).includes("=") ? 1 : 2;
  const before = args.slice(0, at);
  const [written = "", second = ""] = args.slice(at);
  const first = /^(-v|--?version)$/.test(written) ? "version" : written;
  const findCommand = (name: string) => commands.find((each) => each.name === name);
  const long = findCommand(`${first} ${second}`);
  const short = findCommand(first);
  const command = long ?? short ?? findCommand("serve");
  const half = commands.find(({ name }) => name.startsWith(`${first} `));
  if (!command || (!long && !short && half))
    throw new UsageError(
      `expected ${half?.name}, received ${`${first} ${second}`.trim()}; see smalti ${first} --help`,
    );
  const taken = long ? 2 : short ? 1 : 0;
  return { command, words: [...before, ...args.slice(at + taken)] };
}

/**
 * Parses `--name value`, `--name=value` and `--name`, with one or two dashes; a value that begins with -
 * needs the form with =, and all words after -- are operands. The last value of a flag wins, except of a
 * list. Throws UsageError for everything that the row does not have.
 */
export function parseArguments(args: readonly string[], command: Command): Arguments {
  const table = allFlags(command);
  const values: Record<string, string | number | boolean | string[]> = {};
  const operands: string[] = [];
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--") operands.push(...words.splice(0));
    else if (word === "-" || !word.startsWith("-")) operands.push(word);
    else {
      const { name, flag, given } = flagOf(word, table, command);
      if (flag.kind === "switch") {
        if (given !== undefined) throw new UsageError(`${writeFlag(name)} takes no value`);
        values[name] = true;
        continue;
      }
      const next = given ?? (/^-./.test(words[0] ?? "") ? undefined : words.shift());
      const value = checkValue(writeFlag(name), flag, next);
      if (flag.kind === "list") values[name] = [...((values[name] as string[]) ?? []), value as string];
      else values[name] = value;
    }
  }
  checkOperands(operands, command);
  const { json = false, ...flags } = completeValues(values, table, command);
  return { flags, operands, json: json === true };
}

const writeFlag = (name: string) => `--${name}`;

const helpOf = ({ name }: Command) => `see smalti ${name} --help`;

function flagOf(word: string, table: Flags, command: Command) {
  const [, written = "", given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const [name, flag] =
    Object.entries(table).find(([name, { short }]) => written === name || written === short) ?? [];
  if (name !== undefined && flag) return { name, flag, given };
  if (command.refusal) throw new UsageError(command.refusal);
  const meant = findNearest(written, Object.keys(table));
  throw new UsageError(
    `${command.name} does not know ${word}; ${meant ? `did you mean ${writeFlag(meant)}?` : helpOf(command)}`,
  );
}

function checkValue(name: string, flag: Exclude<Flag, { kind: "switch" }>, value: string | undefined) {
  if (flag.kind === "number") {
    const number = /^\d{1,15}$/.test(value ?? "") ? Number(value) : Number.NaN;
    if (number >= flag.from && number <= flag.to) return number;
    throw new UsageError(`${name} expects a whole number from ${flag.from} to ${flag.to}`);
  }
  if (!value) throw new UsageError(`${name} needs a value: ${name} ${flag.value}`);
  checkAmong(name, flag.among, value);
  return value;
}

function checkAmong(name: string, among: Among | undefined, value: string): void {
  if (typeof among === "object" && !among.includes(value))
    throw new UsageError(`${name} expects ${joinWords(among)}, received ${value}`);
}

const joinWords = (words: readonly string[]) =>
  [words.slice(0, -1).join(", "), words.at(-1)].filter((part) => part !== "").join(" or ");

function checkOperands(operands: readonly string[], command: Command): void {
  const { operands: wanted = [], refusal } = command;
  const missing = wanted.find(({ optional }, i) => !optional && operands[i] === undefined);
  if (missing) throw new UsageError(`${command.name} needs ${missing.name}; ${helpOf(command)}`);
  const extra = wanted.at(-1)?.many ? undefined : operands[wanted.length];
  if (extra !== undefined)
    throw new UsageError(refusal ?? `unexpected argument ${extra}; ${helpOf(command)}`);
  for (const [i, { name, among }] of wanted.entries())
    if (operands[i] !== undefined) checkAmong(name, among, operands[i]);
}

/** Adds what was not given: false for switches, no values for lists. */
function completeValues(values: Arguments["flags"], table: Flags, command: Command): Arguments["flags"] {
  return Object.fromEntries(
    Object.entries(table).map(([name, flag]) => {
      if (values[name] === undefined && flag.kind === "text" && flag.required)
        throw new UsageError(`${command.name} needs ${writeFlag(name)} ${flag.value}; ${helpOf(command)}`);
      const absent = flag.kind === "switch" ? false : flag.kind === "list" ? [] : undefined;
      return [name, values[name] ?? absent];
    }),
  );
}
