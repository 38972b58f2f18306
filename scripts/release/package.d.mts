// Types of package.mjs, for the tests.

export function packFresh(options: {
  readonly root: string;
  readonly clone: string;
  readonly tag: string;
  readonly target: string;
}): string;
export function tarballDifferences(first: string, second: string, scratch: string): string[];
export function fileInTarball(tarball: string, path: string): Buffer;
