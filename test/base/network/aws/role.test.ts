// Credentials of roles over real servers: from the services that hand them out to the bucket that they open.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBucket } from "../../../../src/base/network/s3.ts";
import { bucketOf } from "../../../../src/base/network/s3-options.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import {
  type AwsRoles,
  type RoleService,
  startAwsRoles,
  webIdentityEnv,
} from "../../../servers/aws-roles.ts";
import { type S3Server, startS3 } from "../../../servers/s3.ts";

const platform = nodePlatform(new URL("../../../../dist/", import.meta.url));
const content = new TextEncoder().encode("a master");

let roles: AwsRoles;
let server: S3Server;
let folder: string;
beforeEach(async () => {
  roles = await startAwsRoles();
  server = await startS3({ account: { accessKeyId: "nobody", secretAccessKey: "x" } });
  server.put("a.tif", content);
  roles.onIssue = (account) => {
    server.account = account;
  };
  folder = await mkdtemp(join(tmpdir(), "smalti-roles-"));
});
afterEach(async () => {
  await Promise.all([roles.close(), server.close()]);
  await rm(folder, { recursive: true });
});

/** Writes a token as Kubernetes mounts one, with a line break at its end. */
async function tokenFile(text: string): Promise<string> {
  const path = join(folder, "token");
  await writeFile(path, `${text}\n`);
  return path;
}

type Env = Record<string, string>;

/** The environment of a process that has a role by this service. */
const environments: Readonly<Record<RoleService, () => Promise<Env>>> = {
  instance: async () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url }),
  container: async () => ({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: roles.authorization,
  }),
  sts: async () => ({
    ...webIdentityEnv,
    AWS_WEB_IDENTITY_TOKEN_FILE: await tokenFile(roles.webToken),
    AWS_ENDPOINT_URL_STS: roles.url,
  }),
};
const services = Object.keys(environments) as RoleService[];

const settings = () => ({
  bucket: server.bucket,
  region: server.region,
  endpoint: server.url,
  path_style: true,
  anonymous: false,
  access_key_env: "",
  secret_key_env: "",
  session_token_env: "",
});
const bucketWith = (env: Env, over: object = {}) =>
  openBucket({ ...bucketOf({ ...settings(), ...over }, env, platform), timeoutMs: 60_000 });
const failure = (result: Promise<unknown>) =>
  result.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );

