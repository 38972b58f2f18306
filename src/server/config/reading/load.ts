// Turns YAML text and environment into a valid configuration, or a list of problems that each name their key.

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  visit,
} from "yaml";
import type { z } from "zod";
import {
  type Env,
  type Finding,
  findingList,
  keyPath,
  maxAliases,
  type Position,
  parseKeyPath,
  parseYamlText,
  problemAt,
} from "../../../base/index.ts";
import { type Config, configSchema, configTree } from "../schema.ts";
import { isObject, leaves, mapParts, nodesAt, partsOf, type SchemaNode, treeOf } from "../walk.ts";
import { describeValue, explain } from "./problems.ts";
import { asMeant } from "./scalars.ts";

export type LoadedConfig<T = Config> =
  | {
      readonly config: T;
      readonly problems?: undefined;
      readonly overridden: readonly string[];
      /** Returns the position of the key of a path in the text; undefined if it is not there. */
      readonly find: (path: string) => Position | undefined;
    }
  | { readonly config?: undefined; readonly problems: readonly Finding[] };

/**
 * Returns the configuration of a YAML text (undefined or empty: all defaults) under environment variables.
 * All problems are returned together; none is thrown.
 */
export function loadConfig(text: string | undefined, env: Env): LoadedConfig {
  return loadSettings(configSchema, text, env, configTree());
}

/** Does the same for any schema. `root`: its tree. */
export function loadSettings<S extends z.ZodType>(
  schema: S,
  text: string | undefined,
  env: Env,
  root: SchemaNode = treeOf(schema),
): LoadedConfig<z.output<S>> {
  const parsed = text ? parseYaml(text) : { value: {}, texts: {}, find: () => undefined };
  if (parsed.problems) return parsed;
  const top = nodesAt(root, []);
  const overridden = new Map<string, string>();
  for (const { keys, variable, value } of overrides(root, parsed.value, env)) {
    location(parsed.value, keys, value);
    location(parsed.texts, keys, value);
    overridden.set(keyPath(keys), variable);
  }
  const meant = asMeant(withoutEmpty(parsed.value, top), parsed.texts, top);
  const result = schema.safeParse(meant, { reportInput: true });
  if (result.success) {
    const unset = unsetVariables(result.data, top, { env, find: parsed.find });
    if (unset.length > 0) return { problems: unset };
    const find = (path: string) => (overridden.has(path) ? undefined : parsed.find(parseKeyPath(path)));
    return { config: result.data, overridden: [...overridden.keys()], find };
  }
  const problems = result.error.issues.flatMap((issue) =>
    explain(issue, { root, overridden, find: parsed.find }),
  );
  return { problems: inFileOrder(problems) };
}

/** Sorts problems in the order of the file; those without a position come last. */
function inFileOrder(problems: readonly Finding[]): Finding[] {
  const lineOf = ({ position }: Finding) => position?.line ?? Number.MAX_SAFE_INTEGER;
  const columnOf = ({ position }: Finding) => position?.column ?? 0;
  return problems.toSorted((a, b) => lineOf(a) - lineOf(b) || columnOf(a) - columnOf(b));
}

/** Formats all problems of a configuration as lines for a terminal or a log. `location`: such as a file. */
export const problemLines = (problems: readonly Finding[], location: string): string =>
  findingList(problems, `the configuration in ${location} has`);

type Parsed =
  | {
      readonly value: Record<string, unknown>;
      /** The value with every scalar as written. */
      readonly texts: Record<string, unknown>;
      /** Finds the position of a key in the text. */
      readonly find: (path: readonly PropertyKey[]) => Position | undefined;
      readonly problems?: undefined;
    }
  | { readonly problems: readonly Finding[] };

/** Returns the values of a YAML text, typed and as written; or why it has no keys and values. */
export function parseYaml(text: string): Parsed {
  const { document, lines, problems } = parseYamlText(text);
  if (problems.length > 0)
    return {
      problems: problems.map(({ message, ...position }) =>
        problemAt([], `not valid YAML: ${message}`, position),
      ),
    };
  const find = createFinder(document, lines);
  // A name in a record is taken as written: 007 is not 7.
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && typeof key.value !== "string") key.value = key.source ?? String(key.value);
    },
  });
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (error) {
    return { problems: [problemAt([], `not valid YAML: ${(error as Error).message}`)] };
  }
  const circle = pathOfCircle(value);
  if (circle !== undefined)
    return {
      problems: [
        problemAt(circle, "expected a value, received an alias of a value that contains it; write it out"),
      ],
    };
  if (value === null || value === undefined) return { value: {}, texts: {}, find };
  if (typeof value !== "object" || Array.isArray(value))
    return {
      problems: [
        problemAt([], `expected keys and values (such as "addr: :8080"), received ${describeValue(value)}`),
      ],
    };
  const texts = parseYamlText(text, { schema: "failsafe" }).document.toJS({
    maxAliasCount: maxAliases,
  }) as Record<string, unknown>;
  return { value: value as Record<string, unknown>, texts, find };
}

