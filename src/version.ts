// The build's version: a tag vX.Y.Z, or "dev".

declare const SMALTI_VERSION: string | undefined;

/** Set by the build. */
export const version: string = typeof SMALTI_VERSION === "string" ? SMALTI_VERSION : "dev";
