// Changes or adds one scalar in the text of a YAML file, so that everything else stays byte for byte.

import { isAlias, isCollection, isMap, isNode, isScalar, type Node, type Pair, type YAMLMap } from "yaml";
import { parseYamlText } from "../../base/index.ts";

/** Texts of a scalar in block style and in flow style. */
export interface ScalarTexts {
  readonly block: string;
  readonly flow: string;
}

/**
 * Returns the text with a scalar at a path: in place of the existing one, else as a new line at the end of
 * the block of its section, or before the brace that ends it. Returns undefined if the file has another form;
 * the caller checks the result.
 */
export function spliceScalar(text: string, keys: readonly string[], scalar: ScalarTexts): string | undefined {
  const root = parseYamlText(text, { schema: "failsafe" }).document.contents;
  if (root === null || (isScalar(root) && root.range?.[0] === root.range?.[1]))
    return /^(---|\.\.\.|%)/m.test(text)
      ? undefined
      : appendLines(text, text.length, newLines(keys, "", scalar.block));
  if (!isMap(root)) return undefined;
  const { map, rest, pair } = nearestMap(root, keys);
  if (pair && isScalar(pair.value) && pair.value.range && !isEmptyValue(pair))
    return rest.length === 1 ? replaceScalar(text, pair.value.range, map, scalar) : undefined;
  if (pair) return addBelow(text, pair, rest, scalar);
  return map.flow ? addBetweenBraces(text, map, rest, scalar) : addToBlock(text, map, rest, scalar);
}

/**
 * Returns the innermost existing map on the path of a key, the remaining keys, and the pair of the first of
 * them if it exists.
 */
function nearestMap(root: YAMLMap, keys: readonly string[]) {
  let map = root;
  let rest = keys;
  for (;;) {
    const pair = map.items.find((each) => isScalar(each.key) && each.key.value === rest[0]);
    if (!pair || !isMap(pair.value) || rest.length === 1) return { map, rest, pair };
    map = pair.value;
    rest = rest.slice(1);
  }
}

const isEmptyValue = ({ value }: Pair) => isScalar(value) && value.range?.[0] === value.range?.[1];

function replaceScalar(text: string, [start, end]: readonly number[], map: YAMLMap, scalar: ScalarTexts) {
  if (/^[|>]/.test(text.slice(start))) return undefined;
  return text.slice(0, start) + (map.flow ? scalar.flow : scalar.block) + text.slice(end);
}

/** Adds below a section without a value. */
function addBelow(text: string, pair: Pair, [, ...rest]: readonly string[], { block }: ScalarTexts) {
  const key = pair.key as Node;
  const indent = indentOf(text, key);
  if (indent === undefined || rest.length === 0 || !isEmptyValue(pair) || hasProperties(pair.value))
    return undefined;
  return appendLines(text, key.range?.[1] ?? text.length, newLines(rest, `${indent}  `, block));
}

function addToBlock(text: string, map: YAMLMap, keys: readonly string[], { block }: ScalarTexts) {
  const indent = indentOf(text, map.items[0]?.key);
  const end = endOf(map);
  if (indent === undefined || end === undefined) return undefined;
  return appendLines(text, end, newLines(keys, indent, block));
}

function addBetweenBraces(
  text: string,
  map: YAMLMap,
  [key, ...rest]: readonly string[],
  { flow }: ScalarTexts,
) {
  const value = rest.reduceRight((inner, name) => `{ ${name}: ${inner} }`, flow);
  const member = `${key}: ${value}`;
  if (map.items.length === 0) {
    const [start, end] = map.range ?? [];
    if (start === undefined || end === undefined || !/^\{\s*\}$/.test(text.slice(start, end)))
      return undefined;
    return `${text.slice(0, start)}{ ${member} }${text.slice(end)}`;
  }
  const end = endOf(map.items.at(-1) as Pair);
  return end === undefined ? undefined : `${text.slice(0, end)}, ${member}${text.slice(end)}`;
}

/** Returns lines of nested keys that end with a scalar. */
const newLines = (keys: readonly string[], indent: string, scalar: string): string[] =>
  keys.map(
    (key, depth) => `${indent}${"  ".repeat(depth)}${key}:${depth === keys.length - 1 ? ` ${scalar}` : ""}`,
  );

/** Adds lines after the line of an offset, with the line ends of the text. */
function appendLines(text: string, offset: number, lines: readonly string[]): string {
  const ending = text.includes("\r\n") ? "\r\n" : "\n";
  const isAtStart = offset === 0 || text[offset - 1] === "\n";
  const next = isAtStart ? offset - 1 : text.indexOf("\n", offset);
  const at = next < 0 && !isAtStart ? text.length : next + 1;
  const before = text.slice(0, at);
  const gap = before === "" || before.endsWith("\n") ? "" : ending;
  return before + gap + lines.map((line) => line + ending).join("") + text.slice(at);
}

/** Returns the spaces before a key that begins its line; undefined if anything else precedes it. */
function indentOf(text: string, key: unknown): string | undefined {
  const start = isNode(key) ? key.range?.[0] : undefined;
  if (start === undefined) return undefined;
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return /^ *$/.test(before) ? before : undefined;
}

/** Returns the end of a map or a pair, before comments that follow. */
function endOf(node: unknown): number | undefined {
  if (isCollection(node)) {
    if (node.flow) return node.range?.[1];
    return endOf(node.items.at(-1));
  }
  if (isNode(node)) return node.range?.[1];
  const { key, value } = node as Pair;
  return isNode(value) ? endOf(value) : endOf(key);
}

const hasProperties = (node: unknown) =>
  isAlias(node) || (isScalar(node) && (node.anchor ?? node.tag) !== undefined);
