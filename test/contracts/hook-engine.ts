// The contract of every hook engine. Each engine's test calls this.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HookEngine, RequestInput } from "../../src/server/hooks/hook.ts";

export interface HookEngineContract {
  /**
   * Builds an engine whose `resolve` returns `{ key: "masters/" + identifier + ".tif" }` for `a`, `b/c` and
   * `ms 1`, and undefined or false for all others; it has no function `presentation`.
   */
  readonly build: () => HookEngine | Promise<HookEngine>;
}

export const inputOf = (identifier: string, more: Partial<RequestInput> = {}): RequestInput => ({
  identifier,
  page: 1,
  request_path: `/iiif/3/${encodeURIComponent(identifier)}/info.json`,
  headers: {},
  ...more,
});

const known = ["a", "b/c", "ms 1"];

export function hookEngineContract(name: string, { build }: HookEngineContract): void {
  describe(`the hook engine ${name}`, () => {
    let engine: HookEngine;
    beforeAll(async () => {
      engine = await build();
    });
    afterAll(() => engine.close());

    it("reports its name, and that all is well", async () => {
      expect(engine.name).toBe(name);
      await expect(engine.check()).resolves.toBeUndefined();
    });

    it("computes results from the input", async () => {
      for (const identifier of known)
        expect(await engine.call("resolve", inputOf(identifier))).toEqual({
          key: `masters/${identifier}.tif`,
        });
    });

    it.each(["nowhere", "__proto__", "constructor", "toString", "a ", "", "A"])(
      "has no key for an unknown %j",
      async (identifier) => {
        expect([undefined, null, false]).toContain(await engine.call("resolve", inputOf(identifier)));
      },
    );

    it("lists its functions", () => {
      expect(engine.has("resolve")).toBe(true);
      expect(engine.has("presentation")).toBe(false);
    });

    it("has no opinion without a function", async () => {
      const input = { id: "a", kind: "manifest", descriptor: {} };
      expect(await engine.call("presentation", input)).toBeUndefined();
    });

    it("keeps concurrent calls separate", async () => {
      const asked = Array.from({ length: 60 }, (_, nth) => known[nth % known.length] as string);
      const answers = await Promise.all(
        asked.map((identifier) => engine.call("resolve", inputOf(identifier))),
      );
      expect(answers).toEqual(asked.map((identifier) => ({ key: `masters/${identifier}.tif` })));
    });

    it("leaves its input unchanged, and does not share its results", async () => {
      const input = Object.freeze({ ...inputOf("a"), headers: Object.freeze({}) });
      const first = (await engine.call("resolve", input)) as { key: string };
      first.key = "changed";
      expect(await engine.call("resolve", input)).toEqual({ key: "masters/a.tif" });
    });

    it("takes identifiers with any signs", async () => {
      for (const identifier of ["ß/日本", 'q"\\\n', "\u{1f600}", "\u2028", "x".repeat(8000)])
        expect([undefined, null, false]).toContain(await engine.call("resolve", inputOf(identifier)));
      expect(await engine.call("resolve", inputOf("b/c"))).toEqual({ key: "masters/b/c.tif" });
    });
  });
}
