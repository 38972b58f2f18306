// From YAML text and environment to a valid configuration, or to a list of problems that each name their key.

import { parseDocument } from "yaml";
import type { z } from "zod";
import { nearest } from "./nearest.ts";
import { type Config, configSchema } from "./schema.ts";
import { childKeys, overridable } from "./walk.ts";

export interface Problem {
  /** Dotted path of the key, "" for the whole file. */
  readonly path: string;
  readonly message: string;
}

export type Loaded =
  | { readonly config: Config; readonly problems?: undefined; readonly overridden: readonly string[] }
  | { readonly config?: undefined; readonly problems: readonly Problem[] };

/**
 * The configuration of a YAML text (undefined or empty: all defaults) under environment variables (D-1, D-4).
 * All problems are returned together; none is thrown.
 */
export function loadConfig(
  text: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Loaded {
  const parsed = parseYaml(text ?? "");
  if (parsed.problems) return parsed;
  const overridden: string[] = [];
  for (const { path, env: name, numeric } of overridable()) {
    const value = env[name];
    if (value === undefined || value === "") continue;
    place(parsed.value, path, numeric && /^\d+$/.test(value) ? Number(value) : value);
    overridden.push(path);
  }
  const result = configSchema.safeParse(parsed.value);
  if (result.success) return { config: result.data, overridden };
  return { problems: result.error.issues.flatMap((issue) => explain(issue, overridden)) };
}

/** All problems as lines for a terminal or a log. */
export function problemLines(problems: readonly Problem[], where: string): string {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return [
    `the configuration in ${where} has ${count}:`,
    ...problems.map((p) => `  ${p.path ? `${p.path}: ` : ""}${p.message}`),
  ].join("\n");
}

type Parsed =
  | { readonly value: Record<string, unknown>; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

function parseYaml(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map((error) => ({
        path: "",
        message: `not valid YAML: ${error.message.trim()}`,
      })),
    };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { problems: [{ path: "", message: `not valid YAML: ${(error as Error).message}` }] };
  }
  if (value === null || value === undefined) return { value: {} };
  if (typeof value !== "object" || Array.isArray(value))
    return {
      problems: [
        { path: "", message: `expected keys and values (such as "addr: :8080"), received ${kindOf(value)}` },
      ],
    };
  return { value: value as Record<string, unknown> };
}

function place(root: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() as string;
  let at = root;
  for (const key of keys) {
    const next = at[key];
    if (next !== undefined && next !== null && typeof next !== "object") return; // the schema will say what is wrong there
    at = (at[key] ??= {}) as Record<string, unknown>;
  }
  at[last] = value;
}

function explain(issue: z.core.$ZodIssue, overridden: readonly string[]): Problem[] {
  const path = issue.path.map(String).join(".");
  const from = overridden.includes(path) ? ` (from ${overridable().find((o) => o.path === path)?.env})` : "";
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const known = childKeys(issue.path);
      const meant = nearest(key, known);
      const hint = meant ? `did you mean "${meant}"?` : `known keys here: ${known.join(", ")}`;
      return { path: path ? `${path}.${key}` : key, message: `unknown key; ${hint}` };
    });
  }
  if (issue.code === "invalid_union") {
    // The branch that got furthest says most.
    const branches = issue.errors.map((errors) =>
      errors.flatMap((error) => explain({ ...error, path: [...issue.path, ...error.path] }, overridden)),
    );
    const deepest = branches.sort((a, b) => depth(b) - depth(a))[0];
    if (deepest?.length && depth(deepest) > issue.path.length) return deepest;
    return [
      {
        path,
        message: `expected ${[...new Set(branches.flat().map((p) => p.message.replace(/^expected /, "")))].join(", or ")}${from}`,
      },
    ];
  }
  return [{ path, message: `${message(issue)}${from}` }];
}

const depth = (problems: readonly Problem[]): number =>
  Math.max(0, ...problems.map((p) => p.path.split(".").length));

function message(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `is missing; expected ${typeName(issue.expected)}`
        : `expected ${typeName(issue.expected)}`;
    case "invalid_value":
      return `expected ${issue.values.map((v) => JSON.stringify(v)).join(" or ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function typeName(name: string): string {
  const names: Record<string, string> = {
    int: "a whole number",
    number: "a number",
    string: "text (put it in quotes)",
    boolean: "true or false",
    object: "keys and values",
    array: "a list (lines that begin with -)",
    record: "keys and values",
  };
  return names[name] ?? name;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : `the ${typeof value} ${JSON.stringify(value).slice(0, 40)}`;
}
