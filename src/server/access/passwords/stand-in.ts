// Hashes to check passwords of unknown names against, so that the duration of a login does not reveal which
// names exist.

import { sha256 } from "../../../base/index.ts";

/** A hash of the usual cost that no password matches, used if there are no users at all. */
const nobody = "$2b$10$......................0000000000000000000000000000000";

/** Cost class of a hash: checks of two hashes of one class take the same time. */
const classOf = (hash: string): string => /^\$2[aby]\$(\d\d)/.exec(hash)?.[1] ?? "apr1";

interface Class {
  readonly hash: string;
  count: number;
}

/**
 * Creates a function that chooses the stand-in for a name from a list of hashes. Cost classes are chosen as
 * often as they occur in the list, and always the same one for one name, in every process and after a
 * restart: otherwise somebody who compares two servers, or one before and after a restart, would see that
 * only unknown names change. The choice depends on a digest of the list, whose salts nobody else knows. If
 * the list changes, only as many names change class as the shares of classes shift, unless the user of that
 * hash was removed or has another hash.
 */
export function createStandIns(hashes: Iterable<string>): (user: string) => Promise<string> {
  const classes = new Map<string, Class>();
  let secret = nobody;
  let total = 0;
  for (const hash of hashes) {
    const name = classOf(hash);
    const known = classes.get(name);
    if (known) known.count++;
    else classes.set(name, { hash, count: 1 });
    if (total++ === 0 || hash < secret) secret = hash;
  }
  const inOrder = [...classes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return async (user) => {
    const digest = new DataView((await sha256(`${secret}\n${user}`)).buffer);
    let rest = (digest.getUint32(0) / 2 ** 32) * total;
    for (const { hash, count } of inOrder) {
      if (rest < count) return hash;
      rest -= count;
    }
    return nobody;
  };
}
