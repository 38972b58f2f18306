// The one way to parse YAML 1.2. The package `yaml` composes recursively and compares the keys of a map
// pairwise; here its tokens are counted before it composes, and keys are compared by a set.

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
} from "yaml";

/** What a text may have at most. */
export interface YamlBounds {
  /** Levels of lists and keys. */
  readonly levels: number;
  /** Signs, scalars, line breaks and comments, as the lexer counts them: about seven for each entry. */
  readonly tokens: number;
}

/**
 * Bounds by the place where a text is parsed: in a worker, or on the thread that serves requests, where the
 * worst text takes half a second.
 */
export const yamlBounds = {
  inPlace: { levels: 64, tokens: 100_000 },
  inWorker: { levels: 64, tokens: 1_000_000 },
} as const satisfies Readonly<Record<string, YamlBounds>>;

/** Characters of a text that is parsed in place although there are workers. */
export const maxCharsInPlace = 64 * 1024;

/** Most anchors, and most aliases: the package looks for each alias among all of them. */
const maxAnchors = 1000;

/** How often aliases of one anchor may be resolved before they count as an attack. */
export const maxAliases = 100;

/** Most problems of one text: nobody corrects more in one go. */
const maxProblems = 20;

/** A problem with its position, from 1. */
export interface YamlProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export interface ParsedYaml {
  /** Without problems, its keys are scalars or aliases, each map has a key once, and aliases have anchors. */
  readonly document: Document;
  readonly lines: LineCounter;
  /** In the order of the text; the document is to be used only if there are none. */
  readonly problems: readonly YamlProblem[];
}

export interface YamlOptions {
  /** `failsafe`: every scalar is text, as written. */
  readonly schema?: "core" | "failsafe";
  readonly bounds?: YamlBounds;
  /** True if the caller finds repeated keys itself. */
  readonly repeatedKeys?: boolean;
}

/**
 * Parses a text of one document, in time that is linear in its length. Malformed text, text beyond the
 * bounds, repeated keys, and keys that are lists or maps become problems; nothing is thrown.
 */
export function parseYamlText(text: string, options: YamlOptions = {}): ParsedYaml {
  const { schema = "core", bounds = yamlBounds.inPlace, repeatedKeys = false } = options;
  const lines = new LineCounter();
  const found: Found[] = [];
  const report: Report = (offset, message) => {
    found.push({ offset, message });
    if (found.length >= maxProblems) throw new Stopped();
  };
  let document: Document | undefined;
  try {
    const tokens = readTokens(text, lines, bounds, report);
    document = compose(tokens, text.length, schema, report);
    if (found.length === 0) checkNodes(document.contents, repeatedKeys, report);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  const problems = found
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset);
      return { message, line: Math.max(1, line), column: Math.max(1, col) };
    });
  return { document: document ?? compose([], 0, schema, report), lines, problems };
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

type Report = (offset: number, message: string) => void;

/** Ends the parsing of a text with enough problems. */
class Stopped extends Error {}

/** Returns the tokens of the one document of a text. The parser never recurses. */
function readTokens(text: string, lines: LineCounter, bounds: YamlBounds, report: Report): CST.Token[] {
  const tokens: CST.Token[] = [];
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const stop = (message: string): never => {
    report(parser.offset, message);
    throw new Stopped();
  };
  let documents = 0;
  const take = (token: CST.Token) => {
    if (token.type === "error") return report(token.offset, token.message);
    if (token.type === "document" && ++documents > 1) {
      report(token.offset, "expected one document; received several, which --- or ... separates");
      throw new Stopped();
    }
    tokens.push(token);
  };
  const left = { tokens: bounds.tokens, "&": maxAnchors, "*": maxAnchors };
  let isContent = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (--left.tokens < 0)
      stop(
        `expected YAML of at most ${bounds.tokens} words and signs; received more; shorten it, or write it as JSON`,
      );
    const first = lexeme[0];
    if (!isContent && (first === "&" || first === "*") && --left[first] < 0)
      stop(`expected at most ${maxAnchors} anchors and as many aliases; received more; write the values out`);
    isContent = lexeme === scalarFollows;
    for (const token of parser.next(lexeme)) take(token);
    // The stack holds the document, its collections, and at most one scalar.
    if (parser.stack.length > bounds.levels + 2)
      stop(`expected at most ${bounds.levels} levels of lists and keys; received more`);
  }
  for (const token of parser.end()) take(token);
  return tokens;
}

/** The lexer puts this before the content of a scalar. */
const scalarFollows = "\u001f";

function compose(tokens: CST.Token[], end: number, schema: "core" | "failsafe", report: Report): Document {
  const composer = new Composer({ schema, uniqueKeys: false });
  // Replaces the method that makes an Error with a stack for each problem.
  Object.assign(composer, {
    onError(source: ErrorSource, _code: string, message: string, isWarning?: boolean) {
      if (!isWarning) report(offsetOf(source), message);
    },
  });
  const [document] = composer.compose(tokens, true, end);
  for (const { pos, message } of document?.errors ?? []) report(pos[0], message);
  return document as Document;
}

/** How the composer names the position of a problem. */
type ErrorSource = number | readonly [number, number] | { readonly offset: number };

const offsetOf = (source: ErrorSource): number =>
  typeof source === "number" ? source : "offset" in source ? source.offset : source[0];

/** Reports repeated keys, keys that are lists or maps, and aliases without an anchor before them. */
function checkNodes(top: unknown, repeatedKeys: boolean, report: Report): void {
  const anchors = new Set<string>();
  const checkKey = (key: unknown, seen: Set<unknown>) => {
    if (isCollection(key)) report(startOf(key), "expected text as a key; received a list or a map");
    else if (isScalar(key)) {
      if (!repeatedKeys && seen.has(key.value)) report(startOf(key), "Map keys must be unique");
      seen.add(key.value);
    }
    check(key);
  };
  const check = (node: unknown): void => {
    if (isAlias(node)) {
      if (!anchors.has(node.source))
        report(startOf(node), `expected the anchor &${node.source} before the alias *${node.source}`);
      return;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.add(node.anchor);
    if (isSeq(node)) for (const item of node.items) check(item);
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      checkKey(key, seen);
      check(value);
    }
  };
  check(top);
}

const startOf = (node: unknown): number => (node as Node).range?.[0] ?? 0;
