// The reader of properties files, with the examples of the documentation of java.util.Properties and of what
// Cantaloupe does differently (PropertiesDocument).

import { describe, expect, test } from "vitest";
import { parseProperties } from "../../../../src/cli/commands/cantaloupe/properties.ts";
import fc from "../../../properties.ts";

const read = (text: string) => Object.fromEntries(parseProperties(text));

describe("the reader of properties", () => {
  test.each([
    "Truth = Beauty",
    " Truth:Beauty",
    "Truth                    :Beauty",
    "Truth Beauty",
    "Truth=Beauty\r\n",
  ])("reads %j as Java does", (line) => {
    expect(read(line)).toEqual({ Truth: "Beauty" });
  });

  test("continues lines", () => {
    const lines = [
      "fruits                           apple, banana, pear, \\",
      "                                  cantaloupe, watermelon, \\",
      "                                  kiwi, mango",
    ];
    expect(read(lines.join("\n"))).toEqual({
      fruits: "apple, banana, pear, cantaloupe, watermelon, kiwi, mango",
    });
    expect(read("a = 1\\\\\nb = 2"), "an even number of backslashes ends no line").toEqual({
      a: "1\\",
      b: "2",
    });
  });

  test("leaves out comments, blank lines and blank values", () => {
    expect(read("# a = 1\n ! b = 2\n\n\t\nc =\nd\n e = # no comment")).toEqual({ e: "# no comment" });
  });

  test.each([
    ["a = x\\ty\\nz", "x\ty\nz"],
    ["a = Caf\\u00e9", "Café"],
    ["a = http\\://x\\=y", "http://x=y"],
    ["a = -(\\d+):(\\d+)", "-(\\d+):(\\d+)"],
    ["a = C:\\new\\table\\", "C:\\new\\table\\"],
    ["a = http://x/?b=c:d", "http://x/?b=c:d"],
  ])("reads the value of %s", (line, value) => {
    expect(read(`${line}\nother = 1`)).toEqual({ a: value, other: "1" });
  });

  test("takes the first value that is not blank, as Cantaloupe does", () => {
    expect(read("a =\na = 1\na = 2")).toEqual({ a: "1" });
  });

  test("never throws, and no name has a line break", () => {
    const part = fc.constantFrom("a", "=", ":", "\\", "\\u000a", "\n", "\r", " ", "#", "\u2028");
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        for (const name of parseProperties(parts.join("")).keys()) expect(name).not.toMatch(/[\n\r\u2028]/);
      }),
    );
  });
});
