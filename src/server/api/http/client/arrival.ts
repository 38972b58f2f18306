// Who sends a request, as far as its address and headers tell.

import { createLru, isInRanges, parseRange } from "../../../../base/index.ts";
import { agentKindOf } from "../../../visitors/agents.ts";
import { createListed } from "../../../visitors/listed-origins.ts";
import type { CrawlerOptions } from "../../../visitors/options.ts";
import type { Verification } from "../../../visitors/verification/verification.ts";
import type { Arrival } from "../../../visitors/visitors.ts";
import type { Passes } from "./passes.ts";

/** Reads arrivals by the settings in effect. */
export type ReadArrival = (headers: Headers, client: string | undefined) => Arrival;

/** Creates a reader of arrivals for some settings. `proofs`: undefined if nobody is asked for one. */
export function createArrivals(
  { known_networks, listed_origins }: CrawlerOptions,
  passes: Pick<Passes, "has">,
  proofs: Pick<Passes, "has"> | undefined,
  verification: Pick<Verification, "judge">,
): ReadArrival {
  const networks = known_networks.map(parseRange);
  const isListed = createListed(listed_origins);
  const knownAddresses = createLru<string, boolean>(4096);
  const isKnown = (client: string | undefined) => {
    if (networks.length === 0 || client === undefined) return false;
    let known = knownAddresses.get(client);
    if (known === undefined) knownAddresses.set(client, (known = isInRanges(client, networks)), 1);
    return known;
  };
  return (headers, client) => {
    const origin = originOf(headers.get("Origin") ?? headers.get("Referer") ?? "");
    const name = headers.get("User-Agent") ?? undefined;
    const crawler = verification.judge(name, client);
    const agent = crawler ? kindOf[crawler.verdict] : agentKindOf(name);
    return {
      client,
      agent,
      agentName: crawler
        ? `${crawler.name} (${crawler.verdict})`
        : agent === "browser"
          ? undefined
          : (name ?? "").slice(0, maxName),
      origin,
      isKnown: isKnown(client) || (crawler?.isWelcome === true && crawler.verdict === "verified"),
      hasPass: passes.has(headers, client),
      hasProof: proofs?.has(headers, client) === true,
      isListed: origin !== undefined && isListed(origin),
    };
  };
}

/** Kinds of clients that name a crawler, by what is known of them. */
const kindOf = { verified: "crawler", unknown: "crawler", claimed: "claimed" } as const;

/** Longest name of an agent that is shown, in characters. */
const maxName = 120;

/** Returns the origin of an address in lower case; undefined if it is no address of the web. */
const originOf = (address: string) => /^https?:\/\/[^/?#@]{1,300}/i.exec(address)?.[0].toLowerCase();
