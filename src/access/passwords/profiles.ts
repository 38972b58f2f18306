// The passwords of all profiles that ask for one, over one set of workers.

import type { Check } from "../../lib/checks.ts";
import type { Log } from "../../lib/log.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ProfileOptions } from "../profile-options.ts";
import { openPasswords, type Passwords } from "./index.ts";
import { createVerifier } from "./verifier.ts";

export interface ProfilePasswords {
  /** undefined for a profile that asks for none. */
  of(profile: string): Passwords | undefined;
  /** One for each password file. */
  readonly checks: readonly Check[];
  close(): void;
}

export interface PasswordsHost {
  readonly platform: Pick<Platform, "files" | "startWorker" | "parallelism">;
  readonly log: Pick<Log, "info" | "error">;
}

/** Reads the password files. Throws an Error that names the key where one cannot be used. */
export async function openProfilePasswords(
  profiles: Readonly<Record<string, ProfileOptions>>,
  { platform, log }: PasswordsHost,
): Promise<ProfilePasswords> {
  const verifier = createVerifier({ platform });
  const all = new Map<string, Passwords>();
  const checks: Check[] = [];
  for (const [name, { pattern, access_service: service }] of Object.entries(profiles)) {
    if (pattern !== "active" || service.backend !== "builtin") continue;
    const key = `auth.profiles.${name}.access_service`;
    const passwords = await openPasswords(service, { platform, log, verifier, key });
    all.set(name, passwords);
    if (service.htpasswd_file !== "")
      checks.push({
        part: "passwords",
        name,
        backend: "htpasswd",
        key: `${key}.htpasswd_file`,
        place: service.htpasswd_file,
        // The list before stays in force.
        neededFor: "changes",
        run: () => passwords.check(),
        logs: true,
      });
  }
  return { of: (profile) => all.get(profile), checks, close: () => verifier.close() };
}
