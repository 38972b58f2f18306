// Builds the sources of the configuration, and chooses the source of an identifier.

import { callsOf, type Platform, parseDuration, parseSize, ServiceError } from "../../base/index.ts";
import type { Slot } from "../stores/slot.ts";
import { archiveKeys } from "./archive/archive-key.ts";
import { type Archives, createArchives } from "./archive/archives.ts";
import { withArchives } from "./archive/source-with-archives.ts";
import { filesystemSource } from "./filesystem.ts";
import { boundMasterFiles } from "./folder/bounded-files.ts";
import { httpFingerprint, httpRemote, placeholder } from "./http.ts";
import type { HttpSourceOptions, S3SourceOptions, SourceOptions } from "./options.ts";
import { originCached, type RemoteFigures } from "./origin/cache.ts";
import { withoutParameters } from "./path-parameters.ts";
import { type RetryPolicy, usualRetries } from "./remote-http.ts";
import { s3Fingerprint, s3Remote } from "./s3.ts";
import { sampleName, sampleSource } from "./sample.ts";
import type { Source, SourceCounts } from "./source.ts";
import { urlKey } from "./url-key.ts";

export interface Sources {
  readonly all: readonly Source[];
  /** The source without a prefix, or else the first. */
  readonly default: Source;
  /**
   * Returns the source with the longest prefix of the identifier, or else the default one, and the key: the
   * identifier without that prefix.
   */
  resolve(identifier: string): { readonly source: Source; readonly key: string };
  /**
   * Returns other identifiers that may name the same master: a default source with a prefix is found with and
   * without the prefix, and web servers may ignore path parameters.
   */
  otherNames(identifier: string): readonly string[];
  /** Returns a source by its name, for hooks that choose one. */
  byName(name: string): Source | undefined;
}

/** Creates the sources of a service; `fallback` is the only one if the list is empty. */
export function createSources(list: readonly Source[], fallback: Source): Sources {
  const all = list.length > 0 ? list : [fallback];
  const whole = all.find((source) => source.prefix === "") ?? all[0] ?? fallback;
  const byPrefix = all
    .filter((source) => source.prefix !== "")
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const findByPrefix = (identifier: string) => byPrefix.find(({ prefix }) => identifier.startsWith(prefix));
  const locate = (identifier: string) => {
    const named = findByPrefix(identifier);
    const source = named ?? whole;
    const key = named ? identifier.slice(named.prefix.length) : identifier;
    return { source, key: source.keyOf?.(key) ?? key };
  };
  return {
    all,
    default: whole,
    resolve(identifier) {
      const { source, key } = locate(identifier);
      const { inArchives } = source;
      // Folders may be named with a slash at their end.
      const isIn = inArchives && archiveKeys(key.replace(/\/$/, "")).length > 0;
      return { source: isIn ? inArchives : source, key };
    },
    otherNames(identifier) {
      const { source, key } = locate(identifier);
      const keys = source.backend === "http" ? [key, ...withoutParameters(key)] : [key];
      if (keys.length === 1 && (source !== whole || whole.prefix === "")) return [];
      const isOther = (name: string, key: string) => {
        const found = locate(name);
        return name !== identifier && found.source === source && found.key === key;
      };
      return keys.flatMap((key) =>
        [...new Set([source.prefix + key, key])].filter((name) => isOther(name, key)),
      );
    },
    byName: (name) => all.find((source) => source.name === name),
  };
}

/** What sources are built with. */
interface SourceHost {
  readonly platform: Platform;
  /** Slot for bytes of remote masters. */
  readonly origin: Slot;
  readonly archives: Archives;
  readonly figures: SourceFigures | undefined;
  /** Number of sources of type filesystem. */
  readonly folders: number;
  readonly userAgent: string | undefined;
}

type Builders = {
  readonly [T in SourceOptions["type"]]: (
    options: Extract<SourceOptions, { type: T }>,
    host: SourceHost,
  ) => Source;
};

