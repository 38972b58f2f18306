// Sources, and how an identifier becomes the name of a file.

import { parseIp, parseUrl } from "../../../../base/index.ts";
import type { Setting } from "../../yaml/commented-yaml.ts";
import { bucketSettings } from "../buckets.ts";
import { isTrue, type Properties } from "../properties.ts";
import { missingRow, type Row, type Rows, secretOf, unneededRow, wholeNumber } from "../row.ts";

/** Sources that smalti has too, with the property that shows that one is configured. */
const kinds: Readonly<
  Record<string, { readonly needs: string; readonly build: (all: Properties) => Setting[] }>
> = {
  FilesystemSource: { needs: "FilesystemSource.BasicLookupStrategy.path_prefix", build: folder },
  HttpSource: { needs: "HttpSource.BasicLookupStrategy.url_prefix", build: webServer },
  S3Source: { needs: "S3Source.BasicLookupStrategy.bucket.name", build: bucket },
};

const noJdbc =
  "smalti reads no images from databases; write them to files, or serve them by HTTP for a source of type http";
const noAzure =
  "smalti has no source for Azure; a source of type http reads public containers: url: https://ACCOUNT.blob.core.windows.net/CONTAINER/{identifier}";
const others: Readonly<Record<string, string>> = { JdbcSource: noJdbc, AzureStorageSource: noAzure };

/** Returns the names of the sources in use, that of `source.static` first. */
function sourcesInUse(all: Properties): string[] {
  const chosen = all.get("source.static");
  // Cantaloupe 4.0 and 4.1 also have names that end in 2 and the like.
  const fixed = chosen === undefined ? [] : [chosen.replace(/\d+$/, "")];
  if (!isTrue(all.get("source.delegate"))) return fixed;
  const configured = Object.keys(kinds).filter((name) => all.has(kinds[name]?.needs as string));
  return [...new Set([...fixed, ...configured])];
}

const isScript = (source: string, all: Properties) =>
  /Script|Delegate/.test(all.get(`${source}.lookup_strategy`) ?? "");

/** A row that matters only if its source is in use. */
const ofSource = (source: string, row: Row): Row => ({
  ...row,
  unneeded: row.unneeded ?? `${source} is not in use`,
  choose: (value, all) => {
    if (!sourcesInUse(all).includes(source)) return "unneeded";
    return row.choose?.(value, all) ?? (row.to ? "taken" : row.missing ? "missing" : "unneeded");
  },
});

/** A row of BasicLookupStrategy. */
const ofLookup = (source: string, row: Row): Row =>
  ofSource(source, {
    ...row,
    unneeded: `${source} is not in use, or a delegate script looks its files up`,
    choose: (value, all) =>
      isScript(source, all) ? "unneeded" : (row.choose?.(value, all) ?? (row.to ? "taken" : "missing")),
  });

const strategy = (source: string, method: string): Row =>
  ofSource(source, {
    unneeded: "identifiers are names of files, unless a hook maps them",
    missing: `write a hook \`resolve\`, which does what ${method} does`,
    choose: (value) => (/Script|Delegate/.test(value) ? "missing" : "unneeded"),
  });

const chunks = (source: string): Rows =>
  Object.fromEntries(
    ["enabled", "chunk_size", "cache.enabled", "cache.max_size"].map((key) => [
      `${source}.chunking.${key}`,
      unneededRow("smalti always reads remote files by ranges, and caches them in the slot origin"),
    ]),
  );
const basicAuth = (part: string): Row =>
  secretOf(
    ofLookup("HttpSource", {
      to: "HTTPSOURCE_AUTHORIZATION",
      text: `an environment variable, named by auth_env: \`Basic $(printf %s 'NAME:PASSWORD' | base64)\`; this is the ${part}`,
    }),
  );
const jdbc = ofSource("JdbcSource", missingRow(noJdbc));
const azure = ofSource("AzureStorageSource", missingRow(noAzure));

const template = "hook.lookup.template";

