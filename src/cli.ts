// The command line: serve, check, hook test, doctor, sessions, hash-password, version, help.

import { parseArguments } from "./commands/arguments.ts";
import { diagnose, doctorQuestion } from "./commands/auth-doctor.ts";
import { checkWarnings } from "./commands/check.ts";
import { asCommandError, CommandError } from "./commands/command-error.ts";
import { hashPasswordCommand } from "./commands/hash-password.ts";
import { requestedHelp } from "./commands/help.ts";
import { type HookQuestion, testHook } from "./commands/hook-test.ts";
import { askAboutImage, imageQuestion } from "./commands/image-doctor.ts";
import { type LoadedFile, readConfig } from "./commands/read-config.ts";
import { endSessions, sessionsQuestion } from "./commands/sessions.ts";
import { effectiveYaml } from "./config/effective.ts";
import { problemText } from "./config/reading/problems.ts";
import type { Config } from "./config/schema.ts";
import { maskUrls } from "./lib/telemetry/mask-urls.ts";
import type { Platform } from "./platform/platform.ts";
import { serve } from "./start/serve.ts";
import { version } from "./version.ts";

/**
 * Runs a command until it ends; a server runs until it receives a signal. Never throws: a mistake prints one
 * line and returns exit code 1, or 2 if the command line is invalid.
 */
export async function run(platform: Platform, args: readonly string[]): Promise<void> {
  try {
    const code = await runCommand(platform, args);
    // A hanging call, such as one into a folder of a dead mount, would keep the process alive.
    if (code !== undefined) platform.exit?.(code);
  } catch (error) {
    const known = error instanceof CommandError;
    const text = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : `${error}`;
    platform.write?.("err", `smalti: ${maskUrls(text)}\n`);
    platform.exit?.(known ? error.exitCode : 1);
  }
}

/** Returns the exit code; undefined for a server, which keeps running. */
async function runCommand(platform: Platform, args: readonly string[]): Promise<number | undefined> {
  const help = requestedHelp(args);
  if (help !== undefined) return print(platform, help);
  if (args[0] === "hash-password") return print(platform, await hashPasswordCommand(platform, args.slice(1)));
  if (args[0] === "sessions") return askSessions(platform, args.slice(1));
  if (args[0] === "doctor") return askDoctor(platform, args.slice(1));
  const parsed = parseArguments(args);
  if (parsed.command === "version") return print(platform, `${version}\n`);
  const loaded = await readConfig(platform, parsed);
  if (parsed.command === "check") return check(platform, loaded);
  if (parsed.question) return askHook(platform, loaded.config, parsed.question);
  await serve(platform, parsed, loaded);
  return undefined;
}

function print(platform: Platform, text: string): number {
  platform.write?.("out", text);
  return 0;
}

/** Prints the effective configuration, and on stderr what is valid but doubtful or cannot be used here. */
async function check(platform: Platform, { config, find }: LoadedFile): Promise<number> {
  for (const warning of await inWords(checkWarnings(config, platform))) {
    const position = find(warning.path);
    const text = problemText({ ...warning, ...(position && { position }) });
    platform.write?.("err", `smalti: warning: ${text}\n`);
  }
  return print(platform, effectiveYaml(config));
}

/** Prints the result of the hook. */
async function askHook(platform: Platform, config: Config, question: HookQuestion): Promise<number> {
  const { out, err, failed } = await inWords(testHook(config, platform, question));
  for (const line of err) platform.write?.("err", `smalti: ${maskUrls(line)}\n`);
  if (out !== undefined) platform.write?.("out", out);
  return failed ? 1 : 0;
}

/** Ends sessions, and prints their number. */
async function askSessions(platform: Platform, args: readonly string[]): Promise<number> {
  const question = sessionsQuestion(args);
  const { file } = question;
  const { config } = await readConfig(platform, { command: "check", ...(file && { file }) });
  return print(platform, await inWords(endSessions(config, platform, question)));
}

/** Prints the doctor's findings. */
async function askDoctor(platform: Platform, args: readonly string[]): Promise<number> {
  const about = args[0] === "auth" ? doctorQuestion(args) : imageQuestion(args);
  const { file } = about;
  const { config } = await readConfig(platform, { command: "check", ...(file && { file }) });
  const asked = "image" in about ? askAboutImage(config, platform, about) : diagnose(config, platform, about);
  const { out, failed } = await inWords(asked);
  platform.write?.("out", out);
  return failed ? 1 : 0;
}

/** Converts errors to operator mistakes, in words for the operator. */
const inWords = <T>(result: Promise<T>): Promise<T> =>
  result.catch((error: unknown) => {
    throw asCommandError(error);
  });
