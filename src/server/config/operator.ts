// The operator's credentials. They come from the environment only, so that write access to the file does not
// make an operator.

import type { Problem } from "./reading/problems.ts";

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

type Env = Readonly<Record<string, string | undefined>>;

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

/** Returns doubts about settings that probably have unintended values. Messages contain no values. */
export function doubtfulOperator(env: Env): Problem[] {
  const unset = names.filter((name) => !env[name]);
  const [missing] = unset;
  if (missing !== undefined)
    return unset.length === names.length
      ? []
      : [
          {
            path: missing,
            message: "is not set, and the pages under /admin/ need both; set it, or remove the other",
          },
        ];
  const { user = "", password = "" } = operatorOf(env) ?? {};
  return [
    ...(user.includes(":")
      ? [
          {
            path: names[0],
            message:
              "contains a colon, which ends the name in HTTP Basic, so nobody can log in; choose another name",
          },
        ]
      : []),
    ...(password.length < shortPassword
      ? [
          {
            path: names[1],
            message: `has fewer than ${shortPassword} characters, so it can be guessed; choose a longer one`,
          },
        ]
      : []),
  ];
}
