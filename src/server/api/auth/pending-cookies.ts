// The cookies of logins in progress elsewhere: at most four, so that a reader may log in from several windows
// simultaneously.

import { authFolder } from "../../../iiif/index.ts";
import { cookieValues } from "../../access/credentials.ts";
import { type PendingLogin, type PendingLogins, pendingSeconds } from "../../access/logins/pending.ts";
import { type CookieScope, cookieScope } from "./cookie.ts";
import { presenterOf } from "./presenter.ts";
import type { LoginAttempt } from "./ways/way.ts";

const slots = [0, 1, 2, 3] as const;

/**
 * Maximum characters of a return address, since headers have little room; a login with a longer one ends on a
 * page that says so.
 */
const maxReturnTo = 1024;

/** `Lax` suffices: the return is a top-level navigation, and nothing else needs the cookie. */
const attributes = "Secure; HttpOnly; SameSite=Lax";

/** Limited to the services of this folder, so a cookie name that demands the path / is not possible. */
function scopeOf({ c, parts: { auth } }: LoginAttempt, slot: number): CookieScope {
  const { name, path } = auth.options.cookie;
  const base = c.get("base");
  const own = path || new URL(base).pathname.replace(/\/+$/, "") + authFolder;
  return cookieScope({ name: `${name.replace(/^__Host-/i, "__Secure-")}_login${slot}`, path: own }, base);
}

const valuesIn = (attempt: LoginAttempt, slot: number) =>
  cookieValues(presenterOf(attempt.c).header("cookie"), scopeOf(attempt, slot).name);

/** A pending login of this browser. */
export interface StartedLogin {
  readonly login: PendingLogin;
  /** Set-Cookie value that removes it. */
  readonly ended: string;
  readonly slot: number;
}

/** Returns the pending logins of a profile, in the order of their slots. */
export async function pendingLogins(attempt: LoginAttempt, pending: PendingLogins): Promise<StartedLogin[]> {
  const started: StartedLogin[] = [];
  for (const slot of slots) {
    const { name, path } = scopeOf(attempt, slot);
    for (const value of valuesIn(attempt, slot)) {
      const login = await pending.open(value);
      if (!login) continue;
      started.push({ login, slot, ended: `${name}=; Path=${path}; Max-Age=0; ${attributes}` });
      break;
    }
  }
  return started;
}

/**
 * Returns the Set-Cookie value that stores a login: in its own slot, else in a free one, else replacing any.
 */
export async function keepLogin(
  attempt: LoginAttempt,
  pending: PendingLogins,
  login: PendingLogin,
  slot = freeSlot(attempt),
): Promise<string> {
  const { name, path } = scopeOf(attempt, slot);
  const returnTo = login.returnTo.length > maxReturnTo ? "" : login.returnTo;
  const value = await pending.seal({ ...login, returnTo });
  return `${name}=${value}; Path=${path}; Max-Age=${pendingSeconds}; ${attributes}`;
}

function freeSlot(attempt: LoginAttempt): number {
  const [any = 0] = crypto.getRandomValues(new Uint8Array(1));
  return slots.find((slot) => valuesIn(attempt, slot).length === 0) ?? any % slots.length;
}
