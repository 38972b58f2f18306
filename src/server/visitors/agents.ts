// What a user agent says of itself. Anybody may send any agent, so that it can only lower what a visitor
// gets.

import { createLru } from "../../base/index.ts";

/** `browser`: it calls itself one; `crawler`: it collects pages; `program`: neither, or nothing. */
export type AgentKind = "browser" | "crawler" | "program";

/** Longest agent that is looked at, in characters; browsers send about 120. */
export const maxAgentLength = 512;

/** Words by which crawlers name themselves, of search engines, of AI companies and of archives. */
const names = [
  // Not the phones of Cubot.
  /(?<!\bcu)bot\b/,
  /crawl|spider|slurp|scrap|archiver|fetcher|downloader|webindex|-user\b/,
  /\bai2\b|anthropic|autorag|claude|cohere|\bdevin\/|notebooklm|novaact|perplexity/,
  /google-?(?:other|agent)|google-[a-z]|facebookexternal|meta-external|bytespider|amazonbuyfor/,
  /ahrefs|dataforseo|diffbot|heritrix|img2dataset|nutch|omgili|petalsearch|semrush|timpi/,
];

/** Browsers that people do not see. */
const unseen = /headless|phantomjs|lightpanda/;

/**
 * Forms by which crawlers are told without their names: an address for questions, and the word by which old
 * browsers, and crawlers to this day, say that they are like Netscape's.
 */
const forms = [/https?:\/\/|\+[\w.@-]+\.[a-z]/, /\bcompatible\b(?!; ?(?:msie|konqueror|icab|u;))/];

const crawler = new RegExp([...names, unseen, ...forms].map(({ source }) => source).join("|"), "i");

/**
 * Browsers begin like this since 1994 (RFC 9110, section 10.1.5, has their form), except for those of text,
 * which blind readers use; programs leave out the system.
 */
const browser = /^Mozilla\/\d\S* \((?!.*(?:PowerShell|jsdom))|^Opera\/\d|^(?:E?Links|Lynx|w3m)\b/;

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
