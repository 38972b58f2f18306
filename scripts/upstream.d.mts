// Types of upstream.mjs, for the tests.

export interface Upstream {
  readonly name: string;
  readonly version?: string;
  readonly license: string;
  readonly repository: string;
  readonly tag?: string;
  readonly commit?: string;
  readonly release?: string;
  readonly cpe?: string;
  readonly texts: readonly string[];
  readonly packages: readonly string[];
}

export const upstream: readonly Upstream[];
export const packageTexts: Readonly<Record<string, string>>;
