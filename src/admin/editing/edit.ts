// Changes editable keys in the text of a configuration file. Everything else stays byte for byte: relative
// paths, secrets, comments, keys of other sections.

import { type Document, isAlias, isMap, isScalar, type Node, Scalar, stringify, visit, YAMLMap } from "yaml";
import { type Env, type Finding, maskUrls, parseYamlText } from "../../base/index.ts";
import {
  type Config,
  type EditableField,
  type FieldValue,
  isObject,
  loadConfig,
  parseYaml,
} from "../../server/index.ts";
import { editableFields } from "./editable.ts";
import { spliceScalar } from "./splice.ts";

/** Values of the editable keys in a file. */
export interface FieldsOfFile {
  readonly fields: readonly FieldValue[];
  /** The configuration of the file, without absolute paths; undefined if it has problems. */
  readonly config?: Config;
  /** All problems of the file. */
  readonly problems: readonly Finding[];
}

/**
 * Returns the editable keys in the text of a file under environment variables. Never throws: a file may be
 * broken.
 */
export function readFields(text: string, env: Env): FieldsOfFile {
  const { config, problems = [] } = loadConfig(text, env);
  const parsed = parseYaml(text);
  const fields = editableFields().map((field): FieldValue => {
    const variable = field.env && env[field.env] ? field.env : undefined;
    const written = parsed.problems ? undefined : textAt(parsed, field.keys);
    const value = config
      ? String(valueAt(config, field.keys))
      : ((variable && env[variable]) ?? written ?? field.initial);
    return { field, value, ...(variable !== undefined && { lockedBy: variable }) };
  });
  return { fields, ...(config && { config }), problems: problems.map(maskedProblem) };
}

/** Returns the editable keys of a configuration that was loaded under environment variables. */
export function fieldsOfConfig(config: Config, env: Env): readonly FieldValue[] {
  return editableFields().map((field) => ({
    field,
    value: String(valueAt(config, field.keys)),
    ...(field.env && env[field.env] && { lockedBy: field.env }),
  }));
}

/** Returns the scalar at a path as written, or undefined. */
function textAt(
  { value, texts }: { readonly value: unknown; readonly texts: unknown },
  keys: readonly string[],
): string | undefined {
  const text = valueAt(texts, keys);
  return typeof text === "string" && valueAt(value, keys) !== null ? text : undefined;
}

function valueAt(tree: unknown, keys: readonly string[]): unknown {
  return keys.reduce((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), tree);
}

/** A key may be a URL as well, if somebody mistook a colon for part of it. */
const maskedProblem = ({ where = "", text, ...rest }: Finding): Finding => ({
  ...rest,
  where: maskUrls(where),
  text: maskUrls(text),
});

export type Edited =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "changed";
      /** The new text of the file. */
      readonly text: string;
      /** Paths of the changed keys. */
      readonly changed: readonly string[];
    }
  | {
      readonly kind: "refused";
      /** Faults of fields by path. */
      readonly wrong: ReadonlyMap<string, string>;
      /** Problems of the file outside of the fields. */
      readonly others: readonly Finding[];
    };

/**
 * Returns the text of a file with the values of a form. `values`: typed values by the path of the field; a
 * field that a variable locks may be missing, all others are present. The whole new text is validated under
 * the same variables, none of which is written into it. Only keys whose value changed are written.
 */
export function editText(text: string, values: ReadonlyMap<string, string>, env: Env): Edited {
  const before = readFields(text, env);
  const wrong = new Map<string, string>();
  const typed = new Map<EditableField, string>();
  for (const { field, value, lockedBy } of before.fields) {
    const given = values.get(field.path);
    const now = given === undefined ? undefined : asTyped(field, given);
    if (lockedBy !== undefined) {
      if (now !== undefined && now !== value) wrong.set(field.path, lockedText(lockedBy));
    } else if (now === undefined) wrong.set(field.path, "is missing in the form; send every field");
    else if (now !== value) typed.set(field, now);
  }
  if (wrong.size > 0) return { kind: "refused", wrong, others: [] };
  if (typed.size === 0 && before.problems.length === 0) return { kind: "unchanged" };
  const written = writeValues(text, typed);
  if (written === undefined) return refusal(before.problems, before.problems);
  const { problems } = loadConfig(written, env);
  if (problems) return refusal(problems, before.problems);
  return { kind: "changed", text: written, changed: [...typed.keys()].map(({ path }) => path) };
}

/** Text for a field that a variable sets. */
export const lockedText = (variable: string) =>
  `is set by the environment variable ${variable}, which overrides the file; change it there`;

/** Returns a typed value without surrounding spaces, and a number without leading zeros. */
function asTyped({ control }: EditableField, given: string): string {
  const text = given.trim();
  return control.kind === "count" && /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : text;
}

/**
 * Splits problems into those of fields and those of the rest of the file, the latter with their positions
 * `before` the edit.
 */
function refusal(problems: readonly Finding[], before: readonly Finding[]): Edited {
  const wrong = new Map<string, string>();
  const others: Finding[] = [];
  const known = new Set(editableFields().map(({ path }) => path));
  for (const { position: _, ...problem } of problems.map(maskedProblem)) {
    const { where = "", text } = problem;
    if (!known.has(where))
      others.push(before.find((other) => other.where === where && other.text === text) ?? problem);
    else if (!wrong.has(where)) wrong.set(where, text);
  }
  return { kind: "refused", wrong, others };
}

/**
 * Returns the text with the new values, or undefined if it is not a file of keys and values. Each value is
 * replaced in place and everything else stays; if the form of the file does not allow that, the whole file is
 * written again. Throws if the result would change other keys.
 */