describe("a bucket without keys", () => {
  it.each(services)(
    "is read with the credentials of a role, its session token signed: %s",
    async (service) => {
      const bucket = bucketWith(await environments[service]());
      expect(await bucket.get("a.tif")).toEqual(content);
      await bucket.put("b", content);
      expect(roles.asked).toEqual([service]);
    },
  );

  it("prefers keys in the environment, with their session token", async () => {
    const account = { accessKeyId: "AKIA1", secretAccessKey: "s1", sessionToken: "t1" };
    server.account = account;
    const env = {
      ...(await environments.instance()),
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
      AWS_SESSION_TOKEN: account.sessionToken,
    };
    expect(await bucketWith(env).get("a.tif")).toEqual(content);
    expect(await bucketWith(env, { access_key_env: "AWS_ACCESS_KEY_ID" }).get("a.tif")).toEqual(content);
    expect(roles.requests).toEqual([]);
  });

  it("asks web identity before the container, and both before the instance", async () => {
    const [instance, container, sts] = await Promise.all(services.map((service) => environments[service]()));
    await bucketWith({ ...instance, ...container, ...sts }).get("a.tif");
    await bucketWith({ ...instance, ...container }).get("a.tif");
    expect(roles.asked).toEqual(["sts", "container"]);
  });

  it("does not fall back to another role if the one that is set up fails", async () => {
    const env = { ...(await environments.instance()), ...(await environments.sts()) };
    roles.webToken = "another";
    await failure(bucketWith(env).get("a.tif"));
    expect(roles.asked).toEqual([]);
  });

  it("asks once for simultaneous requests, also of several buckets of one service", async () => {
    const env = await environments.instance();
    const buckets = [bucketWith(env), bucketWith(env), bucketWith(env)];
    await Promise.all(buckets.flatMap((bucket) => Array.from({ length: 20 }, () => bucket.get("a.tif"))));
    expect(roles.asked).toEqual(["instance"]);
  });

  it("sends the token of a file, which is read again for each renewal", async () => {
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "not this one",
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await tokenFile(roles.authorization),
    };
    const bucket = bucketWith(env);
    await bucket.get("a.tif");
    server.expired.add(server.account?.accessKeyId ?? "");
    roles.authorization = "rotated";
    await tokenFile("rotated");
    expect(await bucket.get("a.tif")).toEqual(content);
    expect(roles.asked).toEqual(["container", "container"]);
  });

  it("asks the endpoint without a token if none is set, as Amazon ECS has none", async () => {
    roles.authorization = "";
    const bucket = bucketWith({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials` });
    expect(await bucket.get("a.tif")).toEqual(content);
  });
});

describe("an expired session token", () => {
  it.each(services)("leads to one renewal and one repetition: %s", async (service) => {
    const bucket = bucketWith(await environments[service]());
    await bucket.get("a.tif");
    server.expired.add(server.account?.accessKeyId ?? "");
    server.seen.length = 0;
    expect(await bucket.get("a.tif")).toEqual(content);
    expect(server.seen.map(({ status }) => status)).toEqual([403, 200]);
    expect(roles.asked).toEqual([service, service]);
  });

  it("of many simultaneous requests leads to one renewal, and a body is sent again", async () => {
    const bucket = bucketWith(await environments.container());
    await bucket.get("a.tif");
    server.expired.add(server.account?.accessKeyId ?? "");
    await Promise.all([
      ...Array.from({ length: 20 }, () => bucket.get("a.tif")),
      bucket.put("new", new TextEncoder().encode("body")),
    ]);
    expect(roles.asked.length).toBe(2);
    expect(Buffer.from(server.objects.get("new")?.body ?? []).toString()).toBe("body");
  });

  it("is renewed by a removal, whose first request is answered without a code", async () => {
    const bucket = bucketWith(await environments.container());
    await bucket.get("a.tif");
    server.expired.add(server.account?.accessKeyId ?? "");
    expect(await bucket.delete("a.tif")).toBe(true);
    expect(server.objects.size).toBe(0);
  });

  it("is an error if the new one is refused too, and does not lead to a renewal for each request", async () => {
    const bucket = bucketWith(await environments.sts());
    await bucket.get("a.tif");
    server.fault = () => ({ refuse: { status: 403, code: "ExpiredToken" } });
    for (let i = 0; i < 5; i++)
      expect(await failure(bucket.get("a.tif"))).toMatchObject({ code: "ExpiredToken" });
    expect(roles.asked.length).toBe(2);
  });

  it("of fixed keys is an error that says what to do", async () => {
    const env = { AWS_ACCESS_KEY_ID: "AKIA1", AWS_SECRET_ACCESS_KEY: "s1", AWS_SESSION_TOKEN: "t1" };
    server.expired.add("AKIA1");
    expect(String(await failure(bucketWith(env).get("a.tif")))).toMatch(/session token.*role/);
    expect(server.seen.length).toBe(1);
  });
});

describe("a service that fails", () => {
  it.each<[RoleService, (url: string) => boolean]>([
    ["instance", (url) => url === "/latest/api/token"],
    ["instance", (url) => url.endsWith("/my-role")],
    ["container", () => true],
    ["sts", () => true],
  ])("for a moment is asked again: %s", async (service, matches) => {
    let nth = 0;
    roles.instead = (request, response) => {
      if (!matches(request.url ?? "") || nth++ > 1) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await bucketWith(await environments[service]()).get("a.tif")).toEqual(content);
  });

  it.each<[RoleService, string, number, RegExp]>([
    ["instance", "", 403, /instance \(.*IMDSv2/],
    ["instance", "my-role", 404, /instance \(.*404/],
    ["instance", "security-credentials/", 404, /instance profile/],
    ["container", "", 403, /container \(.*403.*AWS_CONTAINER_AUTHORIZATION_TOKEN/],
    ["container", "", 302, /container \(.*302/],
    ["container", "", 200, /container \(.*no credentials/],
    ["sts", "", 200, /web identity \(/],
    ["sts", "", 500, /web identity \(.*500/],
  ])("is named, with what to do: %s, at %j with status %i", async (service, end, status, message) => {
    roles.instead = (request, response) => {
      if (end !== "" && !request.url?.endsWith(end)) return false;
      response.writeHead(status, { location: "/v1/other" }).end("<html>secret-key-1</html>");
      return true;
    };
    const env = await environments[service]();
    const text = String(await failure(bucketWith(env).get("a.tif")));
    expect(text).toMatch(message);
    expect(text).toContain("AWS_ACCESS_KEY_ID");
    expect(text).toContain("anonymous: true");
    for (const secret of ["secret-key", roles.authorization, roles.webToken, roles.url, folder])
      expect(text).not.toContain(secret);
    expect(roles.requests).not.toContain("GET /v1/other");
  });

  it("and does not respond is given up soon; the advice names the hop limit of containers", async () => {
    roles.instead = () => true;
    const error = await failure(bucketWith(await environments.instance()).get("a.tif"));
    expect(String(error)).toMatch(/did not respond within 1000 ms.*hop-limit 2/);
    expect(roles.requests.length).toBe(1);
  });

  it("names the code of the token service, not its message", async () => {
    const env = await environments.sts();
    roles.webToken = "another";
    const text = String(await failure(bucketWith(env).get("a.tif")));
    expect(text).toContain("InvalidIdentityToken");
    expect(text).not.toContain("another");
  });

  it("is not asked again immediately, and what else has no role is named", async () => {
    roles.authorization = "another";
    const bucket = bucketWith({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "wrong",
    });
    for (let i = 0; i < 5; i++)
      expect(String(await failure(bucket.get("a.tif")))).toContain("AWS_WEB_IDENTITY_TOKEN_FILE");
    expect(roles.requests.length).toBe(1);
    expect(server.seen).toEqual([]);
  });
});

describe("what cannot be asked", () => {
  it.each<[Env, RegExp]>([
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://10.0.0.1/credentials" }, /https/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.169.254/latest/" }, /https/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1.example.org/" }, /https/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "file:///etc/passwd" }, /no http/],
    [{ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "@example.org/" }, /begin with \//],
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: "/nothing/token", ...webIdentityEnv }, /cannot be read/],
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: "/nothing/token" }, /AWS_ROLE_ARN is not set/],
    [{ ...webIdentityEnv }, /AWS_WEB_IDENTITY_TOKEN_FILE is not set/],
    [{ AWS_EC2_METADATA_SERVICE_ENDPOINT: "ftp://x" }, /AWS_EC2_METADATA_SERVICE_ENDPOINT/],
  ])("is refused before anything is sent: %j", async (env, message) => {
    const error = await failure(bucketWith(env).get("a.tif"));
    expect(error).toMatchObject({ name: "CredentialsError" });
    expect(String(error)).toMatch(message);
  });

  it("is an error at the start if nothing is set up, which names anonymous for what may be public", () => {
    const env = { AWS_EC2_METADATA_DISABLED: "true" };
    expect(() => bucketWith(env)).toThrow(/AWS_ACCESS_KEY_ID.*AWS_EC2_METADATA_DISABLED.*anonymous: true/);
    const { anonymous: _, ...sessions } = settings();
    expect(() => bucketOf(sessions, env, platform)).toThrow(/AWS_ACCESS_KEY_ID/);
    expect(() => bucketOf(sessions, env, platform)).not.toThrow(/anonymous/);
  });

  it("is one key without the other, in the environment or named by the settings", () => {
    expect(() => bucketWith({ AWS_ACCESS_KEY_ID: "AKIA" })).toThrow(/AWS_SECRET_ACCESS_KEY.*anonymous: true/);
    expect(() => bucketWith({ S: "s" }, { secret_key_env: "S" })).toThrow(/AWS_ACCESS_KEY_ID/);
  });
});
