// Who may see the pages of the operator. That stands in the environment alone, so that nobody who writes the file can become one.

import type { Problem } from "./reading/problems.ts";

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const names = ["SERVICE_ADMIN_USER", "SERVICE_ADMIN_PASS"] as const;

/** The operator's name and password; undefined where either variable is unset or empty, and nobody is one. */
export function operatorOf(env: Env): Credentials | undefined {
  const [user, password] = names.map((name) => env[name]);
  return user && password ? { user, password } : undefined;
}

/** Characters of a password below which it is doubted. */
const shortPassword = 8;

/** What is set, but probably not as it was meant. No message holds a value. */
export function doubtfulOperator(env: Env): Problem[] {
  const unset = names.filter((name) => !env[name]);
  const [missing] = unset;
  if (missing !== undefined)
    return unset.length === names.length
      ? []
      : [
          {
            path: missing,
            message: "is not set, and the pages under /admin/ need both; set it, or take the other away",
          },
        ];
  const { user = "", password = "" } = operatorOf(env) ?? {};
  return [
    ...(user.includes(":")
      ? [
          {
            path: names[0],
            message:
              "holds a colon, where HTTP Basic ends the name, so that nobody can log in; choose another name",
          },
        ]
      : []),
    ...(password.length < shortPassword
      ? [
          {
            path: names[1],
            message: `has fewer than ${shortPassword} characters, which can be found by trying; choose a longer one`,
          },
        ]
      : []),
  ];
}
