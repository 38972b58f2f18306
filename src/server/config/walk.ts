// A schema as a tree, with walks along it: down to its keys, and down a value together with the nodes that
// describe each part.

import { z } from "zod";

/** A node of the JSON Schema (draft 2020-12) with our own annotations. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  /** The required properties. */
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  /** Values of a record, whose names are free. */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly edit?: "live" | "restart" | undefined;
  readonly env?: string;
  readonly secret?: boolean;
  /** Form of a text: "duration", "size", "path", or "picture" (a path or `source:key`). */
  readonly form?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const trees = new WeakMap<z.ZodType, SchemaNode>();

/** Returns the tree of a schema: its JSON Schema, for the contents of a file. */
export function treeOf(schema: z.ZodType): SchemaNode {
  const known = trees.get(schema);
  if (known) return known;
  const tree = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as SchemaNode;
  trees.set(schema, tree);
  return tree;
}

export interface Leaf {
  /** Keys from the top; `[]` for each item of a list, `*` for each name of a record. */
  readonly keys: readonly string[];
  /** The keys as one line, such as `sources[].root` or `hooks.*.url`. */
  readonly path: string;
  /** The schema of the leaf, with the default and the `edit` inherited from its parents. */
  readonly node: SchemaNode;
  /** True if it may be omitted and has no default. */
  readonly optional?: true;
  /**
   * Discriminator values of the union members that have the key, such as backends, if others do not have it.
   */
  readonly of?: readonly string[];
}

interface Inherited {
  readonly default?: unknown;
  readonly edit?: SchemaNode["edit"];
  readonly required?: boolean;
}

/**
 * Yields every key that holds a value, in schema order. Members of a union share their keys: their
 * discriminator is one leaf that lists all values. A key that takes either keys or a plain value is a leaf in
 * addition to its own. A list or a record of plain values is one leaf.
 */
export function leaves(node: SchemaNode, keys: readonly string[] = [], above: Inherited = {}): Leaf[] {
  const own = { ...node, default: node.default ?? above.default, edit: node.edit ?? above.edit };
  const { properties, additionalProperties: free, items, edit } = own;
  const defaults = own.default as Record<string, unknown> | undefined;
  if (properties || holdsKeys(free))
    return [
      ...Object.entries(properties ?? {}).flatMap(([key, child]) =>
        leaves(child, [...keys, key], {
          default: defaults?.[key],
          edit,
          required: node.required?.includes(key) ?? false,
        }),
      ),
      ...(typeof free === "object" ? leaves(free, [...keys, "*"], { edit }) : []),
    ];
  const members = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  const optional = above.required === false && own.default === undefined;
  const whole: Leaf = { keys, path: leafPath(keys), node: own, ...(optional && { optional }) };
  if (members.some(holdsKeys)) {
    const inside = unionLeaves(members.filter(holdsKeys), keys, { default: defaults, edit });
    return members.every(holdsKeys) ? inside : [whole, ...inside];
  }
  return items && holdsKeys(items) ? leaves(items, [...keys, "[]"], { edit }) : [whole];
}

/** True if a node has keys at any depth. */
function holdsKeys(node: SchemaNode | boolean | undefined): boolean {
  if (typeof node !== "object") return false;
  const { properties, additionalProperties, items, anyOf = [], oneOf = [] } = node;
  return properties !== undefined || [additionalProperties, items, ...anyOf, ...oneOf].some(holdsKeys);
}

/** Returns the leaves of a union's members, with those of one path joined. */
function unionLeaves(members: readonly SchemaNode[], keys: readonly string[], above: Inherited): Leaf[] {
  const byPath = new Map<string, { leaf: Leaf; of: string[]; meanings: Map<string, string[]> }>();
  for (const member of members)
    for (const leaf of leaves(member, keys, above)) {
      const first = byPath.get(leaf.path);
      const { of, meanings } = first ?? { of: [] as string[], meanings: new Map<string, string[]>() };
      const word = String(wordOf(member));
      of.push(word);
      const meaning = leaf.node.description ?? "";
      meanings.set(meaning, [...(meanings.get(meaning) ?? []), word]);
      byPath.set(leaf.path, {
        leaf: { ...leaf, node: joinNodes(first?.leaf.node, leaf.node) },
        of,
        meanings,
      });
    }
  return [...byPath.values()].map(({ leaf, of, meanings }) => ({
    ...leaf,
    node: withMeanings(leaf.node, meanings),
    ...(of.length < members.length && { of }),
  }));
}

