// Forgotten steps of the recipes of CONTRIBUTING.md: a file or an exported value that src/ does not use is a
// route or a check without its row in a table.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

const files = (readdirSync(src, { recursive: true }) as string[]).filter(
  (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"),
);

/** The code of each file without its comments. */
const codes = new Map(
  files.map((file) => [
    file,
    readFileSync(resolve(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
  ]),
);

/** Entries and doors are for others: programs, threads, users of the library, other houses. */
const isForOthers = (file: string) => !file.includes("/") || /^\w+\/index\.ts$/.test(file);

/** Of each file, what the imports of other files name of it; `*` for all. */
function importedNames(): ReadonlyMap<string, readonly string[]> {
  const imported = new Map<string, string[]>();
  for (const [file, code] of codes)
    for (const [, clause, from, loaded, alone] of code.matchAll(
      /^(?:import|export)\s([^;"]*?)\sfrom "(\.[^"]+)"|\bimport\("(\.[^"]+)"\)|^import "(\.[^"]+)"/gm,
    )) {
      const target = relative(src, resolve(src, dirname(file), from ?? loaded ?? (alone as string)));
      imported.set(target, [...(imported.get(target) ?? []), clause ?? "*"]);
    }
  return imported;
}

const imported = importedNames();

test("every file of src/ is imported by another", () => {
  const alone = files.filter((file) => !isForOthers(file) && !imported.has(file));
  expect(alone, "files that nothing imports: give each its row or its import, or delete it").toEqual([]);
});

test("every exported value is used in src/", () => {
  const unused = [...codes].flatMap(([file, code]) => {
    if (isForOthers(file)) return [];
    const clauses = imported.get(file) ?? [];
    const names = [
      ...code.matchAll(/^export (?:async )?(?:const|let|function\*?|(?:abstract )?class) ([\w$]+)/gm),
    ];
    return names.flatMap(([, name]) => {
      const named = new RegExp(`\\b${name}\\b`, "g");
      const isImported = clauses.some((clause) => clause.includes("*") || clause.search(named) >= 0);
      return isImported || (code.match(named)?.length ?? 0) > 1 ? [] : [`${file}: ${name}`];
    });
  });
  expect(unused, "values that nothing uses: give each its row or its call, or delete it").toEqual([]);
});
