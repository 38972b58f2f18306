// A store in a bucket: one object for each entry, verified when read. Any number of processes may share it.
//
//   <prefix>v1/<hash of group>/<hash of the name's rest>/<hash of variant>
//
// Its size is unbounded, and unused entries stay until a lifecycle rule of the bucket removes them.

import { z } from "zod";
import {
  type Bucket,
  forEachConcurrently,
  keyPrefixOption,
  S3Error,
  s3Options,
  withoutCredentials,
} from "../../base/index.ts";
import { lifetimeOption, type StoreDefaults, timeoutOption } from "./bounds.ts";
import { decodeEntry, encodeEntry, entryKey, entryPath } from "./entry.ts";
import { roundTrip } from "./round-trip.ts";
import type { Store } from "./store.ts";

/** Schema of `backend: s3`. */
export const s3StoreOptions = (defaults: StoreDefaults) =>
  z
    .strictObject({
      backend: z
        .literal("s3")
        .meta({ description: "In a bucket, which several servers can share.", edit: "restart" }),
      ...s3Options,
      prefix: keyPrefixOption.default("smalti/").meta({
        description: "Prefix of all keys; the name of the slot follows it.",
        edit: "restart",
      }),
      timeout: timeoutOption,
      ttl: lifetimeOption.default(defaults.ttl),
    })
    .overwrite(withoutCredentials);

export interface S3StoreOptions {
  readonly bucket: Bucket;
  /** Empty, or ends with the separator before the rest of a name. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const atOnce = 8;

const conditionsIgnored =
  "The S3 service ignores If-None-Match, so that servers cannot share what is written once. Use Redis or files for this slot.";

/** Creates a store over the entries that the bucket already contains. */
export function s3Store({ bucket, prefix, now = Date.now }: S3StoreOptions): Store {
  const keyOf = async (name: string, variant?: string) =>
    `${prefix}v1/${(await entryPath(name, variant)).join("/")}`;

  const putUnlessThere = async (key: string, body: Uint8Array): Promise<boolean> => {
    const headers = { "content-type": "application/octet-stream", "if-none-match": "*" };
    try {
      await (await bucket.request("PUT", key, { headers, body })).body?.cancel();
      return true;
    } catch (error) {
      if (error instanceof S3Error && error.status === 412) return false;
      throw error;
    }
  };
  let conditions: Promise<void> | undefined;
  /** Throws if the service ignores conditions, as some do: two servers would overwrite what each adds. */
  const checkConditions = () => {
    const check = async () => {
      const key = `${prefix}v1/conditions-${crypto.randomUUID()}`;
      const body = new Uint8Array(1);
      const isHeeded = (await putUnlessThere(key, body)) && !(await putUnlessThere(key, body));
      await bucket.delete(key);
      if (!isHeeded) throw new Error(conditionsIgnored);
    };
    conditions ??= check().catch((error: unknown) => {
      conditions = undefined;
      throw error;
    });
    return conditions;
  };

  const store: Omit<Store, "check"> = {
    async get(name, variant) {
      const key = await keyOf(name, variant);
      const stored = await bucket.get(key);
      if (!stored) return undefined;
      const body = await decodeEntry(stored, entryKey(name, variant), now());
      // An entry that fails verification is a miss, even if it cannot be removed.
      if (!body) await bucket.delete(key).catch(() => false);
      return body;
    },
    async set(name, variant, value, ttl = 0) {
      const entry = await encodeEntry(entryKey(name, variant), value, ttl > 0 ? now() + ttl * 1000 : 0);
      await bucket.put(await keyOf(name, variant), entry);
    },
    async add(name, variant, value) {
      await checkConditions();
      return putUnlessThere(await keyOf(name, variant), await encodeEntry(entryKey(name, variant), value, 0));
    },
    async delete(name, variant) {
      if (variant !== undefined) return (await bucket.delete(await keyOf(name, variant))) ? 1 : 0;
      let removed = 0;
      await forEachConcurrently(bucket.list(`${await keyOf(name)}/`), atOnce, async ({ key }) => {
        await (await bucket.request("DELETE", key)).body?.cancel();
        removed++;
      });
      return removed;
    },
  };
  return {
    ...store,
    async check() {
      if (!(await roundTrip(store)))
        throw new Error("A read from the bucket does not return what was just written.");
    },
  };
}
