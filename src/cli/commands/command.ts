// A command of the command line as one row: its name, flags and operands, and what it does.

import type { Platform } from "../../base/index.ts";

/** What a value is: completions offer these, and the parser takes no other than those of a list. */
export type Among = "file" | "folder" | readonly string[];

interface Described {
  /** What the flag does, in one line that begins with a small letter. */
  readonly text: string;
  /** Its other name, one letter. */
  readonly short?: string;
}

/** `value` is the placeholder of the value, in capitals. Numbers are whole; a list may be repeated. */
export type Flag =
  | (Described & { readonly kind: "switch" })
  | (Described & {
      readonly kind: "number";
      readonly value: string;
      readonly from: number;
      readonly to: number;
    })
  | (Described & { readonly kind: "list"; readonly value: string; readonly among?: Among })
  | (Described & {
      readonly kind: "text";
      readonly value: string;
      readonly among?: Among;
      readonly required?: true;
    });

/** Flags by name, without dashes. */
export type Flags = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends { readonly kind: "switch" }
  ? boolean
  : F extends { readonly kind: "list" }
    ? readonly string[]
    : F extends { readonly kind: "number" }
      ? number | undefined
      : F extends { readonly required: true }
        ? string
        : F extends { readonly among: readonly (infer V)[] }
          ? V | undefined
          : string | undefined;

/** Values by flag name. */
export type Values<F extends Flags> = { readonly [N in keyof F]: ValueOf<F[N]> };

/** A word other than a flag. Only the last operand may be optional or take many words. */
export interface Operand {
  /** Placeholder, in capitals. */
  readonly name: string;
  readonly among?: Among;
  readonly optional?: true;
  readonly many?: true;
}

/** One use of a command. */
export interface Call<F extends Flags = Flags> {
  readonly platform: Platform;
  readonly flags: Values<F>;
  /** As many as the row says. */
  readonly operands: readonly string[];
  /** True if the standard output is for a program. */
  readonly json: boolean;
  /** All commands, for commands about commands. */
  readonly commands: readonly Command[];
}

/** What a command found or did. Exit code 0, or 1 if it failed or found problems. */
export interface Result {
  /** The result for people; printed on the standard output, with spaces instead of control characters. */
  readonly text: string;
  /** The result for programs; printed instead of the text after `--json`. */
  readonly data?: unknown;
  readonly failed?: boolean;
}

export interface Command<F extends Flags = Flags> {
  /** One word or two. */
  readonly name: string;
  /** What it does, in one line that begins with a small letter. */
  readonly summary: string;
  /** Further lines of its help. */
  readonly more?: string;
  /** Command lines as they are typed, for the help and the page of the command line. */
  readonly examples?: readonly string[];
  /** What the document of `--json` contains; absent if the command has no such flag. */
  readonly json?: string;
  readonly flags: F;
  readonly operands?: readonly Operand[];
  /** What to say of a wrong flag or operand instead of the usual; it repeats none of the words. */
  readonly refusal?: string;
  /**
   * Does it. undefined: it goes on, as a server does, and ends the process itself. Throws CommandError for
   * mistakes of the operator, UsageError for flags that do not fit together.
   */
  run(call: Call<F>): Promise<Result | undefined>;
}

/** Returns the row; infers the types of the flags. */
export const command = <const F extends Flags>(row: Command<F>): Command => row as Command;

/** The flag of all commands that read the configuration. */
export const configFlag = {
  kind: "text",
  value: "FILE",
  among: "file",
  text: "the configuration; if omitted, SERVICE_CONFIG, else the defaults",
} as const satisfies Flag;

/** Exit codes of all commands. */
export const exitCodes = [
  [0, "done"],
  [1, "failed, or found problems"],
  [2, "the command line is wrong"],
  [130, "interrupted"],
] as const;

/** Returns all flags of a command by name, with that of its JSON document. */
export const allFlags = ({ flags, json }: Command): Flags =>
  json === undefined ? flags : { ...flags, json: { kind: "switch", text: `${json}, as JSON` } };
