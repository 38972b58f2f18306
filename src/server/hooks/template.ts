// Key templates, such as `{{ .Segments | first | lower }}.tif`: text with values of the identifier, each
// through filters.

/** A parsed template. */
export interface Template {
  /** Returns the text for a decoded identifier; undefined if it lacks parts that the template uses. */
  fill(identifier: string): string | undefined;
}

type Value = string | readonly string[];
type Argument = string | number;

interface Filter {
  readonly takes: "text" | "list";
  readonly returns: "text" | "list";
  readonly arguments: readonly ("text" | "number")[];
  /** Number of arguments, counted from the last, that may be omitted. */
  readonly optional?: number;
  /** Returns undefined if there is no such part. */
  readonly run: (value: never, ...args: never[]) => Value | undefined;
}

const characters = (text: string) => [...text];
const fileOf = (text: string) => text.slice(text.lastIndexOf("/") + 1);
/**
 * Returns the index of the extension in a path, or the path's length without one. A leading dot is part of
 * the name.
 */
const extensionAt = (path: string) => {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 ? dot : path.length;
};

/** All filters: their arguments and results. Indexes count from 0, negative ones from the end. */
export const filters = {
  lower: text(0, (value: string) => value.toLowerCase()),
  upper: text(0, (value: string) => value.toUpperCase()),
  trim_prefix: text(1, (value: string, prefix: string) =>
    value.startsWith(prefix) ? value.slice(prefix.length) : value,
  ),
  trim_suffix: text(1, (value: string, suffix: string) =>
    suffix !== "" && value.endsWith(suffix) ? value.slice(0, -suffix.length) : value,
  ),
  replace: text(2, (value: string, from: string, to: string) => value.replaceAll(from, () => to)),
  base: text(0, fileOf),
  dir: text(0, (value: string) => value.slice(0, Math.max(0, value.lastIndexOf("/")))),
  stem: text(0, (value: string) => fileOf(value.slice(0, extensionAt(value)))),
  ext: text(0, (value: string) => value.slice(extensionAt(value))),
  pad: {
    takes: "text",
    returns: "text",
    arguments: ["number", "text"],
    run: (value: string, length: number, fill: string) =>
      fill === "" ? value : value.padStart(Math.min(length, maxLength), fill),
  },
  chars: {
    takes: "text",
    returns: "text",
    arguments: ["number", "number"],
    optional: 1,
    run: (value: string, from: number, to?: number) => characters(value).slice(from, to).join(""),
  },
  split: {
    takes: "text",
    returns: "list",
    arguments: ["text"],
    run: (value: string, by: string) => value.split(by),
  },
  join: {
    takes: "list",
    returns: "text",
    arguments: ["text"],
    run: (value: readonly string[], by: string) => value.join(by),
  },
  slice: {
    takes: "list",
    returns: "list",
    arguments: ["number", "number"],
    optional: 1,
    run: (value: readonly string[], from: number, to?: number) => value.slice(from, to),
  },
  at: {
    takes: "list",
    returns: "text",
    arguments: ["number"],
    run: (value: readonly string[], index: number) => value.at(index),
  },
  first: { takes: "list", returns: "text", arguments: [], run: (value: readonly string[]) => value.at(0) },
  last: { takes: "list", returns: "text", arguments: [], run: (value: readonly string[]) => value.at(-1) },
} as const satisfies Record<string, Filter>;

/** Creates a filter from text to text with that many text arguments. */
function text<R extends Filter["run"]>(count: number, run: R) {
  return { takes: "text", returns: "text", arguments: Array<"text">(count).fill("text"), run } as const;
}

const values = {
  ".Identifier": { returns: "text", of: (identifier: string): Value => identifier },
  ".Segments": { returns: "list", of: (identifier: string): Value => identifier.split("/") },
} as const;

/** Maximum characters of a template, and of its result. */
const maxLength = 8192;

/** A fault in a template, with its position. */
export class TemplateError extends Error {
  constructor(message: string, index: number) {
    super(`${message} (at character ${index + 1})`);
    this.name = "TemplateError";
  }
}

type TemplatePiece = (identifier: string) => string | undefined;

/**
 * Parses a template: text, and in `{{ }}` a value (`.Identifier`, `.Segments`) and filters after `|`. Throws
 * TemplateError with the position for an unknown value or filter, wrong arguments, and a list where text is
 * needed.
 */
export function parseTemplate(template: string): Template {
  if (template.length > maxLength)
    throw new TemplateError(`expected at most ${maxLength} characters`, maxLength);
  const pieces: TemplatePiece[] = [];
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf("{{", at);
    const literal = template.slice(at, open < 0 ? undefined : open);
    const stray = literal.indexOf("}}");
    if (stray >= 0) throw new TemplateError("found }} without {{ before it", at + stray);
    if (literal !== "") pieces.push(() => literal);
    if (open < 0) break;
    const words = wordsOf(template, open + 2);
    pieces.push(expression(words));
    at = words.end;
  }
  return {
    fill(identifier) {
      let filled = "";
      for (const piece of pieces) {
        const part = piece(identifier);
        if (part === undefined) return undefined;
        filled += part;
      }
      return filled.length > maxLength ? undefined : filled;
    },
  };
}

