// The visitors of a service, by the settings in effect.

import type { Ledger } from "./merge.ts";
import type { CrawlerOptions } from "./options.ts";
import { createVisitors, type Visitors } from "./visitors.ts";

export interface LiveVisitors {
  /** Undefined while crawlers are not told from readers. */
  current(): Visitors | undefined;
  /** Takes changed settings; what is known of networks stays. */
  take(options: CrawlerOptions, permits: number): void;
}

/**
 * Creates the visitors of a service. `permits`: number of jobs at a time; `ledger`: shares what is charged
 * with other servers.
 */
export function createLiveVisitors(options: CrawlerOptions, permits: number, ledger?: Ledger): LiveVisitors {
  let visitors: Visitors | undefined;
  let isOn = false;
  const take = ({ mode, viewers, listed, newcomers, strangers, redis }: CrawlerOptions, permits: number) => {
    isOn = mode !== "off";
    if (mode === "off") return;
    // Half of what newcomers have, so that crawlers that say so never take all of it.
    const pools = { viewers, listed, strangers, newcomers, programs: newcomers / 2 };
    const limits = { mode, permits: permits * (redis?.machines ?? 1), pools };
    if (visitors) visitors.limit(limits);
    else visitors = createVisitors(limits, Date.now, ledger);
  };
  take(options, permits);
  return { current: () => (isOn ? visitors : undefined), take };
}
