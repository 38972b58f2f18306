// The files of the suite `unit`. They share processes, so that modules are loaded once: loading takes longer
// than most tests.

import { readdirSync, readFileSync } from "node:fs";

/** test/cli/built.ts starts the built program. */
const startsProgram = /\/built\.ts"/;

const otherSuites = /^(browser|runtimes|containers)\//;

/** npm run test:quick leaves the tests of such files out; then nothing of them has to be loaded. */
const isSlow = /^\/\/ @module-tag slow$/m;
const quick = process.argv.includes("--tags-filter=!slow");

const files = (readdirSync("test", { recursive: true }) as string[])
  .filter((path) => path.endsWith(".test.ts") && !otherSuites.test(path))
  .map((path) => ({ path: `test/${path}`, text: readFileSync(`test/${path}`, "utf8") }))
  .filter(({ text }) => !quick || !isSlow.test(text));

/** The files of a project of vitest.config.ts: those that start the built program, or all others. */
export const filesOf = (project: "program" | "shared"): string[] =>
  files.filter(({ text }) => startsProgram.test(text) === (project === "program")).map(({ path }) => path);
