// The operators: the one of the environment, and further ones whose names and password hashes are in a file.

import {
  type Check,
  createLru,
  type Log,
  networkOf,
  type Platform,
  sha256,
  toHex,
} from "../../../base/index.ts";
import { ranks } from "../logins/failures.ts";
import { createOneSecret, type OneSecret } from "../logins/one-secret.ts";
import { passwordCheck } from "../passwords/file-check.ts";
import { openPasswords } from "../passwords/index.ts";
import { createVerifier } from "../passwords/verifier.ts";
import type { AdminOptions } from "./options.ts";

/** What somebody has sent to be taken for an operator. */
export interface SentLogin {
  readonly user: string;
  readonly password: string;
  readonly client: string | undefined;
  /** True if the name and the password are those of the environment, compared in constant time. */
  readonly isOwner: boolean;
}

export interface Operators {
  /**
   * Returns the operator's name, undefined for wrong credentials, or the milliseconds to wait before the next
   * attempt. Throws ServiceError `busy` if too many passwords wait to be checked.
   */
  identify(sent: SentLogin): Promise<string | { readonly waitMs: number } | undefined>;
  readonly checks: readonly Check[];
  close(): void;
}

export interface OperatorsHost {
  readonly platform: Pick<Platform, "files" | "startWorker" | "parallelism">;
  readonly log: Pick<Log, "info" | "error">;
  /** Name of the operator in the environment; a line of the file with the same name is ignored. */
  readonly owner: string;
  /** Returns milliseconds and never goes back. */
  readonly now?: () => number;
}

const key = "admin";

/** Number of correct passwords that are known, so that a page with many pictures checks one hash. */
const maxKnown = 1000;

/**
 * Reads the file, if one is configured. Throws an Error that names the key if the file cannot be used. All
 * attempts, also those in the name of the owner, count to one limit of networks and names.
 */
export async function openOperators(
  { htpasswd_file }: Pick<AdminOptions, "htpasswd_file">,
  { platform, log, owner, now }: OperatorsHost,
): Promise<Operators> {
  const secret = createOneSecret();
  if (htpasswd_file === "")
    return { identify: (sent) => identifyOwner(secret, sent), checks: [], close() {} };
  const verifier = createVerifier({ platform, ranks });
  const opened = openPasswords(
    { users: {}, htpasswd_file },
    { platform, log, verifier, key, ...(now && { now }) },
  );
  const passwords = await opened.catch((error: unknown) => {
    verifier.close();
    throw error;
  });
  const isKnown = createKnownPasswords();
  const flights = new Map<string, Promise<string | undefined>>();

  return {
    async identify(sent) {
      const { user, password, client, isOwner } = sent;
      const hash = user === owner ? undefined : await passwords.hashOf(user);
      const id = await isKnown.idOf(user, password, hash);
      const flight = `${networkOf(client, 64)} ${id}`;
      const running = flights.get(flight);
      if (running) return running;
      // Nothing is awaited between the attempt and the success of a known password, so that concurrent
      // requests of one page do not count as failures of each other.
      const attempt = secret.attempt(client, user);
      if ("waitMs" in attempt) return attempt;
      if (isOwner || (hash !== undefined && isKnown.has(id))) {
        attempt.noteSuccess();
        return user;
      }
      const verifying = async (): Promise<string | undefined> => {
        try {
          const turn = { client: networkOf(client, 64), rank: attempt.rank };
          const fits = await passwords.verify(user, password, undefined, turn);
          if (fits === undefined || user === owner) return undefined;
          isKnown.note(id);
          attempt.noteSuccess();
          return user;
        } catch (error) {
          // Nobody could find out, for which nobody has to wait.
          attempt.takeBack();
          throw error;
        } finally {
          flights.delete(flight);
        }
      };
      const result = verifying();
      flights.set(flight, result);
      return result;
    },
    checks: [passwordCheck("operators", key, htpasswd_file, passwords)],
    close: () => verifier.close(),
  };
}

/** Compares with the environment alone, which awaits nothing. */
async function identifyOwner(secret: OneSecret, { user, client, isOwner }: SentLogin) {
  const attempt = secret.attempt(client, user);
  if ("waitMs" in attempt) return attempt;
  if (!isOwner) return undefined;
  attempt.noteSuccess();
  return user;
}

/**
 * Passwords that were correct for a hash. An id depends on the hash, so that a changed or removed line ends
 * it, and on a secret of this process, so that ids reveal nothing.
 */
function createKnownPasswords() {
  const known = createLru<string, true>(maxKnown);
  const secret = crypto.randomUUID() + crypto.randomUUID();
  return {
    idOf: async (user: string, password: string, hash: string | undefined) =>
      toHex(await sha256(JSON.stringify([secret, user, password, hash ?? ""]))),
    has: (id: string) => known.get(id) === true,
    note: (id: string) => known.set(id, true, 1),
  };
}
