import { describe, expect, it } from "vitest";
import { fold, type MergeInput, maxMergedWords, planMerges } from "../../../src/text/index/plan-merges.ts";
import fc from "../../properties.ts";

const segment = (words: number, name = `s${words}`, className = "public"): MergeInput => ({
  name,
  words,
  className,
});

describe("a plan of merges", () => {
  it("merges eight of a size, and leaves seven", () => {
    const eight = Array.from({ length: 8 }, (_, index) => segment(1000, `s${index}`));
    expect(planMerges(eight)).toEqual([{ className: "public", inputs: eight.map(({ name }) => name) }]);
    expect(planMerges(eight.slice(1))).toEqual([]);
  });

  it("keeps access classes and sizes apart", () => {
    const mixed = Array.from({ length: 14 }, (_, index) =>
      segment(index % 2 ? 1000 : 100_000, `s${index}`, index < 7 ? "public" : "staff"),
    );
    expect(planMerges(mixed)).toEqual([]);
  });

  it("leaves few segments of each class and size, none above the bound, however they arrive", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(sizes, (sizes) => {
        let segments: MergeInput[] = [];
        let merges = 0;
        let written = 0;
        for (const [index, words] of sizes.entries()) {
          segments.push(segment(words, `s${index}`));
          for (let plans = planMerges(segments); plans.length > 0; plans = planMerges(segments))
            for (const { inputs } of plans) {
              expect(inputs.length).toBeGreaterThan(1);
              expect(inputs.length).toBeLessThanOrEqual(fold);
              const merged = segments.filter(({ name }) => inputs.includes(name));
              const total = merged.reduce((sum, { words }) => sum + words, 0);
              expect(total).toBeLessThanOrEqual(maxMergedWords);
              written += total;
              segments = [
                ...segments.filter(({ name }) => !inputs.includes(name)),
                segment(total, `m${merges++}`),
              ];
            }
        }
        const all = sizes.reduce((sum, words) => sum + words, 0);
        expect(segments.length).toBeLessThanOrEqual(4 * fold + all / (maxMergedWords / 2) + 1);
        // Each word is written once for each size, and about twice in the largest one.
        expect(written).toBeLessThanOrEqual(all * 6);
      }),
      { numRuns: 50 },
    );
  });
});
