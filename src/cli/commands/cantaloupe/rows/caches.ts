// Caches of the server, and how long browsers may keep responses.

import { formatDuration } from "../../../../base/index.ts";
import type { Setting } from "../../yaml/commented-yaml.ts";
import { bucketSettings } from "../buckets.ts";
import { isTrue, type Properties } from "../properties.ts";
import { missingRow, type Row, type Rows, secretOf, unneededRow, wholeNumber } from "../row.ts";

/** Returns the name of the derivative cache in use; undefined if there is none. */
export const cacheInUse = (all: Properties): string | undefined =>
  isTrue(all.get("cache.server.derivative.enabled")) ? all.get("cache.server.derivative") : undefined;

/** Seconds as a duration; 0 means forever in both. */
const seconds = (value: string) => formatDuration(wholeNumber(value) * 1000);

/** A derivative cache also holds infos, so both slots get its settings. */
const bothSlots = (settings: readonly Setting[]): Setting[] =>
  ["render", "info"].flatMap((slot) =>
    settings.map((setting) => ({ ...setting, path: ["cache", slot, ...setting.path] })),
  );

const folderOf = (all: Properties) =>
  `${(all.get("FilesystemCache.pathname") ?? "").replace(/\/+$/, "")}/smalti`;

/** Settings of the slots, by the name of the cache. */
const stores: Readonly<Record<string, (all: Properties) => readonly Setting[]>> = {
  FilesystemCache: (all) => {
    if (!all.has("FilesystemCache.pathname"))
      throw new Error("set FilesystemCache.pathname, and import it again");
    return [
      ...bothSlots([
        { path: ["backend"], value: "filesystem" },
        { path: ["path"], value: folderOf(all) },
      ]),
      {
        path: ["cache", "render", "max_bytes"],
        value: "10GiB",
        comment: "Cantaloupe's cache has no limit. Give this one what the disk can spare.",
      },
    ];
  },
  HeapCache: () => [
    { path: ["cache", "render", "backend"], value: "heap" },
    { path: ["cache", "info", "backend"], value: "heap" },
  ],
  RedisCache: (all) => {
    const host = all.get("RedisCache.host") ?? "localhost";
    const port = wholeNumber(all.get("RedisCache.port") ?? "6379", 1);
    return bothSlots([
      { path: ["backend"], value: "redis" },
      { path: ["addr"], value: `${host.includes(":") ? `[${host}]` : host}:${port}` },
      ...(all.has("RedisCache.database")
        ? [{ path: ["db"], value: wholeNumber(all.get("RedisCache.database") as string) }]
        : []),
      ...(isTrue(all.get("RedisCache.ssl")) ? [{ path: ["tls"], value: true }] : []),
      ...(all.has("RedisCache.password") ? [{ path: ["password_env"], value: "REDISCACHE_PASSWORD" }] : []),
    ]);
  },
  S3Cache: (all) =>
    bothSlots([
      { path: ["backend"], value: "s3" },
      ...bucketSettings("S3Cache", all, {
        bucket: "S3Cache.bucket.name",
        prefix: ["prefix", "S3Cache.object_key_prefix"],
      }),
    ]),
};

const usual = "keep derivatives in files, in memory, in Redis or in S3: cache.render";

const derivative: Row = {
  to: "cache.render, cache.info",
  unneeded:
    "cache.server.derivative.enabled is false; smalti keeps up to 256 MiB of derivatives in memory anyway",
  missing: usual,
  choose: (_, all) => {
    const name = cacheInUse(all);
    return name === undefined ? "unneeded" : Object.hasOwn(stores, name) ? "taken" : "missing";
  },
  take: (_, all) => stores[cacheInUse(all) ?? ""]?.(all) ?? [],
};

/** The row of a property of one of the caches, which matters only if that cache is in use. */
const ofCache = (cache: string, row: Row): Row => ({
  ...row,
  unneeded: row.unneeded ?? `${cache} is not in use`,
  choose: (value, all) => {
    if (cacheInUse(all) !== cache) return "unneeded";
    return row.choose?.(value, all) ?? (row.to ? "taken" : row.missing ? "missing" : "unneeded");
  },
});