interface Word {
  readonly kind: "name" | "text" | "number" | "pipe";
  readonly value: Argument;
  readonly index: number;
}

interface Words {
  readonly list: readonly Word[];
  /** Start of the expression, and of the text after its `}}`. */
  readonly start: number;
  readonly end: number;
}

/** Returns the words from `start` to the `}}`. */
function wordsOf(template: string, start: number): Words {
  const list: Word[] = [];
  const form = /\s*(?:(}})|(\|)|(-?\d+)(?![\w.])|(\.?[A-Za-z_]\w*)|"((?:[^"\\]|\\.)*)")/sy;
  for (let at = start; ; at = form.lastIndex) {
    form.lastIndex = at;
    const found = form.exec(template);
    if (!found) {
      const index = at + (/^\s*/.exec(template.slice(at))?.[0].length ?? 0);
      throw index >= template.length
        ? new TemplateError("expected }} at the end of what {{ begins", start - 2)
        : new TemplateError(
            `expected a value such as .Identifier, |, a filter, a number, text in double quotes or }}, received ${template.slice(index, index + 1)}`,
            index,
          );
    }
    const [whole, end, pipe, digits, name, quoted] = found;
    const index = at + whole.length - whole.trimStart().length;
    if (end !== undefined) return { list, start, end: form.lastIndex };
    if (pipe !== undefined) list.push({ kind: "pipe", value: pipe, index: index });
    else if (digits !== undefined) list.push({ kind: "number", value: Number(digits), index: index });
    else if (name !== undefined) list.push({ kind: "name", value: name, index: index });
    else list.push({ kind: "text", value: (quoted ?? "").replace(/\\(.)/gs, "$1"), index: index });
  }
}

/** Compiles a value and its filters to one function. */
function expression({ list, start, end }: Words): TemplatePiece {
  const [head, ...rest] = list;
  const value =
    head?.kind === "name" && Object.hasOwn(values, head.value) && values[head.value as keyof typeof values];
  if (!head || !value)
    throw new TemplateError(
      `expected ${Object.keys(values).join(" or ")}, received ${head?.value ?? "nothing"}`,
      head?.index ?? start,
    );
  const steps: ((value: Value) => Value | undefined)[] = [];
  let has: Filter["returns"] = value.returns;
  for (const part of partsOf(rest)) {
    const { filter, args } = filterOf(part, end);
    if (filter.takes !== has)
      throw new TemplateError(
        `expected ${filter.takes} before ${part.name?.value}, received ${has}; ${bridges[filter.takes]}`,
        part.index,
      );
    const run = filter.run as (value: Value, ...args: Argument[]) => Value | undefined;
    steps.push((from) => run(from, ...args));
    has = filter.returns;
  }
  if (has === "list") throw new TemplateError(`expected text, received a list; ${bridges.text}`, start);
  return (identifier) => {
    let at: Value | undefined = value.of(identifier);
    for (const step of steps) {
      at = step(at);
      if (at === undefined) return undefined;
    }
    return at as string;
  };
}

const bridges = {
  text: 'use join, at, first or last, such as | join "/"',
  list: 'use split, such as | split "-"',
} as const;

interface FilterCall {
  readonly name: Word | undefined;
  readonly args: readonly Word[];
  readonly index: number;
}

/** Returns the words of each filter, separated by pipes. */
function partsOf(words: readonly Word[]): FilterCall[] {
  const parts: { name: Word | undefined; args: Word[]; index: number }[] = [];
  for (const word of words) {
    const part = parts.at(-1);
    if (word.kind === "pipe") parts.push({ name: undefined, args: [], index: word.index });
    else if (!part) throw new TemplateError(`expected | or }}, received ${word.value}`, word.index);
    else if (!part.name) Object.assign(part, { name: word, index: word.index });
    else part.args.push(word);
  }
  return parts;
}

function filterOf({ name, args, index }: FilterCall, end: number): { filter: Filter; args: Argument[] } {
  if (!name) throw new TemplateError("expected a filter after |, received nothing", index);
  const filter: Filter | undefined =
    name.kind === "name" && Object.hasOwn(filters, name.value)
      ? filters[name.value as keyof typeof filters]
      : undefined;
  if (!filter)
    throw new TemplateError(
      `unknown filter ${name.value}; there are ${Object.keys(filters).join(", ")}`,
      index,
    );
  const { arguments: wanted, optional = 0 } = filter;
  const surplus = args[wanted.length];
  if (surplus)
    throw new TemplateError(`${name.value} takes ${wanted.length} arguments, not more`, surplus.index);
  wanted.forEach((kind, nth) => {
    const given = args[nth];
    if (given ? given.kind !== kind : nth < wanted.length - optional)
      throw new TemplateError(
        `${name.value} expects ${kind === "text" ? "text in double quotes" : "a whole number"} as argument ${nth + 1}`,
        given?.index ?? Math.max(index, end - 2),
      );
  });
  return { filter, args: args.map(({ value }) => value) };
}
