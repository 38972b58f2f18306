// Profiles of up to a megabyte whose curves have tens of thousands of segments.

import { expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { profileFacts } from "../../src/imaging/colour/facts.ts";
import { createColour } from "../../src/imaging/colour/transform.ts";
import { testHost } from "../host.ts";
import { profileOf } from "../imaging/colour/profiles.ts";
import { costOf } from "./cost.ts";

/** Parts of multiProcessElementsType (ICC.1:2022, 10.16): a type, four zeros, and numbers. */
const part = (type: string, ...content: readonly Uint8Array[]) =>
  Buffer.concat([Buffer.from(`${type}\0\0\0\0`, "latin1"), ...content]);
const words = (bytes: 2 | 4, ...values: readonly number[]) => {
  const out = Buffer.alloc(bytes * values.length);
  for (const [i, value] of values.entries()) out.writeUIntBE(value, i * bytes, bytes);
  return out;
};
const one = 0x3f800000; // as a floating-point number

/** A curve whose segments have the same formula, of gamma 1. */
function curve(segments: number): Buffer {
  const breaks = Buffer.alloc(4 * (segments - 1));
  for (let i = 0; i < segments - 1; i++) breaks.writeFloatBE((i + 1) / segments, 4 * i);
  const formula = part("parf", words(2, 0, 0), words(4, one, one, 0, 0));
  return part("curf", words(2, segments, 0), breaks, ...new Array<Buffer>(segments).fill(formula));
}

/** A profile of 16 steps, each with the same curve for each of `channels`. */
function profile(segments: number, channels = 3): Uint8Array {
  const own = curve(segments);
  const start = 12 + 8 * channels;
  const places = Array.from({ length: channels }, () => [start, own.length]).flat();
  const step = part("cvst", words(2, channels, channels), words(4, ...places), own);
  const steps = Array.from({ length: 16 }, () => [16 + 8 * 16, step.length]).flat();
  const table = part("mpet", words(2, 3, 3), words(4, 16, ...steps), step);
  return profileOf("RGB ", "XYZ ", 4, [["D2B1", table]]);
}

test.each([
  ["20,000 segments", profile(20_000), "curves of at most 64 segments in D2B1, received 20000"],
  ["17 curves in a step", profile(1, 17), "at most 16 curves in a step of D2B1, received 17"],
])("a profile with %s is not used", async (_, hostile, reason) => {
  expect(hostile.length).toBeLessThan(2 ** 20);
  const { result, cpuMs } = await costOf(async () => {
    const { ignored } = await profileFacts(memoryBytes(hostile), "rgb");
    const colour = await createColour(testHost).byProfile(async () => hostile, "rgb");
    return [ignored, colour.ignored];
  });
  const expected = `it is damaged: expected ${reason}`;
  expect(result).toEqual([expected, expected]);
  expect(cpuMs).toBeLessThan(700);
});

test("a profile with three segments in each curve is used", async () => {
  expect(await profileFacts(memoryBytes(profile(3)), "rgb")).toEqual({ from: "icc", srgb: false });
  expect((await createColour(testHost).byProfile(async () => profile(3), "rgb")).ignored).toBeUndefined();
});