/** A part of the settings that `cache.server.derivative` becomes. */
const part = (cache: string, key: string) => ofCache(cache, { to: `cache.render.${key}, cache.info.${key}` });
const variable = (cache: string, name: string) =>
  ofCache(cache, { to: name, text: "an environment variable, which the file names", secret: true });

const files: Row = {
  to: "cache.*.path",
  text: "smalti uses a folder `smalti` inside it; delete the rest when you no longer run Cantaloupe",
  unneeded: "FilesystemCache is not in use",
  choose: (_, all) => (cacheInUse(all) === "FilesystemCache" || usesSourceCache(all) ? "taken" : "unneeded"),
};

const usesSourceCache = (all: Properties) =>
  ["stream", "fallback"].some((kind) => all.get(`processor.${kind}_retrieval_strategy`) === "CacheStrategy");

const noJdbc = ofCache("JdbcCache", missingRow(`smalti keeps nothing in databases; ${usual}`));
const noAzure = ofCache("AzureStorageCache", missingRow(`smalti keeps nothing in Azure; ${usual}`));

const worker = unneededRow(
  "expired entries are removed when they are read, and the least used ones when a store is full",
);

/** How long browsers may keep responses; 0 if Cantaloupe forbids them to keep any. */
const clientAge: Row = {
  to: "http.image_max_age, http.info_max_age",
  unneeded: "smalti's own header allows a day for images, an hour for info.json",
  choose: (_, all) => (isTrue(all.get("cache.client.enabled") ?? "true") ? "taken" : "unneeded"),
  take: (value) => [
    { path: ["http", "image_max_age"], value: seconds(value) },
    { path: ["http", "info_max_age"], value: seconds(value) },
  ],
};
const forbids: Row = {
  to: "http.image_max_age, http.info_max_age",
  text: "0s makes browsers revalidate each time",
  unneeded: "browsers may keep public responses",
  choose: (value, all) =>
    isTrue(value) && isTrue(all.get("cache.client.enabled") ?? "true") ? "taken" : "unneeded",
  take: () => [
    { path: ["http", "image_max_age"], value: "0s" },
    { path: ["http", "info_max_age"], value: "0s" },
  ],
};

