// Types of version.mjs, for the tests.

/** The version of a checkout: `0.1.0+ab12cd3`, or `0.1.0` with its tag or without a commit. */
export function version(root: string, env?: Readonly<Record<string, string | undefined>>): string;
