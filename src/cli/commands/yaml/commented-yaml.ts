// Writes a configuration file with a comment at each setting.

import { Document, isMap, isScalar, type Pair, Scalar, visit, type YAMLMap } from "yaml";

/** A setting of the configuration, its place, and what the file says about it. */
export interface Setting {
  /** Keys from the top; a number is the index in a list. */
  readonly path: readonly (string | number)[];
  readonly value:
    | string
    | number
    | boolean
    | readonly (string | number)[]
    | Readonly<Record<string, unknown>>;
  /** Lines above the setting, without #. */
  readonly comment?: string;
}

/** Columns of a comment. */
const width = 108;

/** Breaks a text into lines that fit; its own line breaks stay. Further lines are indented like the first. */
function wrapText(text: string): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const indent = /^ */.exec(paragraph)?.[0] ?? "";
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.trim().split(" ")) {
      if (line !== "" && line.length + word.length >= width) {
        lines.push(line);
        line = "";
      }
      line =
        line === "" ? indent + (lines.length > 0 && indent !== "" ? "  " : "") + word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

const asComment = (text: string) =>
  wrapText(text)
    .map((line) => (line === "" ? "" : ` ${line}`))
    .join("\n");

/** Sections in the order of the reference. */
const order = [
  "addr",
  "base_url",
  "trusted_proxies",
  "log",
  "http",
  "image",
  "overlay",
  "sources",
  "cache",
  "hook",
  "auth",
  "crawlers",
];

/** Sorts settings by their sections. */
export const bySection = (settings: readonly Setting[]): Setting[] =>
  settings.toSorted((a, b) => order.indexOf(String(a.path[0])) - order.indexOf(String(b.path[0])));

/**
 * Returns YAML with the settings in their order; the members of a section stay together, where its first one
 * is. `head` and `foot` are comments for the whole file.
 */
export function commentedYaml(settings: readonly Setting[], { head = "", foot = "" } = {}): string {
  const document = new Document({});
  for (const { path, value } of settings) document.setIn(path, document.createNode(value));
  for (const { path, comment } of settings) {
    const key = comment === undefined ? undefined : keyAt(document, path);
    if (key) key.commentBefore = asComment(comment as string);
  }
  visit(document, {
    // Short lists and tables on one line, which reads better than a block.
    Seq: (_, node) => {
      if (node.items.every(isScalar)) node.flow = true;
    },
  });
  for (const pair of (document.contents as unknown as YAMLMap).items as Pair[])
    keyNode(pair).spaceBefore = true;
  const body = settings.length === 0 ? "" : document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const block = (text: string) =>
    text === ""
      ? ""
      : `${wrapText(text)
          .map((line) => `# ${line}`.trimEnd())
          .join("\n")}\n`;
  return [block(head), body.replace(/^\n/, ""), block(foot)].filter((part) => part !== "").join("\n");
}

/** Returns the key of a setting in its map, as a node that may have a comment. */
function keyAt(document: Document, path: readonly (string | number)[]): Scalar | undefined {
  const last = path.at(-1);
  const owner = path.length > 1 ? document.getIn(path.slice(0, -1)) : document.contents;
  const pair = isMap(owner) ? owner.items.find((each) => nameOf(each) === last) : undefined;
  return pair && keyNode(pair);
}

const nameOf = ({ key }: Pair) => (isScalar(key) ? key.value : key);

/** Returns the key of a pair as a node. */
function keyNode(pair: Pair): Scalar {
  const node = isScalar(pair.key) ? pair.key : new Scalar(pair.key);
  pair.key = node;
  return node;
}
