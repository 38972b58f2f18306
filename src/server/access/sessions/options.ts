// Options under `auth.session:`, which say where sessions are stored.

import { z } from "zod";
import {
  durationOption,
  keyPrefixOption,
  parseDuration,
  pathOption,
  s3Options,
} from "../../../base/index.ts";
import { timeoutOption } from "../../stores/bounds.ts";
import { redisAddressOptions, redisPrefixOption, withOneRedis } from "../../stores/redis/redis.ts";

const edit = "restart" as const;
const description =
  "Prefix of all keys; `sessions` follows it. Each service needs its own prefix: services with the same prefix share logins.";

const timeout = timeoutOption.meta({
  description:
    "How long a request waits for its session before the response is 503. Empty: 1s for Redis, 2s for Redis over REST and for S3. A login or logout waits up to eight times that.",
  edit,
  form: "duration",
});

/** A public bucket is unsuitable for sessions. */
const { anonymous: _, ...bucketOptions } = s3Options;

const s3 = z.strictObject({
  ...bucketOptions,
  prefix: keyPrefixOption.default("smalti/").meta({ description, edit }),
  timeout,
});

const redis = withOneRedis(
  z.strictObject({
    ...redisAddressOptions,
    prefix: redisPrefixOption.meta({ description, edit }),
    timeout,
  }),
);

const sweepForm = "expected a duration from 1s to 24h, such as 1m";
const isSweep = (text: string) => {
  if (!durationOption.safeParse(text).success) return false;
  const ms = parseDuration(text);
  return ms >= 1000 && ms <= 86_400_000;
};

/** Schema of `auth.session:`. */
export const sessionOptions = z
  .strictObject({
    backend: z.enum(["heap", "filesystem", "s3", "redis"]).default("heap").meta({
      description:
        "Where the service keeps sessions: in memory, in files, in a bucket, or in Redis. Several servers can share sessions only in Redis.",
      edit,
    }),
    ttl: z.string({ error: sweepForm }).refine(isSweep, { error: sweepForm }).default("1m").meta({
      description: "How often the service removes expired sessions from memory or from the folder.",
      edit,
      form: "duration",
    }),
    path: pathOption.default("").meta({
      description: "Folder for `filesystem`, which has to exist.",
      edit,
    }),
    s3: s3.optional(),
    redis: redis.optional(),
  })
  .superRefine((options, context) => {
    const { backend } = options;
    if (backend === "heap") return;
    const key = backend === "filesystem" ? "path" : backend;
    if (!options[key])
      context.addIssue({
        code: "custom",
        path: [key],
        message: `expected ${key}, since auth.session.backend is ${backend}`,
      });
  });

export type SessionOptions = z.output<typeof sessionOptions>;
