// Repeatability: no test draws random numbers without a seed.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("./", import.meta.url));
const files = (readdirSync(folder, { recursive: true }) as string[]).filter(
  (name) =>
    /\.(ts|mjs)$/.test(name) && name !== "repeatable.test.ts" && !/(^|[/\\])node_modules[/\\]/.test(name),
);

/** Spelling, what to use in its place, and the file that may have it. */
const unseeded = [
  [/\bMath\.random\b/, "seeded() of seeded.ts", undefined],
  [/\bgetRandomValues\(|\brandomBytes\b/, "seeded() of seeded.ts", undefined],
  [/type: "gaussian"/, "grain() of grain.ts", undefined],
  [/from "fast-check"/, "properties.ts", "properties.ts"],
] as const;

test.each(unseeded)("no test has %s; %s is the same in every run", (spelling, _, home) => {
  const found = files.filter((name) => name !== home && spelling.test(readFileSync(folder + name, "utf8")));
  expect(found).toEqual([]);
});