const leafPath = (keys: readonly string[]): string =>
  keys.reduce((path, key) => (key === "[]" ? `${path}[]` : path ? `${path}.${key}` : key), "");

/** Returns the discriminator value of a union member. */
export function wordOf(member: SchemaNode): unknown {
  return Object.values(member.properties ?? {}).find((child) => child.const !== undefined)?.const;
}

/** Merges a key that two members of a union have; discriminator values are collected. */
function joinNodes(first: SchemaNode | undefined, next: SchemaNode): SchemaNode {
  if (!first) return next;
  if (next.const === undefined) return first;
  const describeBranch = (node: SchemaNode) =>
    node.enum ? node.description : `\`${node.const}\`: ${node.description}`;
  return {
    ...first,
    const: undefined,
    enum: [...(first.enum ?? [first.const]), next.const],
    description: `${describeBranch(first)} ${describeBranch(next)}`,
  };
}

/** A leaf with all of its meanings to members of a union, if they differ. */
function withMeanings(node: SchemaNode, meanings: ReadonlyMap<string, readonly string[]>): SchemaNode {
  if (meanings.size < 2 || node.enum) return node;
  const listed = [...meanings].map(
    ([meaning, words]) => `${words.map((word) => `\`${word}\``).join(", ")}: ${meaning}`,
  );
  return { ...node, description: listed.join(" ") };
}

/** Returns the nodes at a path from the top, with the alternatives of unions. */
export function nodesAt(root: SchemaNode, path: readonly PropertyKey[]): readonly SchemaNode[] {
  return path.reduce(nodesUnder, alternatives(root));
}

/** Returns the keys that the schema names for the object at a path. */
export function childKeys(root: SchemaNode, path: readonly PropertyKey[]): string[] {
  return [...new Set(nodesAt(root, path).flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** Returns a node and all members of its unions, at any depth. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(alternatives)];
}

/** Returns the nodes of the value under a key or at an index of a list. */
function nodesUnder(nodes: readonly SchemaNode[], key: PropertyKey): readonly SchemaNode[] {
  return nodes.flatMap((node) => {
    const child = childOf(node, key);
    return child ? alternatives(child) : [];
  });
}

function childOf({ items, properties = {}, additionalProperties }: SchemaNode, key: PropertyKey) {
  if (typeof key === "number") return items;
  if (Object.hasOwn(properties, key)) return properties[String(key)];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** A part of a value, one level down. */
export interface Part {
  readonly key: string | number;
  readonly value: unknown;
  readonly nodes: readonly SchemaNode[];
  /** True if the schema names the key; false for list items and the free names of a record. */
  readonly named: boolean;
}

/** Returns the parts of a list or an object that `nodes` describe; empty for a scalar. */
export function partsOf(value: unknown, nodes: readonly SchemaNode[]): Part[] {
  if (Array.isArray(value))
    return value.map((item, at) => ({ key: at, value: item, nodes: nodesUnder(nodes, at), named: false }));
  if (!isObject(value)) return [];
  const own = fittingNodes(nodes, value);
  return Object.entries(value).map(([key, child]) => ({
    key,
    value: child,
    nodes: nodesUnder(own, key),
    named: own.some(({ properties = {} }) => Object.hasOwn(properties, key)),
  }));
}

/**
 * Returns a list or an object with each part replaced, without keys whose replacement is undefined; a scalar
 * unchanged.
 */
export function mapParts(
  value: unknown,
  nodes: readonly SchemaNode[],
  replace: (part: Part) => unknown,
): unknown {
  if (Array.isArray(value)) return partsOf(value, nodes).map(replace);
  if (!isObject(value)) return value;
  const replaced = partsOf(value, nodes).map((part) => [part.key, replace(part)] as const);
  return Object.fromEntries(replaced.filter(([, child]) => child !== undefined));
}

/** True for an object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the nodes without the union members whose discriminator differs from the value; all if none would
 * remain.
 */
function fittingNodes(
  nodes: readonly SchemaNode[],
  value: Readonly<Record<string, unknown>>,
): readonly SchemaNode[] {
  const fits = ({ properties = {} }: SchemaNode) =>
    Object.entries(properties).every(
      ([key, { const: word }]) => word === undefined || (value[key] ?? word) === word,
    );
  return nodes.some((node) => node.properties && fits(node)) ? nodes.filter(fits) : nodes;
}
