// The schema as a tree that people's tools can read: keys, descriptions, defaults, overrides.

import { z } from "zod";
import { configSchema } from "./schema.ts";

/** A node of the JSON Schema (draft 2020-12) with our own notes on it. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly edit?: "live" | "restart";
  readonly env?: string;
  readonly secret?: boolean;
  /** What a text is: "duration" or "size". */
  readonly form?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

let schema: SchemaNode | undefined;

/** The published JSON Schema of the configuration file. */
export function jsonSchema(): SchemaNode {
  schema ??= z.toJSONSchema(configSchema, { io: "input", unrepresentable: "any" }) as SchemaNode;
  return schema;
}

export interface Leaf {
  /** Dotted; list items as `[]`. */
  readonly path: string;
  readonly node: SchemaNode;
  /** The words of the members of a union that have the key, such as backends, where others of them have not. */
  readonly of?: readonly string[];
}

/**
 * Every key that holds a value, in the order of the schema. Members of a union share their paths: the word that tells
 * them apart is one leaf that lists all words. A key that takes keys or a plain value is a leaf beside its own.
 */
export function leaves(node: SchemaNode = jsonSchema(), path = "", inherited?: unknown): Leaf[] {
  const given = (node.default ?? inherited) as Record<string, unknown> | undefined;
  if (node.properties)
    return Object.entries(node.properties).flatMap(([key, child]) =>
      leaves(child, path ? `${path}.${key}` : key, given?.[key]),
    );
  const objects = [...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter((child) => child.properties);
  if (objects.length > 0) {
    const byPath = new Map<string, { node: SchemaNode; of: string[]; meanings: Map<string, string[]> }>();
    for (const child of objects)
      for (const leaf of leaves(child, path, given)) {
        const first = byPath.get(leaf.path);
        const { of, meanings } = first ?? { of: [] as string[], meanings: new Map<string, string[]>() };
        const word = wordOf(child);
        of.push(word);
        const meaning = leaf.node.description ?? "";
        meanings.set(meaning, [...(meanings.get(meaning) ?? []), word]);
        byPath.set(leaf.path, { node: joined(first?.node, leaf.node), of, meanings });
      }
    const whole = objects.length < (node.anyOf ?? node.oneOf ?? []).length ? [{ path, node }] : [];
    const own = [...byPath].map(([path, { node, of, meanings }]) => ({
      path,
      node: withMeanings(node, meanings),
      ...(of.length < objects.length && { of }),
    }));
    return [...whole, ...own];
  }
  if (node.items && (node.items.properties || node.items.anyOf || node.items.oneOf))
    return leaves(node.items, `${path}[]`);
  return [{ path, node: node.default === undefined ? { ...node, default: inherited } : node }];
}

/** What tells a member of a union apart. */
function wordOf(member: SchemaNode): string {
  return String(Object.values(member.properties ?? {}).find((child) => child.const !== undefined)?.const);
}

/** One leaf for a key that two members of a union have; words that tell members apart are gathered. */
function joined(first: SchemaNode | undefined, next: SchemaNode): SchemaNode {
  if (!first) return next;
  if (next.const === undefined) return first;
  const told = (node: SchemaNode) =>
    node.enum ? node.description : `\`${node.const}\`: ${node.description}`;
  return {
    ...first,
    const: undefined,
    enum: [...(first.enum ?? [first.const]), next.const],
    description: `${told(first)} ${told(next)}`,
  };
}

/** A leaf with all that it means to members of a union, where that is not the same to all. */
function withMeanings(node: SchemaNode, meanings: ReadonlyMap<string, readonly string[]>): SchemaNode {
  if (meanings.size < 2 || node.enum) return node;
  const told = [...meanings].map(
    ([meaning, words]) => `${words.map((word) => `\`${word}\``).join(", ")}: ${meaning}`,
  );
  return { ...node, description: told.join(" ") };
}

/** The keys that environment variables override. */
export function overridable(): readonly {
  readonly path: string;
  readonly env: string;
}[] {
  return leaves().flatMap(({ path, node }) => (node.env ? [{ path, env: node.env }] : []));
}

/** The known keys of the object at a path of an issue. */
export function childKeys(path: readonly PropertyKey[]): string[] {
  return [...new Set(nodesAt(path).flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** The nodes at a path of an issue, with the alternatives of unions. */
export function nodesAt(path: readonly PropertyKey[]): readonly SchemaNode[] {
  let nodes = alternatives(jsonSchema());
  for (const key of path)
    nodes = nodes.flatMap((node) => {
      const child = childOf(node, key);
      return child ? alternatives(child) : [];
    });
  return nodes;
}

function childOf({ items, properties = {}, additionalProperties }: SchemaNode, key: PropertyKey) {
  if (typeof key === "number") return items;
  if (Object.hasOwn(properties, key)) return properties[String(key)];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** A node and all that its unions, however deep, hold. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(alternatives)];
}
