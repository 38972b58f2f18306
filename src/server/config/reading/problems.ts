// Problems of a configuration, key by key, in words that help to fix them.

import type { z } from "zod";
import {
  type Finding,
  findNearest,
  keyPath,
  maskUrls,
  type Position,
  problemAt,
} from "../../../base/index.ts";
import { childKeys, nodesAt, type SchemaNode, wordOf } from "../walk.ts";

/** Context for explaining an issue. */
export interface Context {
  /** The schema that was used for parsing. */
  readonly root: SchemaNode;
  /** Paths set by variables, with the names of these. */
  readonly overridden: ReadonlyMap<string, string>;
  /** Finds the position of a key in the file. */
  readonly find: (path: readonly PropertyKey[]) => Position | undefined;
}

/** Returns the problems behind an issue of a schema (parsed with `reportInput`). */
export function explain(issue: z.core.$ZodIssue, context: Context): Finding[] {
  const { overridden, find } = context;
  return faultsOf(issue, context).map(({ keys, message }) =>
    problemAt(keys, message, overridden.has(keyPath(keys)) ? undefined : find(keys)),
  );
}

interface Fault {
  readonly keys: readonly PropertyKey[];
  readonly message: string;
}

function faultsOf(issue: z.core.$ZodIssue, context: Context): Fault[] {
  const { root, overridden } = context;
  const keys = issue.path;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      keys: [...keys, key],
      message: `unknown key; ${hintFor(key, keys, root)}`,
    }));
  if (issue.code === "invalid_key")
    return issue.issues.map((inner) => ({ keys, message: `${expectation(inner, root)} as its name` }));
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch that got furthest is the most informative.
    const branches = issue.errors.map((errors) =>
      errors.flatMap((error) => faultsOf({ ...error, path: [...keys, ...error.path] }, context)),
    );
    const deepest = [...branches].sort((a, b) => depth(b) - depth(a))[0];
    if (deepest?.length && depth(deepest) > keys.length) return deepest;
  }
  const variable = overridden.get(keyPath(keys));
  const from = variable === undefined ? "" : ` (from ${variable})`;
  return [{ keys, message: `${withReceived(issue, root)}${from}` }];
}

/** Suggests a correction for a key that the object at `path` does not have. */
function hintFor(key: string, path: readonly PropertyKey[], root: SchemaNode): string {
  const owners = nodesAt(root, path).filter(({ properties = {} }) => Object.hasOwn(properties, key));
  if (owners.length > 0) return `it belongs to ${owners.map(wordOf).join(", ")}`;
  const known = childKeys(root, path);
  const meant = findNearest(key, known);
  return meant ? `did you mean "${meant}"?` : `known keys here: ${known.join(", ")}`;
}

const depth = (faults: readonly Fault[]): number => Math.max(0, ...faults.map(({ keys }) => keys.length));

/** "expected …, received …", "is missing; expected …", or the schema's own message. */
function withReceived(issue: z.core.$ZodIssue, root: SchemaNode): string {
  const expected = expectation(issue, root);
  // A message that already says what it received is left unchanged.
  if (!expected.startsWith("expected ") || /\breceived\b/.test(expected)) return expected;
  const input = inputOf(issue);
  if (input === undefined) return `is missing; ${expected}`;
  const around = issue.path.map((_, at) => issue.path.slice(0, at + 1));
  const secret = around.some((path) => nodesAt(root, path).some((node) => node.secret));
  return `${expected}, received ${secret ? "another value" : describeValue(input)}`;
}

/**
 * Returns the value at the path of an issue; for a union that could not choose a member, the whole object.
 */
function inputOf(issue: z.core.$ZodIssue): unknown {
  const whole = issue.input as Record<string, unknown> | undefined;
  return issue.code === "invalid_union" && issue.discriminator ? whole?.[issue.discriminator] : whole;
}

function expectation(issue: z.core.$ZodIssue, root: SchemaNode): string {
  const own = issue.message;
  if (!/^(Invalid|Too|Unrecognized)\b/.test(own)) return own;
  switch (issue.code) {
    case "invalid_type":
      return `expected ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${choice(issue.values)}`;
    case "invalid_union":
      return `expected ${unionText(issue, root)}`;
    case "too_small":
      return `expected at least ${issue.minimum}${issue.origin === "string" ? " character" : ""}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return own;
  }
}

/** Lists the allowed values of a discriminator, or else what the branches expect. */
function unionText(issue: z.core.$ZodIssueInvalidUnion, root: SchemaNode): string {
  const words = nodesAt(root, issue.path).flatMap((node) => (node.const === undefined ? [] : [node.const]));
  if (issue.errors.length === 0) return choice([...new Set(words)]);
  const texts = issue.errors.flatMap((errors) =>
    errors.map((error) => expectation(error, root).replace(/^expected /, "")),
  );
  return [...new Set(texts)].filter((text) => text !== '""').join(", or ");
}

const choice = (values: readonly unknown[]): string => values.map((v) => JSON.stringify(v)).join(" or ");

const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  object: "keys and values",
  array: "a list (lines that begin with -)",
  record: "keys and values",
};

/** Describes a received value in a few words, without secrets of a URL. */
export function describeValue(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(shorten(maskUrls(value)));
  if (typeof value === "object") return "keys and values";
  return `the ${typeof value} ${String(value)}`;
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
