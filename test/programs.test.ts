import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasProgram, isInstalled, outputOf, run, versionOf } from "./programs.ts";

const script = (text: string, ...args: readonly string[]) => ["-c", text, "sh", ...args];

test("a program gets its input and arguments as they are, and its output comes back", () => {
  const input = Uint8Array.of(0, 10, 39, 255);
  const args = ["", " a  b", "it's", "$HOME `x` \\", "two\nlines", "ä"];
  expect(run("cat", [], { input })).toEqual({ status: 0, stdout: input, stderr: "" });
  expect(Buffer.from(outputOf("sh", script('printf "%s|" "$@"', ...args))).toString()).toBe(
    args.map((arg) => `${arg}|`).join(""),
  );
});

test("a program runs in the folder that is named", () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "smalti it's-")));
  expect(Buffer.from(outputOf("pwd", [], { cwd })).toString()).toBe(`${cwd}\n`);
  rmSync(cwd, { recursive: true });
});

test("a status, a signal and a missing program are told, and the next one runs", () => {
  expect(run("sh", script("echo no >&2; exit 3"))).toMatchObject({ status: 3, stderr: "no\n" });
  expect(run("sh", script("kill -9 $$")).status).toBe(137);
  expect(run("no-such-program", []).status).toBe(127);
  expect(() => outputOf("sh", script("echo no >&2; exit 3"))).toThrow("ended with 3: no");
  expect(run("true", []).status).toBe(0);
});

test("megabytes pass both ways", () => {
  const input = new Uint8Array(5_000_000).map((_, i) => i >> 7);
  expect(outputOf("cat", [], { input })).toEqual(input);
});

test("only a program that is installed has a version", () => {
  expect([versionOf("no-such-program"), isInstalled("no-such-program")]).toEqual([undefined, false]);
  expect([typeof versionOf("sh"), isInstalled("sh"), hasProgram("sh")]).toEqual(["string", true, true]);
});
