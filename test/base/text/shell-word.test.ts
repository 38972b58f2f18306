// Names of files as words of a shell.

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { pathWord, shellWord } from "../../../src/base/text/shell-word.ts";

test.each([
  "plain/a-1.tif",
  "two words.tif",
  "it's.tif",
  'say "hi" $HOME `id` \\n.tif',
  "line\nbreak.tif",
  "tab\tquote'and\\slash.tif",
  "Zu\u0308rich.tif",
  "hidden\u200bspace.tif",
  "*;&|<>(){}[]!#~?",
])("bash reads %j as it was, from one line", (name) => {
  const word = shellWord(name);
  expect(word).not.toMatch(/\p{C}/u);
  expect(execFileSync("bash", ["-c", `printf %s ${word}`]).toString()).toBe(name);
});

test("a name that begins with a dash is no flag", () => {
  expect([pathWord("-a.tif"), pathWord("b-a.tif")]).toEqual(["./-a.tif", "b-a.tif"]);
});