function writeValues(text: string, values: ReadonlyMap<EditableField, string>): string | undefined {
  const parsed = parseYaml(text);
  if (parsed.problems) return undefined;
  const edits = [...values];
  const spliced = spliceValues(text, edits);
  if (spliced !== undefined && isFaithful(parsed, spliced, edits)) return spliced;
  // Every scalar stays text, so that 0x10 and 007 are written as they were read.
  const document = parseYamlText(text, { schema: "failsafe" }).document;
  if (!isMap(document.contents)) document.contents = new YAMLMap(document.schema) as never;
  if (edits.some(([{ keys }]) => isShared(document, keys))) writeOutAliases(document);
  const put = edits.filter(([field, value]) => putScalar(document, field.keys, scalarOf(field, value)));
  const written = document.toString({ lineWidth: 0 });
  if (!isFaithful(parsed, written, put))
    throw new Error("Expected the other keys of the file to be written as they were read.");
  return written;
}

type Edit = readonly [field: EditableField, value: string];

/** Replaces the values in place, one by one; returns undefined if one has no position. */
function spliceValues(text: string, edits: readonly Edit[]): string | undefined {
  return edits.reduce<string | undefined>((at, [field, value]) => {
    if (at === undefined || isShared(parseYamlText(at, { schema: "failsafe" }).document, field.keys))
      return undefined;
    const block = isPlain(field, value) ? value : JSON.stringify(value);
    const flow = /[,[\]{}]/.test(value) ? JSON.stringify(value) : block;
    return spliceScalar(at, field.keys, { block, flow });
  }, text);
}

/** True if a new text has the new values, and the old ones for all other keys. */
function isFaithful(
  before: { readonly value: Record<string, unknown>; readonly texts: Record<string, unknown> },
  written: string,
  edits: readonly Edit[],
): boolean {
  const after = parseYaml(written);
  if (after.problems) return false;
  return (["value", "texts"] as const).every((tree) => {
    const expected = copyOf(before[tree]);
    for (const [{ keys }, value] of edits)
      putValue(expected, keys, tree === "texts" ? value : valueAt(after.value, keys));
    return JSON.stringify(expected) === JSON.stringify(after[tree]);
  });
}

/** Copies a tree without the sharing that aliases cause. */
const copyOf = (tree: Record<string, unknown>) => JSON.parse(JSON.stringify(tree)) as Record<string, unknown>;

/**
 * True if an anchor or an alias is on the path to a key, so that a change there would have effects elsewhere
 * too.
 */
function isShared(document: Document, keys: readonly string[]): boolean {
  return [[], ...keys.map((_, at) => keys.slice(0, at + 1))].some((path) => {
    const node = path.length === 0 ? document.contents : nodeAt(document, path);
    return isAlias(node) || (node as Scalar | undefined)?.anchor !== undefined;
  });
}

/** Returns the node at a path, or undefined if there is none or an alias is on the way. */
function nodeAt(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (isMap(node) ? node.get(key, true) : undefined),
    document.contents,
  );
}

/** Replaces each alias with its value. A loaded document has no cycles and few aliases. */
function writeOutAliases(document: Document): void {
  visit(document, {
    Alias(_, alias) {
      const copy = alias.resolve(document)?.clone() as Node | undefined;
      if (copy) dropAnchors(copy);
      return copy;
    },
  });
  if (document.contents) dropAnchors(document.contents as Node);
}

function dropAnchors(node: Node): void {
  visit(node, {
    Node(_, inner) {
      if ("anchor" in inner) delete inner.anchor;
    },
  });
}

/**
 * Returns a value as YAML reads it back: numbers as plain digits, texts quoted if they would be read as
 * something else.
 */
function scalarOf(field: EditableField, value: string): Scalar {
  const scalar = new Scalar(value);
  scalar.type = isPlain(field, value) ? "PLAIN" : "QUOTE_DOUBLE";
  return scalar;
}

const isPlain = ({ control }: EditableField, value: string): boolean =>
  (control.kind === "count" && /^\d+$/.test(value)) || stringify(value, { lineWidth: 0 }) === `${value}\n`;

/**
 * Sets a scalar and keeps the comments of the old one. Returns false if a value without keys is in the way,
 * which the schema rejects.
 */
function putScalar(document: Document, keys: readonly string[], scalar: Scalar): boolean {
  let map = document.contents as unknown as YAMLMap;
  for (const key of keys.slice(0, -1)) {
    const inner = map.get(key, true);
    if (isMap(inner)) {
      map = inner;
      continue;
    }
    // A section without a value counts as absent.
    if (inner !== undefined && !isEmpty(inner)) return false;
    const section = new YAMLMap(document.schema);
    if (isScalar(inner) && inner.comment) section.commentBefore = inner.comment;
    map.set(key, section);
    map = section;
  }
  const last = keys.at(-1) as string;
  const before = map.get(last, true) as unknown;
  if (isScalar(before)) {
    if (before.comment) scalar.comment = before.comment;
    if (before.commentBefore) scalar.commentBefore = before.commentBefore;
  }
  map.set(last, scalar);
  return true;
}

const isEmpty = (node: unknown) =>
  isScalar(node) && node.type === "PLAIN" && /^(|~|null|Null|NULL)$/.test(String(node.value));

/** Does the same in a parsed file. */
function putValue(tree: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  let map = tree;
  for (const key of keys.slice(0, -1)) {
    if (!isObject(map[key])) map[key] = {};
    map = map[key] as Record<string, unknown>;
  }
  map[keys.at(-1) as string] = value;
}
