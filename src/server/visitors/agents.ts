// What a user agent says of itself. Anybody may send any agent, so that it can only lower what a visitor
// gets.

import { createLru } from "../../base/index.ts";

/** `browser`: it calls itself one; `crawler`: it collects pages; `program`: neither, or nothing. */
export type AgentKind = "browser" | "crawler" | "program";

/** Longest agent that is looked at, in characters; browsers send about 120. */
export const maxAgentLength = 512;

/** Words by which crawlers name themselves, of search engines, of AI companies and of archives. */
const crawler =
  /bot\b|bot\/|crawl|spider|slurp|scrap|archiver|\bai2\b|anthropic|claude|cohere|facebookexternal|meta-external|google-?(extended|other|agent)|perplexity|diffbot|bytespider|amazonbuyfor|ia_archiver|heritrix|nutch|timpi|omgili|img2dataset|petalsearch|semrush|ahrefs|dataforseo|python-scrapy/i;

/** Browsers begin like this since 1994 (RFC 9110, section 10.1.5, has their form). */
const browser = /^Mozilla\/\d|^Opera\/\d/;

const known = createLru<string, AgentKind>(2048);

/** Returns the kind of a `User-Agent` field; `undefined` if there is none. */
export function agentKindOf(agent: string | undefined): AgentKind {
  if (!agent) return "program";
  const text = agent.slice(0, maxAgentLength);
  let kind = known.get(text);
  if (!kind) {
    kind = crawler.test(text) ? "crawler" : browser.test(text) ? "browser" : "program";
    known.set(text, kind, 1);
  }
  return kind;
}
