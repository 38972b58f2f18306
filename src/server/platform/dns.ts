// Questions to the DNS servers of the system, on Node, Deno and Bun alike.

import { promises } from "node:dns";
import { type Dns, parseIp } from "../../base/index.ts";

/** Milliseconds that a server may take for one question. */
const timeout = 2000;

/** Codes of answers that say that there is nothing; Deno has no others. */
const nothing: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/** Creates a resolver. `servers`: addresses to ask instead of those of the system. */
export function createDns(servers?: readonly string[]): Dns {
  // A new one for each question: it reads the servers of the system, which may change.
  const resolver = () => {
    const made = new promises.Resolver({ timeout, tries: 2 });
    if (servers) made.setServers(servers);
    return made;
  };
  const unlessNothing = (error: { readonly code?: unknown }) => {
    if (nothing.has(error.code)) return [];
    throw error;
  };
  return {
    async namesOf(address) {
      const name = pointerName(address);
      return name === undefined ? [] : resolver().resolvePtr(name).catch(unlessNothing);
    },
    async addressesOf(name) {
      const asked = resolver();
      const found = await Promise.all([
        asked.resolve4(name).catch(unlessNothing),
        asked.resolve6(name).catch(unlessNothing),
      ]);
      return found.flat();
    },
  };
}

/**
 * Returns the name under which the names of an address are (RFC 1035, section 3.5; RFC 3596, section 2.5);
 * undefined for anything but an address.
 */
function pointerName(address: string): string | undefined {
  const ip = parseIp(address);
  if (!ip) return undefined;
  const [digitBits, radix, zone] = ip.bits === 32 ? [8, 10, "in-addr.arpa"] : [4, 16, "ip6.arpa"];
  const digits = Array.from({ length: ip.bits / digitBits }, (_, at) =>
    BigInt.asUintN(digitBits, ip.value >> BigInt(at * digitBits)).toString(radix),
  );
  return [...digits, zone].join(".");
}
