// The log: lines for people or JSON objects, by LogTape.

import {
  configureSync,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type LogRecord,
} from "@logtape/logtape";
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

/** The process-wide log; a second call replaces the first one's settings. */
export function createLog(options: LogOptions): Log {
  let threshold = rank(options.level);
  const format =
    options.format === "json"
      ? getJsonLinesFormatter({ properties: "flatten" })
      : getTextFormatter({ timestamp: "rfc3339", level: "full", format: textLine });
  const sink = (record: LogRecord) => options.write(format(record));
  configureSync({
    reset: true,
    sinks: { out: sink },
    loggers: [
      { category: ["logtape", "meta"], sinks: ["out"], lowestLevel: "error" },
      { category: "smalti", sinks: ["out"], lowestLevel: "debug" },
    ],
  });
  const logger = getLogger("smalti");
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (rank(level) < threshold) return;
      // Braces in a message are text, not placeholders.
      logger[level](oneLine(maskUrls(message)).replace(/[{}]/g, "$&$&"), plainFields(fields));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    level: (level) => {
      threshold = rank(level);
    },
  };
}

const rank = (level: LogLevel) => logLevels.indexOf(level);

/** Names that a JSON line has for itself; a field of that name gets an underscore. */
const ownNames: ReadonlySet<string> = new Set(["@timestamp", "level", "message", "logger"]);

/** Fields as values that JSON holds: errors with their stack, bytes by their number; undefined ones left out. */
function plainFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [ownNames.has(name) ? `${name}_` : name, plainValue(value)]),
  );
}

function plainValue(value: unknown): unknown {
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

function textLine(values: {
  timestamp: string | null;
  level: string;
  message: string;
  record: LogRecord;
}): string {
  const fields = Object.entries(values.record.properties).map(([name, value]) => field(name, value));
  const level = values.level === "warning" ? "warn" : values.level;
  return `${values.timestamp} ${level.padEnd(5)} ${values.message}${fields.join("")}`;
}

/** ` name=value`, or one such for each member of a record: ` name.member=value`. */
function field(name: string, value: unknown): string {
  if (!isRecord(value)) return ` ${name}=${word(value)}`;
  return Object.entries(value)
    .map(([member, own]) => field(`${name}.${member}`, own))
    .join("");
}

/** A value as one word: in quotes where it holds a space, a quote or what a terminal would act on. */
function word(value: unknown): string {
  if (typeof value === "string" && /^[^\s"\p{C}]+$/u.test(value)) return value;
  return oneLine(JSON.stringify(value) ?? String(value));
}

/** Text without what would break a line or steer a terminal. */
function oneLine(text: string): string {
  return text.replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, "0")}`,
  );
}

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, level() {} };
