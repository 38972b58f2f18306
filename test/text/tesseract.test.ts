// @module-tag slow
// The book of known words that bench/text/tesseract.mjs prints, with fewer pages.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { hasProgram, run } from "../programs.ts";

const script = fileURLToPath(new URL("../../bench/text/tesseract.mjs", import.meta.url));

let built: Built;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built?.remove());

test.skipIf(!hasProgram("tesseract"))(
  "every word that tesseract reads is found within 3 pixels of its ink",
  () => {
    const { status, stderr } = run(process.execPath, [script, "--dist", built.dist, "--pages", "12"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  },
);
