// Search in the text of pages on every runtime: long files are read, and their words indexed, in a worker of
// the runtime if it has any.

import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alto, box } from "../server/api/search/pages.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

/** A page whose file is too long to be read without a worker. */
const longPage = alto(...Array.from({ length: 60 }, (_, line) => `zeile${line} `.repeat(20).trim()));

describe.each(runtimesFor("text search"))("smalti on $name, with a book of texts", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    const arrange = (folder: string) => {
      mkdirSync(join(folder, "book"));
      for (const page of [1, 2]) linkSync(join(folder, "base.png"), join(folder, `book/${page}.png`));
      writeFileSync(join(folder, "book/1.xml"), longPage);
      writeFileSync(join(folder, "book/2.xml"), alto("Die Straße führt", "zurück"));
    };
    server = await startServer(runtime, { arrange });
  });
  afterAll(() => server?.close());

  const items = async (path: string) => {
    const response = await fetch(server.url + path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()).items;
  };
  const found = async (query: string) => {
    const all = await items(`/iiif/search/2/presentation/3/book?q=${query}`);
    return all.map(({ target }: { target: string }) => target.split("/canvas/")[1]);
  };

  it("finds words of short and of long files, and completes them", async () => {
    expect(longPage.length).toBeGreaterThan(64 * 1024);
    expect(await found("strasse")).toEqual([`2#${box(0, 1)}`]);
    expect(await found("zeile7")).toHaveLength(20);
    expect(await items("/iiif/autocomplete/2/presentation/3/book?q=zeile7")).toEqual([
      { value: "zeile7", total: 20 },
    ]);
  });
});
