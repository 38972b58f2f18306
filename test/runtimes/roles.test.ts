// A bucket that is read with the credentials of a container's role, on every runtime.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsRoles, startAwsRoles } from "../servers/aws-roles.ts";
import { type S3Server, startS3 } from "../servers/s3.ts";
import { runtimesFor } from "./selection.ts";
import { startServer } from "./server.ts";

let roles: AwsRoles;
let bucket: S3Server;
beforeAll(async () => {
  roles = await startAwsRoles();
  bucket = await startS3({ account: { accessKeyId: "nobody", secretAccessKey: "x" } });
  bucket.put("a.jpg", readFileSync(fileURLToPath(new URL("../fixtures/jpg-gray.jpg", import.meta.url))));
  roles.onIssue = (account) => {
    bucket.account = account;
  };
});
afterAll(() => Promise.all([roles?.close(), bucket?.close()]));

describe.each(runtimesFor("roles"))("smalti on $name", (runtime) => {
  it("takes credentials from its container, and renews them once they have expired", async () => {
    const place = `bucket: ${bucket.bucket}, region: ${bucket.region}, endpoint: "${bucket.url}", path_style: true`;
    const server = await startServer(runtime, {
      sources: [`{ name: vault, prefix: vault/, type: s3, ${place}, revalidate: 0s }`],
      env: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: roles.authorization,
      },
    });
    try {
      const status = async () => (await fetch(`${server.url}/iiif/3/vault%2Fa.jpg/info.json`)).status;
      roles.asked.length = 0;
      expect(await status()).toBe(200);
      bucket.expired.add(bucket.account?.accessKeyId ?? "");
      expect(await status()).toBe(200);
      expect(roles.asked.at(-1)).toBe("container");
    } finally {
      await server.close();
    }
  });
});
