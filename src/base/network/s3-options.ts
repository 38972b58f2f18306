// Options of a bucket: its name, service and credentials.

import { z } from "zod";
import { secretOf } from "../options/secret.ts";
import type { Env } from "../platform.ts";
import type { CredentialsProvider, S3Credentials } from "./aws/credentials.ts";
import { type RoleHost, roleCredentials } from "./aws/role.ts";
import { parseUrl } from "./parse-url.ts";
import type { BucketOptions } from "./s3.ts";

const bucketForm = "expected the name of a bucket, such as my-masters";
const endpointForm =
  "expected an http or https URL without query and credentials, such as https://s3.example.org, or nothing for AWS";
const prefixForm = "expected a key prefix such as cache/, without empty, . or .. segments before its end";

/** True if a text is an http or https URL of a service: without query, fragment or credentials. */
export function isServiceUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || /[?#]/.test(text)) return false;
  return /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

const edit = "restart" as const;

/** A prefix of keys. */
export const keyPrefixOption = z.string({ error: prefixForm }).refine(
  (text) =>
    text
      .split("/")
      .slice(0, -1)
      .every((part) => !/^\.{0,2}$/.test(part)) && !/(^|\/)\.{1,2}$/.test(text),
  { error: prefixForm },
);

/** Members of the options of everything stored in a bucket. */
export const s3Options = {
  bucket: z
    .string({ error: bucketForm })
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/, bucketForm)
    .meta({ description: "Name of the bucket.", edit }),
  region: z
    .string()
    .min(1)
    .default("us-east-1")
    .meta({ description: "Region of the bucket; the signature contains it too.", edit }),
  endpoint: z
    .string({ error: endpointForm })
    .refine((text) => text === "" || isServiceUrl(text), { error: endpointForm })
    .default("")
    .meta({ description: "URL of an S3-compatible service. Empty: AWS in this region.", edit }),
  path_style: z.boolean().default(false).meta({
    description:
      "If true, the name of the bucket is part of the path instead of the host name, as many services other than AWS require.",
    edit,
  }),
  anonymous: z.boolean().default(false).meta({
    description: "If true, requests are sent without a signature, for a public bucket.",
    edit,
  }),
  access_key_env: z.string().default("").meta({
    description:
      "Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else the credentials of the role of this pod, container or instance.",
    edit,
  }),
  secret_key_env: z.string().default("").meta({
    description: "Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY.",
    edit,
  }),
  session_token_env: z.string().default("").meta({
    description:
      "Environment variable that holds the session token of temporary credentials. Empty: AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none.",
    edit,
  }),
} as const;

/** Parsed options of a bucket. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string;
  readonly path_style: boolean;
  /** Absent if the bucket cannot be public. */
  readonly anonymous?: boolean;
  readonly access_key_env: string;
  readonly secret_key_env: string;
  readonly session_token_env: string;
}

/** An anonymous bucket names no variables, so that none of them needs to be set. */
export function withoutCredentials<T extends S3Settings>(settings: T): T {
  return settings.anonymous
    ? { ...settings, access_key_env: "", secret_key_env: "", session_token_env: "" }
    : settings;
}

/**
 * Converts the settings for {@link openBucket}. Credentials are those of the variables that the settings
 * name, else of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else of the role that `host`
 * gives access to. Throws an Error that names a variable which is not set.
 */
export function bucketOf(
  settings: S3Settings,
  env: Env,
  host: RoleHost = {},
): Omit<BucketOptions, "timeoutMs"> {
  return {
    bucket: settings.bucket,
    region: settings.region,
    endpoint: settings.endpoint,
    pathStyle: settings.path_style,
    credentials: settings.anonymous ? undefined : credentialsOf(settings, env, host),
  };
}

/** The variables of the AWS SDKs. */
const usual = {
  key: "AWS_ACCESS_KEY_ID",
  secret: "AWS_SECRET_ACCESS_KEY",
  token: "AWS_SESSION_TOKEN",
} as const;

function credentialsOf(
  { access_key_env, secret_key_env, session_token_env, region, anonymous }: S3Settings,
  env: Env,
  host: RoleHost,
): S3Credentials | CredentialsProvider {
  const mayBePublic = anonymous !== undefined;
  const isNamed = access_key_env !== "" || secret_key_env !== "" || session_token_env !== "";
  // One of the two keys alone is a mistake, which has to be reported.
  if (!isNamed && !env[usual.key] && !env[usual.secret])
    return roleCredentials(env, region, host, mayBePublic);
  const orPublic = mayBePublic ? "; if anybody may read the bucket, set anonymous: true" : "";
  const read = (name: string) => secretOf(name, env, orPublic);
  const key = access_key_env || usual.key;
  const token = session_token_env || (key === usual.key && env[usual.token] ? usual.token : "");
  return {
    accessKeyId: read(key),
    secretAccessKey: read(secret_key_env || usual.secret),
    ...(token && { sessionToken: read(token) }),
  };
}
