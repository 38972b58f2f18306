// Options of sources by type; a new type becomes a member of the union.

import { z } from "zod";
import {
  durationOption,
  keyPrefixOption,
  maskUrls,
  parseUrl,
  pathOption,
  s3Options,
  sizeOption,
  withoutCredentials,
} from "../../base/index.ts";
import { parseHost } from "./addresses.ts";

const shared = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected letters, digits, dots, dashes or underscores")
    .meta({ description: "Name of the source in logs, in /ready and in cache keys.", edit: "restart" }),
  prefix: z
    .string()
    .regex(/^([^/\\].*\/)?$/s, "expected text that ends with /, such as museum/, or nothing")
    .default("")
    .meta({
      description:
        "Prefix of the identifiers of this source; the service removes it from them. Empty: the default source.",
      edit: "restart",
    }),
  archives: z.boolean().default(true).meta({
    description:
      "If true, ZIP files are folders: `scans.zip/page-001.jp2` names a file in one. If false, they are ignored.",
    edit: "restart",
  }),
};

const filesystem = z.strictObject({
  ...shared,
  type: z.literal("filesystem").meta({ description: "Files in a folder." }),
  root: pathOption.min(1).meta({
    description: "Folder of the masters; relative to the configuration file.",
    edit: "restart",
  }),
  revalidate: durationOption.default("60s").meta({
    description:
      "How long the service uses a file before it checks again whether the file has changed. A derivative is always made from one version of the file. 0s: it checks for each request.",
    edit: "restart",
  }),
  timeout: durationOption.default("15s").meta({
    description:
      "How long one check of a file, or one read of its header, may take. If it takes longer, the response is 500, code source_unreadable. Reads by workers are bounded by `image.timeout`. 0s: no limit.",
    edit: "restart",
  }),
});

export type FilesystemSourceOptions = z.output<typeof filesystem>;

const remoteRevalidate = durationOption.default("60s").meta({
  description:
    "How long the service uses what it has cached of a master before it asks the server again whether the master has changed. 0s: it asks for each request.",
  edit: "restart",
});

const templateForm =
  'expected an http or https URL without user information and with {identifier} in its path or query, such as https://example.org/masters/{identifier}, or "{identifier}" alone';
const hostForm = "expected a host, such as images.example.org or images.example.org:8443";

const staleIfError = durationOption.default("1h").meta({
  description:
    "How long after `revalidate` the service may still use what it has cached of a master while the server does not respond (RFC 5861). 0s: not at all.",
  edit: "restart",
});

const timeout = durationOption.default("60s").meta({
  description:
    "How long one request may wait for this source in total, not counting the time to render. If it waits longer, the response is 500, code origin_unavailable. The default is 60s. 0s: no limit.",
  edit: "restart",
});

/** True if a text is a URL with the identifier after its host, or only the identifier. */
function isTemplate(text: string): boolean {
  if (text === "{identifier}") return true;
  const [, host] = /^https?:\/\/([^/?#]*)[/?]/i.exec(text) ?? [];
  const filled = text.replaceAll("{identifier}", "x");
  if (!host || host.includes("{") || filled === text) return false;
  const url = parseUrl(filled);
  return url?.username === "" && url.password === "" && url.hash === "";
}

const headersForm =
  "expected names of letters, digits and dashes with values of one line, such as User-Agent: smalti";

/** True if these headers can be sent with a request. */
function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) !== undefined;
  } catch {
    return false;
  }
}

const agentForm = "expected one line of text, such as museum-images/1.0 (+mailto:images@example.org)";

const isHeaderValue = (text: string) => areHeaders({ "User-Agent": text });

const http = z.strictObject({
  ...shared,
  type: z.literal("http").meta({ description: "Files on a web server." }),
  url: z.string({ error: templateForm }).refine(isTemplate, { error: templateForm }).meta({
    description:
      'URL of masters, in which the service replaces {identifier}, percent-encoded except for its /. "{identifier}" alone: identifiers are URLs themselves, of `allowed_hosts`.',
    edit: "restart",
  }),
  headers: z.record(z.string(), z.string()).refine(areHeaders, { error: headersForm }).default({}).meta({
    description:
      'Headers of every request. The service sends Authorization, Cookie and X-Api-Key to the host of `url` alone; if `url` is "{identifier}", to the host of the identifier, and only over https. Put secrets into `auth_env`.',
    edit: "restart",
    secret: true,
  }),
  user_agent: z.string().refine(isHeaderValue, { error: agentForm }).default("").meta({
    description:
      "User-Agent of every request. Empty: `smalti/VERSION (+URL)` with `base_url` as its URL, or without one.",
    edit: "restart",
  }),
  auth_env: z.string().default("").meta({
    description: 'Environment variable that holds the value of the Authorization header, such as "Bearer …".',
    edit: "restart",
  }),
  allowed_hosts: z
    .array(z.string({ error: hostForm }).refine((text) => parseHost(text) !== undefined, { error: hostForm }))
    .default([])
    .meta({
      description:
        "Hosts, with or without a port, to which redirects and URL identifiers may lead. The host of `url` is always allowed.",
      edit: "restart",
    }),
  allow_private: z.boolean().default(false).meta({
    description:
      "If true, host names may resolve to private addresses and to this machine. Link-local addresses are never allowed. An IP address in `url` or `allowed_hosts` is always allowed.",
    edit: "restart",
  }),
  max_held: sizeOption.default("64MiB").meta({
    description:
      "Size of the largest master that the service reads as a whole, because its server sends neither ETag nor Last-Modified, or no length. Twice that much memory may be in use while such a master arrives. Several that arrive simultaneously may take four times 64 MiB, or once `max_held` if that is more.",
    edit: "restart",
  }),
  revalidate: remoteRevalidate,
  stale_if_error: staleIfError,
  timeout,
});

export type HttpSourceOptions = z.output<typeof http>;

const s3 = z
  .strictObject({
    ...shared,
    type: z.literal("s3").meta({ description: "Objects in a bucket." }),
    ...s3Options,
    key_prefix: keyPrefixOption.default("").meta({
      description:
        "Prefix of the keys of all masters, such as scans/; the service puts it before each identifier.",
      edit: "restart",
    }),
    revalidate: remoteRevalidate,
    stale_if_error: staleIfError,
    timeout,
  })
  .transform(withoutCredentials);

export type S3SourceOptions = z.output<typeof s3>;

/** Schema of `sources:`; if the list is empty, the bundled sample is served. */
export const sourceOptions = z
  .array(z.discriminatedUnion("type", [filesystem, http, s3]))
  .default([])
  .superRefine((sources, context) => {
    for (const key of ["name", "prefix"] as const)
      sources.forEach((source, i) => {
        const other = sources.findIndex((each) => each[key] === source[key]);
        if (other < i)
          context.addIssue({
            code: "custom",
            path: [i, key],
            message: `is the same as that of sources.${other}; each source needs its own`,
          });
      });
  });

export type SourceOptions = z.output<typeof sourceOptions>[number];

/** Returns the location of a source's masters, in words for the operator only; secrets in URLs are masked. */
export function locationOf(source: SourceOptions): string {
  return locations[source.type](source as never);
}

const locations: {
  readonly [T in SourceOptions["type"]]: (source: Extract<SourceOptions, { type: T }>) => string;
} = {
  filesystem: ({ root }) => root,
  http: ({ url }) => maskUrls(url),
  s3: ({ bucket, key_prefix, endpoint }) =>
    `s3://${bucket}/${key_prefix}${endpoint ? ` at ${maskUrls(endpoint)}` : ""}`,
};
