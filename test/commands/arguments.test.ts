// How the command line is parsed, and the messages about unknown words.

import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/commands/arguments.ts";
import { UsageError } from "../../src/commands/command-error.ts";

const parse = (line: string) => parseArguments(line.split(" ").filter((word) => word !== ""));

describe("the command line", () => {
  test.each([
    ["", { command: "serve" }],
    ["serve", { command: "serve" }],
    ["scans", { command: "serve", folder: "scans" }],
    ["serve scans", { command: "serve", folder: "scans" }],
    ["-config a.yaml", { command: "serve", file: "a.yaml" }],
    ["--config=a.yaml check", { command: "check", file: "a.yaml" }],
    ["check -config a.yaml", { command: "check", file: "a.yaml" }],
    ["-config a.yaml scans", { command: "serve", file: "a.yaml", folder: "scans" }],
    ["version", { command: "version" }],
    ["-v", { command: "version" }],
    ["--version", { command: "version" }],
  ])("%j", (line, expected) => {
    expect(parse(line)).toEqual(expected);
  });

  test("hook test takes each header, and the last of all other flags", () => {
    const { command, question } = parse(
      "hook test --identifier=a --header A:1 --header B:2 --function resolve --function overlay --client-ip 192.0.2.1 --identifier b",
    );
    expect(command).toBe("hook");
    expect(question).toEqual({
      identifier: "a",
      headers: ["A:1", "B:2"],
      function: "overlay",
      client: "192.0.2.1",
    });
  });

  test.each([
    ["-config", "-config needs the name of a file"],
    ["--config=", "--config= needs the name of a file"],
    ["--port 80", "unknown flag --port; see smalti --help"],
    ["scans more", "unexpected argument more; see smalti --help"],
    ["check scans", "unexpected argument scans; see smalti --help"],
    ["hook", "expected hook test, received hook; see smalti --help"],
    ["hook test", "hook test needs --identifier ID"],
    ["hook test --identifier", "--identifier needs a value"],
    ["--identifier a", "unknown flag --identifier; see smalti --help"],
  ])("%j is refused: %s", (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(message));
  });
});
