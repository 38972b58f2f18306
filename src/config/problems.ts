// What is wrong with a configuration, key by key, in words that help to mend it.

import type { z } from "zod";
import { maskUrls } from "../lib/mask-urls.ts";
import { nearest } from "./nearest.ts";
import { childKeys, leaves, nodesAt, overridable } from "./walk.ts";

export interface Problem {
  /** Dotted path of the key, list items by their place from 0; "" for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** All problems as lines for a terminal or a log. */
export function problemLines(problems: readonly Problem[], where: string): string {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  return [
    `the configuration in ${where} has ${count}:`,
    ...problems.map((p) => maskUrls(`  ${p.path ? `${p.path}: ` : ""}${p.message}`)),
  ].join("\n");
}

/** The problems behind an issue of the schema (parsed with `reportInput`); `overridden`: paths set by the environment. */
export function explain(issue: z.core.$ZodIssue, overridden: readonly string[]): Problem[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path ? `${path}.${key}` : key,
      message: `unknown key; ${hintFor(key, issue.path)}`,
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch that got furthest says most.
    const branches = issue.errors.map((errors) =>
      errors.flatMap((error) => explain({ ...error, path: [...issue.path, ...error.path] }, overridden)),
    );
    const deepest = [...branches].sort((a, b) => depth(b) - depth(a))[0];
    if (deepest?.length && depth(deepest) > issue.path.length) return deepest;
  }
  const variable = overridden.includes(path)
    ? ` (from ${overridable().find((each) => each.path === path)?.env})`
    : "";
  return [{ path, message: `${withReceived(issue)}${variable}` }];
}

/** What may have been meant by a key that the object at `path` does not have. */
function hintFor(key: string, path: readonly PropertyKey[]): string {
  const dotted = [...path, key].reduce<string>(
    (whole, part) =>
      typeof part === "number" ? `${whole}[]` : whole ? `${whole}.${String(part)}` : String(part),
    "",
  );
  const owners = leaves().find((leaf) => leaf.path === dotted)?.of;
  if (owners) return `it belongs to ${owners.join(", ")}`;
  const known = childKeys(path);
  const meant = nearest(key, known);
  return meant ? `did you mean "${meant}"?` : `known keys here: ${known.join(", ")}`;
}

const depth = (problems: readonly Problem[]): number =>
  Math.max(0, ...problems.map((p) => p.path.split(".").length));

/** "expected …, received …", "is missing; expected …", or what the schema says in its own words. */
function withReceived(issue: z.core.$ZodIssue): string {
  const expected = expectation(issue);
  if (!expected.startsWith("expected ")) return expected;
  const input = inputOf(issue);
  if (input === undefined) return `is missing; ${expected}`;
  const secret = nodesAt(issue.path).some((node) => node.secret);
  return `${expected}, received ${secret ? "another value" : describeValue(input)}`;
}

/** What was written at the path of an issue; a union that could not choose a member holds the whole object. */
function inputOf(issue: z.core.$ZodIssue): unknown {
  const whole = issue.input as Record<string, unknown> | undefined;
  return issue.code === "invalid_union" && issue.discriminator ? whole?.[issue.discriminator] : whole;
}

function expectation(issue: z.core.$ZodIssue): string {
  const own = issue.message;
  if (!/^(Invalid|Too|Unrecognized)\b/.test(own)) return own;
  switch (issue.code) {
    case "invalid_type":
      return `expected ${typeNames[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${choice(issue.values)}`;
    case "invalid_union":
      return `expected ${unionText(issue)}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return own;
  }
}

/** The words that the schema allows at the place of a discriminator, else what the branches expect. */
function unionText(issue: z.core.$ZodIssueInvalidUnion): string {
  const words = nodesAt(issue.path).flatMap((node) => (node.const === undefined ? [] : [node.const]));
  if (issue.errors.length === 0) return choice([...new Set(words)]);
  const texts = issue.errors.flatMap((errors) =>
    errors.map((error) => expectation(error).replace(/^expected /, "")),
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

/** A received value in a few words, without the secrets of a URL. */
export function describeValue(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(shorten(maskUrls(value)));
  if (typeof value === "object") return "keys and values";
  return `the ${typeof value} ${String(value)}`;
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
