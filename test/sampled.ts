// Tests that would try everything try a sample that changes with the commit. TEST_ALL=1 tries everything, and
// TEST_SEED=<commit> draws the sample of another commit again.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { seeded } from "./seeded.ts";

const commit = () => spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout?.trim() || "none";

/** The commit that seeds the samples. Workers get it from the first process. */
process.env.TEST_SEED ??= commit();

/** True if this run tries everything. */
export const everything = process.env.TEST_ALL === "1";

/** Returns a seed for the samples of `name`, from 0 to 2^32 - 1; it differs in each commit. */
export const seedOf = (name: string): number =>
  createHash("sha256").update(`${process.env.TEST_SEED} ${name}`).digest().readUInt32LE();

/**
 * `count` of the cases in their order, drawn by the commit and by `name`, which is another for each list of
 * cases; all of them with TEST_ALL=1 or if there are no more.
 */
export function sampled<T>(name: string, cases: readonly T[], count: number): readonly T[] {
  if (everything || cases.length <= count) return cases;
  const below = seeded(seedOf(name));
  const left = cases.map((_, index) => index);
  const drawn = Array.from({ length: count }, () => left.splice(below(left.length), 1)[0] as number);
  return drawn.sort((a, b) => a - b).map((index) => cases[index] as T);
}