export const sourceRows: Rows = {
  "source.static": {
    to: "sources[].type",
    choose: (_, all) => (sourcesInUse(all).some((name) => Object.hasOwn(kinds, name)) ? "taken" : "missing"),
    missing: "name the folder, web server or bucket of the images under `sources`",
    take: (_, all) => sourceSettings(all),
  },
  "source.delegate": {
    to: "sources[].prefix",
    text: "the beginning of an identifier chooses the source, or a hook `resolve` returns its name as `source`",
    unneeded: "all identifiers belong to one source",
    choose: (value) => (isTrue(value) ? "taken" : "unneeded"),
    take: (_, all) => sourceSettings(all),
  },
  "FilesystemSource.lookup_strategy": strategy("FilesystemSource", "filesystemsource_pathname"),
  "FilesystemSource.BasicLookupStrategy.path_prefix": ofSource("FilesystemSource", {
    to: "sources[].root",
    text: "the folder; what follows the last / of the prefix becomes part of hook.lookup.template",
  }),
  "FilesystemSource.BasicLookupStrategy.path_suffix": ofLookup("FilesystemSource", { to: template }),
  "HttpSource.allow_insecure": ofSource("HttpSource", {
    missing: "smalti always checks certificates; NODE_EXTRA_CA_CERTS names the file of your own authority",
    unneeded: "smalti always checks certificates",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  }),
  "HttpSource.request_timeout": ofSource("HttpSource", { to: "sources[].timeout" }),
  "HttpSource.proxy.http.host": ofSource(
    "HttpSource",
    missingRow("smalti uses no proxy for its own requests, since a proxy would resolve names itself"),
  ),
  "HttpSource.proxy.http.port": ofSource("HttpSource", missingRow("see HttpSource.proxy.http.host")),
  "HttpSource.lookup_strategy": strategy("HttpSource", "httpsource_resource_info"),
  "HttpSource.BasicLookupStrategy.url_prefix": ofLookup("HttpSource", { to: "sources[].url" }),
  "HttpSource.BasicLookupStrategy.url_suffix": ofLookup("HttpSource", { to: "sources[].url" }),
  "HttpSource.BasicLookupStrategy.auth.basic.username": basicAuth("name"),
  "HttpSource.BasicLookupStrategy.auth.basic.secret": basicAuth("password"),
  "HttpSource.BasicLookupStrategy.send_head_requests": unneededRow("smalti never sends HEAD"),
  ...chunks("HttpSource"),
  "S3Source.endpoint": ofSource("S3Source", {
    to: "sources[].endpoint, sources[].path_style",
    text: "not needed for AWS, whose region is enough",
  }),
  "S3Source.region": ofSource("S3Source", { to: "sources[].region" }),
  "S3Source.access_key_id": secretOf(
    ofSource("S3Source", {
      to: "S3SOURCE_ACCESS_KEY_ID",
      text: "an environment variable, named by access_key_env",
    }),
  ),
  "S3Source.secret_key": secretOf(
    ofSource("S3Source", {
      to: "S3SOURCE_SECRET_KEY",
      text: "an environment variable, named by secret_key_env",
    }),
  ),
  "S3Source.lookup_strategy": strategy("S3Source", "s3source_object_info"),
  "S3Source.BasicLookupStrategy.bucket.name": ofSource("S3Source", { to: "sources[].bucket" }),
  "S3Source.BasicLookupStrategy.path_prefix": ofLookup("S3Source", { to: "sources[].key_prefix" }),
  "S3Source.BasicLookupStrategy.path_suffix": ofLookup("S3Source", { to: template }),
  ...chunks("S3Source"),
  "AzureStorageSource.account_name": azure,
  "AzureStorageSource.account_key": secretOf(azure),
  "AzureStorageSource.container_name": azure,
  "AzureStorageSource.lookup_strategy": azure,
  ...chunks("AzureStorageSource"),
  "JdbcSource.url": secretOf(jdbc),
  "JdbcSource.user": jdbc,
  "JdbcSource.password": secretOf(jdbc),
  "JdbcSource.connection_timeout": jdbc,
};

/** Returns the sources, and the template of the hook that makes names of files of identifiers. */
function sourceSettings(all: Properties): Setting[] {
  const used = sourcesInUse(all);
  const unknown = used.find((name) => !Object.hasOwn(kinds, name));
  const known = used.filter((name) => Object.hasOwn(kinds, name));
  if (known.length === 0) throw new Error(others[unknown ?? ""] ?? `there is no source ${unknown}`);
  const settings = known.flatMap((name, index) => {
    const { type, own } = {
      type: name.replace("Source", "").toLowerCase(),
      own: kinds[name]?.build(all) ?? [],
    };
    const entry: Setting[] = [
      { path: ["name"], value: type === "filesystem" ? "files" : type, ...(index > 0 && { comment: name }) },
      // A prefix for all sources but the first, since identifiers choose the source by it.
      ...(index === 0 ? [] : [{ path: ["prefix"], value: `${type}/` }]),
      { path: ["type"], value: type },
      ...own,
    ];
    return entry.map((setting) => ({ ...setting, path: ["sources", index, ...setting.path] }));
  });
  return [...settings, ...lookup(known[0] as string, known.length, all)];
}

