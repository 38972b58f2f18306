// The log: lines for people or JSON objects.

import { maskUrls } from "./mask-urls.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields are plain values for machines. They hold no secret; URLs in them are masked, since messages of others quote them. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
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
}

/** A log that writes whole lines. */
export function createLog(options: LogOptions): Log {
  let threshold = options.level;
  const format = options.format === "json" ? jsonLine : textLine;
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (!isWritten(level, threshold)) return;
      options.write(format(level, oneLine(maskUrls(message)), plainFields(fields)));
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
    if (value !== undefined) plain[ownNames.has(name) ? `${name}_` : name] = plainValue(value);
  }
  return plain;
}

function plainValue(value: unknown): unknown {
  if (typeof value === "number") return value;
  if (typeof value === "string") return maskUrls(value);
  if (value instanceof Error) return maskUrls(value.stack ?? `${value.name}: ${value.message}`);
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (isRecord(value)) return plainFields(value);
  return typeof value === "bigint" ? String(value) : value;
}

function isRecord(value: unknown): value is LogFields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function jsonLine(level: LogLevel, message: string, fields: LogFields): string {
  const own = `"@timestamp":"${new Date().toISOString()}","level":"${jsonLevels[level]}","message":${JSON.stringify(message)},"logger":"smalti"`;
  const rest = JSON.stringify(fields).replace(steering, escaped);
  return rest === "{}" ? `{${own}}\n` : `{${own},${rest.slice(1)}\n`;
}

/** What JSON leaves as it is, though a terminal acts on it: C1 controls, and marks that break lines or turn their direction. */
const steering = /[\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

const jsonLevels = { debug: "DEBUG", info: "INFO", warn: "WARN", error: "ERROR" } as const;

function textLine(level: LogLevel, message: string, fields: LogFields): string {
  let line = `${new Date().toISOString()} ${level.padEnd(5)} ${message}`;
  for (const name in fields) line += field(name, fields[name]);
  return `${line}\n`;
}

/** ` name=value`, or one such for each member of a record: ` name.member=value`. */
function field(name: string, value: unknown): string {
  if (!isRecord(value)) return ` ${name}=${word(value)}`;
  let words = "";
  for (const member in value) words += field(`${name}.${member}`, value[member]);
  return words;
}

/** A value as one word: in quotes where it holds a space, a quote or what a terminal would act on. */
function word(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string" && /^[^\s"\p{C}]+$/u.test(value)) return value;
  return oneLine(JSON.stringify(value) ?? String(value));
}

/** Text without what would break a line or steer a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, escaped);
}

const escaped = (character: string) =>
  `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, "0")}`;

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, level() {} };
