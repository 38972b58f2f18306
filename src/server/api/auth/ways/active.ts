// Login with user name and password.

import { networkOf } from "../../../../base/index.ts";
import { readerOf } from "../pages/reader.ts";
import { returnToOf } from "../pages/responses.ts";
import { logIn, readLoginForm, showLogin } from "./attempt.ts";
import type { LoginAttempt, Way } from "./way.ts";

export const activeWay: Way = {
  get: (attempt) => showLogin(attempt, { returnTo: returnToOf(attempt.c) }),
  async post(attempt) {
    const { username, password, returnTo } = await readLoginForm(attempt.c);
    const { words } = readerOf(attempt.c);
    const showAgain = (error: string, status: number, headers?: Readonly<Record<string, string>>) =>
      showLogin(attempt, { returnTo, username, error }, status, headers);
    if (username === "" || password === "") return showAgain(words.wrong, 401);
    const found = await verify(attempt, username, password);
    if (!found) return showAgain(words.wrong, 401);
    if ("hash" in found) return logIn(attempt, username, returnTo, found.hash);
    const seconds = String(Math.ceil(found.waitMs / 1000));
    return showAgain(words.tooMany.replace("{after}", seconds), 429, { "Retry-After": seconds });
  },
};

/**
 * Returns the hash of a correct password, undefined for a wrong one, or the time to wait before the next
 * attempt. Throws `busy` if that cannot be determined.
 */
async function verify(
  { c, parts, profile }: LoginAttempt,
  username: string,
  password: string,
): Promise<{ readonly hash: string } | { readonly waitMs: number } | undefined> {
  const { logins, knownNetworks } = parts.auth;
  const passwords = logins.passwordsOf(profile.name);
  if (!passwords) return undefined;
  const address = c.get("reader");
  const user = `${profile.name}/${username}`;
  const at = { user, hash: await passwords.hashFor(username), address };
  const attempt = logins.failures.attempt(address, user, await knownNetworks.has(at));
  if ("waitMs" in attempt) return attempt;
  try {
    const turn = { client: networkOf(address, 64), rank: attempt.rank };
    const hash = await passwords.verify(username, password, c.req.raw.signal, turn);
    if (hash === undefined) return undefined;
    attempt.takeBack();
    await knownNetworks.note({ ...at, hash });
    return { hash };
  } catch (error) {
    attempt.takeBack();
    throw error;
  }
}
