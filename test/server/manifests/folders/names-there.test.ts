import { afterEach, describe, expect, test, vi } from "vitest";
import { namesThere } from "../../../../src/server/manifests/folders/names-there.ts";
import type { Source } from "../../../../src/server/sources/source.ts";

/** A source with some names in its folder `book`, which counts how often it is asked. */
function folderOf(names: readonly string[], state: string | undefined) {
  const has = vi.fn(async (key: string) => facts.names.includes(key.replace("book/", "")));
  const facts = { names, state, has };
  const source = { has, stateOf: async () => facts.state } as unknown as Source;
  return { facts, has, look: (...list: string[]) => namesThere({ source, key: "book" }, list) };
}

afterEach(() => void vi.useRealTimers());

describe("the names that a folder has", () => {
  test("are found in the order in which they are asked for", async () => {
    const { look } = folderOf(["2.xml", "1.xml"], "as it was");
    expect(await look("1.xml", "2.xml", "3.xml")).toEqual(["1.xml", "2.xml"]);
  });

  test("are not asked for again while the folder stays the same", async () => {
    const { look, has } = folderOf(["1.xml"], "as it was");
    await look("1.xml", "2.xml");
    expect(await look("1.xml", "2.xml")).toEqual(["1.xml"]);
    expect(has).toHaveBeenCalledTimes(2);
    expect(await look("2.xml")).toEqual([]);
    expect(has).toHaveBeenCalledTimes(3);
  });

  test("are asked for again once the folder has changed, or has changed so recently that nobody knows", async () => {
    const { look, facts } = folderOf([], "as it was");
    await look("1.xml");
    Object.assign(facts, { names: ["1.xml"], state: "another" });
    expect(await look("1.xml")).toEqual(["1.xml"]);
    Object.assign(facts, { names: [], state: undefined });
    expect(await look("1.xml")).toEqual([]);
    Object.assign(facts, { names: ["1.xml"] });
    expect(await look("1.xml")).toEqual(["1.xml"]);
  });

  test("are asked for again after ten seconds, since a link may have lost its target", async () => {
    vi.useFakeTimers();
    const { look, facts } = folderOf(["1.xml"], "as it was");
    await look("1.xml");
    facts.names = [];
    vi.advanceTimersByTime(9_999);
    expect(await look("1.xml")).toEqual(["1.xml"]);
    vi.advanceTimersByTime(1);
    expect(await look("1.xml")).toEqual([]);
  });

  test("are none on a source that cannot tell cheaply what it has", async () => {
    expect(await namesThere({ source: {} as Source, key: "" }, ["1.xml"])).toEqual([]);
  });
});
