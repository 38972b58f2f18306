// The command line of `smalti`: commands, flags and folders.

import { UsageError } from "./command-error.ts";
import type { HookQuestion } from "./hook-test.ts";

/** The parsed command line. */
export interface Arguments {
  readonly command: "serve" | "check" | "hook" | "version";
  readonly file?: string;
  readonly folder?: string;
  /** Arguments of `hook test`. */
  readonly question?: HookQuestion;
}

/** Flags of `hook test`, which take a value. */
const questionFlags = ["identifier", "function", "header", "client-ip"] as const;

type QuestionFlag = (typeof questionFlags)[number];

/** Parses the command line. Throws UsageError for unknown arguments. */
export function parseArguments(args: readonly string[]): Arguments {
  const commands: readonly string[] = ["serve", "check", "hook", "version"];
  let command: Arguments["command"] | undefined;
  let file: string | undefined;
  let folder: string | undefined;
  let tests = false;
  const asked: { readonly [F in QuestionFlag]: string[] } = {
    identifier: [],
    function: [],
    header: [],
    "client-ip": [],
  };
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const flag = /^--?(config|version|v)(?:=(.*))?$/s.exec(word);
    const [, name, given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const question = questionFlags.find((each) => each === name && command === "hook");
    if (flag?.[1] === "config") file = valueAfter(word, given, words, "the name of a file");
    else if (question) asked[question].push(valueAfter(word, given, words, "a value"));
    else if (flag) command = "version";
    else if (word.startsWith("-")) throw new UsageError(`unknown flag ${word}; see smalti --help`);
    else if (command === "hook" && !tests && word === "test") tests = true;
    else if (command === undefined && folder === undefined && commands.includes(word))
      command = word as Arguments["command"];
    else if (folder === undefined && (command ?? "serve") === "serve") folder = word;
    else throw new UsageError(`unexpected argument ${word}; see smalti --help`);
  }
  const chosen = command ?? "serve";
  const common = { command: chosen, ...(file && { file }), ...(folder && { folder }) };
  if (chosen !== "hook") return common;
  return { ...common, question: questionOf(tests, asked) };
}

/** Returns the value of a flag: after =, or the next word. */
function valueAfter(flag: string, given: string | undefined, words: string[], what: string): string {
  const value = given ?? words.shift();
  if (!value) throw new UsageError(`${flag} needs ${what}`);
  return value;
}

function questionOf(
  tests: boolean,
  asked: { readonly [F in QuestionFlag]: readonly string[] },
): HookQuestion {
  if (!tests) throw new UsageError("expected hook test, received hook; see smalti --help");
  const [identifier] = asked.identifier;
  if (identifier === undefined) throw new UsageError("hook test needs --identifier ID");
  const [name, client] = [asked.function.at(-1), asked["client-ip"].at(-1)];
  return {
    identifier,
    headers: asked.header,
    ...(name !== undefined && { function: name }),
    ...(client !== undefined && { client }),
  };
}
