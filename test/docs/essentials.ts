// What a test has to contain if it runs the commands of a block in another way.

import { commands } from "../../src/cli/commands/rows.ts";

const examples = new Set(commands.flatMap(({ examples = [] }) => examples));

/**
 * Returns the words that a test of a block has to contain. Examples of the table of commands have none, since
 * the test of that table parses them.
 */
export const essentialsOf = (block: string): string[] =>
  block
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/\s#.*/, "").trim())
    .filter((line) => !examples.has(line))
    .flatMap((line) => line.split(/&&|\|/))
    .flatMap(wordsOf);

/**
 * Subcommands and flags of smalti and npm, long flags and configuration files of other programs, and the
 * first three parts of the addresses that curl requests.
 */
function wordsOf(command: string): string[] {
  const [program = "", ...words] = command
    .split(/[\s"'$()]+/)
    .filter((word) => word !== "" && !/^\w+=/.test(word));
  const found = (pattern: RegExp) => words.flatMap((word) => pattern.exec(word)?.slice(-1) ?? []);
  if (program === "curl") return found(/^https?:\/\/[^/]+((?:\/[\w.]+){1,3})/);
  if (program === "npm") return [...words.slice(0, 1), ...found(/^--[a-z-]+/)];
  if (program !== "smalti")
    return [...found(/^--[a-z-]+/), ...found(/[\w-]+\.(?:conf|service|yaml)$|\w+file$/)];
  const end = words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith("-"));
  return [...words.slice(0, end < 0 ? words.length : end), ...found(/^--?[a-z-]{2,}/)];
}

/** Returns a test without the comments that have lines of their own. */
export const withoutComments = (text: string): string => text.replace(/^\s*(?:\/\/.*|\/?\*.*)$/gm, "");

/** True if a test contains a word of {@link essentialsOf}; a subcommand has to begin a string. */
export const isUsed = (word: string, text: string): boolean =>
  /^[a-z-]+$/.test(word) && !word.startsWith("-")
    ? new RegExp(`["'\`]${word}["'\` ]`).test(text)
    : text.includes(word);
