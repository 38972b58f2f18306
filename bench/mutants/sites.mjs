// The places of a TypeScript file at which a small change should make a test fail, and the file with some of
// them in it, each switched on by its number.

import { parseAst } from "rolldown/parseAst";

const operators = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "<<": ">>",
  ">>": "<<",
  "&": "|",
  "|": "&",
  "&&": "||",
  "||": "&&",
};
/** Expressions with a type after them; other nodes of TypeScript are types alone. */
const typed = /^TS(As|Satisfies|NonNull|Instantiation)Expression$/;
/** Their strings are names and addresses of modules. */
const skipped = /^(Import|ExportAll|ExportSpecifier|JSXAttribute|TemplateElement)/;

/** Kind of a node: what it may become, as a function of its text and the texts of its parts. */
const mutations = {
  BinaryExpression: binary,
  LogicalExpression: binary,
  Literal: ({ value, raw }) => {
    if (typeof value === "boolean") return ["boolean", `${!value}`];
    if (typeof value === "number") return ["number", `${value + 1}`];
    return typeof value === "string" && value !== "" && /^["']/.test(raw) ? ["string", '""'] : undefined;
  },
  ChainExpression: (node, text) => [
    "optional chain",
    text(node)
      .replace(/\?\.(?=[[(])/g, "")
      .replaceAll("?.", "."),
  ],
};

function binary({ operator, left, right }, text) {
  const other = operators[operator];
  return other && [`${operator} to ${other}`, `(${text(left)}) ${other} (${text(right)})`];
}

/**
 * Returns the sites of a file in their order: `kind`, `start` and `end` of what changes, `line`, and the text
 * `to` that replaces it; a statement that is removed has none.
 */
export function sitesOf(file, code) {
  const program = parseAst(code, { lang: file.endsWith("x") ? "tsx" : "ts" });
  const text = ({ start, end }) => code.slice(start, end);
  const sites = [];
  const add = ({ start, end }, kind, to) =>
    sites.push({ file, kind, start, end, line: code.slice(0, start).split("\n").length, to });
  const visit = (node, parent) => {
    if (skipped.test(node.type) || (node.type.startsWith("TS") && !typed.test(node.type))) return;
    const isDeleted = parent?.type === "UnaryExpression" && parent.operator === "delete";
    const found = isDeleted ? undefined : mutations[node.type]?.(node, text);
    if (found) add(node, ...found);
    if (["IfStatement", "ConditionalExpression", "WhileStatement"].includes(node.type))
      add(node.test, "negated condition", `!(${text(node.test)})`);
    if (node.type === "ReturnStatement" && node.argument) add(node.argument, "no return value", "undefined");
    if (node.type === "ExpressionStatement" && isRemovable(node)) add(node, "no statement");
    for (const child of childrenOf(node)) visit(child, node);
  };
  visit(program);
  return sites.sort((a, b) => a.start - b.start || a.end - b.end);
}

function isRemovable({ directive, expression }) {
  return !directive && !(expression.type === "CallExpression" && expression.callee.type === "Super");
}

/** The nodes below a node that are no types; names of members are no values. */
function childrenOf(node) {
  if (typed.test(node.type)) return [node.expression];
  return Object.entries(node)
    .filter(([name]) => !((name === "key" && !node.computed) || name === "directive" || name === "source"))
    .flatMap(([, value]) => value)
    .filter((value) => value && typeof value === "object" && typeof value.type === "string");
}

/** Returns the code with sites, which do not overlap, in it: `__mutant(id)` of the process switches each. */
export function instrument(code, sites) {
  let result = code;
  for (const { id, start, end, to } of [...sites].sort((a, b) => b.start - a.start)) {
    const on = `globalThis.__mutant?.(${id})`;
    const original = code.slice(start, end);
    const both = to === undefined ? `if (!${on}) ${original}` : `(${on} ? (${to}) : (${original}))`;
    result = result.slice(0, start) + both + result.slice(end);
  }
  return result;
}
