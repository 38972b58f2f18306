// The log: lines for people or JSON objects.

import {
  asciiBytes,
  asciiParts,
  type ByteText,
  type Parts,
  plainInJson,
  textOf,
  type WriteText,
} from "../text/byte-text.ts";
import { maskUrls } from "./mask-urls.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields are plain values for machines, and are not changed after the call. They hold no secret; URLs in them are masked, since messages of others quote them. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The fields of lines that are written often: to ask an object for its names and values costs more than to write them. */
export class FieldColumns<T> {
  readonly names: readonly string[];
  /** `,"name":` of each. */
  readonly json: Parts;
  /** What the fields say of a subject, in the order of the names; undefined: the line has no such field. */
  readonly valuesOf: (subject: T) => readonly unknown[];

  constructor(names: readonly string[], valuesOf: FieldColumns<T>["valuesOf"]) {
    this.names = names;
    this.json = asciiParts(names.map(jsonName));
    this.valuesOf = valuesOf;
  }

  /** The fields of a line about a subject. */
  row(subject: T): FieldRow {
    return new FieldRow(this as FieldColumns<unknown>, subject);
  }
}

/** The fields of one line. Its values are read when it is written. */
export class FieldRow {
  readonly columns: FieldColumns<unknown>;
  readonly subject: unknown;

  constructor(columns: FieldColumns<unknown>, subject: unknown) {
    this.columns = columns;
    this.subject = subject;
  }

  values(): readonly unknown[] {
    return this.columns.valuesOf(this.subject);
  }

  /** The fields by name. */
  record(): LogFields {
    const plain = this.values().map((value) => (value instanceof FieldRow ? value.record() : value));
    return Object.fromEntries(this.columns.names.map((name, i) => [name, plain[i]]));
  }
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields | FieldRow): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Changes the least severe level that is written, from now on. */
  level(level: LogLevel): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: "text" | "json";
  /** Receives whole lines. */
  readonly write: (line: string) => void;
  /**
   * Where it is given, receives lines below `warn` instead, as functions that append the line: they may be called and written later,
   * together with others, but in order.
   */
  readonly writeLater?: (line: WriteText) => void;
}

/** A log that writes whole lines. */
export function createLog(options: LogOptions): Log {
  let threshold = options.level;
  const { write, writeLater } = options;
  const format = options.format === "json" ? jsonLine : textLine;
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields | FieldRow = {}) => {
      if (!isWritten(level, threshold)) return;
      const now = Date.now();
      const line: WriteText = (out) => {
        const begin = out.length;
        try {
          format(out, now, level, message, fields);
        } catch (error) {
          // As of an array that holds itself. Whoever writes it later has other lines to write.
          out.length = begin;
          format(out, now, level, message, { fields: `cannot be written: ${String(error)}` });
        }
      };
      if (writeLater && rank(level) < rank("warn")) writeLater(line);
      else write(textOf(line));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    level: (level) => {
      threshold = level;
    },
  };
}

/** Whether a log of level `threshold` writes lines of `level`, for those whose fields cost something. */
export const isWritten = (level: LogLevel, threshold: LogLevel) => rank(level) >= rank(threshold);

const rank = (level: LogLevel) => logLevels.indexOf(level);

/** Names that a JSON line has for itself; a field of that name gets an underscore. */
const ownNames: ReadonlySet<string> = new Set(["@timestamp", "level", "message", "logger"]);

/** Fields as values that JSON holds: errors with their stack, bytes by their number; undefined ones left out. */
function plainFields(fields: LogFields): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) plain[fieldName(name)] = plainValue(value);
  }
  return plain;
}

const fieldName = (name: string) => (ownNames.has(name) ? `${name}_` : name);

function plainValue(value: unknown): unknown {
  if (typeof value === "number") return value;
  if (typeof value === "string") return maskUrls(value);
  if (value instanceof FieldRow) return plainFields(value.record());
  if (value instanceof Error) return maskUrls(value.stack ?? `${value.name}: ${value.message}`);
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (isRecord(value)) return plainFields(value);
  return typeof value === "bigint" ? String(value) : value;
}

function isRecord(value: unknown): value is LogFields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

type AnyFields = LogFields | FieldRow;

function jsonLine(out: ByteText, now: number, level: LogLevel, message: string, fields: AnyFields): void {
  out.put(jsonBegin);
  timestamp(out, now);
  out.put(jsonHead(level, message));
  jsonFields(out, fields);
  out.put(jsonEnd);
}

const jsonBegin = asciiBytes('{"@timestamp":"');
const jsonEnd = asciiBytes("}\n");
const openingBrace = 0x7b;

/** What a line says before its fields. Kept from the line before: most lines are of requests. */
function jsonHead(level: LogLevel, message: string): Uint8Array {
  if (lastHead.level !== level || lastHead.message !== message) {
    const shown = JSON.stringify(oneLine(maskUrls(message)));
    const bytes = asciiBytes(`","level":"${jsonLevels[level]}","message":${shown},"logger":"smalti"`);
    lastHead = { level, message, bytes };
  }
  return lastHead.bytes;
}

