// Login by user name and password.

import { returnToOf } from "./answers.ts";
import { clientOf, type LoginAttempt, logIn, readLoginForm, showLogin } from "./attempt.ts";
import { readerOf } from "./reader.ts";
import type { Way } from "./ways.ts";

export const activeWay: Way = {
  get: (attempt) => showLogin(attempt, { returnTo: returnToOf(attempt.c) }),
  async post(attempt) {
    const { username, password, returnTo } = await readLoginForm(attempt.c);
    const { words } = readerOf(attempt.c);
    const again = (error: string, status: number, headers?: Readonly<Record<string, string>>) =>
      showLogin(attempt, { returnTo, username, error }, status, headers);
    if (username === "" || password === "") return again(words.wrong, 401);
    const found = await verify(attempt, username, password);
    if (found === true) return logIn(attempt, username, returnTo);
    if (found === false) return again(words.wrong, 401);
    const seconds = String(Math.ceil(found.waitMs / 1000));
    return again(words.tooMany.replace("{after}", seconds), 429, { "Retry-After": seconds });
  },
};

/** Whether the password is right, or how long to wait before the next attempt. Throws `busy` where nobody can say. */
async function verify(
  { c, parts, profile }: LoginAttempt,
  username: string,
  password: string,
): Promise<boolean | { readonly waitMs: number }> {
  const { failures, passwordsOf } = parts.auth.logins;
  const attempt = failures.attempt(clientOf(c, parts), `${profile.name}/${username}`);
  if ("waitMs" in attempt) return attempt;
  try {
    const isRight = (await passwordsOf(profile.name)?.verify(username, password, c.req.raw.signal)) === true;
    if (isRight) attempt.succeeded();
    return isRight;
  } catch (error) {
    attempt.undecided();
    throw error;
  }
}
