// Types of build-stamp.mjs, for the tests.

/** Everything below the root that a build reads. */
export const buildSources: readonly string[];
/** A digest of all files that a build reads, of its version and of the Node that runs it. */
export function sourcesDigest(root: string): string;
/** The digest that a finished build has left in its folder, if there is one. */
export function builtFrom(folder: string): string | undefined;