/** Returns keys of the schema that end in `_env` and name an unset or empty variable. */
function unsetVariables(
  value: unknown,
  nodes: readonly SchemaNode[],
  context: { readonly env: Env; readonly find: (path: readonly PropertyKey[]) => Position | undefined },
  path: readonly PropertyKey[] = [],
): Finding[] {
  return partsOf(value, nodes).flatMap((part) => {
    const own = [...path, part.key];
    const variable = part.named && String(part.key).endsWith("_env") ? part.value : undefined;
    if (typeof variable !== "string") return unsetVariables(part.value, part.nodes, context, own);
    if (variable === "" || context.env[variable]) return [];
    const orPublic =
      isObject(value) && "anonymous" in value ? "; if anybody may read the bucket, set anonymous: true" : "";
    const text = `the environment variable ${variable} is not set; set it to the secret, or remove this key${orPublic}`;
    return [problemAt(own, text, context.find(own))];
  });
}

/** Returns the path of a value that contains itself, which an alias can cause; undefined if there is none. */
function pathOfCircle(
  value: unknown,
  path: readonly PropertyKey[] = [],
  around: readonly unknown[] = [],
): readonly PropertyKey[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (around.includes(value)) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = pathOfCircle(child, [...path, key], [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Overrides by variables; below a list or a record they set the key in each item that exists. */
function overrides(root: SchemaNode, value: unknown, env: Env) {
  return leaves(root).flatMap(({ keys, node: { env: variable } }) => {
    const set = variable && env[variable];
    return set ? expand(keys, value).map((keys) => ({ keys, variable, value: set })) : [];
  });
}

/** Returns the paths in a value that the keys of a leaf match. */
function expand([key, ...rest]: readonly string[], value: unknown): (string | number)[][] {
  if (key === undefined) return [[]];
  const expandAt = (own: string | number) => {
    const child = (value as Readonly<Record<PropertyKey, unknown>> | undefined | null)?.[own];
    return expand(rest, child).map((tail) => [own, ...tail]);
  };
  if (key === "[]") return Array.isArray(value) ? value.flatMap((_, location) => expandAt(location)) : [];
  if (key === "*") return isObject(value) ? Object.keys(value).flatMap(expandAt) : [];
  return expandAt(key);
}

function location(
  root: Record<PropertyKey, unknown>,
  keys: readonly (string | number)[],
  value: unknown,
): void {
  const last = keys.at(-1) as string | number;
  let at = root;
  for (const key of keys.slice(0, -1)) {
    const next = at[key];
    if (next !== undefined && next !== null && typeof next !== "object") return; // the schema reports what is wrong here
    at = (at[key] ??= {}) as Record<PropertyKey, unknown>;
  }
  at[last] = value;
}

/** Keys of the schema without a value (for example with all nested lines commented out) count as absent. */
function withoutEmpty(value: unknown, nodes: readonly SchemaNode[]): unknown {
  return mapParts(value, nodes, (part) =>
    part.value === null && part.named ? undefined : withoutEmpty(part.value, part.nodes),
  );
}

/**
 * Finds the position of a key or of an item of a list; for one that is not written, the nearest enclosing
 * one, or undefined. Aliases are resolved. `counter`: the one that the document was parsed with.
 */
function createFinder(document: Document, counter: LineCounter) {
  return (path: readonly PropertyKey[]): Position | undefined => {
    let node: unknown = document.contents;
    let start: number | undefined;
    for (const key of path) {
      const found = memberOf(isAlias(node) ? node.resolve(document) : node, key);
      if (found === undefined) break;
      node = found.value;
      start = found.start ?? start;
    }
    if (start === undefined) return undefined;
    const { line, col } = counter.linePos(start);
    return { line, column: col };
  };
}

/** Returns a member of a map or a list, with its offset. */
function memberOf(node: unknown, key: PropertyKey) {
  if (isMap(node)) {
    const pair = node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
    return pair && { value: pair.value, start: startOf(pair.key as Node) };
  }
  const item = isSeq(node) ? node.items[Number(key)] : undefined;
  return isNode(item) ? { value: item, start: startOf(item) } : undefined;
}

const startOf = (node: Node): number | undefined => node.range?.[0];
