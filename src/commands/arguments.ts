// What stands behind `smalti`: the commands, flags and folders that the command line knows.

import { version } from "../version.ts";
import { CommandError } from "./command-error.ts";
import type { HookQuestion } from "./hook-test.ts";

export const usage = `smalti ${version}, an IIIF image server

  smalti [serve] [-config FILE]     serve what the configuration says; without one, the sample picture
  smalti DIR                        serve the images of a folder
  smalti check [-config FILE]       validate the configuration and print it with all defaults
  smalti hook test --identifier ID  ask the configured hook about an identifier, and print what it says; beside -config FILE:
      --function NAME                 resolve, authorize, presentation or overlay; without it the first that there is
      --header "Name: value"          a header of the request, as often as needed
      --client-ip ADDRESS             where the request comes from
  smalti doctor auth                walk through the logins as a viewer does, and say which step fails and why; beside -config FILE:
      --url URL                       public address of the service; without it base_url, else the local address
      --origin ORIGIN                 origin of the viewer; without it the first of auth.cors.token_origins
      --identifier ID                 an image that needs a login; without it one for each profile
      --client-ip ADDRESS             the address of this machine as the service has to see it, for kiosks
      --json                          the findings as JSON
  smalti doctor IMAGE               say why an image looks or behaves as it does, and what to do about it: format, colours, levels,
                                    cost, limits. IMAGE is an identifier, or a file where no sources are configured; beside -config FILE:
      --no-measure                    render nothing; without it a tile and, where that is cheap, the whole image
      --json                          facts and findings as JSON
  smalti hash-password [--cost N]   print the hash of a password for users or htpasswd_file; it is typed, or read from the
                                    standard input
  smalti version                    print the version

The file may also be named by SERVICE_CONFIG. SERVICE_ADDR, SERVICE_LOG_LEVEL, SERVICE_LOG_FORMAT and
SERVICE_MAX_PIXEL_AREA override the file.
`;

/** What a command line asks for. */
export interface Arguments {
  readonly command: "serve" | "check" | "hook" | "version" | "help";
  readonly file?: string;
  readonly folder?: string;
  /** Of `hook test`. */
  readonly question?: HookQuestion;
}

/** Flags of `hook test`, which take a value. */
const questionFlags = ["identifier", "function", "header", "client-ip"] as const;

type QuestionFlag = (typeof questionFlags)[number];

/** Reads the command line. Throws CommandError for what it does not know. */
export function parseArguments(args: readonly string[]): Arguments {
  const commands: readonly string[] = ["serve", "check", "hook", "version", "help"];
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
    const flag = /^--?(config|help|h|version|v)(?:=(.*))?$/s.exec(word);
    const [, name, given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const question = questionFlags.find((each) => each === name && command === "hook");
    if (flag?.[1] === "config") file = valueAfter(word, given, words, "the name of a file");
    else if (question) asked[question].push(valueAfter(word, given, words, "a value"));
    else if (flag) command = commandOf(flag[1]);
    else if (word.startsWith("-")) throw new CommandError(`unknown flag ${word}; see smalti --help`);
    else if (command === "hook" && !tests && word === "test") tests = true;
    else if (command === undefined && folder === undefined && commands.includes(word))
      command = word as Arguments["command"];
    else if (folder === undefined && (command ?? "serve") === "serve") folder = word;
    else throw new CommandError(`unexpected argument ${word}; see smalti --help`);
  }
  const chosen = command ?? "serve";
  const common = { command: chosen, ...(file && { file }), ...(folder && { folder }) };
  if (chosen !== "hook") return common;
  return { ...common, question: questionOf(tests, asked) };
}

/** What flags without a value ask for. */
const commandOf = (flag = "") => (flag.startsWith("v") ? "version" : "help");

/** The value of a flag: after =, or the next word. */
function valueAfter(flag: string, given: string | undefined, words: string[], what: string): string {
  const value = given ?? words.shift();
  if (!value) throw new CommandError(`${flag} needs ${what}`);
  return value;
}

function questionOf(
  tests: boolean,
  asked: { readonly [F in QuestionFlag]: readonly string[] },
): HookQuestion {
  if (!tests) throw new CommandError("expected hook test, received hook; see smalti --help");
  const [identifier] = asked.identifier;
  if (identifier === undefined) throw new CommandError("hook test needs --identifier ID");
  const [name, client] = [asked.function.at(-1), asked["client-ip"].at(-1)];
  return {
    identifier,
    headers: asked.header,
    ...(name !== undefined && { function: name }),
    ...(client !== undefined && { client }),
  };
}
