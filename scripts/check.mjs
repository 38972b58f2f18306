// Types, lint, format, vendored files and derived pages; with --write it corrects the format instead. Stops
// at the first that fails.
//
//   node scripts/check.mjs [--write]

import { spawnSync } from "node:child_process";
import { installPackages, packagedProgram } from "./packages.mjs";

installPackages("test/browser"); // the types of its packages

const program = (name, ...args) => [packagedProgram("scripts/check", name), ...args];
const script = (name, ...args) => [process.execPath, `scripts/${name}`, ...args];

const steps = process.argv.includes("--write")
  ? [program("biome", "check", "--write", "."), script("format-wasm.mjs", "--write")]
  : [
      program("tsc", "-p", "."),
      program("biome", "check", "."),
      script("format-wasm.mjs"),
      script("viewer-files.mjs"),
      script("docs.mjs", "--check"),
    ];

for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
