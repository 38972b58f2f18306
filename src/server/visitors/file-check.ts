// The check of a file about crawlers that is read again when it changes.

import type { Check, WatchedFile } from "../../base/index.ts";

/** Returns the check. `name`: of the list, for people; `key`: that of the configuration; `path`: absolute. */
export function fileCheck(
  name: string,
  key: string,
  path: string,
  { refresh, problem }: Pick<WatchedFile<unknown>, "refresh" | "problem">,
): Check {
  return {
    part: "crawlers",
    name,
    backend: "file",
    key,
    location: path,
    neededFor: "changes",
    async run() {
      await refresh();
      const reason = problem();
      if (reason !== undefined) throw new Error(reason);
    },
    logs: true,
  };
}
