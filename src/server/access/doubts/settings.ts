// The settings that doubts about access are derived from.

import type { Env } from "../../../base/index.ts";
import type { AuthOptions } from "../options.ts";

/** The parts of a source that rules depend on. */
export interface RuledSource {
  readonly name: string;
  readonly type: string;
  readonly prefix: string;
  /** Path of a folder. */
  readonly root?: string;
  /** Address of a web server. */
  readonly url?: string;
  readonly allowed_hosts?: readonly string[];
  /** Address of the S3 service of a bucket. */
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly key_prefix?: string;
}

/** The settings to check: the section `auth`, and the settings that it depends on. */
export interface AccessSettings {
  readonly auth: AuthOptions;
  readonly base_url: string;
  readonly trusted_proxies: readonly string[];
  /** The default source is the first one without a prefix, else the first. */
  readonly sources: readonly RuledSource[];
  readonly hook: { readonly engine: string };
  /** Backend of each slot. */
  readonly cache: Readonly<Record<string, { readonly backend: string }>>;
}

/** The runtime and the secrets of the service. */
export interface AccessLocation {
  /** Name of the platform. */
  readonly runtime: string;
  readonly env: Env;
}
