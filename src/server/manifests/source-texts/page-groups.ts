// Cuts the pages of a source into groups, each of which has segments of its own. The keys of pages alone say
// where, so that a page or a folder that comes, changes or goes concerns its own group: all others keep their
// names, and what has been built of them. Servers that see the same pages make the same groups.

import { crc32, sha256, toHex } from "../../../base/index.ts";
import { recordVersion } from "../../../text/index.ts";
import type { TextFile } from "../texts/text-files.ts";
import type { PageClass } from "./page-class.ts";
import type { SourcePage } from "./source-pages.ts";

/** Consecutive pages of one class in one folder. */
export interface Run {
  readonly pageClass: PageClass;
  /** Key of the folder in its source. */
  readonly folder: string;
  /** Digest of all that the text of the pages is made of. */
  readonly digest: string;
  readonly pages: number;
  readonly firstKey: string;
  readonly lastKey: string;
  /** True if a group may end with it. */
  readonly isEnd: boolean;
}

export interface Group {
  /** A digest of its pages. */
  readonly name: string;
  readonly pageClass: PageClass;
  readonly runs: readonly Run[];
  readonly pages: number;
  readonly firstKey: string;
  readonly lastKey: string;
}

/** Pages of a group: at least, on average about, and at most, unless the first run alone has more. */
const pagesOfGroup = { fewest: 500, usual: 2000, max: 4000 } as const;

const utf8 = new TextEncoder();

/** True after a page at which a group may end: one of each 1,500, by its key. */
const isCut = (key: string): boolean =>
  crc32(utf8.encode(key)) % (pagesOfGroup.usual - pagesOfGroup.fewest) === 0;

/** Returns the runs of pages of a folder, which are sorted by key. */
export async function runsOf(folder: string, pages: readonly SourcePage[]): Promise<readonly Run[]> {
  const classes = new Map<string, SourcePage[]>();
  for (const page of pages) {
    const own = classes.get(page.pageClass.name);
    if (own) own.push(page);
    else classes.set(page.pageClass.name, [page]);
  }
  const runs: Run[] = [];
  for (const own of classes.values())
    for (let from = 0, at = 0; at < own.length; at++) {
      const { key, pageClass } = own[at]!;
      const isEnd = isCut(key) || at + 1 - from === pagesOfGroup.max;
      if (!isEnd && at + 1 < own.length) continue;
      const some = own.slice(from, at + 1);
      const digest = await digestOf(some.map((page) => [page.key, page.files.map(factsOf)]));
      const { key: firstKey } = some[0]!;
      runs.push({ pageClass, folder, digest, pages: some.length, firstKey, lastKey: key, isEnd });
      from = at + 1;
    }
  return runs;
}

const factsOf = ({ location: { source, key }, page, validator }: TextFile) => [
  source.fingerprint,
  key,
  page,
  validator,
];

const digestOf = async (facts: unknown): Promise<string> =>
  toHex(await sha256(JSON.stringify(facts))).slice(0, 32);

/**
 * Returns the groups of runs, which are in the order of their keys. `maxBytes`: of the largest file that is
 * read.
 */
export async function groupsOf(runs: Iterable<Run>, maxBytes: number): Promise<readonly Group[]> {
  const open = new Map<string, Run[]>();
  const closed: (readonly Run[])[] = [];
  for (const run of runs) {
    const { name } = run.pageClass;
    let own = open.get(name) ?? [];
    if (own.length > 0 && pagesIn(own) + run.pages > pagesOfGroup.max) {
      closed.push(own);
      own = [];
    }
    own.push(run);
    const isClosed = run.isEnd && pagesIn(own) >= pagesOfGroup.fewest;
    if (isClosed) closed.push(own);
    open.set(name, isClosed ? [] : own);
  }
  const all = [...closed, ...open.values()].filter((own) => own.length > 0);
  return Promise.all(all.map((own) => groupOf(own, maxBytes)));
}

const pagesIn = (runs: readonly Run[]) => runs.reduce((sum, { pages }) => sum + pages, 0);

async function groupOf(runs: readonly Run[], maxBytes: number): Promise<Group> {
  const [{ pageClass, firstKey }] = runs as [Run];
  const facts = [recordVersion, maxBytes, pageClass.name, runs.map(({ digest }) => digest)];
  const { lastKey } = runs.at(-1)!;
  return { name: await digestOf(facts), pageClass, runs, pages: pagesIn(runs), firstKey, lastKey };
}
