// Draws a random sample of the texts of the repository, for somebody to read with fresh eyes:
//
//   node scripts/words/sample.mjs [--seed 39]
//
// The same seed and the same tree give the same sample.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { shuffled } from "../../bench/lib/session.mjs";
import { allTexts } from "./texts.mjs";

const counts = { comment: 100, name: 50, title: 30, message: 30, sentence: 30 };

const { values } = parseArgs({ options: { seed: { type: "string", default: "39" } } });
const texts = allTexts(fileURLToPath(new URL("../../", import.meta.url)));
for (const [kind, count] of Object.entries(counts)) {
  const all = texts.filter((text) => text.kind === kind);
  console.log(`\n## ${count} of ${all.length}: ${kind}\n`);
  for (const [at, { file, line, text }] of shuffled(all, Number(values.seed)).slice(0, count).entries())
    console.log(`${at + 1}. ${file}:${line}\n   ${text.replace(/\s*\n\s*/g, " ")}`);
}
