// Completions, as the shells themselves offer them.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Call } from "../../../src/cli/commands/command.ts";
import { completions } from "../../../src/cli/commands/completions.ts";
import { commands } from "../../../src/cli/commands/rows.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-completions-"));
  mkdirSync(join(folder, "scans"));
  writeFileSync(join(folder, "scan one.tif"), "");
  for (const shell of ["bash", "zsh", "fish"]) {
    const result = await completions.run({ operands: [shell], commands } as unknown as Call);
    writeFileSync(join(folder, `.smalti.${shell}`), result?.text ?? "");
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The words that bash offers for the last word of a line. */
function bash(...line: readonly string[]): string[] {
  const script = `source .smalti.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
complete -p smalti >/dev/null || exit 1
_smalti && printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines("bash", ["--norc", "-c", script, "bash", ...line]);
}

/** The words that fish offers, without their descriptions. */
const fish = (...line: readonly string[]) =>
  lines("fish", ["--no-config", "-c", `source .smalti.fish; complete -C '${line.join(" ")}'`]).map(
    (text) => text.split("\t")[0] as string,
  );

/** What zsh makes of a line at a terminal once the tabulator is typed behind it. */
function zsh(line: string): string {
  rmSync(join(folder, "line"), { force: true });
  const setUp = [
    "PROMPT=; autoload -Uz compinit; compinit -u -D; source ./.smalti.zsh",
    "show() { print -r -- $BUFFER >line.new; mv line.new line }; zle -N show; bindkey '^X' show",
  ];
  const script = `zmodload zsh/zpty
zpty z zsh -f -i
${setUp.map((each) => `zpty -w z ${JSON.stringify(each).replaceAll("$", "\\$")}`).join("\n")}
zpty -n -w z "$1"$'\\t\\x18'
while [[ ! -e line ]]; do zpty -r -t z >/dev/null; sleep 0.05; done
cat line; zpty -d z`;
  return lines("zsh", ["-f", "-c", script, "zsh", line]).join("\n");
}

function lines(shell: string, args: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((text) => text !== "");
}

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

const offers: readonly (readonly [line: readonly string[], expected: readonly string[]])[] = [
  [["smalti", "hash"], ["hash-password"]],
  [["smalti", "sessions", ""], ["end"]],
  [["smalti", "sessions", "end", "--p"], ["--profile"]],
  [
    ["smalti", "completions", ""],
    ["bash", "zsh", "fish"],
  ],
  [["smalti", "hook", "test", "--id"], ["--identifier"]],
  [["smalti", "-config", "x.yaml", "check", "--j"], ["--json"]],
];

describe.each([["bash", bash] as const, ["fish", fish] as const])("%s", (shell, ask) => {
  test.runIf(has(shell)).each(offers)("%j offers %j", (line, expected) => {
    expect(ask(...line).toSorted()).toEqual(expected.toSorted());
  });

  test.runIf(has(shell))("offers commands and folders behind smalti", () => {
    const names = ask("smalti", "").map((name) => name.replace(/\/$/, ""));
    for (const { name } of commands) expect(names).toContain(name.split(" ")[0]);
    expect(names).toContain("scans");
    expect(names).not.toContain("scan one.tif");
  });

  test.runIf(has(shell))("offers files behind a flag that names one", () => {
    expect(ask("smalti", "check", "--config", "scan").map((name) => name.replace(/[\\/]/g, ""))).toContain(
      "scan one.tif",
    );
  });
});

describe.runIf(has("zsh"))("zsh", () => {
  test.each([
    ["smalti hash", "smalti hash-password "],
    ["smalti sessions e", "smalti sessions end "],
    ["smalti sessions end --pro", "smalti sessions end --profile "],
    ["smalti completions f", "smalti completions fish "],
    ["smalti check --json --config scan\\ ", "smalti check --json --config scan\\ one.tif "],
    ["smalti sc", "smalti scans/"],
  ])("%s becomes %s", (line, expected) => {
    expect(zsh(line).trimEnd()).toBe(expected.trimEnd());
  });
});
