// The options of createHandler as programs without types write them.

import { stringify } from "yaml";
import { type Finding, findNearest } from "../../base/index.ts";
import { describeValue } from "../config/reading/problems.ts";
import { isObject } from "../config/walk.ts";
import type { HandlerOptions } from "./library.d.ts";

interface Form {
  readonly expected: string;
  fits(value: unknown): boolean;
}

const isFunction = (value: unknown) => typeof value === "function";

const isText = (value: unknown) => typeof value === "string" && value !== "";

/** Not the bytes of a file, nor a promise of its text: they would be an object without keys. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A path below the root, without signs that mean one thing in a URL and another in a path. */
const isFileUrl = (value: unknown) =>
  value instanceof URL && value.protocol === "file:" && value.host === "" && !/%2f|%5c/i.test(value.pathname);

/** An empty path, as of a variable that is not set, would be the whole folder of the process. */
const path: Form = {
  expected: "the path of a folder as text, or its file URL",
  fits: (value) => isText(value) || isFileUrl(value),
};

/** Accepted types of each option besides undefined. */
const forms: Readonly<Record<keyof HandlerOptions, Form>> = {
  config: {
    expected: "the text of a smalti.yaml, or an object of the same keys",
    fits: (value) => typeof value === "string" || isPlain(value),
  },
  folder: path,
  cwd: path,
  files: path,
  // Not a Map, and not Deno.env itself, in which no variable would be found.
  env: { expected: "an object of variables", fits: (value) => isObject(value) && !isFunction(value.get) },
  log: { expected: "a function that takes a line", fits: isFunction },
};

/** Returns what is wrong with the options, except the values in `config`. */
export function optionProblems(options: unknown): Finding[] {
  const problem = (text: string, where = ""): Finding => ({ level: "problem", where, text });
  if (!isObject(options)) return [problem(`expected an object, received ${describeValue(options)}`)];
  return Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(forms, name)) return [problem(`unknown option; ${hintFor(name)}`, name)];
    const { expected, fits } = forms[name as keyof HandlerOptions];
    if (value === undefined || fits(value)) return [];
    return [problem(`expected ${expected}, received ${describeOption(value)}`, name)];
  });
}

/** Like {@link describeValue}, which only knows YAML values; for example "a function" or "Promise". */
function describeOption(value: unknown): string {
  if (isFunction(value)) return "a function";
  if (!isObject(value) || isPlain(value)) return describeValue(value);
  return value.constructor?.name || describeValue(value);
}

function hintFor(name: string): string {
  const known = Object.keys(forms);
  const meant = findNearest(name, known);
  return meant ? `did you mean "${meant}"?` : `known options: ${known.join(", ")}`;
}

/** The path of a folder that is given as text or as a file URL; that of `file:///C:/x` is `C:/x`. */
export function pathOf(folder: string | URL | undefined): string | undefined {
  if (!(folder instanceof URL)) return folder;
  return decodeURIComponent(folder.pathname).replace(/^\/(?=[A-Za-z]:)/, "");
}

/** The option `config` as YAML. Throws an Error if it holds what YAML cannot, such as a function. */
export function configText(config: HandlerOptions["config"]): string | undefined {
  if (config === undefined || typeof config === "string") return config;
  try {
    return stringify(config);
  } catch (error) {
    throw new Error(
      `expected texts, numbers, lists and objects in the option config: ${(error as Error).message}`,
    );
  }
}
