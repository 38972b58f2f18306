// Types of build-stamp.mjs, for the tests.

/** Everything below the root that a build reads. */
export const buildSources: readonly string[];