/** Counters and recorders of the sources, by name of the source. */
export interface SourceFigures {
  local(name: string): SourceCounts;
  remote(name: string): RemoteFigures;
}

const builders: Builders = {
  filesystem({ name, root, prefix, revalidate, timeout }, { platform, figures, folders }) {
    const { files, fileThreads } = platform;
    if (!files)
      throw new ServiceError(
        "unsupported",
        `Source "${name}" needs files, to which this runtime has no access. Use another type of source.`,
        {
          code: "no_files",
        },
      );
    return filesystemSource({
      name,
      root,
      prefix,
      files: boundMasterFiles(files, callsOf(fileThreads, folders), parseDuration(timeout)),
      revalidateMs: parseDuration(revalidate),
      counts: figures?.local(name),
    });
  },
  http: (options, host) =>
    originCached({
      ...remoteOptions(options, host),
      fingerprint: httpFingerprint(options),
      remote: httpRemote(options, host.platform, retriesOf(options), host.userAgent),
      maxHeld: parseSize(options.max_held),
      ...(options.url === placeholder && { keyOf: urlKey }),
    }),
  s3(options, host) {
    const remote = s3Remote(options, host.platform, retriesOf(options));
    return originCached({
      ...remoteOptions(options, host),
      fingerprint: s3Fingerprint(options),
      remote,
      list: remote.list,
    });
  },
};

/**
 * Builds the sources of `sources:`, whose roots must be absolute; the bundled sample if there are none.
 * `origin`: slot for bytes of remote masters; `userAgent`: how requests to web servers name the service.
 */
export function buildSources(
  options: readonly SourceOptions[],
  platform: Platform,
  origin: Slot,
  figures?: SourceFigures,
  userAgent?: string,
): Sources {
  const folders = options.filter(({ type }) => type === "filesystem").length;
  const archives = createArchives(platform);
  const host = { platform, origin, archives, figures, folders, userAgent };
  const all = options.map((one) => build(one, host));
  const sample = (counts?: SourceCounts) => sampleSource(() => platform.asset("sample/sample.jpg"), counts);
  // The sample is counted only if it is served.
  return createSources(all, sample(all.length === 0 ? figures?.local(sampleName) : undefined));
}

/**
 * Returns the retry policy of a source. One attempt takes no longer than a request may wait: otherwise one on
 * a stalled connection would delay all requests that join it, even after the server has recovered.
 */
function retriesOf({ timeout }: Pick<HttpSourceOptions, "timeout">): RetryPolicy {
  const attemptMs = Math.min(usualRetries.attemptMs, parseDuration(timeout) || Number.POSITIVE_INFINITY);
  return { ...usualRetries, attemptMs };
}

/** Returns the options that all sources over a network share. */
function remoteOptions<T extends "http" | "s3">(
  options: Pick<
    HttpSourceOptions | S3SourceOptions,
    "name" | "prefix" | "revalidate" | "stale_if_error" | "timeout"
  > & {
    type: T;
  },
  { platform: { keepAlive }, origin: slot, figures }: SourceHost,
) {
  const { name, prefix, type, revalidate, stale_if_error, timeout } = options;
  const times = {
    revalidateMs: parseDuration(revalidate),
    staleMs: parseDuration(stale_if_error),
    timeoutMs: parseDuration(timeout),
  };
  return {
    name,
    prefix,
    backend: type,
    slot,
    figures: figures?.remote(name),
    ...(keepAlive && { keepAlive }),
    ...times,
  };
}

/**
 * Builds a source with the builder of its type; types cannot express that this builder takes these options.
 */
function build(options: SourceOptions, host: SourceHost): Source {
  const builder = builders[options.type] as (options: SourceOptions, host: SourceHost) => Source;
  const source = builder(options, host);
  return options.archives ? withArchives(source, host.archives) : source;
}

/** Returns how the service names itself to web servers: with its address, so that their operators can ask. */
export const userAgentOf = (version: string, baseUrl: string): string =>
  `smalti/${version}${baseUrl === "" ? "" : ` (+${new URL(baseUrl).href.replace(/\/$/, "")})`}`;
