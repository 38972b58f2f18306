// The settings of the process: which are missing, and that whatever starts Node in this repository has them.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  allocatorVariables,
  missingSettings,
  nodeFlags,
} from "../../../../src/server/platform/process/own-settings.ts";

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const [space, pretenuring] = nodeFlags;

test.each<[string, string[], Record<string, string>, ReturnType<typeof missingSettings>]>([
  ["neither flags nor variables", [], {}, { flags: nodeFlags, env: allocatorVariables }],
  ["all of them", [...nodeFlags], allocatorVariables, undefined],
  [
    "another value of a flag, another spelling, and another value of a variable",
    ["--max_semi_space_size=16"],
    { MALLOC_TRIM_THRESHOLD_: "0" },
    { flags: [pretenuring], env: { MALLOC_MMAP_THRESHOLD_: "262144" } },
  ],
  [
    "flags in NODE_OPTIONS",
    ["--enable-source-maps"],
    { ...allocatorVariables, NODE_OPTIONS: "--allocation-site-pretenuring  --trace-gc" },
    { flags: [space], env: {} },
  ],
])("a process with %s lacks the rest", (_, execArgv, env, missing) => {
  expect(missingSettings(execArgv, env)).toEqual(missing);
});

const variables = Object.entries(allocatorVariables).map(([name, value]) => `${name}=${value}`);
test.each([
  ["npm start", "package.json", `"start": "${[...variables, "node", ...nodeFlags].join(" ")} dist/main.js"`],
  ["the unit of systemd", "deploy/systemd/smalti.service", `\nEnvironment=${variables.join(" ")}\n`],
  ["the unit of systemd", "deploy/systemd/smalti.service", `/node ${nodeFlags.join(" ")} /`],
  ["the image of Node", "deploy/node.Containerfile", `\nENV ${variables.join(" ")}\n`],
  ["the image of Node", "deploy/node.Containerfile", `${nodeFlags.map((flag) => `"${flag}"`).join(", ")}`],
])("%s has them (%s)", (_, path, text) => {
  expect(read(path)).toContain(text);
});
