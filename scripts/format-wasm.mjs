// Formats and lints the sources of our own WebAssembly modules (wasm/*/assembly) by the rules of biome.json.
//
//   node scripts/format-wasm.mjs            fails if a file is not formatted, or breaks a rule
//   node scripts/format-wasm.mjs --write    formats them
//
// Biome does not parse AssemblyScript's decorators of functions, so it works on copies in which they are
// comments.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packagedProgram } from "./packages.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const write = process.argv.includes("--write");

/** A decorator on a line of its own, and its placeholder. */
const decorator = /^( *)@(\w+)$/gm;
const comment = /^( *)\/\/ decorator: @(\w+)$/gm;
const toTypeScript = (text) => text.replace(decorator, "$1// decorator: @$2");
const toAssemblyScript = (text) => text.replace(comment, "$1@$2");

/** Paths from the root. */
function sources() {
  return readdirSync(join(root, "wasm"))
    .map((module) => join("wasm", module, "assembly"))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => join(folder, name)),
    );
}

/**
 * The rules of the repository, with longer lines for vectors and without rules that do not fit
 * AssemblyScript: `==` is its usual comparison, the order of exports is that of the compiled module, inner
 * loops are written out, since a call in one costs, and kernels take numbers one by one.
 */
function configuration() {
  const { formatter, linter } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  const { style, suspicious, complexity } = linter.rules;
  const rules = {
    ...linter.rules,
    complexity: { ...complexity, noExcessiveCognitiveComplexity: "off", useMaxParams: "off" },
    style: { ...style, useImportType: "off" },
    suspicious: { ...suspicious, noDoubleEquals: "off", noTsIgnore: "off", noShadowRestrictedNames: "off" },
    correctness: { noPrecisionLoss: "off" },
  };
  const assist = { enabled: false };
  return { root: true, formatter: { ...formatter, lineWidth: 120 }, assist, linter: { rules } };
}

const copies = mkdtempSync(join(tmpdir(), "smalti-format-"));
try {
  const files = sources();
  for (const file of files) {
    mkdirSync(dirname(join(copies, file)), { recursive: true });
    writeFileSync(join(copies, file), toTypeScript(readFileSync(join(root, file), "utf8")));
  }
  writeFileSync(join(copies, "biome.json"), JSON.stringify(configuration()));
  const biome = packagedProgram("scripts/check", "biome");
  const checked = spawnSync(biome, ["check", "--write", "--error-on-warnings", "."], {
    cwd: copies,
    encoding: "utf8",
  });
  if (checked.status !== 0) {
    process.exitCode = 1;
    console.error(toAssemblyScript(checked.stdout + checked.stderr));
  }
  for (const file of files) {
    const formatted = toAssemblyScript(readFileSync(join(copies, file), "utf8"));
    if (formatted === readFileSync(join(root, file), "utf8")) continue;
    if (write) writeFileSync(join(root, file), formatted);
    else {
      process.exitCode = 1;
      console.error(`${file} is not formatted: run npm run format`);
    }
  }
} finally {
  rmSync(copies, { recursive: true, force: true });
}
