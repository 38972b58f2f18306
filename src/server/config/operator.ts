// The credentials of the operator that switch the pages on. They come from the environment only, so that
// write access to the file does not switch them on.

import { doubtAt, type Env, type Finding } from "../../base/index.ts";
import type { AdminOptions } from "../access/operators/options.ts";

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const names = ["SERVICE_ADMIN_USER", "SERVICE_ADMIN_PASS"] as const;

/**
 * Returns the operator's name and password; undefined if either variable is unset or empty, which disables
 * the pages.
 */
export function operatorOf(env: Env): Credentials | undefined {
  const [user, password] = names.map((name) => env[name]);
  return user && password ? { user, password } : undefined;
}

/** Passwords with fewer characters are reported as doubtful. */
const shortPassword = 8;

/** Yields doubts about settings that probably have unintended values. Their texts contain no values. */
export function* doubtfulOperator(env: Env, { htpasswd_file, change }: AdminOptions): Iterable<Finding> {
  if (htpasswd_file !== "" && !operatorOf(env))
    yield doubtAt(
      ["admin", "htpasswd_file"],
      `has no effect: the pages under /admin/ exist only if ${names.join(" and ")} are set`,
    );
  if (htpasswd_file === "" && change.length > 0)
    yield doubtAt(
      ["admin", "change"],
      "has no effect without admin.htpasswd_file, which holds the passwords",
    );
  const unset = names.filter((name) => !env[name]);
  if (unset.length === names.length) return;
  for (const name of unset)
    yield doubtAt([name], "is not set, and the pages under /admin/ need both; set it, or remove the other");
  const { user, password } = operatorOf(env) ?? {};
  if (user?.includes(":"))
    yield doubtAt(
      [names[0]],
      "contains a colon, which ends the name in HTTP Basic, so nobody can log in; choose another name",
    );
  if (password !== undefined && password.length < shortPassword)
    yield doubtAt(
      [names[1]],
      `has fewer than ${shortPassword} characters, so it can be guessed; choose a longer one`,
    );
}
