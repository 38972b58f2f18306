// The log: lines for people or JSON objects.

import { maskUrls } from "./mask.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Fields are plain values for machines, and are not changed after the call. They hold no secret; URLs in them
 * are masked, since messages of others quote them.
 */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  /** `fields`: the fields, or a function that returns them when the line is written. */
  info(message: string, fields?: LogFields | (() => LogFields)): void;
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
   * If given, receives lines below `warn` instead, as functions that return the line: they may be called
   * later, in batches, but in order. They never throw.
   */
  readonly writeLater?: (line: () => string) => void;
}

/** A log that writes whole lines. */
export function createLog(options: LogOptions): Log {
  let least = rank(options.level);
  const { write, writeLater } = options;
  const format = options.format === "json" ? jsonLine : textLine;
  const createWriter = (level: LogLevel) => {
    const own = rank(level);
    const later = own < rank("warn") ? writeLater : undefined;
    return (message: string, fields: LogFields | (() => LogFields) = {}) => {
      if (own < least) return;
      const now = Date.now();
      const line = () => {
        try {
          return format(now, level, message, typeof fields === "function" ? fields() : fields);
        } catch (error) {
          // For example, an array that contains itself.
          return format(now, level, message, { fields: `cannot be written: ${String(error)}` });
        }
      };
      if (later) later(line);
      else write(line());
    };
  };
  return {
    debug: createWriter("debug"),
    info: createWriter("info"),
    warn: createWriter("warn"),
    error: createWriter("error"),
    level: (level) => {
      least = rank(level);
    },
  };
}

/** True if a log of level `threshold` writes lines of `level`; saves computing expensive fields. */
export const isWritten = (level: LogLevel, threshold: LogLevel) => rank(level) >= rank(threshold);

const rank = (level: LogLevel) => logLevels.indexOf(level);

/** Reserved names of a JSON line; a field with such a name gets an underscore. */
const ownNames: ReadonlySet<string> = new Set(["@timestamp", "level", "message", "logger"]);

const fieldName = (name: string) => (ownNames.has(name) ? `${name}_` : name);

/**
 * Adds fields to `plain` as values that JSON holds: errors with their stack, bytes by their number; undefined
 * ones are left out.
 */
function addFields(plain: Record<string, unknown>, fields: LogFields): Record<string, unknown> {
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) plain[fieldName(name)] = plainValue(value);
  }
  return plain;
}

function plainValue(value: unknown): unknown {
  if (typeof value === "number") return value;
  if (typeof value === "string") return maskUrls(value);
  if (value instanceof Error) return maskUrls(value.stack ?? `${value.name}: ${value.message}`);
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (isRecord(value)) return addFields({}, value);
  return typeof value === "bigint" ? String(value) : value;
}

function isRecord(value: unknown): value is LogFields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function jsonLine(now: number, level: LogLevel, message: string, fields: LogFields): string {
  const line = {
    "@timestamp": new Date(now).toISOString(),
    level: level.toUpperCase(),
    message: oneLine(maskUrls(message)),
    logger: "smalti",
  };
  return `${JSON.stringify(addFields(line, fields)).replace(steering, escapeCharacter)}\n`;
}

/**
 * Characters that JSON does not escape, though terminals act on them: C1 controls, and marks that break lines
 * or change their direction.
 */
const steering = /[\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

const textLine = (now: number, level: LogLevel, message: string, fields: LogFields) =>
  `${new Date(now).toISOString()} ${level.padEnd(5)} ${oneLine(maskUrls(message))}${textFields(" ", fields)}\n`;

/**
 * ` name=value` for each field, or one such for each member of a record: ` name.member=value`. `before`: the
 * space, names of records.
 */
function textFields(before: string, fields: LogFields): string {
  let text = "";
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined) continue;
    const own = before + fieldName(name);
    text += isRecord(value) ? textFields(`${own}.`, value) : `${own}=${word(value)}`;
  }
  return text;
}

/** Formats a value as one word: in quotes if it contains a space, a quote or a control character. */
function word(value: unknown): string {
  const plain = plainValue(value);
  if (typeof plain === "number") return String(plain);
  if (typeof plain === "string" && (/^[\x21\x23-\x7e]+$/.test(plain) || /^[^\s"\p{C}]+$/u.test(plain)))
    return plain;
  return oneLine(JSON.stringify(plain) ?? String(plain));
}

/** Returns the text without characters that break a line or control a terminal. */
function oneLine(text: string): string {
  return printable.test(text) ? text : text.replace(/[\p{C}\u2028\u2029]/gu, escapeCharacter);
}

const printable = /^[\x20-\x7e]*$/;

/** Escapes a character as JSON does: two units above U+FFFF. */
const escapeCharacter = (character: string) =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, level() {} };
