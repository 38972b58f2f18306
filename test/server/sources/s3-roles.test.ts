// A bucket that is read with the credentials of a role, as a source.

import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSources } from "../../../src/server/sources/index.ts";
import { sourceOptions } from "../../../src/server/sources/options.ts";
import { type AwsRoles, startAwsRoles } from "../../servers/aws-roles.ts";
import { masterOf } from "../../servers/origin.ts";
import { type S3Server, startS3 } from "../../servers/s3.ts";
import { expectBytes, open, originWith, pattern, platform, slotOver } from "./origin/over-origin.ts";

const content = pattern(300_000);
let roles: AwsRoles;
let s3: S3Server;
beforeEach(async () => {
  roles = await startAwsRoles();
  s3 = await startS3({ account: { accessKeyId: "nobody", secretAccessKey: "x" } });
  s3.put("a", content);
  roles.onIssue = (account) => {
    s3.account = account;
  };
});
afterEach(() => Promise.all([roles.close(), s3.close()]));

/** A source over the bucket and one over a web server, with what the role needs in the environment. */
async function sourcesWith(options: object = {}, env: Record<string, string> = {}) {
  const origin = await originWith({ a: masterOf(content) });
  const parsed = sourceOptions.parse([
    {
      name: "vault",
      type: "s3",
      bucket: s3.bucket,
      region: s3.region,
      endpoint: s3.url,
      path_style: true,
      ...options,
    },
    { name: "web", prefix: "web/", type: "http", url: `${origin.url}/{identifier}` },
  ]);
  const all = { AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url, ...env };
  const sources = buildSources(parsed, { ...platform, env: all }, slotOver());
  return { vault: sources.default, web: sources.byName("web") ?? expect.fail("no source") };
}

test("is read, listed and checked with them", async () => {
  const { vault } = await sourcesWith();
  await vault.check();
  expectBytes(await (await open(vault, "a")).bytes.read(0, content.length), content);
  expect((await vault.list?.(""))?.map(({ name }) => name)).toEqual(["a"]);
  expect(roles.asked).toEqual(["instance"]);
});

test("fails alone if they cannot be had, and names why in its check", async () => {
  const { vault, web } = await sourcesWith({}, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/none` });
  const error = await vault.open("a").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: "source", code: "origin_unavailable" });
  expect(String((error as Error).cause)).toContain("AWS_WEB_IDENTITY_TOKEN_FILE");
  await expect(vault.list?.("")).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
  await expect(vault.check()).rejects.toThrow(/the container \(.*404/);
  expectBytes(await (await open(web, "a")).bytes.read(0, 10), content.slice(0, 10));
  expect(s3.seen).toEqual([]);
});

test("is unavailable, and not cancelled, if they do not come within the timeout", async () => {
  const { vault } = await sourcesWith({ timeout: "300ms" });
  roles.instead = () => true;
  await expect(vault.open("a")).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
});

test("serves what is cached while they cannot be had", async () => {
  const { vault } = await sourcesWith({ revalidate: "0s" });
  const { validator } = await open(vault, "a");
  s3.expired.add(s3.account?.accessKeyId ?? "");
  roles.instead = (_request, response) => {
    response.writeHead(404).end();
    return true;
  };
  const { bytes, validator: same } = await open(vault, "a");
  expect(same).toBe(validator);
  expectBytes(await bytes.read(0, 5000), content.slice(0, 5000));
});
