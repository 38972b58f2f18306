// Logs headers of a proxy that were ignored because of their values, once an hour for each: anybody may send
// them with every request.

import { createSeldom, type Log } from "../../../../base/index.ts";
import { type ForwardedField, maxPrefixLength } from "./client.ts";
import { maxForwarded } from "./forwarded.ts";
import { maxHost } from "./host.ts";

const path = `a path of at most ${maxPrefixLength} characters`;

const expected: Readonly<Record<ForwardedField, string>> = {
  Forwarded: `elements of RFC 7239 in at most ${maxForwarded} characters, and a host of at most ${maxHost}`,
  "X-Forwarded-Host": `a host of at most ${maxHost} characters`,
  "X-Forwarded-Prefix": path,
  "X-Forwarded-BasePath": path,
  "X-Forwarded-Path": path,
};

/** Characters of a value in the log. */
const shown = 60;

/** Returns a function that receives each ignored header with its value. */
export function createIgnoredLog(log: Pick<Log, "warn">): (field: ForwardedField, value: string) => void {
  const isDue = createSeldom(3_600_000);
  return (field, value) => {
    if (isDue(field))
      log.warn(
        `${field} is ignored: expected ${expected[field]}; correct what the proxy sends, or set base_url`,
        { received: value.slice(0, shown), characters: value.length },
      );
  };
}
