// Types of bundle-contents.mjs, for the tests.

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly home: string;
  readonly directory: string;
}

export function packagesOf(
  root: string,
  files: readonly string[],
  more?: readonly BundledPackage[],
): Promise<BundledPackage[]>;
export function licenceFiles(directory: string): Promise<string[]>;
export function licenceText(
  root: string,
  packages: readonly BundledPackage[],
  notices?: Readonly<Record<string, readonly string[]>>,
): Promise<string>;
export function bundleBom(contents: {
  readonly version: string;
  readonly packages: readonly Omit<BundledPackage, "home" | "directory">[];
  readonly modules: readonly {
    readonly file: string;
    readonly bytes: Uint8Array;
    readonly package?: string;
  }[];
  readonly prebuilt?: readonly string[];
}): {
  readonly components: readonly Record<string, unknown>[];
  readonly vulnerabilities: readonly Record<string, unknown>[];
} & Record<string, unknown>;
