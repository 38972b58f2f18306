// The version of this build, as scripts/version.mjs finds it.

declare const SMALTI_VERSION: string | undefined;

/** Set by the build; `dev` if the sources run without one, as in tests. */
export const version: string = typeof SMALTI_VERSION === "string" ? SMALTI_VERSION : "dev";
