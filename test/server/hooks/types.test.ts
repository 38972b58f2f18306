// The types that hook authors get: examples compile against them, mistakes do not, and they say the same as
// the service's own.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { packagedProgram } from "../../../scripts/packages.mjs";

const hooks = fileURLToPath(new URL("../../../src/server/hooks/", import.meta.url));
const tsc = packagedProgram("scripts/check", "tsc");
const folder = mkdtempSync(join(tmpdir(), "smalti-types-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the compiler's problems with a file, with the line. */
function problemsOf(name: string, text: string): string[] {
  const file = join(folder, name);
  writeFileSync(file, text);
  const flags =
    "--ignoreConfig --strict --exactOptionalPropertyTypes --noEmit --allowJs --checkJs --allowImportingTsExtensions --target es2022 --lib es2023,webworker --module esnext --moduleResolution bundler --pretty false";
  const { stdout } = spawnSync(tsc, [...flags.split(" "), file], { encoding: "utf8", cwd: folder });
  return stdout
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/^.*?\((\d+),\d+\): error \w+/, "$1"));
}

const types = `import("${hooks}hooks").`;
const example = `
/** @type {${types}Resolve} */
export const resolve = ({ identifier, page, headers }) =>
  identifier.startsWith("ms/") ? { key: identifier.toUpperCase() + page + headers["x-group"] } : false;

/** @type {${types}Authorize} */
export function authorize({ identifier, client_ip }) {
  if (client_ip === "192.0.2.1") return undefined;
  return identifier === "a" ? { allow: false, status: 403, reason: "Not yet." } : { allow: true };
}

/** @type {${types}Overlay} */
export const overlay = async ({ request_path }) =>
  request_path.includes("/full/") ? { image: "stamp.png", opacity: 0.4, anchor: "center" } : null;

/** @type {${types}Presentation} */
export const presentation = ({ kind, descriptor }) => ({ label: { en: [kind + String(descriptor.label)] } });
`;

test("an example compiles", () => {
  expect(problemsOf("example.js", example)).toEqual([]);
});

test.each([
  ["identifier.startsWith", "identifer.startsWith", /^4: .*identifer/],
  ["{ key: ", "{ kye: ", /^[34]: .*kye/],
  ["allow: true", "allow: 1", /^9: .*boolean/],
  ['anchor: "center"', 'anchor: "middle"', /^14: .*middle/],
])("a mistake does not: %s as %s", (right, wrong, message) => {
  const problems = problemsOf("mistake.js", example.replace(right, wrong));
  expect(problems.join("\n")).toMatch(message);
});

test("they match the types of the service", () => {
  const same = `
import type * as author from "${hooks}hooks";
import type * as own from "${hooks}hook.ts";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** Without null, which stands for what is left out. */
type Plain<T> = { [K in keyof T]: Exclude<T[K], null> };
export const checks: [
  Same<author.HookRequest, own.RequestInput>,
  Same<author.PresentationRequest, own.PresentationInput>,
  Same<Plain<author.Resolution>, own.Resolution>,
  Same<Plain<author.Authorization>, own.Authorization>,
  Same<author.WebhookQuestion["function"], own.HookFunction>,
  Same<keyof author.HookRequest, keyof own.RequestInput>,
] = [true, true, true, true, true, true];
`;
  expect(problemsOf("same.ts", same)).toEqual([]);
  expect(problemsOf("same.ts", same.replace("own.Resolution>", "own.Authorization>"))).not.toEqual([]);
});
