// What a session keeps of the password that it was begun with, to see whether that is still the user's.

import { sha256, toHex } from "../../lib/bytes/digest.ts";

/**
 * A text that is another when a user has another hash. It says nothing of the password: to try one on it, the salt would have to be
 * known, which only the list of passwords has.
 */
export type Mark = string;

export interface Marks {
  /** `hash`: that of the user at present. */
  markOf(user: string, hash: string): Promise<Mark>;
}

/** Remembers one mark for each user. */
export function createMarks(): Marks {
  const made = new Map<string, { readonly hash: string; readonly mark: Mark }>();
  return {
    async markOf(user, hash) {
      const known = made.get(user);
      if (known?.hash === hash) return known.mark;
      const mark = toHex(await sha256(`${user}\n${hash}`)).slice(0, 32);
      made.set(user, { hash, mark });
      return mark;
    },
  };
}
