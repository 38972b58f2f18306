// The words after a command: flags, with or without a value, and other words.

import { UsageError } from "./command-error.ts";

/** Parsed arguments of a command. */
export interface ReadFlags {
  /** Values by flag name; the last one wins. */
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
  /** Words other than flags, in order. */
  readonly words: readonly string[];
}

/** The flags of a command by name, and the beginning of its messages. */
export interface FlagTable {
  readonly command: string;
  /** Refers to further help. */
  readonly more?: string;
  readonly values: readonly string[];
  readonly switches: readonly string[];
}

/**
 * Parses `--name value`, `--name=value` and `--name`, with one or two dashes. A value that begins with -
 * needs the form with =. Throws UsageError for unknown flags and missing values.
 */
export function readFlags(args: readonly string[], table: FlagTable): ReadFlags {
  const values = new Map<string, string>();
  const switches = new Set<string>();
  const words: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    const [, name = "", given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (table.switches.includes(name) && given === undefined) switches.add(name);
    else if (table.values.includes(name)) {
      const value = given ?? args[++i];
      if (!value || (given === undefined && value.startsWith("-")))
        throw new UsageError(`${word} needs a value`);
      values.set(name, value);
    } else if (word.startsWith("-"))
      throw new UsageError(`${table.command} does not know ${word}; ${table.more ?? "see smalti --help"}`);
    else words.push(word);
  }
  return { values, switches, words };
}
