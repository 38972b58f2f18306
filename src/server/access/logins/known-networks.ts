// The networks from which users have logged in, kept with the sessions.

import { networkOf, toHex } from "../../../base/index.ts";
import type { Sessions } from "../session.ts";

/** A user at an address. */
export interface UserAt {
  /** Qualified with the profile, since profiles may share names. */
  readonly user: string;
  /** The hash of the user's password: if it changes, all networks are new. */
  readonly hash: string;
  readonly address: string | undefined;
}

export interface KnownNetworks {
  /** True if the user has logged in from the network of the address within 30 days. Never rejects. */
  has(at: UserAt): Promise<boolean>;
  /** Remembers the network of a user who has logged in. Never rejects. */
  note(at: UserAt): Promise<void>;
}

const knownMs = 30 * 24 * 3_600_000;

/**
 * The store learns neither names nor networks, only their HMAC-SHA256 with the hash of the password as the
 * key, which it does not have. While the store does not respond, all networks are new.
 */
export function createKnownNetworks(
  sessions: Pick<Sessions, "knowsNetwork" | "rememberNetwork">,
): KnownNetworks {
  return {
    async has(at) {
      const { user, network } = await keysOf(at);
      return sessions.knowsNetwork(user, network).catch(() => false);
    },
    async note(at) {
      const { user, network } = await keysOf(at);
      await sessions.rememberNetwork(user, network, knownMs).catch(() => {});
    },
  };
}

async function keysOf({ user, hash, address }: UserAt) {
  const [secret, ...texts] = [hash, `user ${user}`, `network ${networkOf(address, 64)} of ${user}`].map(
    (text) => encoder.encode(text),
  ) as [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const [own = "", network = ""] = await Promise.all(
    texts.map(async (text) => toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text)))),
  );
  return { user: own, network };
}

const encoder = new TextEncoder();
