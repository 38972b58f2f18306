// Draws a random sample of the texts of the repository, for somebody to read with fresh eyes:
//
//   node scripts/words/sample.mjs [--seed 39]
//
// The same seed and the same tree give the same sample.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { allTexts } from "./texts.mjs";

const counts = { comment: 100, name: 50, title: 30, message: 30, sentence: 30 };

const { values } = parseArgs({ options: { seed: { type: "string", default: "39" } } });
const texts = allTexts(fileURLToPath(new URL("../../", import.meta.url)));
const random = createRandom(Number(values.seed));
for (const [kind, count] of Object.entries(counts)) {
  const all = texts.filter((text) => text.kind === kind);
  console.log(`\n## ${count} of ${all.length}: ${kind}\n`);
  for (let n = 1; n <= count; n++) {
    const [{ file, line, text }] = all.splice(Math.floor(random() * all.length), 1);
    console.log(`${n}. ${file}:${line}\n   ${text.replace(/\s*\n\s*/g, " ")}`);
  }
}

/** Random numbers from 0 to below 1 by a seed (xorshift32). */
function createRandom(seed) {
  let state = seed * 2654435761 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
