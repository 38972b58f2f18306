// Options of a bucket: its name, service and credentials.

import { z } from "zod";
import { secretOf } from "../options/secret.ts";
import { parseUrl } from "./parse-url.ts";
import type { BucketOptions, S3Credentials } from "./s3.ts";

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
  access_key_env: z
    .string()
    .default("AWS_ACCESS_KEY_ID")
    .meta({ description: "Environment variable that holds the access key.", edit }),
  secret_key_env: z
    .string()
    .default("AWS_SECRET_ACCESS_KEY")
    .meta({ description: "Environment variable that holds the secret key.", edit }),
  session_token_env: z.string().default("").meta({
    description: "Environment variable that holds the session token of temporary credentials. Empty: none.",
    edit,
  }),
} as const;

/** Parsed options of a bucket. */
export interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint: string;
  readonly path_style: boolean;
  readonly anonymous: boolean;
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

/** Converts the settings for {@link openBucket}. Throws an Error that names a variable which is not set. */
export function bucketOf(
  settings: S3Settings,
  env: Readonly<Record<string, string | undefined>>,
): Omit<BucketOptions, "timeoutMs"> {
  return {
    bucket: settings.bucket,
    region: settings.region,
    endpoint: settings.endpoint,
    pathStyle: settings.path_style,
    credentials: settings.anonymous ? undefined : credentialsOf(settings, env),
  };
}

function credentialsOf(
  { access_key_env, secret_key_env, session_token_env }: S3Settings,
  env: Readonly<Record<string, string | undefined>>,
): S3Credentials {
  return {
    accessKeyId: secretOf(access_key_env, env),
    secretAccessKey: secretOf(secret_key_env, env),
    ...(session_token_env ? { sessionToken: secretOf(session_token_env, env) } : {}),
  };
}
