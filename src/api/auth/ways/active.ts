// Login with user name and password.

import { returnToOf } from "../pages/answers.ts";
import { readerOf } from "../pages/reader.ts";
import { logIn, readLoginForm, showLogin } from "./attempt.ts";
import type { LoginAttempt, Way } from "./way.ts";

export const activeWay: Way = {
  get: (attempt) => showLogin(attempt, { returnTo: returnToOf(attempt.c) }),
  async post(attempt) {
    const { username, password, returnTo } = await readLoginForm(attempt.c);
    const { words } = readerOf(attempt.c);
    const again = (error: string, status: number, headers?: Readonly<Record<string, string>>) =>
      showLogin(attempt, { returnTo, username, error }, status, headers);
    if (username === "" || password === "") return again(words.wrong, 401);
    const found = await verify(attempt, username, password);
    if (!found) return again(words.wrong, 401);
    if ("hash" in found) return logIn(attempt, username, returnTo, found.hash);
    const seconds = String(Math.ceil(found.waitMs / 1000));
    return again(words.tooMany.replace("{after}", seconds), 429, { "Retry-After": seconds });
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
  const { failures, passwordsOf } = parts.auth.logins;
  const attempt = failures.attempt(c.get("reader"), `${profile.name}/${username}`);
  if ("waitMs" in attempt) return attempt;
  try {
    const hash = await passwordsOf(profile.name)?.verify(username, password, c.req.raw.signal);
    if (hash === undefined) return undefined;
    attempt.noteSuccess();
    return { hash };
  } catch (error) {
    attempt.cancel();
    throw error;
  }
}
