// The hash that a password is tried on for a name that is not there, so that nobody learns from the time of a login who is.

import { sha256 } from "../../imaging/lib/digest.ts";

/** A hash that no password fits, of the usual cost, for where there is no user at all. */
const nobody = "$2b$10$......................0000000000000000000000000000000";

/** What a check of a hash costs: two hashes of one class take the same time. */
const classOf = (hash: string): string => /^\$2[aby]\$(\d\d)/.exec(hash)?.[1] ?? "apr1";

interface Class {
  readonly hash: string;
  count: number;
}

/**
 * Chooses the stand-in for a name, of a list of hashes. Classes of cost are chosen as often as they are in the list, and for one name
 * always the same, in each process and after a restart: whoever asked two servers, or one before and after a restart, would
 * otherwise see the names that are not there change theirs. What decides is a hash of the list, whose salt nobody else has. Where the list
 * changes, only as many names get another class as the shares of classes move, unless the user of that hash has gone or has another.
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
