// Scalars as they were meant. YAML reads `8` as a number where the word "8" is meant, and tools that write older YAML
// turn `off` into false. Where the schema takes only one reading of what is written, that reading counts.

import { mapParts, type SchemaNode } from "../walk.ts";

/**
 * The value with its scalars brought to the types that `nodes` have at their place; what fits, or fits no type, stays as it is
 * and is judged by the schema. `texts`: the same value with every scalar as it is written.
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

/** Words that are true or false in YAML 1.1. */
const switchWords: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["no", false],
  ["off", false],
]);

/** The word that options with more than two values have for true and false. */
const wordOf = (on: boolean) => (on ? "on" : "off");

/** What else a scalar may mean, the likeliest first. */
function readingsOf(value: unknown, text: string): readonly unknown[] {
  if (typeof value === "boolean") return [text, wordOf(value)];
  if (typeof value === "number") return [text];
  if (typeof value !== "string") return [];
  const word = switchWords.get(value.toLowerCase());
  if (word !== undefined) return [word, wordOf(word)];
  return /^-?\d+(\.\d+)?$/.test(value) ? [Number(value)] : [];
}

/** Whether a node takes a scalar by its type and, where it lists them, its words; bounds and forms are not looked at. */
function takes(node: SchemaNode, value: unknown): boolean {
  const words = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (words) return words.includes(value);
  const types = typeof value === "number" ? ["number", "integer"] : [typeof value];
  return types.some((type) => node.type === type);
}
