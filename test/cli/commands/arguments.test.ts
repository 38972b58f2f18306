// How a command line is parsed by the rows of the commands, and the messages about unknown words.

import { describe, expect, test } from "vitest";
import { chooseCommand, parseArguments } from "../../../src/cli/commands/arguments.ts";
import { command } from "../../../src/cli/commands/command.ts";
import { UsageError } from "../../../src/cli/commands/command-error.ts";
import { commands } from "../../../src/cli/commands/rows.ts";

const run = async () => undefined;
const rows = [
  command({
    name: "serve",
    summary: "serve",
    flags: { config: { kind: "text", value: "FILE", text: "file" } },
    operands: [{ name: "DIR", optional: true }],
    run,
  }),
  command({
    name: "paint",
    summary: "paint",
    json: "colours",
    flags: {
      colour: { kind: "text", value: "NAME", among: ["red", "blue", "green"], text: "colour" },
      layers: { kind: "number", value: "N", from: 1, to: 9, text: "layers" },
      on: { kind: "list", value: "WALL", text: "walls" },
      output: { kind: "text", value: "OUT", short: "o", text: "output" },
      dry: { kind: "switch", text: "dry" },
      config: { kind: "text", value: "FILE", text: "file" },
    },
    operands: [{ name: "ROOM" }, { name: "MORE", many: true, optional: true }],
    run,
  }),
  command({
    name: "paint over",
    summary: "again",
    flags: { why: { kind: "text", value: "REASON", required: true, text: "reason" } },
    run,
  }),
  command({
    name: "lock up",
    summary: "lock",
    flags: { code: { kind: "number", value: "N", from: 10, to: 99, text: "code" } },
    refusal: "lock up takes only --code N",
    run,
  }),
  command({ name: "version", summary: "version", flags: {}, run }),
];

const words = (line: string) => line.split(" ").filter((word) => word !== "");

function parse(line: string) {
  const chosen = chooseCommand(words(line), rows);
  return { name: chosen.command.name, ...parseArguments(chosen.words, chosen.command) };
}

test.each([
  ["", "serve", []],
  ["serve", "serve", []],
  ["scans", "serve", ["scans"]],
  ["serve scans", "serve", ["scans"]],
  ["-config a.yaml scans", "serve", ["scans"]],
  ["paint hall", "paint", ["hall"]],
  ["paint over --why rain", "paint over", []],
  ["-v", "version", []],
  ["--version", "version", []],
])("%j is the command %s with %j", (line, name, operands) => {
  expect(parse(line)).toMatchObject({ name, operands });
});

test.each([
  "paint hall -config a.yaml",
  "--config=a.yaml paint hall",
  "-config a.yaml paint --config b hall --config a.yaml",
])("%j names a configuration, the last one wins", (line) => {
  expect(parse(line)).toMatchObject({ name: "paint", flags: { config: "a.yaml" }, operands: ["hall"] });
});

test("flags have the types of the row; those that are not given are undefined, false or empty", () => {
  expect(parse("paint hall --colour=blue --layers 9 --on east --dry --on=west -o - --json")).toEqual({
    name: "paint",
    flags: { colour: "blue", layers: 9, on: ["east", "west"], output: "-", dry: true, config: undefined },
    operands: ["hall"],
    json: true,
  });
  expect(parse("paint hall")).toEqual({
    name: "paint",
    flags: {
      colour: undefined,
      layers: undefined,
      on: [],
      output: undefined,
      dry: false,
      config: undefined,
    },
    operands: ["hall"],
    json: false,
  });
});

test("a value that begins with - needs the form with =, and words after -- are operands", () => {
  expect(parse("paint --output=-x.tif hall")).toMatchObject({ flags: { output: "-x.tif" } });
  expect(parse("paint hall -- --dry -x")).toMatchObject({
    flags: { dry: false },
    operands: ["hall", "--dry", "-x"],
  });
});

test.each(commands.flatMap(({ name, examples = [] }) => examples.map((line) => [line, name])))(
  "the example %j is a command line of %s",
  (line, name) => {
    // As a shell reads it: without redirections, pipes and quotes.
    const plain = line.replace(/^source <\((.*)\)$/, "$1").replace(/ [<>|] .*$/, "");
    const [program, ...args] = [...plain.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare!,
    );
    const chosen = chooseCommand(args, commands);
    expect([program, chosen.command.name]).toEqual(["smalti", name]);
    expect(() => parseArguments(chosen.words, chosen.command)).not.toThrow();
  },
);

describe("wrong words are refused with what to write instead", () => {
  test.each([
    ["--port 80", "serve does not know --port; see smalti serve --help"],
    ["scans more", "unexpected argument more; see smalti serve --help"],
    ["-config", "--config needs a value: --config FILE"],
    ["--config=", "--config needs a value: --config FILE"],
    ["paint", "paint needs ROOM; see smalti paint --help"],
    ["paint hall --color red", "paint does not know --color; did you mean --colour?"],
    ["paint hall --colour grey", "--colour expects red, blue or green, received grey"],
    ["paint hall --layers 10", "--layers expects a whole number from 1 to 9"],
    ["paint hall --layers 1.5", "--layers expects a whole number from 1 to 9"],
    ["paint hall --layers", "--layers expects a whole number from 1 to 9"],
    ["paint hall --output --dry", "--output needs a value: --output OUT"],
    ["paint hall --dry=yes", "--dry takes no value"],
    ["paint over", "paint over needs --why REASON; see smalti paint over --help"],
    ["lock", "expected lock up, received lock; see smalti lock --help"],
    ["lock down", "expected lock up, received lock down; see smalti lock --help"],
    ["lock up secret", "lock up takes only --code N"],
    ["lock up --key 1", "lock up takes only --code N"],
    ["version --json", "version does not know --json; see smalti version --help"],
  ])("%j: %s", (line, message) => {
    expect(() => parse(line)).toThrow(new UsageError(message));
  });
});

test("only the commands that the page of the command line names have no --json", () => {
  const without = commands.filter(({ json }) => json === undefined).map(({ name }) => name);
  expect(without).toEqual(["serve", "completions", "help"]);
});
