// User agents that the operator denies everything.

import { createLru } from "../../base/index.ts";
import { maxAgentLength } from "./agents.ts";

/**
 * Returns whether a `User-Agent` field contains one of some texts, in any case; undefined if there are no
 * texts.
 */
export function createDenials(texts: readonly string[]): ((agent: string | null) => boolean) | undefined {
  if (texts.length === 0) return undefined;
  const lower = texts.map((text) => text.toLowerCase());
  const known = createLru<string, boolean>(2048);
  return (agent) => {
    if (!agent) return false;
    const name = agent.slice(0, maxAgentLength).toLowerCase();
    let isDenied = known.get(name);
    if (isDenied === undefined) known.set(name, (isDenied = lower.some((text) => name.includes(text))), 1);
    return isDenied;
  };
}

/** Agents of the browsers of most readers. */
const browsers = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
];

/** True if the agents of usual browsers contain a text, in any case. */
export const isInBrowsers = (text: string): boolean =>
  browsers.some((agent) => agent.toLowerCase().includes(text.toLowerCase()));
