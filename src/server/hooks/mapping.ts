// A mapping file: the meaning of each identifier, as YAML, JSON or CSV.

import { createPauses, parseJson } from "../../base/index.ts";
import { parseCsv } from "./csv.ts";
import type { HookFunction } from "./hook.ts";
import type { MappingEntries, MappingEntry } from "./mapping-yaml.ts";

/** Entry of a file for an identifier: a result for each function that it mentions. */
export interface MappingRow {
  /** As written. */
  readonly identifier: string;
  readonly results: { readonly [F in HookFunction]?: unknown };
  /** Line in the file, from 1; undefined in JSON. */
  readonly line?: number | undefined;
}

export interface Mapping {
  /** By the form of their identifiers. */
  readonly rows: ReadonlyMap<string, MappingRow>;
  /** Rows whose identifiers no request can have. */
  readonly impossible: readonly MappingRow[];
  /** Functions that any row has a result for. */
  readonly functions: ReadonlySet<HookFunction>;
}

/** The function that each column belongs to. */
const columns = {
  key: "resolve",
  source: "resolve",
  allow: "authorize",
  status: "authorize",
  reason: "authorize",
  redirect: "authorize",
  substitute: "authorize",
  profile: "authorize",
  overlay: "overlay",
} as const satisfies Record<string, HookFunction>;

type Column = keyof typeof columns;

/** Reads YAML, which takes long. */
export type ReadYamlEntries = (text: string) => Promise<MappingEntries>;

type Reader = (
  text: string,
  readYaml: ReadYamlEntries,
) => Iterable<MappingEntry> | Promise<Iterable<MappingEntry>>;

/** Readers by file extension. */
const readers: Readonly<Record<string, Reader>> = {
  yaml: yamlEntries,
  yml: yamlEntries,
  json: jsonEntries,
  csv: csvEntries,
};

/** File extensions that {@link readMapping} supports. */
export const mappingFormats = Object.keys(readers);

/** Position of an entry, as the beginning of a message. */
const lineText = (line: number | undefined) => (line === undefined ? "" : `line ${line}: `);

/**
 * Reads a mapping by the extension of its file. Throws an Error that names the line, or the identifier in
 * JSON, for invalid syntax, unknown columns, repeated identifiers, and decisions on access for an identifier
 * that no request can have. `formOf`: the form in which identifiers are compared, see `RowNaming`.
 */
export async function readMapping(
  name: string,
  bytes: Uint8Array,
  readYaml: ReadYamlEntries,
  formOf: (identifier: string) => string = (identifier) => identifier,
): Promise<Mapping> {
  const reader = readers[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ""];
  if (!reader) throw new Error(`expected a file that ends in .${mappingFormats.join(", .")}`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("expected text in UTF-8");
  }
  const rows = new Map<string, MappingRow>();
  const impossible: MappingRow[] = [];
  const functions = new Set<HookFunction>();
  const pause = createPauses();
  for (const { identifier, value, line } of await reader(text, readYaml)) {
    const due = pause();
    if (due) await due;
    const form = formIn(identifier, formOf);
    const before = form === undefined ? undefined : rows.get(form);
    if (before)
      throw new Error(
        `${lineText(line)}the identifier ${quote(identifier)} is already there${before.line ? `, in line ${before.line}` : ""}; remove one of them`,
      );
    const results = resultsOf(value, `${lineText(line)}${line ? "" : `${quote(identifier)}: `}`);
    for (const name of Object.keys(results)) functions.add(name as HookFunction);
    const row = { identifier, results, line };
    if (form !== undefined) rows.set(form, row);
    // A row that should protect an image must not do nothing.
    else if (results.authorize === undefined) impossible.push(row);
    else throw new Error(`${lineText(line)}${impossibleText(identifier)}`);
  }
  // A file that is being written may be empty for a moment.
  if (rows.size + impossible.length === 0)
    throw new Error("expected at least one identifier with its key, received none");
  return { rows, functions, impossible };
}

function formIn(identifier: string, formOf: (identifier: string) => string): string | undefined {
  try {
    return formOf(identifier);
  } catch {
    return undefined;
  }
}

/** Says that a row has no effect, and what to write. */
export function impossibleText(identifier: string): string {
  const meant = identifier
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .join("/");
  const instead = meant === "" || meant === identifier ? "correct or remove the row" : `write ${meant}`;
  return `no identifier can be ${quote(identifier)}, because identifiers have no empty, . or .. parts and no backslash; ${instead}`;
}

async function yamlEntries(text: string, readYaml: ReadYamlEntries): Promise<Iterable<MappingEntry>> {
  const read = await readYaml(text);
  if (read.fault !== undefined) throw new Error(read.fault);
  return read.entries;
}

const quote = (text: string) => JSON.stringify(text.slice(0, 200));

function resultsOf(value: unknown, where: string): MappingRow["results"] {
  if (typeof value === "string") return { resolve: { key: value } };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(
      `${where}expected a key as text, or columns by name; received ${JSON.stringify(value).slice(0, 200)}`,
    );
  const results: { [F in HookFunction]?: Record<string, unknown> | unknown } = {};
  for (const [column, cell] of Object.entries(value)) {
    if (!Object.hasOwn(columns, column))
      throw new Error(
        `${where}unknown column ${quote(column)}; there are ${Object.keys(columns).join(", ")}`,
      );
    if (cell === null || cell === undefined) continue;
    const name = columns[column as Column];
    if (name === "overlay") results.overlay = cell;
    else results[name] = { ...(results[name] as object | undefined), [column]: cell };
  }
  const { resolve, authorize } = results as Record<string, Record<string, unknown> | undefined>;
  if (resolve && resolve.key === undefined) throw new Error(`${where}expected a key with the source`);
  // A status or a substitute implies a denial.
  if (authorize && authorize.allow === undefined) authorize.allow = false;
  return results;
}

function* jsonEntries(text: string): Iterable<MappingEntry> {
  let parsed: unknown;
  try {
    parsed = parseJson(text.replace(/^\u{feff}/u, ""));
  } catch (error) {
    throw new Error(`not valid JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error('expected an object with identifiers as names, such as { "ms-1": "scans/0001.tif" }');
  for (const [identifier, value] of Object.entries(parsed)) yield { identifier, value };
}

/** Types of columns; default: text. Empty cells count as missing. */
const cellForms: { readonly [C in Column]?: (cell: string) => unknown } = {
  allow: (cell) => ({ true: true, yes: true, false: false, no: false })[cell.toLowerCase()] ?? cell,
  status: (cell) => (/^\d+$/.test(cell) ? Number(cell) : cell),
  substitute: (cell) => (cell.toLowerCase() === "true" ? true : cell),
};

function* csvEntries(text: string): Iterable<MappingEntry> {
  const [head, ...rows] = parseCsv(text);
  if (!head) return;
  const names = head.fields.map((name) => name.trim());
  if (names[0] !== "identifier")
    throw new Error(`line 1: expected the names of the columns, identifier first, such as identifier,key`);
  if (names.includes("overlay"))
    throw new Error("line 1: the column overlay holds several settings; write the mapping as YAML or JSON");
  for (const { fields, line } of rows) {
    if (fields.length > names.length)
      throw new Error(`line ${line}: expected ${names.length} fields, received ${fields.length}`);
    const cells = names.slice(1).flatMap((name, nth) => {
      const cell = fields[nth + 1];
      return cell === undefined || cell === "" ? [] : [[name, cellForms[name as Column]?.(cell) ?? cell]];
    });
    yield { identifier: fields[0] as string, value: Object.fromEntries(cells), line };
  }
}
