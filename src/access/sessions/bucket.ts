// Sessions in a bucket, which outlive a restart: records as objects. What has expired is removed when it is read; a lifecycle rule
// of the bucket removes the rest.

import { type Bucket, S3Error } from "../../lib/network/s3.ts";
import { checkPlace, objectSessions, type RecordPlace } from "./objects.ts";
import type { SessionStore } from "./store.ts";

export interface BucketSessionsOptions {
  readonly bucket: Bucket;
  /** Empty, or with whatever stands between it and the rest. */
  readonly prefix: string;
}

/** A store over what lies in the bucket already. */
export function bucketSessions({ bucket, prefix }: BucketSessionsOptions): SessionStore {
  const top = `${prefix}v1`;
  const place: RecordPlace = {
    async read(name) {
      const bytes = await bucket.get(`${top}/${name}`);
      return bytes && new TextDecoder().decode(bytes);
    },
    write: (name, text) => bucket.put(`${top}/${name}`, new TextEncoder().encode(text)),
    async remove(name) {
      try {
        await (await bucket.request("DELETE", `${top}/${name}`)).body?.cancel();
      } catch (error) {
        // Some services answer so where there is no such object.
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
    ...objectSessions(place),
    async count() {
      // With those that have expired and were not removed: to leave them out, each would have to be read.
      let total = 0;
      for await (const _ of place.list("sessions")) total++;
      return { total };
    },
    check: () => checkPlace(place, "The bucket does not give back what was written."),
  };
}
