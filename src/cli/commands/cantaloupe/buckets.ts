// Buckets, which sources and caches have alike.

import { isServiceUrl } from "../../../base/index.ts";
import type { Setting } from "../yaml/commented-yaml.ts";
import type { Properties } from "./properties.ts";

/** Names of the properties of a bucket. */
interface BucketKeys {
  readonly bucket: string;
  /** The setting of smalti, and the property. */
  readonly prefix: readonly [setting: string, property: string];
}

/**
 * Returns the settings of a bucket, without their place. `owner` is the beginning of the properties. The
 * variables have the names by which Cantaloupe itself reads them from the environment.
 */
export function bucketSettings(owner: string, all: Properties, { bucket, prefix }: BucketKeys): Setting[] {
  const name = all.get(bucket);
  if (name === undefined) throw new Error(`the bucket is missing: set ${bucket}, and import it again`);
  const endpoint = all.get(`${owner}.endpoint`);
  const url = endpoint === undefined || endpoint.includes("://") ? endpoint : `https://${endpoint}`;
  if (url !== undefined && !isServiceUrl(url))
    throw new Error(`set ${owner}.endpoint to an http or https address without a name and password`);
  // Before 5.0 the region of AWS was part of the endpoint.
  const aws = /^https?:\/\/s3[.-]([a-z]+-[a-z-]+-\d)\.amazonaws\.com\/?$/.exec(url ?? "")?.[1];
  const isAws = /^https?:\/\/s3[.a-z0-9-]*\.amazonaws\.com\/?$/.test(url ?? "");
  const region = all.get(`${owner}.region`) ?? aws;
  const keys = all.get(prefix[1]);
  return [
    { path: ["bucket"], value: name },
    ...(region === undefined ? [] : [{ path: ["region"], value: region }]),
    ...(url === undefined || isAws
      ? []
      : [
          { path: ["endpoint"], value: url },
          { path: ["path_style"], value: true },
        ]),
    ...(keys === undefined ? [] : [{ path: [prefix[0]], value: keys }]),
    ...(all.has(`${owner}.access_key_id`)
      ? [{ path: ["access_key_env"], value: `${owner.toUpperCase()}_ACCESS_KEY_ID` }]
      : []),
    ...(all.has(`${owner}.secret_key`)
      ? [{ path: ["secret_key_env"], value: `${owner.toUpperCase()}_SECRET_KEY` }]
      : []),
  ];
}
