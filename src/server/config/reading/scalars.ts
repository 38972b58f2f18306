// Interprets scalars as intended. YAML reads `8` as a number where the word "8" is meant, and tools that
// write older YAML turn `off` into false. If the schema accepts only one interpretation, that one is used.

import { mapParts, type SchemaNode } from "../walk.ts";

/**
 * Returns the value with its scalars converted to the types that `nodes` expect; a scalar that fits already,
 * or fits no type, stays for the schema to judge. `texts`: the same value with every scalar as written.
 */
export function asMeant(value: unknown, texts: unknown, nodes: readonly SchemaNode[]): unknown {
  if (typeof value === "object") {
    const written = (texts ?? {}) as Readonly<Record<PropertyKey, unknown>>;
    return mapParts(value, nodes, (part) => asMeant(part.value, written[part.key], part.nodes));
  }
  if (nodes.some((node) => takes(node, value))) return value;
  const readings = readingsOf(value, typeof texts === "string" ? texts : String(value));
  return readings.find((reading) => nodes.some((node) => takes(node, reading))) ?? value;
}

/** Words for true and false in YAML 1.1. */
const switchWords: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["no", false],
  ["off", false],
]);

/** Returns the word for true or false in options with more than two values. */
const wordOf = (on: boolean) => (on ? "on" : "off");

/** Other interpretations of a scalar, the likeliest first. */
function readingsOf(value: unknown, text: string): readonly unknown[] {
  if (typeof value === "boolean") return [text, wordOf(value)];
  if (typeof value === "number") return [text];
  if (typeof value !== "string") return [];
  const word = switchWords.get(value.toLowerCase());
  if (word !== undefined) return [word, wordOf(word)];
  return /^-?\d+(\.\d+)?$/.test(value) ? [Number(value)] : [];
}

/**
 * True if a node accepts a scalar by its type and, if it lists them, its words; bounds and formats are not
 * checked.
 */
function takes(node: SchemaNode, value: unknown): boolean {
  const words = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (words) return words.includes(value);
  const types = typeof value === "number" ? ["number", "integer"] : [typeof value];
  return types.some((type) => node.type === type);
}