export const cacheRows: Rows = {
  "cache.client.enabled": {
    unneeded: "smalti always sends Cache-Control",
    missing: "smalti always sends Cache-Control; http.image_max_age and http.info_max_age say for how long",
    choose: (value) => (isTrue(value) ? "unneeded" : "missing"),
  },
  "cache.client.max_age": clientAge,
  "cache.client.shared_max_age": missingRow(
    "smalti sends one age for browsers and proxies; let the proxy set its own",
  ),
  "cache.client.public": unneededRow(
    "responses are public unless a login or a hook decides who may see them",
  ),
  "cache.client.private": {
    unneeded: "responses are private if a login or a hook decides who may see them",
    missing: "responses are private only if a login or a hook decides who may see them",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  },
  "cache.client.no_cache": forbids,
  "cache.client.no_store": forbids,
  "cache.client.must_revalidate": unneededRow("each response has an ETag, with which browsers revalidate"),
  "cache.client.proxy_revalidate": unneededRow("each response has an ETag, with which proxies revalidate"),
  "cache.client.no_transform": unneededRow(
    "smalti compresses no images itself; tell a CDN not to convert them",
  ),
  "cache.server.source": {
    to: "cache.origin.path",
    text: "the slot origin holds ranges of remote files, and sidecars of all files",
    unneeded: "no files are copied, since no retrieval strategy is CacheStrategy",
    choose: (_, all) => (usesSourceCache(all) && all.has("FilesystemCache.pathname") ? "taken" : "unneeded"),
    take: (_, all) => [
      { path: ["cache", "origin", "backend"], value: "filesystem" },
      { path: ["cache", "origin", "path"], value: folderOf(all) },
    ],
  },
  "cache.server.source.ttl_seconds": {
    to: "cache.origin.ttl",
    unneeded: "no files are copied, since no retrieval strategy is CacheStrategy",
    choose: (_, all) => (usesSourceCache(all) ? "taken" : "unneeded"),
    take: (value) => [{ path: ["cache", "origin", "ttl"], value: seconds(value) }],
  },
  "cache.server.derivative.enabled": derivative,
  "cache.server.derivative": derivative,
  "cache.server.derivative.ttl_seconds": {
    to: "cache.render.ttl, cache.info.ttl",
    unneeded: "cache.server.derivative.enabled is false",
    choose: (_, all) => (cacheInUse(all) === undefined ? "unneeded" : "taken"),
    take: (value) => bothSlots([{ path: ["ttl"], value: seconds(value) }]),
  },
  "cache.server.info.enabled": {
    unneeded: "smalti keeps facts of masters in memory as well: cache.info",
    to: "cache.info.backend",
    choose: (value, all) => (isTrue(value) || cacheInUse(all) !== undefined ? "unneeded" : "taken"),
    take: () => [{ path: ["cache", "info", "backend"], value: "none" }],
  },
  "cache.server.purge_missing": unneededRow(
    "a missing master is 404 whatever the caches hold, and its entries are removed when others need the space",
  ),
  "cache.server.resolve_first": unneededRow(
    "smalti looks at the master first, again after sources[].revalidate at the latest (60s)",
  ),
  "cache.server.worker.enabled": worker,
  "cache.server.worker.interval": worker,
  "FilesystemCache.pathname": files,
  "FilesystemCache.dir.depth": unneededRow("smalti spreads files over folders itself"),
  "FilesystemCache.dir.name_length": unneededRow("smalti spreads files over folders itself"),
  "HeapCache.target_size": ofCache("HeapCache", {
    to: "cache.render.max_bytes",
    take: (value) => [{ path: ["cache", "render", "max_bytes"], value: sizeOf(value) }],
  }),
  "HeapCache.persist": ofCache("HeapCache", {
    missing: "set cache.render.backend to filesystem, whose entries survive a restart",
    unneeded: "entries in memory are lost at a restart, as now",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  }),
  "HeapCache.persist.filesystem.pathname": unneededRow("cache.render.backend: filesystem survives a restart"),
  "JdbcCache.url": secretOf(noJdbc),
  "JdbcCache.user": noJdbc,
  "JdbcCache.password": secretOf(noJdbc),
  "JdbcCache.connection_timeout": noJdbc,
  "JdbcCache.derivative_image_table": noJdbc,
  "JdbcCache.info_table": noJdbc,
  "S3Cache.endpoint": part("S3Cache", "endpoint"),
  "S3Cache.region": part("S3Cache", "region"),
  "S3Cache.access_key_id": variable("S3Cache", "S3CACHE_ACCESS_KEY_ID"),
  "S3Cache.secret_key": variable("S3Cache", "S3CACHE_SECRET_KEY"),
  "S3Cache.bucket.name": part("S3Cache", "bucket"),
  "S3Cache.object_key_prefix": part("S3Cache", "prefix"),
  "S3Cache.max_connections": unneededRow("smalti opens as many connections as it needs"),
  "AzureStorageCache.account_name": noAzure,
  "AzureStorageCache.account_key": secretOf(noAzure),
  "AzureStorageCache.container_name": noAzure,
  "AzureStorageCache.object_key_prefix": noAzure,
  "RedisCache.host": part("RedisCache", "addr"),
  "RedisCache.port": part("RedisCache", "addr"),
  "RedisCache.ssl": part("RedisCache", "tls"),
  "RedisCache.password": variable("RedisCache", "REDISCACHE_PASSWORD"),
  "RedisCache.database": part("RedisCache", "db"),
};

/** Returns a size such as 2G, 512 MB or 1000 in units of smalti. Throws for other forms. */
function sizeOf(value: string): string {
  const [, number, unit = ""] = /^(\d+)\s*([KMGT]?)(?:i?B)?$/i.exec(value) ?? [];
  if (number === undefined) throw new Error("set cache.render.max_bytes to a size such as 2GiB");
  return unit === "" ? number : `${number}${unit.toUpperCase()}iB`;
}
