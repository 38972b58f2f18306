// Fingerprints of what vouches for a login. A grant stores the fingerprint; the login ends when it changes.

import { createLru, sha256, toHex } from "../../base/index.ts";
import type { Kiosks } from "./logins/kiosk.ts";
import type { Logins } from "./logins/logins.ts";
import type { Profile } from "./profiles/profile.ts";

/**
 * 128 bits in hexadecimal digits. It reveals nothing about the password: testing a guess needs the salt,
 * which only the password list contains.
 */
export type Fingerprint = string;

export interface Fingerprints {
  /**
   * Returns the fingerprint of a login of `user` to a profile as it would be made now; undefined if there is
   * no such profile, or its passwords have no such user. `hash` is the hash of the correct password, if
   * already looked up.
   */
  of(profile: string, user: string, hash?: string): Promise<Fingerprint | undefined>;
}

export interface FingerprintParts {
  profileOf(name: string): Profile | undefined;
  readonly logins: Pick<Logins, "passwordsOf" | "externalOf" | "oidcOf">;
  readonly kiosks: Pick<Kiosks, "listOf">;
}

/** Number of digests that are cached. */
const max = 10_000;

export function createFingerprints({ profileOf, logins, kiosks }: FingerprintParts): Fingerprints {
  const known = createLru<string, Fingerprint>(max);
  const digest = async (parts: readonly unknown[]) => {
    const text = JSON.stringify(parts);
    const made = known.get(text) ?? toHex(await sha256(text)).slice(0, 32);
    known.set(text, made, 1);
    return made;
  };
  return {
    async of(name, user, hash) {
      const profile = profileOf(name);
      if (!profile) return undefined;
      const way = [profile.pattern, profile.access_service.backend];
      const passwords = logins.passwordsOf(name);
      if (passwords) {
        const current = hash ?? (await passwords.hashOf(user));
        return current === undefined ? undefined : digest([...way, user, current]);
      }
      const elsewhere = logins.externalOf(name) ?? logins.oidcOf(name);
      return digest([...way, ...(elsewhere?.restsOn ?? kiosks.listOf(name))]);
    },
  };
}
