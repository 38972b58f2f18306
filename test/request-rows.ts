// A log that keeps what is said of requests.

import { type FieldRow, type Log, type LogFields, silentLog } from "../src/lib/telemetry/log.ts";

/** A log that writes nothing, and the rows of the requests' lines, whose values are read when a test asks for them. */
export function requestRows(): { readonly log: Log; readonly rows: readonly FieldRow[] } {
  const rows: FieldRow[] = [];
  const log: Log = {
    ...silentLog,
    info: (message: string, fields: LogFields | FieldRow = {}) => {
      if (message === "request") rows.push(fields as FieldRow);
    },
  };
  return { log, rows };
}
