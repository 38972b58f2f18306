// The names and passwords of one profile: from the configuration, or from a file that is read again when it
// changes.

import { type Log, type Platform, type Turn, type WatchedFile, watchFile } from "../../../base/index.ts";
import { hashFault, maxPassword } from "./hash-forms.ts";
import { readHtpasswd } from "./htpasswd.ts";
import { createStandIns } from "./stand-in.ts";
import type { Verifier } from "./verifier.ts";

export interface Passwords {
  /**
   * Returns the hash of a user whose password is correct, or undefined. Takes as long for an unknown name as
   * for a known one. Throws ServiceError `busy` if too many wait, and `cancelled`.
   */
  verify(user: string, password: string, signal?: AbortSignal, turn?: Turn): Promise<string | undefined>;
  /**
   * Returns a user's current hash; undefined if there is none. Takes at most a second, even if the disk
   * hangs.
   */
  hashOf(user: string): Promise<string | undefined>;
  /** Returns a user's current hash; for an unknown name the hash of some user, the same at each call. */
  hashFor(user: string): Promise<string>;
  /** Throws, with the reason for the operator, if the file has changed and cannot be used. */
  check(): Promise<void>;
  /** Throws if nobody can log in because there are no names. */
  checkNames(): void;
}

export interface PasswordsOptions {
  /** Hashes by name. Ignored if there is a file. */
  readonly users: Readonly<Record<string, string>>;
  /** Absolute path; "" for none. */
  readonly htpasswd_file: string;
}

export interface PasswordsHost {
  readonly platform: Pick<Platform, "files">;
  readonly log: Pick<Log, "info" | "error">;
  readonly verifier: Verifier;
  /** Configuration key of these options. */
  readonly key: string;
  /** Returns milliseconds and never goes back. */
  readonly now?: () => number;
}

/** Reads the file. Throws an Error that names the key if a hash or the file cannot be used. */
export async function openPasswords(
  { users, htpasswd_file }: PasswordsOptions,
  { platform, log, verifier, key, now }: PasswordsHost,
): Promise<Passwords> {
  for (const [name, hash] of Object.entries(users)) {
    const fault = hashFault(hash);
    if (fault !== undefined) throw new Error(`${key}.users.${name}: ${fault}`);
  }
  const inline: ReadonlyMap<string, string> = new Map(Object.entries(users));
  const file: WatchedFile<ReadonlyMap<string, string>> | undefined =
    htpasswd_file === ""
      ? undefined
      : await watchFile({
          path: htpasswd_file,
          files: platform.files,
          log,
          of: "passwords",
          key: `${key}.htpasswd_file`,
          read: readHtpasswd,
          ...(now && { now }),
        });
  let standIns:
    | { readonly of: ReadonlyMap<string, string>; readonly choose: (user: string) => Promise<string> }
    | undefined;
  const chooseStandIn = (user: string, hashes: ReadonlyMap<string, string>): Promise<string> => {
    if (standIns?.of !== hashes) standIns = { of: hashes, choose: createStandIns(hashes.values()) };
    return standIns.choose(user);
  };

  /** Returns the current hashes by name, after a look for changes of the file. */
  const readCurrent = async () => {
    await file?.refresh();
    return file?.current() ?? inline;
  };

  return {
    async verify(user, password, signal, turn) {
      const hashes = await readCurrent();
      const other = await chooseStandIn(user, hashes);
      const own = hashes.get(user);
      // A password that is too long matches nothing; its hash would take longer than others.
      const tried = password.length > maxPassword ? "" : password;
      const fits = await verifier.verify(tried, own ?? other, signal, turn);
      return fits && tried === password ? own : undefined;
    },
    hashOf: async (user) => (await readCurrent()).get(user),
    async hashFor(user) {
      const hashes = await readCurrent();
      const other = await chooseStandIn(user, hashes);
      return hashes.get(user) ?? other;
    },
    async check() {
      await file?.refresh();
      const problem = file?.problem();
      if (problem !== undefined) throw new Error(problem);
    },
    checkNames() {
      if ((file?.current() ?? inline).size === 0)
        throw new Error("it names no users, so nobody can log in; add one, for example with htpasswd -B");
    },
  };
}