/** Returns the settings of the hook, if identifiers are not the names of files. */
function lookup(source: string, count: number, all: Properties): Setting[] {
  const substitute = all.get("slash_substitute");
  const ownNames = source === "HttpSource" || isScript(source, all);
  const [before, after] = ownNames
    ? ["", ""]
    : [
        source === "FilesystemSource" ? prefixParts(all)[1] : "",
        all.get(`${source}.BasicLookupStrategy.path_suffix`) ?? "",
      ];
  if (before + after === "" && substitute === undefined) return [];
  const filter = substitute === undefined ? "" : ` | replace ${JSON.stringify(substitute)} "/"`;
  return [
    {
      path: ["hook", "engine"],
      value: "lookup",
      comment:
        "Makes the name of a file of an identifier. `smalti hook test --identifier ID` shows the result." +
        (count > 1 ? " It applies to the first source only: all identifiers are looked for there." : ""),
    },
    { path: ["hook", "lookup", "template"], value: `${before}{{ .Identifier${filter} }}${after}` },
  ];
}

/** Returns the folder of the path prefix, and the beginning of all file names in it. */
function prefixParts(all: Properties): [folder: string, name: string] {
  const prefix = all.get("FilesystemSource.BasicLookupStrategy.path_prefix") ?? "";
  const [, folder = "", name = ""] = /^(.*[/\\])?(.*)$/s.exec(prefix) ?? [];
  return [folder.length > 1 ? folder.replace(/[/\\]$/, "") : folder, name];
}

function folder(all: Properties): Setting[] {
  const [root] = prefixParts(all);
  if (root !== "") return [{ path: ["root"], value: root }];
  return [
    {
      path: ["root"],
      value: "./images",
      comment:
        "Cantaloupe has no prefix here. Name the folder of all images; identifiers are paths below it.",
    },
  ];
}

function webServer(all: Properties): Setting[] {
  const basic = "HttpSource.BasicLookupStrategy";
  const isMapped = isScript("HttpSource", all);
  const prefix = isMapped ? "" : (all.get(`${basic}.url_prefix`) ?? "");
  const suffix = isMapped ? "" : (all.get(`${basic}.url_suffix`) ?? "");
  const url = parseUrl(prefix);
  const seconds = all.get("HttpSource.request_timeout");
  const more: Setting[] = [
    ...(all.has(`${basic}.auth.basic.username`)
      ? [{ path: ["auth_env"], value: "HTTPSOURCE_AUTHORIZATION" }]
      : []),
    ...(seconds === undefined ? [] : [{ path: ["timeout"], value: `${wholeNumber(seconds)}s` }]),
  ];
  if (prefix === "")
    return [
      { path: ["url"], value: "{identifier}" },
      {
        path: ["allowed_hosts"],
        value: [],
        comment:
          "Identifiers, or the keys that a hook returns, are URLs. Name the hosts that smalti may read from.",
      },
      ...more,
    ];
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "")
    throw new Error(`set ${basic}.url_prefix to an http or https address without a name and password`);
  return [
    { path: ["url"], value: `${prefix}{identifier}${suffix}` },
    ...(isInside(url.hostname)
      ? [
          {
            path: ["allow_private"],
            value: true,
            comment: "smalti reaches addresses of private networks only if it is told to.",
          },
        ]
      : []),
    ...more,
  ];
}

/** True for a host name that probably belongs to a private network. Addresses are always allowed. */
const isInside = (host: string) =>
  parseIp(host.replace(/^\[|\]$/g, "")) === undefined &&
  (!host.includes(".") || /\.(local|localhost|internal|intranet|lan|home\.arpa)$/i.test(host));

function bucket(all: Properties): Setting[] {
  const basic = "S3Source.BasicLookupStrategy";
  return bucketSettings("S3Source", all, {
    bucket: `${basic}.bucket.name`,
    prefix: ["key_prefix", `${basic}.path_prefix`],
  });
}
