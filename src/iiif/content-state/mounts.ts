// The paths of content states. No other file spells them.

export const statePaths = {
  /** Folder of stored states. */
  store: "/content-state",
  /** Goes on with the id of a stored state. */
  stored: "/content-state/s/",
  mint: "/content-state/mint",
  resolve: "/content-state/resolve",
} as const;

/** The parameter of a link that holds a state (Content State API 1.0, section 3.1). */
export const stateParameter = "iiif-content";

/** Address of a stored state; `base`: the public URL of the service, without a / at its end. */
export const storedAddress = (base: string, id: string): string => base + statePaths.stored + id;

/**
 * The id of a stored state of this service, whichever of http and https its address was noted with; undefined
 * for any other address.
 */
export function storedId(base: string, address: string): string | undefined {
  const bare = (url: string) => url.replace(/^https?:/i, "");
  const prefix = bare(base) + statePaths.stored;
  return bare(address).startsWith(prefix) ? bare(address).slice(prefix.length) : undefined;
}
