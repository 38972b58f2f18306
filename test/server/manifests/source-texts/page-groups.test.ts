// Groups of the pages of a source: their sizes, and what remains of them if pages come, change or go.

import { expect, test } from "vitest";
import { type Group, groupsOf, runsOf } from "../../../../src/server/manifests/source-texts/page-groups.ts";
import { keyOfPage } from "../../../../src/server/manifests/source-texts/page-key.ts";
import type { SourcePage } from "../../../../src/server/manifests/source-texts/source-pages.ts";
import type { Source } from "../../../../src/server/sources/source.ts";

const source = { name: "a", prefix: "", fingerprint: "filesystem /a" } as Source;

interface Laid {
  readonly folder: string;
  readonly pages: number;
  /** Validators of pages that differ from "1". */
  readonly changed?: Readonly<Record<number, string>>;
  readonly className?: string;
}

const pagesOf = ({ folder, pages, changed = {}, className = "public" }: Laid): SourcePage[] =>
  Array.from({ length: pages }, (_, at) => {
    const name = `${at + 1}.jpg`;
    const location = { source, key: `${folder}/${at + 1}.xml` };
    const validator = changed[at + 1] ?? "1";
    return {
      key: keyOfPage({ prefix: "", folder, name }),
      pageClass: { name: className, image: `${folder}/${name}`, folders: [folder] },
      files: [{ location, name: `${at + 1}.xml`, validator, page: 0, form: "xml", isShared: false }],
    };
  });

async function groups(folders: readonly Laid[], maxBytes = 1000): Promise<readonly Group[]> {
  const runs = [];
  for (const one of folders) runs.push(...(await runsOf(one.folder, pagesOf(one))));
  return groupsOf(runs, maxBytes);
}

const library = Array.from({ length: 200 }, (_, at): Laid => ({ folder: `book${1000 + at}`, pages: 100 }));

/** Number of the pages of groups that were not there before. */
const rebuilt = (before: readonly Group[], after: readonly Group[]) => {
  const names = new Set(before.map(({ name }) => name));
  return after.filter(({ name }) => !names.has(name)).reduce((sum, { pages }) => sum + pages, 0);
};

test("have all pages in their order, and at most 4,000 each", async () => {
  const all = await groups([...library, { folder: "huge", pages: 9000 }]);
  expect(all.reduce((sum, { pages }) => sum + pages, 0)).toBe(29_000);
  expect(Math.max(...all.map(({ pages }) => pages))).toBeLessThanOrEqual(4000);
  for (const [at, { firstKey, lastKey }] of all.entries()) {
    expect(firstKey <= lastKey).toBe(true);
    if (at > 0) expect(all[at - 1]!.lastKey < firstKey).toBe(true);
  }
  expect(await groups([...library, { folder: "huge", pages: 9000 }])).toEqual(all);
});

test("of other pages keep their names if a folder comes, changes or goes", async () => {
  const before = await groups(library);
  expect(before.length).toBeGreaterThan(4);
  const comes = await groups([{ folder: "book0", pages: 100 }, ...library]);
  const changes = await groups(library.with(100, { ...library[100]!, changed: { 7: "2" } }));
  const goes = await groups(library.toSpliced(50, 1));
  for (const after of [comes, changes, goes]) {
    expect(rebuilt(before, after)).toBeGreaterThan(0);
    // The group of the page, and the next one if the first ends earlier or later than before.
    expect(rebuilt(before, after)).toBeLessThanOrEqual(8000);
  }
});

test("of a page in front keep their names in a folder of thousands", async () => {
  const pages = pagesOf({ folder: "huge", pages: 12_000 });
  const [first, ...rest] = pages as [SourcePage, ...SourcePage[]];
  const before = await groupsOf(await runsOf("huge", rest), 1000);
  const after = await groupsOf(await runsOf("huge", [first, ...rest]), 1000);
  expect(before.length).toBeGreaterThan(3);
  expect(rebuilt(before, after)).toBeLessThanOrEqual(8000);
});

test("are of one class each, and of one bound of the files that are read", async () => {
  const mixed = library.map((one, at) => ({ ...one, className: at % 2 === 0 ? "public" : "staff" }));
  const all = await groups(mixed);
  for (const { pageClass, runs } of all)
    expect(new Set(runs.map((run) => run.pageClass.name))).toEqual(new Set([pageClass.name]));
  const others = await groups(mixed, 2000);
  expect(rebuilt(all, others)).toBe(20_000);
  expect(rebuilt(all, await groups(library))).toBe(20_000);
});
