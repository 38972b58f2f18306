// The names of addresses by DNS, as crawlers are verified by: a name counts if it leads back to the address,
// since anyone with an address may give it any name. No request waits for it.

import { createLru, type Dns, normaliseIp, visitorNetworks, withDeadline } from "../../../base/index.ts";

export interface ReverseDns {
  /**
   * Returns the names of an address in the domains, in lower case; none if it has no such name. Returns
   * undefined while that is unknown, and begins a lookup then if few are running.
   */
  namesOf(address: string): readonly string[] | undefined;
}

export interface ReverseDnsOptions {
  readonly dns: Dns;
  /** Domains whose names count, in lower case. */
  readonly domains: readonly string[];
  /** Milliseconds of a clock. */
  readonly now: () => number;
}

/** Milliseconds that a result is valid. */
const valid = { found: 6 * 3_600_000, none: 600_000, failed: 60_000 } as const;
/** Lookups at a time; addresses that come while they run stay unknown. */
const maxLookups = 64;
/** Milliseconds that a lookup may take. */
const lookupMs = 2000;
/**
 * After a lookup, its network waits this many times as long as that took. So a network whose servers are slow
 * takes a hundredth of a lookup at a time, and thousands of them are needed to take all.
 */
const pauseFactor = 100;
/** Names of one address that are looked up. */
const maxNames = 4;
const maxAddresses = 10_000;

interface Result {
  readonly names: readonly string[] | undefined;
  readonly until: number;
}

/** True if a name is of a domain, or is the domain. */
export const isOfDomain = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`);

/** Creates lookups of which none has been made. */
export function createReverseDns({ dns, domains, now }: ReverseDnsOptions): ReverseDns {
  const results = createLru<string, Result>(maxAddresses);
  /** Networks with a lookup (/24, /48 of IPv6), of which each has one at a time, so that none takes all. */
  const asking = new Set<string>();
  /** When networks may have their next lookup. */
  const pauses = createLru<string, number>(maxAddresses);

  const leadsBack = async (name: string, address: string) =>
    (await dns.addressesOf(name)).some((other) => normaliseIp(other) === address);

  const lookUp = async (address: string): Promise<readonly string[]> => {
    const named = (await dns.namesOf(address))
      .map((name) => name.toLowerCase().replace(/\.$/, ""))
      .filter((name) => domains.some((domain) => isOfDomain(name, domain)))
      .slice(0, maxNames);
    const proofs = await Promise.all(named.map((name) => leadsBack(name, address)));
    return named.filter((_, at) => proofs[at]);
  };

  const ask = async (address: string, network: string) => {
    asking.add(network);
    const began = now();
    try {
      const names = await withDeadline(lookupMs, () => lookUp(address));
      results.set(address, { names, until: now() + (names.length > 0 ? valid.found : valid.none) }, 1);
    } catch {
      // No server responded, which says nothing about the address.
      results.set(address, { names: undefined, until: now() + valid.failed }, 1);
    } finally {
      asking.delete(network);
      pauses.set(network, now() + pauseFactor * Math.min(lookupMs, now() - began), 1);
    }
  };

  return {
    namesOf(spelling) {
      const address = normaliseIp(spelling);
      if (address === undefined) return undefined;
      const result = results.get(address);
      if (result && now() < result.until) return result.names;
      const { network: own, site: network = own } = visitorNetworks(address);
      const mayAsk = asking.size < maxLookups && !asking.has(network) && now() >= (pauses.get(network) ?? 0);
      if (mayAsk) void ask(address, network);
      return undefined;
    },
  };
}
