// The command line: finds the command, runs it, prints its result and ends the process with its exit code.

import { maskUrls, type Platform } from "../base/index.ts";
import { chooseCommand, parseArguments } from "./commands/arguments.ts";
import { CommandError, InterruptedError } from "./commands/command-error.ts";
import { plainLines, withoutControls } from "./commands/findings-text.ts";
import { requestedHelp } from "./commands/help.ts";
import { interruption } from "./commands/interrupt.ts";
import { commands } from "./commands/rows.ts";
import { print } from "./commands/standard-output.ts";
import { createHints } from "./commands/typed-hints.ts";

/**
 * Runs a command until it ends; a server runs until it receives a signal. Never throws: a mistake prints one
 * line and returns exit code 1, or 2 if the command line is invalid.
 */
export async function run(platform: Platform, args: readonly string[]): Promise<void> {
  const asTyped = createHints(
    platform.startCommands.program,
    commands.map(({ name }) => name),
  );
  try {
    const code = await runCommand(platform, args, asTyped);
    if (code !== undefined) end(platform, code);
  } catch (thrown) {
    // Work that a signal has ended throws errors of all kinds.
    const error = thrown instanceof InterruptedError ? thrown : (interruption(platform) ?? thrown);
    const known = error instanceof CommandError;
    const text = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : `${error}`;
    platform.write?.("err", `smalti: ${asTyped(plainLines(maskUrls(text)))}\n`);
    end(platform, known ? error.exitCode : 1);
  }
}

/** Milliseconds that a command waits for calls to the operating system before it ends. */
const patienceMs = 10_000;

/**
 * Ends the process. Scripts go by its code, so it waits for a slow disk, but for no call into a dead mount.
 */
function end(platform: Platform, code: number): void {
  const tell = (calls: readonly string[]) =>
    platform.write?.(
      "err",
      `smalti: calls to the operating system did not return within ${patienceMs / 1000} s (${calls.join(", ")}), so the command ends by a signal instead of exit code ${code}\n`,
    );
  platform.exit?.(code, { patienceMs, tell });
}

/** Returns the exit code; undefined for a server, which keeps running. `asTyped`: see {@link hintsFor}. */
async function runCommand(
  platform: Platform,
  args: readonly string[],
  asTyped: (text: string) => string,
): Promise<number | undefined> {
  const help = requestedHelp(args, commands);
  if (help !== undefined) {
    await print(platform, asTyped(help));
    return 0;
  }
  const { command, words } = chooseCommand(args, commands);
  const { flags, operands, json } = parseArguments(words, command);
  const result = await command.run({ platform, flags: flags as never, operands, json, commands });
  // A shell reads them, and completes the command that is typed.
  const textOf = command.name === "completions" ? (text: string) => text : asTyped;
  // Values and names of files are part of reports, and may contain what controls a terminal.
  if (result)
    await print(
      platform,
      json ? `${JSON.stringify(result.data, null, 2)}\n` : textOf(withoutControls(result.text)),
    );
  return result && Number(result.failed ?? false);
}
