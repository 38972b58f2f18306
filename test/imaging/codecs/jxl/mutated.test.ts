// Mutated JPEG XL files end in pixels or in an error that says why, within their estimate of memory.
// @module-tag slow

import { expect, test } from "vitest";
import { embedInJxl } from "../../../../src/imaging/codecs/jxl/container.ts";
import { fixture } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { decodeMutated } from "../mutated-masters.ts";

const sources = [
  ["base.png", "-d", "2", "-e", "3"],
  ["png-rgba8.png", "-d", "0", "-e", "3"],
  ["png-gray16.png", "-d", "0", "-e", "3"],
  ["png-rgb8-iccp-adobergb.png", "-d", "1", "-e", "3"],
  ["jpg-icc-displayp3-orient-6.jpg"],
  ["gif-animated-4.gif"],
] as const;

test.skipIf(!hasProgram("djxl"))("mutated files are shown or refused, within their memory", async () => {
  const files = sources.map(([name, ...options]) => {
    const from = `in.${name.split(".")[1]}`;
    return converted("cjxl", [from, "out.jxl", ...options], { input: fixture(name), from, to: "out.jxl" });
  });
  // Most damages of a file with much metadata leave its picture as it is.
  const xmp = new TextEncoder().encode(`<x:xmpmeta>${" ".repeat(200_000)}</x:xmpmeta>`);
  files.push(await embedInJxl(files[0]!, { xmp }));
  const { wrong, ends } = await decodeMutated("jxl", files, "mutated JPEG XL");
  expect(wrong).toEqual([]);
  // The coded data of a group end in a known state, so that few damages of them pass.
  expect(ends.pixels).toBeGreaterThan(files.length);
});
