// A log that records the lines of requests.

import { type Log, type LogFields, silentLog } from "../src/base/telemetry/log.ts";

/**
 * A log that writes nothing, and the fields of the requests' lines, which are read when a test asks for them.
 */
export function requestRows(): { readonly log: Log; readonly rows: readonly (() => LogFields)[] } {
  const rows: (() => LogFields)[] = [];
  const log: Log = {
    ...silentLog,
    info: (message, fields) => {
      if (message === "request" && typeof fields === "function") rows.push(fields);
    },
  };
  return { log, rows };
}
