import { expect, it } from "vitest";
import { sampleSource } from "../../../src/server/sources/sample.ts";
import { sourceContract } from "../../contracts/source.ts";

const content = Uint8Array.from({ length: 1000 }, (_, i) => (i * 31) % 251);
const source = sampleSource(async () => content);

sourceContract("sample", { source: () => source, key: "sample", content: () => content });

it("has another validator for another picture", async () => {
  const other = sampleSource(async () => content.slice(1));
  expect((await other.open("sample"))?.validator).not.toBe((await source.open("sample"))?.validator);
});

it("lists its only picture, at the top", async () => {
  expect(await source.list?.("")).toEqual([{ name: "sample", kind: "image" }]);
  expect(await source.list?.("sample")).toBeUndefined();
});

it("gives advice when the build lacks the picture", async () => {
  const empty = sampleSource(async () => undefined);
  await expect(empty.open("sample")).rejects.toMatchObject({ kind: "source", code: "sample_missing" });
  await expect(empty.check()).rejects.toMatchObject({ code: "sample_missing" });
});

it("loads the picture once, and again only after a failure", async () => {
  let loads = 0;
  const flaky = sampleSource(async () => {
    loads++;
    if (loads === 1) throw new Error("disk");
    return content;
  });
  await expect(flaky.open("sample")).rejects.toMatchObject({ kind: "source" });
  await Promise.all([flaky.open("sample"), flaky.open("sample"), flaky.check()]);
  expect(loads).toBe(2);
});
