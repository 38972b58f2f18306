// The command hash-password. It never takes the password as an argument, which other users of the machine
// could read.

import { hashPassword } from "../access/passwords/hash.ts";
import { costs } from "../access/passwords/hash-forms.ts";
import type { Platform } from "../platform/platform.ts";
import { CommandError, UsageError } from "./command-error.ts";

/** Returns the line to print. Throws CommandError, without the password; UsageError for unknown arguments. */
export async function hashPasswordCommand(
  { readSecret }: Pick<Platform, "readSecret">,
  args: readonly string[],
): Promise<string> {
  const cost = costOf(args);
  if (!readSecret) throw new CommandError("this runtime has no standard input");
  try {
    const { text, typed } = await readSecret("Password: ");
    if (typed && (await readSecret("Once more: ")).text !== text) throw new Error("the two passwords differ");
    return `${await hashPassword(text, cost)}\n`;
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : "the password could not be read");
  }
}

function costOf(args: readonly string[]): number {
  const [first, ...rest] = args;
  if (first === undefined) return costs.usual;
  const [, given] = /^--?cost(?:=(.*))?$/s.exec(first) ?? [];
  const [value, ...more] = /^--?cost=/.test(first) ? [given, ...rest] : rest;
  if (!/^--?cost(=|$)/.test(first) || more.length > 0)
    throw new UsageError(
      "hash-password takes only --cost N; type the password when it asks, or send it to the standard input",
    );
  const cost = /^\d{1,2}$/.test(value ?? "") ? Number(value) : Number.NaN;
  if (!(cost >= costs.least && cost <= costs.most))
    throw new UsageError(
      `--cost expects a number from ${costs.least} to ${costs.most}; each step takes twice as long`,
    );
  return cost;
}
