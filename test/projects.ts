// Groups the files of the suite `unit` into shared processes: loading the modules takes longer than most
// tests. The text of a file decides, so that there is no list to maintain.

import { readdirSync, readFileSync } from "node:fs";

/** Signs that a file affects others in its process, or needs a process of its own. */
const changesProcess = [
  /\bvi\.(mock|doMock|stubGlobal|stubEnv|useFakeTimers|setSystemTime|spyOn)\(/,
  /\bprocess\.(chdir|umask|on|once|exit|memoryUsage)\(/,
  /\bprocess\.env\.\w+ (\?\?)?= /,
  /\bsetFlagsFromString\(/,
];

/** test/cli/built.ts starts the built program. */
const startsProgram = /\/built\.ts"/;

const otherSuites = /^(browser|runtimes|containers)\//;

const projectOf = (text: string) => {
  if (startsProgram.test(text)) return "program";
  return changesProcess.some((pattern) => pattern.test(text)) ? "alone" : "shared";
};

const files = (readdirSync("test", { recursive: true }) as string[])
  .filter((path) => path.endsWith(".test.ts") && !otherSuites.test(path))
  .map((path) => ({ path: `test/${path}`, project: projectOf(readFileSync(`test/${path}`, "utf8")) }));

/** The files of a project of vitest.config.ts. */
export const filesOf = (project: ReturnType<typeof projectOf>): string[] =>
  files.filter((file) => file.project === project).map(({ path }) => path);
