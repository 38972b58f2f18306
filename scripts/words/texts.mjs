// The texts of the repository that people read: comments, names, test titles, messages and sentences of the
// documentation.

import { existsSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";
import { git } from "../git.mjs";

/** Folders of code, and the pages that are generated from other texts. */
const code = /^(?:src|test|scripts|bench|wasm)\/.*\.(?:ts|tsx|mjs)$|^\w+\.config\.\w+$/;
const pages = /^(?:README|CONTRIBUTING)\.md$|^(?:docs|src|test|bench|deploy|wasm)\/.*\.md$/;

/** Comments that programs read. */
const directive = /^\s*(?:biome-ignore|@ts-|@vitest|@type\b|@param\b|@import\b|\/ *<|#|@__PURE__)/;

/**
 * Returns all texts of the files that git tracks, and of new ones that it does not ignore: `kind` (comment,
 * name, value, title, message, sentence), `file`, `line` and `text`. A value is the name of a variable or a
 * member.
 */
export function allTexts(root) {
  const files = git(root, "ls-files", "--cached", "--others", "--exclude-standard").split("\n");
  return files.flatMap((file) => {
    if (!code.test(file) && !pages.test(file)) return [];
    if (!existsSync(`${root}/${file}`)) return [];
    const text = readFileSync(`${root}/${file}`, "utf8");
    return code.test(file) ? textsOfCode(file, text) : sentencesOf(file, text);
  });
}

/**
 * Returns the comments and names of a file and of its values, the titles if it is a test, and the messages if
 * it is part of the server.
 */
export function textsOfCode(file, text) {
  const { program, comments } = parseSync(file, text, { sourceType: "module" });
  const found = [];
  const add = (kind, start, value) =>
    found.push({ kind, file, line: text.slice(0, start).split("\n").length, text: value });
  for (const { start, value } of joinLines(comments, text))
    if (!directive.test(value)) add("comment", start, value);
  const name = (id) => id?.type === "Identifier" && id.name.length > 1 && add("name", id.start, id.name);
  const value = (id) => id?.type === "Identifier" && add("value", id.start, id.name);
  const isTest = file.endsWith(".test.ts");
  const visitor = new Visitor({
    ClassDeclaration: ({ id }) => name(id),
    TSInterfaceDeclaration: ({ id }) => name(id),
    TSTypeAliasDeclaration: ({ id }) => name(id),
    MethodDefinition: ({ key, kind }) => (kind === "get" ? value(key) : name(key)),
    VariableDeclarator: ({ id, init }) => (/Function/.test(init?.type ?? "") ? name(id) : value(id)),
    TSPropertySignature: ({ key }) => value(key),
    Property: ({ key, value: bound, shorthand }) => !shorthand && bound.type !== "Identifier" && value(key),
    FunctionDeclaration: ({ id, params }) => [name(id), ...params.map(value)],
    ArrowFunctionExpression: ({ params }) => params.map(value),
    FunctionExpression: ({ params }) => params.map(value),
    CallExpression({ callee, arguments: [first] }) {
      if (isTest && isTitled(callee) && textOf(first)) add("title", first.start, textOf(first));
    },
    Literal: (node) =>
      file.startsWith("src/") && isMessage(node.value) && add("message", node.start, node.value),
    TemplateLiteral: (node) =>
      file.startsWith("src/") && isMessage(textOf(node)) && add("message", node.start, textOf(node)),
  });
  visitor.visit(program);
  return found;
}

/** True if a callee is test, it or describe, with or without a modifier such as each. */
function isTitled(callee) {
  let at = callee;
  while (
    at.type === "CallExpression" ||
    at.type === "TaggedTemplateExpression" ||
    at.type === "MemberExpression"
  )
    at = at.callee ?? at.tag ?? at.object;
  return at.type === "Identifier" && /^(?:test|it|describe)$/.test(at.name);
}

/** Returns the text of a literal, with `…` for each value in a template; undefined for any other node. */
function textOf(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral") return undefined;
  return node.quasis.map(({ value }) => value.cooked).join("…");
}

/** True if a string is a sentence rather than code, a style or a list of names. */
const isMessage = (value) =>
  typeof value === "string" &&
  /^\W*[\p{L}…][^{}<>=]*$/u.test(value) &&
  (value.match(/ [a-z']+(?=[ .,:;]|$)/g)?.length ?? 0) >= 3;

/** Joins line comments that follow each other on lines of their own, and removes the marks of blocks. */
function joinLines(comments, text) {
  const joined = [];
  for (const { type, value, start, end } of comments) {
    const last = joined.at(-1);
    const isLine = type === "Line";
    const follows = last?.isLine && isLine && /^\n[ \t]*$/.test(text.slice(last.end, start));
    const clean = isLine
      ? value.replace(/^ /, "")
      : value
          .replace(/^\*/, "")
          .replace(/^[ \t]*\* ?/gm, "")
          .trim();
    if (follows) Object.assign(last, { value: `${last.value}\n${clean}`, end });
    else joined.push({ value: clean, start, end, isLine });
  }
  return joined;
}

/** Returns the sentences of a page, without code, headings and marks; cells of tables count as text. */
export function sentencesOf(file, text) {
  const found = [];
  let fenced = false;
  let paragraph = [];
  let begin = 1;
  const flush = () => {
    const joined = paragraph
      .join(" ")
      .replace(/\]\([^)]*\)/g, "]")
      .replace(/[[\]*]/g, "");
    for (const sentence of joined.split(/(?<=[.!?:]) +(?=[\p{Lu}`])/u))
      if ((sentence.match(/ /g)?.length ?? 0) >= 3)
        found.push({ kind: "sentence", file, line: begin, text: sentence });
    paragraph = [];
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("```")) fenced = !fenced;
    const isOwn = /^(?:```|#|\||\s*$|\s*[-*] |\s*\d+\. )/.test(line);
    if (isOwn || paragraph.length === 0) {
      flush();
      begin = index + 1;
    }
    if (fenced || /^(?:```|#|\s*$|\|[-| ]+$)/.test(line)) continue;
    if (line.startsWith("|"))
      for (const cell of line.split(/(?<!\\)\|/)) {
        paragraph.push(cell.trim());
        flush();
      }
    else paragraph.push(line.replace(/^\s*(?:[-*]|\d+\.) /, "").trim());
  }
  flush();
  return found;
}
