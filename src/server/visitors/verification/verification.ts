// Verifies crawlers: by the addresses that their companies publish, or by DNS.

import {
  type Check,
  createLru,
  type IpRangeSet,
  type Log,
  type Platform,
  type WatchedFile,
  watchFile,
} from "../../../base/index.ts";
import { maxAgentLength } from "../agents.ts";
import { fileCheck } from "../file-check.ts";
import type { CrawlerOptions } from "../options.ts";
import { readPublishedRanges } from "./published-ranges.ts";
import { createReverseDns, isOfDomain, type ReverseDns } from "./reverse-dns.ts";

/**
 * `verified`: it is the crawler. `claimed`: it says so, and every check says no. `unknown`: a check has no
 * result yet.
 */
export type Verdict = "verified" | "claimed" | "unknown";

export interface Judgement {
  /** Name of the crawler, by the configuration. */
  readonly name: string;
  readonly verdict: Verdict;
  /** True if the crawler, once it is verified, may use as much as it likes. */
  readonly isWelcome: boolean;
}

export interface Verification {
  /** Judges a client whose agent names one of the crawlers; undefined for others. Takes microseconds. */
  judge(agent: string | undefined, client: string | undefined): Judgement | undefined;
  readonly checks: readonly Check[];
}

type Row = CrawlerOptions["verified"][number];

interface Crawler {
  readonly row: Row;
  /** The agent in lower case. */
  readonly agent: string;
  readonly ranges: WatchedFile<IpRangeSet> | undefined;
}

/** Reads the files. Throws an Error that names the key if one cannot be used. */
export async function openVerification(
  rows: readonly Row[],
  { files, dns, keepAlive }: Pick<Platform, "files" | "dns" | "keepAlive">,
  log: Pick<Log, "info" | "error">,
  now: () => number = Date.now,
): Promise<Verification> {
  const crawlers: Crawler[] = [];
  const checks: Check[] = [];
  for (const [index, row] of rows.entries()) {
    const key = `crawlers.verified.${index}.ranges_file`;
    const path = row.ranges_file;
    const ranges =
      path === ""
        ? undefined
        : await watchFile({ path, files, log, of: "crawlers", key, read: readPublishedRanges });
    if (ranges) checks.push(fileCheck(row.name, key, path, ranges));
    crawlers.push({ row, agent: row.agent.toLowerCase(), ranges });
  }
  const domains = rows.flatMap((row) => row.domains);
  const names = dns && domains.length > 0 ? createReverseDns({ dns, domains, now }) : undefined;
  /** Crawlers by agents, -1 for those that name none. */
  const known = createLru<string, number>(2048);
  const find = (agent: string): Crawler | undefined => {
    const text = agent.slice(0, maxAgentLength).toLowerCase();
    let index = known.get(text);
    if (index === undefined)
      known.set(text, (index = crawlers.findIndex((each) => text.includes(each.agent))), 1);
    return crawlers[index];
  };
  return {
    judge(agent, client) {
      const crawler = agent && crawlers.length > 0 ? find(agent) : undefined;
      if (!crawler) return undefined;
      const looking = crawler.ranges?.refresh();
      if (looking) keepAlive?.(looking);
      const { name, welcome } = crawler.row;
      return { name, verdict: verdictOn(crawler, names, client), isWelcome: welcome };
    },
    checks,
  };
}

function verdictOn(
  { row: { domains }, ranges }: Crawler,
  reverse: ReverseDns | undefined,
  client: string | undefined,
): Verdict {
  if (client === undefined) return "unknown";
  if (ranges?.current().has(client)) return "verified";
  if (domains.length === 0) return "claimed";
  const names = reverse?.namesOf(client);
  if (!names) return "unknown";
  return names.some((name) => domains.some((domain) => isOfDomain(name, domain))) ? "verified" : "claimed";
}
