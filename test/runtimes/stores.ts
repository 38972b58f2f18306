// The stores that servers share, as real servers of this process, with their credentials.

import { type RedisServer, type RestFront, startRedis, startRestFront } from "../servers/redis.ts";
import { type S3Server, startS3, testAccount } from "../servers/s3.ts";

/** Secrets by the environment variables that configurations name. */
export const secrets = {
  AWS_ACCESS_KEY_ID: testAccount.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccount.secretAccessKey,
  AWS_SESSION_TOKEN: testAccount.sessionToken ?? "",
  REDIS_PASSWORD: "the-password",
  UPSTASH_REDIS_REST_TOKEN: "the-token",
};

export interface SharedStores {
  readonly redis: RedisServer;
  /** The Redis that {@link front} offers over REST. */
  readonly behindFront: RedisServer;
  readonly front: RestFront;
  readonly bucket: S3Server;
  close(): Promise<void>;
}

/** Starts them all, and puts the secrets into this process's environment until they are closed. */
export async function startStores(): Promise<SharedStores> {
  Object.assign(process.env, secrets);
  const [redis, behindFront, bucket] = await Promise.all([
    startRedis({ password: secrets.REDIS_PASSWORD }),
    startRedis(),
    startS3(),
  ]);
  const front = await startRestFront(behindFront, secrets.UPSTASH_REDIS_REST_TOKEN);
  return {
    redis,
    behindFront,
    front,
    bucket,
    async close() {
      for (const name of Object.keys(secrets)) delete process.env[name];
      await Promise.all([front.close(), redis.close(), behindFront.close(), bucket.close()]);
    },
  };
}
