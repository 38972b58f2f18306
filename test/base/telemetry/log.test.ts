import { afterEach, describe, expect, test, vi } from "vitest";
import { createLog, type LogLevel, type LogOptions, logLevels } from "../../../src/base/telemetry/log.ts";

function recorder(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "text", write: (line) => lines.push(line), ...options });
  return { log, lines };
}

describe("lines that may be made later", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(["text", "json"] as const)(
    "are those below warn, and have the time of the call: %s",
    (format) => {
      vi.useFakeTimers({ now: 1_000_000 });
      const later: (() => string)[] = [];
      const { log, lines } = recorder({ format, writeLater: (line) => later.push(line) });
      for (const level of logLevels) log[level](level);
      vi.setSystemTime(9_000_000);
      expect(lines.length).toBe(2);
      const all = [...later.map((line) => line()), ...lines];
      for (const [i, level] of logLevels.entries()) {
        expect(all[i]).toContain("1970-01-01T00:16:40.000Z");
        expect(all[i]).toContain(level);
      }
    },
  );

  test("have the values of fields when they are written", () => {
    const later: (() => string)[] = [];
    const { log } = recorder({ writeLater: (line) => later.push(line) });
    const subject = { reads: 1 };
    log.info("x", () => ({ ...subject }));
    subject.reads = 2;
    expect(later.map((line) => line())).toEqual([expect.stringContaining(" reads=2\n")]);
  });
});

test.each(["text", "json"] as const)("a line whose fields cannot be written reports that: %s", (format) => {
  const { log, lines } = recorder({ format });
  const list: unknown[] = [];
  list.push(list);
  log.info("a message", { list });
  expect(lines.length).toBe(1);
  expect(lines[0]).toMatch(/a message.*cannot be written: RangeError/);
});

describe("text lines", () => {
  test("hold time, level, message and fields", () => {
    const { log, lines } = recorder();
    log.warn("disk is slow", { ms: 12, source: "scans", note: "two words", list: ["a"] });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warn {2}disk is slow ms=12 source=scans note="two words" list=\["a"\]\n$/,
    );
  });

  test("spread records over several words", () => {
    const { log, lines } = recorder();
    log.info("x", {
      stages: { decode: 1.5, note: "two words" },
      url: { of: "https://u:hunter2@h.example/" },
    });
    expect(lines[0]).toContain(' stages.decode=1.5 stages.note="two words" url.of=https://***@h.example/\n');
  });

  test.each([
    ["line one\nline two"],
    ["carriage\rreturn"],
    ["escape \u001b[31mred"],
    ["next\u0085line"],
    ["separator\u2028here"],
    ["right\u202eleft"],
    ["tag \u{e0001}, private \u{10fffd}, lone \ud83d"],
    ['name="x" forged=1'],
  ])("stay one line whatever a field holds: %j", (value) => {
    const { log, lines } = recorder();
    log.info("x", { value });
    const text = lines.join("");
    expect(text.endsWith("\n")).toBe(true);
    expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(JSON.parse(/ value=(".*")\n$/.exec(text)?.[1] ?? "null")).toBe(value);
  });
});

test.each(["text", "json"] as const)("secrets of URLs are masked in lines of format %s", (format) => {
  const { log, lines } = recorder({ format });
  const url = "https://user:hunter2@example.org/a?key=hunter2";
  log.error(`cannot fetch ${url}`, { cause: new Error(`no answer from ${url}`), url, urls: [url] });
  expect(lines.join("")).not.toContain("hunter2");
  expect(lines.join("").match(/https:\/\/\*\*\*@example\.org\/a\?key=\*\*\*/g)).toHaveLength(4);
});

describe("JSON lines", () => {
  const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as object);

  test("are one object per line", () => {
    const { log, lines } = recorder({ format: "json" });
    log.error("failed\nbadly", { cause: "a\nb", path: "/x" });
    log.info("fine");
    expect(lines.every((line) => line.indexOf("\n") === line.length - 1)).toBe(true);
    expect(parsed(lines)).toEqual([
      expect.objectContaining({ level: "ERROR", cause: "a\nb", path: "/x" }),
      expect.objectContaining({ level: "INFO", message: "fine" }),
    ]);
  });

  test("hold nothing that a terminal would act on", () => {
    const { log, lines } = recorder({ format: "json" });
    const path = "/\u009b31m\u0085\u007f\u2028\u202e\u2066\u001b[0m";
    log.info("x", { path });
    expect(lines.join("").slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(parsed(lines)).toEqual([expect.objectContaining({ path })]);
  });

  test("keep the message and level when fields have the same names", () => {
    const { log, lines } = recorder({ format: "json" });
    log.warn("kept", { message: "other", level: "other", logger: "other", "@timestamp": "other" });
    expect(parsed(lines)).toEqual([
      expect.objectContaining({ level: "WARN", message: "kept", message_: "other" }),
    ]);
    expect(lines[0]).not.toContain('"@timestamp":"other"');
  });
});

describe.each(["text", "json"] as const)("in %s", (format) => {
  test("fields that a function returns equal those of an object, at every depth", () => {
    const { log, lines } = recorder({ format });
    const inner = { wait: undefined, read: 0.25, level: 12, far: 1e9, third: 1 / 3 };
    const fields = {
      path: "/a b",
      url: "https://name:secret@example.org/",
      none: undefined,
      message: "own",
      inner,
      empty: { x: undefined },
      list: [1, "two"],
    };
    vi.useFakeTimers({ now: 0 });
    log.info("x", fields);
    log.info("x", () => fields);
    vi.useRealTimers();
    expect(lines[0]).toContain("https://***@example.org/");
    expect(lines[0]).not.toContain("none");
    expect(lines[1]).toBe(lines[0]);
  });

  test("a message may contain braces, and fields may contain values without JSON form", () => {
    const { log, lines } = recorder({ format });
    log.info("template {id} {{x}}", {
      big: 3n,
      bytes: new Uint8Array(5),
      error: new TypeError("boom"),
      none: undefined,
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("template {id} {{x}}");
    expect(lines[0]).toContain("TypeError: boom");
    expect(lines[0]).toContain("5 bytes");
    expect(lines[0]).not.toContain("none");
  });

  test.each(logLevels)("level %s omits less severe lines", (level) => {
    const { log, lines } = recorder({ format, level });
    for (const each of logLevels) log[each](`at ${each}`);
    expect(lines.length).toBe(logLevels.length - logLevels.indexOf(level));
  });

  test("the level can change while it runs", () => {
    const { log, lines } = recorder({ format, level: "error" });
    const say = (level: LogLevel) => log[level]("x");
    say("info");
    log.level("info");
    say("info");
    say("debug");
    expect(lines).toHaveLength(1);
  });
});
