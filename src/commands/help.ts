// The commands and their flags, as rows: the output of `smalti help` and `smalti COMMAND --help`.

import { nearest } from "../lib/text/nearest.ts";
import { version } from "../version.ts";
import { UsageError } from "./command-error.ts";

interface Row {
  /** The command line after `smalti`; words in capitals are placeholders. */
  readonly form: string;
  readonly text: string;
  readonly flags?: readonly (readonly [form: string, text: string])[];
}

const json = ["--json", "the findings as JSON"] as const;
const config = ["-config FILE", "the configuration; if omitted, SERVICE_CONFIG, else the defaults"] as const;

/** One row per command, by its words. */
const commands: Readonly<Record<string, Row>> = {
  serve: {
    form: "[serve] [-config FILE]",
    text: "serve the sources of the configuration; without one, the sample picture",
  },
  DIR: { form: "DIR", text: "serve the images of a folder" },
  check: {
    form: "check [-config FILE]",
    text: "validate the configuration and print it with all defaults",
  },
  "hook test": {
    form: "hook test --identifier ID",
    text: "ask the configured hook about an identifier, and print what it says",
    flags: [
      ["--function NAME", "resolve, authorize, presentation or overlay; without it the first that there is"],
      ['--header "Name: value"', "a header of the request; may be repeated"],
      ["--client-ip ADDRESS", "address that the request comes from"],
      config,
    ],
  },
  "doctor auth": {
    form: "doctor auth",
    text: "go through the logins as a viewer does, and say which step fails and why",
    flags: [
      ["--url URL", "public address of the service; if omitted, base_url, else the local address"],
      ["--origin ORIGIN", "origin of the viewer; if omitted, the first of auth.cors.token_origins"],
      ["--identifier ID", "an image that needs a login; if omitted, one for each profile"],
      ["--client-ip ADDRESS", "the address of this machine as the service should see it, for kiosks"],
      json,
      config,
    ],
  },
  doctor: {
    form: "doctor IMAGE",
    text: "say why an image looks or behaves as it does, and what to do about it: format, colours, levels, cost, limits.\nIMAGE is an identifier, or a file if no sources are configured",
    flags: [
      ["--no-measure", "render nothing; if omitted, a tile and, if that is cheap, the whole image"],
      json,
      config,
    ],
  },
  "sessions end": {
    form: "sessions end",
    text: "log readers out: all of a profile, one user, or everybody; for sessions in memory use /admin/auth",
    flags: [
      ["--profile NAME", "sessions with a login to this profile"],
      ["--user NAME", "sessions of this user; with --profile, those with this user's login to it"],
      ["--all", "all sessions"],
      config,
    ],
  },
  "hash-password": {
    form: "hash-password [--cost N]",
    text: "print the hash of a password for users or htpasswd_file; the password is typed, or read from the standard input",
  },
  version: { form: "version", text: "print the version" },
  help: { form: "help [COMMAND]", text: "print this, or the help of one command" },
};

const environment = `The configuration file may also be named by SERVICE_CONFIG. SERVICE_ADDR, SERVICE_LOG_LEVEL, SERVICE_LOG_FORMAT
and SERVICE_MAX_PIXEL_AREA override the file. \`smalti COMMAND --help\` describes one command.
`;

/** First words of commands. */
export const commandWords = [
  ...new Set(Object.keys(commands).map((words) => words.split(" ")[0] as string)),
].filter((word) => word !== "DIR");

/** Returns the command that a word probably means, if any. */
export const meantCommand = (word: string): string | undefined => nearest(word, commandWords);

const column = 34;

const rowText = ({ form, text, flags = [] }: Row): string =>
  [[`smalti ${form}`, text] as const, ...flags.map(([flag, says]) => [`    ${flag}`, says] as const)]
    .map(
      ([left, right]) => `  ${left.padEnd(column)}${right.replaceAll("\n", `\n${" ".repeat(column + 2)}`)}`,
    )
    .join("\n");

/** The complete usage text. */
const usage = `smalti ${version}, a IIIF image server

${Object.values(commands).map(rowText).join("\n")}

${environment}`;

/**
 * Returns the text requested with `help`, `--help` or `-h`; undefined if none is. Throws UsageError for help
 * about an unknown command.
 */
export function requestedHelp(args: readonly string[]): string | undefined {
  const [first, ...rest] = args;
  if (first === "help") return helpAbout(rest.filter((word) => !isHelpFlag(word)));
  const at = args.findIndex(isHelpFlag);
  if (at < 0) return undefined;
  const known = args.slice(0, at).findIndex((word) => commandWords.includes(word));
  return known < 0 ? usage : helpAbout(args.slice(known, at).filter(isCommandWord));
}

const isHelpFlag = (word: string) => /^(-h|--?help)$/.test(word);

/** True for command names before --help: flags, values and images do not select the help. */
const isCommandWord = (word: string) =>
  Object.keys(commands).some((words) => words.split(" ").includes(word));

function helpAbout(words: readonly string[]): string {
  const [first] = words;
  if (first === undefined) return usage;
  const asked = words.join(" ");
  const rows = Object.entries(commands).filter(([name]) => name === asked || name.startsWith(`${asked} `));
  if (rows.length > 0) return `${rows.map(([, row]) => rowText(row)).join("\n\n")}\n`;
  const meant = meantCommand(first);
  throw new UsageError(
    `there is no command ${asked}; ${meant && meant !== first ? `did you mean ${meant}?` : "see smalti --help"}`,
  );
}
