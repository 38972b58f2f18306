// Mutated AVIF files end in pixels or in an error that says why, within their estimate of memory.
// @module-tag slow

import { expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { decodeMutated } from "../mutated-masters.ts";

const sources = [
  ["base.png"],
  ["png-rgba8.png", "-d", "10"],
  ["base.png", "-y", "400"],
  ["base.png", "--grid", "2x2"],
  ["jpg-icc-displayp3-orient-6.jpg"],
] as const;

test.skipIf(!hasProgram("avifenc"))("mutated files are shown or refused, within their memory", async () => {
  const files = sources.map(([name, ...options]) => {
    const from = `in.${name.split(".")[1]}`;
    const args = ["-s", "10", ...options, from, "out.avif"];
    return converted("avifenc", args, { input: fixture(name), from, to: "out.avif" });
  });
  const { wrong, ends } = await decodeMutated("avif", files, "mutated AVIF");
  expect(wrong).toEqual([]);
  expect(ends.pixels).toBeGreaterThan(files.length);
  expect(ends.errors).toBeGreaterThan(20);
});
