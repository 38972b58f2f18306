// Passes of our viewer: a signed cookie that a page of /view sets, by which its requests for tiles are told
// from those of strangers. It names a network and nobody; a crawler may fetch one too, so that the budget of
// the network stays.

import { createLru, visitorNetworks } from "../../../../base/index.ts";
import { cookieValues } from "../../../access/credentials.ts";
import { createSeals } from "../../../access/logins/sealed.ts";

/** Name of the cookie. */
export const passName = "smalti_pass";

/** Seconds for which a pass is valid. */
const validSeconds = 900;
/** Longest value that is read, in characters. */
const maxLength = 400;

export interface Passes {
  /** Returns the Set-Cookie value of a pass for the network of a client; `base`: the public URL. */
  issue(client: string | undefined, base: string): Promise<string>;
  /**
   * True if a request has a valid pass of its network. A pass that is seen for the first time is verified
   * while the request goes on without it.
   */
  has(headers: Headers, client: string | undefined): boolean;
}

interface Pass {
  readonly network: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Creates passes. Servers with the same secret accept those of each other. */
export function createPasses(secret: string): Passes {
  const seals = createSeals<{ network: string }>(secret, "pass of the viewer", validSeconds);
  const valid = createLru<string, Pass>(4096);
  /** Values that are or were verified; apart from those that are valid, which no flood of others evicts. */
  const tried = createLru<string, true>(4096);
  const verify = async (value: string) => {
    const pass = (await seals.open(value)) as { network?: unknown; exp?: number } | undefined;
    if (typeof pass?.network !== "string") return;
    valid.set(value, { network: pass.network, until: (pass.exp ?? 0) * 1000 }, 1);
    tried.delete(value);
  };
  return {
    async issue(client, base) {
      const value = await seals.seal({ network: visitorNetworks(client).network });
      const { protocol, pathname } = new URL(base);
      const path = pathname.includes(";") ? "/" : pathname;
      const secure = protocol === "https:" ? "; Secure" : "";
      return `${passName}=${value}; Path=${path}; Max-Age=${validSeconds}; HttpOnly; SameSite=Lax${secure}`;
    },
    has(headers, client) {
      const [value] = cookieValues(headers.get("Cookie") ?? undefined, passName);
      if (value === undefined || value.length > maxLength) return false;
      const pass = valid.get(value);
      if (pass) return pass.network === visitorNetworks(client).network && Date.now() < pass.until;
      if (tried.get(value)) return false;
      tried.set(value, true, 1);
      void verify(value);
      return false;
    },
  };
}
