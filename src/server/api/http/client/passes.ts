// Passes: signed cookies by which requests of readers are told from those of strangers. One kind comes with
// a page of /view, the other with a proof of work. A pass names a network and nobody; a crawler may get one
// too, so that the budget of the network stays.

import { createLru, type Lru, visitorNetworks } from "../../../../base/index.ts";
import { cookieValues } from "../../../access/credentials.ts";
import { createSeals } from "../../../access/logins/sealed.ts";

interface PassKind {
  /** Name of the cookie. */
  readonly name: string;
  /** What the signature is for, so that a pass of one kind is none of another. */
  readonly purpose: string;
  /** Seconds for which a pass is valid. */
  readonly seconds: number;
}

/** `viewer`: has opened a page of /view; `proof`: has proven work. */
export const passKinds = {
  viewer: { name: "smalti_pass", purpose: "pass of the viewer", seconds: 900 },
  proof: { name: "smalti_proof", purpose: "proof of work", seconds: 3600 },
} as const satisfies Readonly<Record<string, PassKind>>;

/** Number of passes of all networks that are remembered, and of those of one. */
const maxPasses = { all: 65_536, ofOne: 256 } as const;

/** Longest value that is read, in characters. */
const maxLength = 400;

/** `early`: valid soon. `none`: there is no pass, or one of another network, or it is over. */
export type PassState = "none" | "early" | "valid";

export interface Passes {
  /**
   * Returns the Set-Cookie value of a pass for the network of a client; `base`: the public URL; `delay`:
   * seconds after which it becomes valid.
   */
  issue(client: string | undefined, base: string, delay?: number): Promise<string>;
  /**
   * True if a request has a valid pass of its network. A pass that is seen for the first time is verified
   * while the request goes on without it.
   */
  has(headers: Headers, client: string | undefined): boolean;
  /** Resolves to the state of the pass that a request brings, verified. */
  find(headers: Headers, client: string | undefined): Promise<PassState>;
  /** True if a request brings a value for the cookie, whatever it is. */
  isBrought(headers: Headers): boolean;
}

/** Times of a pass that was verified. */
interface Pass {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Creates passes of a kind. Servers with the same secret accept those of each other. */
export function createPasses(
  secret: string,
  { name, purpose, seconds }: PassKind = passKinds.viewer,
): Passes {
  const seals = createSeals<{ network: string; from?: number }>(secret, purpose, seconds);
  /** By the /24 or the /48, so that one of them evicts few passes of others, however many it has. */
  const valid = createLru<string, Lru<string, Pass>>(maxPasses.all);
  /** Values that are or were verified; apart from those that are valid, which no flood of others evicts. */
  const tried = createLru<string, true>(4096);
  const valueIn = (headers: Headers) => cookieValues(headers.get("Cookie") ?? undefined, name)[0];
  const passOf = (value: string, client: string | undefined): Pass | undefined =>
    valid.get(outermost(client))?.get(value);
  /** Stores a pass only if it is one of the client's network: passes of others must not evict any. */
  const verify = async (value: string, client: string | undefined) => {
    const pass = (await seals.open(value)) as { network?: unknown; from?: number; exp?: number } | undefined;
    if (pass?.network !== visitorNetworks(client).network) return undefined;
    const { from = 0, exp = 0 } = pass;
    const times = { from, until: exp * 1000 };
    const key = outermost(client);
    const passes = valid.get(key) ?? createLru(maxPasses.ofOne);
    passes.set(value, times, 1);
    valid.set(key, passes, passes.size);
    return times;
  };
  return {
    async issue(client, base, delay = 0) {
      const { network } = visitorNetworks(client);
      const value = await seals.seal(
        delay === 0 ? { network } : { network, from: Date.now() + delay * 1000 },
      );
      const { protocol, pathname } = new URL(base);
      const path = pathname.includes(";") ? "/" : pathname;
      const secure = protocol === "https:" ? "; Secure" : "";
      return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    },
    has(headers, client) {
      const value = valueIn(headers);
      if (value === undefined || value.length > maxLength) return false;
      const pass = passOf(value, client);
      if (pass) return stateOf(pass) === "valid";
      const attempt = `${visitorNetworks(client).network} ${value}`;
      if (tried.get(attempt)) return false;
      tried.set(attempt, true, 1);
      void verify(value, client).then((verified) => verified && tried.delete(attempt));
      return false;
    },
    async find(headers, client) {
      const value = valueIn(headers);
      if (value === undefined || value.length > maxLength) return "none";
      const pass = passOf(value, client) ?? (await verify(value, client));
      return pass ? stateOf(pass) : "none";
    },
    isBrought: (headers) => valueIn(headers) !== undefined,
  };
}

/** Returns the name of the /24 of a client, or of its /48. */
function outermost(client: string | undefined): string {
  const { network, site } = visitorNetworks(client);
  return site ?? network;
}

function stateOf({ from, until }: Pass): PassState {
  const now = Date.now();
  if (now >= until) return "none";
  return now < from ? "early" : "valid";
}
