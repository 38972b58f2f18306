// Rules for the configuration that an operator copies from the page of visitors. Anyone may send any name of
// a site or an agent, so that a rule is offered only if the configuration takes it.

import { type CrawlerOptions, crawlerOptions } from "../../server/index.ts";

/** Lists under `crawlers:` that a rule adds to. */
export type RuleList = "known_networks" | "listed_origins" | "denied_agents";

/**
 * Returns the YAML of a list with its present entries and another one; undefined if that is listed already,
 * or is nothing to list.
 */
export function ruleFor(list: RuleList, crawlers: CrawlerOptions, entry: string): string | undefined {
  const present = crawlers[list];
  const entries = [...present, entry];
  if (present.includes(entry) || !crawlerOptions.safeParse({ [list]: entries }).success) return undefined;
  // A text of JSON is one of YAML (YAML 1.2, section 1.3).
  return `crawlers:\n  ${list}:\n${entries.map((each) => `    - ${JSON.stringify(each)}\n`).join("")}`;
}

/** Words that crawlers of many owners have in their agents. */
const general =
  /^(?:compatible|\w{0,2}bot|robot|crawler|spider|scraper|http|https|https?-client|client|agent)$/i;
/** Words that end as the names of crawlers do. */
const named = /(?:bot|crawler|spider|scraper)$/i;

/** Returns the rule that denies an agent by the name in it; undefined if it has none of its own. */
export function ruleForAgent(crawlers: CrawlerOptions, agent: string): string | undefined {
  const words = agent
    .replaceAll(/\S*:\S*|\S+@\S+/g, " ")
    .split(/[\s;,()/]+/)
    .filter((word) => /^[a-z]/i.test(word) && !general.test(word));
  const sorted = [...words.filter((word) => named.test(word)), ...words.filter((word) => !named.test(word))];
  for (const word of sorted) {
    const rule = ruleFor("denied_agents", crawlers, word);
    if (rule !== undefined) return rule;
  }
  return undefined;
}
