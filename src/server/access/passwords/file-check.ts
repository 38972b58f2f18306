// The check of a file of passwords.

import type { Check } from "../../../base/index.ts";
import type { Passwords } from "./index.ts";

/** Returns the check of an opened file. `key`: of the setting that names it; `location`: its path. */
export function passwordCheck(
  name: string,
  key: string,
  location: string,
  { check, checkNames }: Pick<Passwords, "check" | "checkNames">,
): Check {
  return {
    part: "passwords",
    name,
    backend: "htpasswd_file",
    key: `${key}.htpasswd_file`,
    location,
    neededFor: "changes",
    run: check,
    // An empty list is valid while everybody is locked out, so only dry runs report it.
    dryRun: async () => checkNames(),
    logs: true,
  };
}
