// Exports of a hook file that are never called: probably functions of a hook under another name.

import { findNearest } from "../../../base/index.ts";
import { type HookFunction, hookFunctions } from "../hook.ts";

/** An export that is none of the functions of a hook. Plain data: it crosses threads. */
export interface UnusedExport {
  readonly name: string;
  /** Its type, as `typeof` names it. */
  readonly type: string;
  /** The functions of a hook among the members of an object, such as that of a default export. */
  readonly members: readonly string[];
}

/** Names in other services, and what people call the same. */
const otherNames: Readonly<Record<string, HookFunction>> = {
  access: "authorize",
  allow: "authorize",
  auth: "authorize",
  authenticate: "authorize",
  pre_authorize: "authorize",
  identifier: "resolve",
  lookup: "resolve",
  map: "resolve",
  source: "resolve",
  manifest: "presentation",
  present: "presentation",
  watermark: "overlay",
};

const list = hookFunctions.join(", ");

/** Returns a sentence about each export that is probably a mistake, with what to do. */
export const unusedTexts = (exports: readonly UnusedExport[]): readonly string[] =>
  exports.flatMap((one) => textOf(one) ?? []);

function textOf({ name, type, members }: UnusedExport): string | undefined {
  if (members.length > 0)
    return `${members.join(" and ")} inside the export ${name} ${members.length > 1 ? "are" : "is"} never called; export each function by its own name, such as export function ${members[0]}(…)`;
  if (name === "default")
    return `the default export is never called; export a function by its name, which is one of ${list}`;
  const meant = otherNames[name.toLowerCase()] ?? findNearest(name, hookFunctions);
  if (meant !== undefined) return `the export ${name} is never called; did you mean ${meant}?`;
  // Constants and classes are for the file's own tests.
  if (type !== "function") return undefined;
  return `the export ${name} is never called: the functions of a hook are ${list}; rename it, or remove the word export`;
}
