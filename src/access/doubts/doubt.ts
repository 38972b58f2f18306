// What a start accepts of the access settings, but that probably protects something else than its author
// thinks.

import type { AuthOptions } from "../options.ts";

export interface Doubt {
  /** Keys from the top of the configuration. */
  readonly path: readonly PropertyKey[];
  /** What is wrong and what to do; holds no secret. */
  readonly message: string;
}

/** A source as far as rules depend on it. */
export interface RuledSource {
  readonly name: string;
  readonly type: string;
  readonly prefix: string;
  /** Of a folder. */
  readonly root?: string;
  /** Of a web server. */
  readonly url?: string;
  readonly allowed_hosts?: readonly string[];
  /** Of a bucket. */
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly key_prefix?: string;
}

/** What is looked at: the section `auth`, and what it stands on. */
export interface AccessSettings {
  readonly auth: AuthOptions;
  readonly base_url: string;
  readonly trusted_proxies: readonly string[];
  /** The first one without a prefix, else the first, is the default source. */
  readonly sources: readonly RuledSource[];
  readonly hook: { readonly engine: string };
  /** The backend of each slot. */
  readonly cache: Readonly<Record<string, { readonly backend: string }>>;
}

/** Where and with what secrets the service runs. */
export interface AccessPlace {
  /** Name of the platform. */
  readonly runtime: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
