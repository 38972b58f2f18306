// Notices a proxy that trusted_proxies does not name: all readers then count as one client, which shares
// permits, turns and limits.

import { type Log, networkOf, parseRange } from "../../../../base/index.ts";
import { isPrivate } from "../../../access/doubts/ranges.ts";

/** Requests from one network after which it is named: with X-Forwarded-For or Forwarded, or without. */
const enough = { forwarded: 100, plain: 1000 } as const;

/**
 * Returns a function that notes each request, and warns once if all of them came from one private network,
 * whose clients count as one.
 */
export function createSinglePeerWatch(
  log: Pick<Log, "warn">,
): (peer: string | undefined, headers: Headers) => void {
  let only: string | undefined;
  let latest: string | undefined = "";
  let over = false;
  const seen = { forwarded: 0, plain: 0 };
  return (peer, headers) => {
    if (over) return;
    if (peer !== latest) {
      only ??= peer;
      latest = peer;
      over = peer === undefined || networkOf(peer) !== networkOf(only) || !isPrivate(parseRange(peer));
      if (over) return;
    }
    const kind = headers.has("x-forwarded-for") || headers.has("forwarded") ? "forwarded" : "plain";
    seen[kind]++;
    over = seen[kind] >= enough[kind];
    if (over)
      log.warn(
        "all requests so far came from one private address or IPv6 network, so that all readers count as one client; if it is a proxy, name it in trusted_proxies and let it send X-Forwarded-For or Forwarded",
        { address: only },
      );
  };
}
