// Lanes and shares: what cheap, heavy and remote jobs may take of permits and memory, as
// src/server/images/README.md ("Admission") says.

import { describe, expect, test } from "vitest";
import {
  type LaneJob,
  laneOf,
  memoryOf,
  permitsOf,
  sharesBeside,
} from "../../../../src/server/images/admission/lanes.ts";

const limits = { permits: 4, memory: 100 };
const heavy = (memory: number): LaneJob => ({ lane: "heavy", memory });
const from = (remote: string, memory = 0): LaneJob => ({ lane: "cheap", memory, remote });

test("a job of at most 50 ms is cheap", () => {
  expect([0, 50, 50.1, 5000].map(laneOf)).toEqual(["cheap", "cheap", "heavy", "heavy"]);
});

test("heavy jobs take three quarters of the permits, rounded down, and at least one", () => {
  const permits = [1, 2, 3, 4, 5, 8, 16];
  expect(permits.map(permitsOf.heavy)).toEqual([1, 1, 2, 3, 3, 6, 12]);
  expect(permits.map(permitsOf.cheap)).toEqual(permits);
});

test("the memory of several jobs is the sum of the memory of each", () => {
  expect(memoryOf([])).toBe(0);
  expect(memoryOf([heavy(30), from("web", 12)])).toBe(42);
});

describe("shares of the memory", () => {
  test("one job alone may have all of it", () => {
    const joins = sharesBeside([], limits);
    for (const load of [heavy(100), from("web", 100)]) expect(joins(load)).toBe(true);
  });

  test("heavy jobs have three quarters together, cheap ones the rest", () => {
    const joins = sharesBeside([heavy(50)], limits);
    expect([heavy(25), heavy(26)].map(joins)).toEqual([true, false]);
    expect(joins({ lane: "cheap", memory: 50 })).toBe(true);
  });

  test("remote sources have three quarters together, and one of them a half", () => {
    const joins = sharesBeside([from("a", 40), from("b", 20)], limits);
    expect([from("a", 10), from("a", 11)].map(joins)).toEqual([true, false]);
    expect([from("c", 15), from("c", 16)].map(joins)).toEqual([true, false]);
  });
});

test("a remote source has 16 jobs more than there are permits, all of them together 48 more", () => {
  const jobs = (count: number, name: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => from(name(at)));
  const ofOne = (count: number) =>
    sharesBeside(
      jobs(count, () => "a"),
      limits,
    );
  expect([ofOne(19)(from("a")), ofOne(20)(from("a")), ofOne(20)(from("b"))]).toEqual([true, false, true]);
  const ofAll = (count: number) => sharesBeside(jobs(count, String), limits);
  expect([ofAll(51)(from("new")), ofAll(52)(from("new"))]).toEqual([true, false]);
});
