// Key templates: what they make of identifiers, and their errors.

import { describe, expect, test } from "vitest";
import { parseTemplate } from "../../../src/server/hooks/template.ts";

describe("a template", () => {
  test.each([
    ["{{ .Identifier }}.tif", "a/b", "a/b.tif"],
    ["{{.Identifier}}", "a", "a"],
    ["masters/{{ .Segments | first }}/{{ .Segments | last }}.jp2", "ms-1/x/f2", "masters/ms-1/f2.jp2"],
    ["{{ .Segments | at 1 }}", "a/b/c", "b"],
    ["{{ .Segments | at -2 }}", "a/b/c", "b"],
    ['{{ .Segments | slice 1 | join "_" }}', "a/b/c", "b_c"],
    ['{{ .Segments | slice 0 -1 | join "/" }}', "a/b/c", "a/b"],
    ["{{ .Identifier | lower }}|{{ .Identifier | upper }}", "Äb", "äb|ÄB"],
    ['{{ .Identifier | trim_prefix "ark:" | trim_suffix ".png" }}', "ark:1.png", "1"],
    ['{{ .Identifier | trim_suffix "" }}', "ab", "ab"],
    ['{{ .Identifier | replace "-" "/" }}', "a-b-c", "a/b/c"],
    ['{{ .Identifier | replace "a" "$&" }}', "a", "$&"],
    ["{{ .Identifier | base }} {{ .Identifier | dir }}", "a/b.c/d.tar.gz", "d.tar.gz a/b.c"],
    ["{{ .Identifier | stem }} {{ .Identifier | ext }}", "a/b.c/d.tar.gz", "d.tar .gz"],
    ["{{ .Identifier | stem }}{{ .Identifier | ext }}", "a.b/.hidden", ".hidden"],
    ['{{ .Identifier | pad 6 "0" }}', "42", "000042"],
    ["{{ .Identifier | chars 0 2 }}/{{ .Identifier | chars 2 }}", "𝒜bcd", "𝒜b/cd"],
    ['{{ .Identifier | split "-" | last }}', "x-y-z", "z"],
    ['{{ .Identifier | replace "\\"" "}}" }}', 'a"b', "a}}b"],
    ["plain", "anything", "plain"],
  ])("%s of %s is %s", (template, identifier, key) => {
    expect(parseTemplate(template).fill(identifier)).toBe(key);
  });

  test("has no key for an identifier without a required part", () => {
    expect(parseTemplate("{{ .Segments | at 2 }}").fill("a/b")).toBeUndefined();
    expect(parseTemplate('{{ .Segments | at 2 | split "-" | first }}').fill("a/b")).toBeUndefined();
  });

  test("makes no key longer than an address can be", () => {
    expect(parseTemplate("{{ .Identifier }}{{ .Identifier }}").fill("x".repeat(5000))).toBeUndefined();
  });
});

describe("a mistake in a template is named with its position", () => {
  test.each([
    ["{{ .Identifer }}", /expected \.Identifier or \.Segments, received \.Identifer \(at character 4\)/],
    ["a{{ }}", /received nothing \(at character 4\)/],
    ["{{ .Identifier | shout }}", /unknown filter shout; there are lower, .*\(at character 18\)/],
    ["{{ .Identifier | constructor }}", /unknown filter constructor/],
    ["{{ constructor }}", /expected \.Identifier or \.Segments, received constructor/],
    ["{{ .Identifier", /expected }} at the end of what {{ begins \(at character 1\)/],
    ["a }} b", /found }} without {{ before it \(at character 3\)/],
    ["{{ .Segments }}", /expected text, received a list; use join/],
    [
      "{{ .Identifier | first }}",
      /expected list before first, received text; use split.*\(at character 18\)/,
    ],
    ["{{ .Segments | lower }}", /expected text before lower, received list/],
    ["{{ .Segments | at }}", /at expects a whole number as argument 1/],
    ['{{ .Segments | at "1" }}', /at expects a whole number as argument 1 \(at character 19\)/],
    ["{{ .Identifier | lower 1 }}", /lower takes 0 arguments, not more \(at character 24\)/],
    ["{{ .Identifier | }}", /expected a filter after \|, received nothing \(at character 16\)/],
    ["{{ .Identifier lower }}", /expected \| or }}, received lower \(at character 16\)/],
    ["{{ .Identifier | replace 'a' 'b' }}", /received ' \(at character 26\)/],
    ['{{ .Identifier | trim_prefix "a }}', /received " \(at character 30\)/],
  ])("%s", (template, message) => {
    expect(() => parseTemplate(template)).toThrow(message);
  });
});
