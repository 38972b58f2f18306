// Loaded into each process of the tests (node --import): switches the mutant MUTANT on. With MUTANT_HITS it
// notes which test files execute which mutants instead: lines of number, file, and when.

import { appendFileSync } from "node:fs";

const active = Number(process.env.MUTANT ?? -1);
const hits = process.env.MUTANT_HITS;
const seen = new Set();

/** The test file that runs in this process, or that has started it. */
function testFile() {
  const worker = globalThis.__vitest_worker__;
  if (worker?.filepath) process.env.MUTANT_TEST = worker.filepath;
  return process.env.MUTANT_TEST;
}

globalThis.__mutant = (id) => {
  if (!hits) return id === active;
  // What runs while modules are imported runs once for all files of a process.
  const worker = globalThis.__vitest_worker__;
  const note = `${id}\t${testFile()}\t${worker && !worker.current ? "import" : "test"}\n`;
  if (!seen.has(note)) appendFileSync(hits, note);
  seen.add(note);
  return false;
};

if (hits) setInterval(testFile, 50).unref(); // programs that a test starts without having imported src/
