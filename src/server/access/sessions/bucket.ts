// Sessions in a bucket, which survive a restart, with records as objects. Expired records are removed when
// they are read; a lifecycle rule of the bucket removes the rest.

import { type Bucket, S3Error } from "../../../base/index.ts";
import { checkRecords, objectSessions, type RecordStore } from "./objects.ts";
import type { SessionStore } from "./store.ts";

export interface BucketSessionsOptions {
  readonly bucket: Bucket;
  /** Empty, or ends with the separator before the rest of a name. */
  readonly prefix: string;
}

/** Creates a store over the records that the bucket already contains. */
export function bucketSessions({ bucket, prefix }: BucketSessionsOptions): SessionStore {
  const top = `${prefix}v1`;
  const records: RecordStore = {
    async read(name) {
      const bytes = await bucket.get(`${top}/${name}`);
      return bytes && new TextDecoder().decode(bytes);
    },
    write: (name, text) => bucket.put(`${top}/${name}`, new TextEncoder().encode(text)),
    async remove(name) {
      try {
        await (await bucket.request("DELETE", `${top}/${name}`)).body?.cancel();
      } catch (error) {
        // Some services respond with this code if there is no such object.
        if (!(error instanceof S3Error && error.code === "NoSuchKey")) throw error;
      }
    },
    async *list(folder) {
      const start = `${top}/${folder}/`;
      for await (const { key } of bucket.list(start)) {
        const name = key.slice(start.length);
        if (/^[0-9a-f]{64}$/.test(name)) yield name;
      }
    },
  };

  return {
    ...objectSessions(records),
    async count() {
      // Includes expired sessions that have not been removed: excluding them would require reading each.
      let total = 0;
      for await (const _ of records.list("sessions")) total++;
      return { total };
    },
    check: () => checkRecords(records, "A read from the bucket does not return what was just written."),
  };
}
