// Which source an identifier belongs to, and which kind of source is built how.

import { ServiceError } from "../errors.ts";
import { callsOf } from "../lib/concurrency/lane.ts";
import { parseDuration } from "../lib/options/quantity.ts";
import type { Platform } from "../platform/platform.ts";
import type { Slot } from "../stores/slot.ts";
import { filesystemSource } from "./filesystem.ts";
import { boundMasterFiles } from "./folder/bounded-files.ts";
import { httpFingerprint, httpRemote } from "./http.ts";
import type { HttpSourceOptions, S3SourceOptions, SourceOptions } from "./options.ts";
import { originCached, type RemoteFigures } from "./origin/cache.ts";
import { withoutParameters } from "./path-parameters.ts";
import { type RetryPolicy, usualRetries } from "./remote-http.ts";
import { s3Fingerprint, s3Remote } from "./s3.ts";
import { sampleName, sampleSource } from "./sample.ts";
import type { Source, SourceCounts } from "./source.ts";

export interface Sources {
  readonly all: readonly Source[];
  /** The one without a prefix, else the first. */
  readonly default: Source;
  /** The source with the longest prefix that the identifier begins with, else the default; the key is what follows. */
  resolve(identifier: string): { readonly source: Source; readonly key: string };
  /**
   * Other identifiers that may be of the same master: a default source with a prefix is asked with and without it, and web servers may leave
   * out path parameters.
   */
  otherNames(identifier: string): readonly string[];
  /** By its name, for hooks that choose a source. */
  named(name: string): Source | undefined;
}

/** The sources of a service; `fallback` serves alone when the list is empty. */
export function createSources(list: readonly Source[], fallback: Source): Sources {
  const all = list.length > 0 ? list : [fallback];
  const whole = all.find((source) => source.prefix === "") ?? all[0] ?? fallback;
  const byPrefix = all
    .filter((source) => source.prefix !== "")
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const prefixed = (identifier: string) => byPrefix.find(({ prefix }) => identifier.startsWith(prefix));
  const resolve: Sources["resolve"] = (identifier) => {
    const source = prefixed(identifier);
    return source
      ? { source, key: identifier.slice(source.prefix.length) }
      : { source: whole, key: identifier };
  };
  return {
    all,
    default: whole,
    resolve,
    otherNames(identifier) {
      const { source, key } = resolve(identifier);
      const keys = source.backend === "http" ? [key, ...withoutParameters(key)] : [key];
      if (keys.length === 1 && (source !== whole || whole.prefix === "")) return [];
      const isOther = (name: string, key: string) => {
        const found = resolve(name);
        return name !== identifier && found.source === source && found.key === key;
      };
      return keys.flatMap((key) =>
        [...new Set([source.prefix + key, key])].filter((name) => isOther(name, key)),
      );
    },
    named: (name) => all.find((source) => source.name === name),
  };
}

type Builders = {
  readonly [T in SourceOptions["type"]]: (
    options: Extract<SourceOptions, { type: T }>,
    platform: Platform,
    origin: Slot,
    figures: SourceFigures | undefined,
    /** Sources in files. */
    folders: number,
  ) => Source;
};

/** What the sources report to, by their names. */
export interface SourceFigures {
  local(name: string): SourceCounts;
  remote(name: string): RemoteFigures;
}

const builders: Builders = {
  filesystem({ name, root, prefix, revalidate, timeout }, { files, fileThreads }, _origin, figures, folders) {
    if (!files)
      throw new ServiceError(
        "unsupported",
        `Source "${name}" needs files, which this runtime was not given. Use another type of source.`,
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
  http: (options, platform, slot, figures) =>
    originCached({
      ...remoteOptions(options, platform, slot, figures),
      fingerprint: httpFingerprint(options),
      remote: httpRemote(options, platform, retriesOf(options)),
    }),
  s3(options, platform, slot, figures) {
    const remote = s3Remote(options, platform, retriesOf(options));
    return originCached({
      ...remoteOptions(options, platform, slot, figures),
      fingerprint: s3Fingerprint(options),
      remote,
      list: remote.list,
    });
  },
};

/**
 * The sources of `sources:`, roots being absolute; the bundled sample when there are none. `origin`: the slot that keeps what
 * was read of remote masters.
 */
export function buildSources(
  options: readonly SourceOptions[],
  platform: Platform,
  origin: Slot,
  figures?: SourceFigures,
): Sources {
  const folders = options.filter(({ type }) => type === "filesystem").length;
  const all = options.map((one) => build(one, platform, origin, figures, folders));
  const sample = (counts?: SourceCounts) => sampleSource(() => platform.asset("sample/sample.jpg"), counts);
  // The sample reports only where it serves.
  return createSources(all, sample(all.length === 0 ? figures?.local(sampleName) : undefined));
}

/**
 * A try takes no longer than a request may wait: one on a connection that stalls would otherwise hold up all requests that join it,
 * after its server is well again.
 */
function retriesOf({ timeout }: Pick<HttpSourceOptions, "timeout">): RetryPolicy {
  const attemptMs = Math.min(usualRetries.attemptMs, parseDuration(timeout) || Number.POSITIVE_INFINITY);
  return { ...usualRetries, attemptMs };
}

/** What is alike for all sources over a network. */
function remoteOptions<T extends "http" | "s3">(
  options: Pick<
    HttpSourceOptions | S3SourceOptions,
    "name" | "prefix" | "revalidate" | "stale_if_error" | "timeout"
  > & {
    type: T;
  },
  { keepAlive }: Platform,
  slot: Slot,
  figures: SourceFigures | undefined,
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

/** Types cannot tell that the builder of an option's type takes that option. */
function build(
  options: SourceOptions,
  platform: Platform,
  origin: Slot,
  figures: SourceFigures | undefined,
  folders: number,
): Source {
  const builder = builders[options.type] as (
    o: SourceOptions,
    p: Platform,
    slot: Slot,
    f: SourceFigures | undefined,
    n: number,
  ) => Source;
  return builder(options, platform, origin, figures, folders);
}