let lastHead: { readonly level: LogLevel | undefined; readonly message: string; readonly bytes: Uint8Array } =
  { level: undefined, message: "", bytes: new Uint8Array() };

/** `,"name":value` for each field. */
function jsonFields(out: ByteText, fields: AnyFields): void {
  if (fields instanceof FieldRow) {
    jsonRow(out, fields);
    return;
  }
  // Names and values are asked for in lists: one by one costs several times as much.
  const names = Object.keys(fields);
  const values = Object.values(fields);
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    out.text(jsonName(names[i] as string));
    jsonValue(out, value);
  }
}

function jsonRow(out: ByteText, row: FieldRow): void {
  const { json } = row.columns;
  const values = row.values();
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    out.part(json, i);
    jsonValue(out, value);
  }
}

/** `,"name":` */
const jsonName = (name: string) => `,${JSON.stringify(fieldName(name)).replace(steering, escaped)}:`;

function jsonValue(out: ByteText, value: unknown): void {
  if (typeof value === "number") {
    if (!out.hundredths(value)) out.text(Number.isFinite(value) ? String(value) : "null");
  } else if (typeof value === "string") jsonString(out, value);
  else if (value instanceof FieldRow || isRecord(value)) {
    const begin = out.length;
    jsonFields(out, value);
    // In place of the comma before its first field.
    if (out.length === begin) out.text("{");
    else out.bytes[begin] = openingBrace;
    out.text("}");
  } else out.text((JSON.stringify(plainValue(value)) ?? "null").replace(steering, escaped));
}

function jsonString(out: ByteText, value: string): void {
  if (out.jsonOf(withoutUrls, value)) return;
  const masked = maskUrls(value);
  if (!out.jsonOf(plainInJson, masked)) out.text(JSON.stringify(masked).replace(steering, escaped));
}

/** Of what stands in JSON as it is what no URL or credentials have, percent-encoded or not, which most values do without. */
const withoutUrls = plainInJson.map((isPlain, code) =>
  "%:@".includes(String.fromCharCode(code)) ? 0 : isPlain,
);

/** What JSON leaves as it is, though a terminal acts on it: C1 controls, and marks that break lines or turn their direction. */
const steering = /[\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

const jsonLevels = { debug: "DEBUG", info: "INFO", warn: "WARN", error: "ERROR" } as const;

/** The second whose text is known. */
const known = { second: -1, text: "" };

/** Milliseconds since 1970 as `Date.toISOString` has them, of which most is the same for a second. */
function timestamp(out: ByteText, now: number): void {
  const second = Math.floor(now / 1000);
  if (second !== known.second) {
    known.second = second;
    known.text = new Date(second * 1000).toISOString().slice(0, -4);
  }
  out.text(known.text);
  out.text(thousandths[now - 1000 * second] as string);
}

const thousandths = Array.from({ length: 1000 }, (_, i) => `${String(i).padStart(3, "0")}Z`);

function textLine(out: ByteText, now: number, level: LogLevel, message: string, fields: AnyFields): void {
  timestamp(out, now);
  out.text(` ${textLevels[level]} ${oneLine(maskUrls(message))}`);
  textFields(out, " ", fields);
  out.text("\n");
}

const textLevels = { debug: "debug", info: "info ", warn: "warn ", error: "error" } as const;

/** ` name=value` for each field, or one such for each member of a record: ` name.member=value`. `before`: the space, names of records. */
function textFields(out: ByteText, before: string, fields: AnyFields): void {
  const isRow = fields instanceof FieldRow;
  const names = isRow ? fields.columns.names : Object.keys(fields);
  const values = isRow ? fields.values() : Object.values(fields);
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    const name = before + fieldName(names[i] as string);
    if (value instanceof FieldRow || isRecord(value)) textFields(out, `${name}.`, value);
    else {
      out.text(`${name}=`);
      if (typeof value !== "number") out.text(word(value));
      else if (!out.hundredths(value)) out.text(String(value));
    }
  }
}

/** A value as one word: in quotes where it holds a space, a quote or what a terminal would act on. */
function word(value: unknown): string {
  const plain = plainValue(value);
  if (typeof plain === "string" && (/^[\x21\x23-\x7e]+$/.test(plain) || /^[^\s"\p{C}]+$/u.test(plain)))
    return plain;
  return oneLine(JSON.stringify(plain) ?? String(plain));
}

/** Text without what would break a line or steer a terminal. */
function oneLine(text: string): string {
  return printable.test(text) ? text : text.replace(/[\p{C}\u2028\u2029]/gu, escaped);
}

const printable = /^[\x20-\x7e]*$/;

/** A character as JSON escapes it: two units where it is above U+FFFF. */
const escaped = (character: string) =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, level() {} };
