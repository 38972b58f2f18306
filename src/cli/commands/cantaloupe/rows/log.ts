// Logs. smalti has one, on standard error.

import { isTrue } from "../properties.ts";
import { copyingRow, type Row, type Rows } from "../row.ts";

const levels: Readonly<Record<string, string>> = {
  all: "debug",
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  error: "error",
  off: "error",
};

const where =
  "smalti logs to standard error; systemd and containers collect it, or redirect it to a file that logrotate rotates";

/** The row of a property of an appender: what to do if it is on. */
function appender(name: string, what: string): Row {
  const enabled = `${name}.enabled`;
  return {
    missing: what,
    unneeded: `${enabled} is false`,
    choose: (_, all) => (isTrue(all.get(enabled)) ? "missing" : "unneeded"),
  };
}

/** The rows of the appenders of a log: files, files by date, and syslog. */
function appenders(log: string, { syslog, logstash }: { syslog: boolean; logstash: boolean }): Rows {
  const [file, rolling] = [`${log}.FileAppender`, `${log}.RollingFileAppender`];
  const byDate = "TimeBasedRollingPolicy";
  const keysOf: Readonly<Record<string, readonly string[]>> = {
    [file]: ["enabled", "pathname"],
    [rolling]: ["enabled", "pathname", "policy", `${byDate}.filename_pattern`, `${byDate}.max_history`],
  };
  const files = Object.entries(keysOf).flatMap(([name, keys]) =>
    [...keys, ...(logstash ? ["logstash.enabled"] : [])].map(
      (key) => [`${name}.${key}`, appender(name, where)] as const,
    ),
  );
  const bySyslog = ["enabled", "host", "port", "facility"].map(
    (key) =>
      [
        `${log}.SyslogAppender.${key}`,
        appender(
          `${log}.SyslogAppender`,
          "smalti logs to standard error; journald or `logger` passes it on to syslog",
        ),
      ] as const,
  );
  return Object.fromEntries([...files, ...(syslog ? bySyslog : [])]);
}

const accessLogs = ["ConsoleAppender", "FileAppender", "RollingFileAppender", "SyslogAppender"];

export const logRows: Rows = {
  "log.application.level": copyingRow(
    "log.level",
    (value) => {
      const level = levels[value.toLowerCase()];
      if (level === undefined) throw new Error("set log.level to debug, info, warn or error");
      return level;
    },
    "trace and all become debug, off becomes error",
  ),
  "log.application.ConsoleAppender.enabled": {
    unneeded: "smalti always logs to standard error",
    missing: "smalti always logs to standard error; log.level: error makes it quiet",
    choose: (value) => (isTrue(value) ? "unneeded" : "missing"),
  },
  "log.application.ConsoleAppender.logstash.enabled": copyingRow(
    "log.format",
    (value) => (isTrue(value) ? "json" : "text"),
    "one JSON object per line, with other field names",
  ),
  ...appenders("log.application", { syslog: true, logstash: true }),
  ...appenders("log.error", { syslog: false, logstash: true }),
  "log.access.ConsoleAppender.enabled": {
    to: "log.requests",
    text: "requests are logged to the same log",
    take: (_, all) => [
      {
        path: ["log", "requests"],
        value: accessLogs.some((name) => isTrue(all.get(`log.access.${name}.enabled`))),
      },
    ],
  },
  ...appenders("log.access", { syslog: true, logstash: false }),
};
