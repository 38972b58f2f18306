// The log: lines for people or JSON objects, by LogTape.

import {
  configureSync,
  getJsonLinesFormatter,
  getLogger,
  getTextFormatter,
  type LogRecord,
} from "@logtape/logtape";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields are plain values for machines; they never hold a secret. */
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
      : getTextFormatter({ timestamp: "time", format: textLine });
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
      logger[level](message.replace(/[{}]/g, "$&$&"), { ...fields });
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

function textLine(values: {
  timestamp: string | null;
  level: string;
  message: string;
  record: LogRecord;
}): string {
  const fields = Object.entries(values.record.properties)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        ` ${name}=${typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value)}`,
    );
  return `${values.timestamp} ${values.level} ${values.message}${fields.join("")}`;
}

/** A log that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, level() {} };
