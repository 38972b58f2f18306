// The paths of content states, which no other file spells out.

export const statePaths = {
  /** Folder of stored states. */
  store: "/content-state",
  /** Followed by the id of a stored state. */
  stored: "/content-state/s/",
  mint: "/content-state/mint",
  resolve: "/content-state/resolve",
} as const;

/** Parameter of a link that contains a state (Content State API 1.0, section 3.1). */
export const stateParameter = "iiif-content";

/** Returns the address of a stored state; `base`: the public URL of the service, without a trailing /. */
export const storedAddress = (base: string, id: string): string => base + statePaths.stored + id;

/**
 * Returns the id of a state stored by this service, whether its address was recorded with http or https;
 * undefined for any other address.
 */
export function storedId(base: string, address: string): string | undefined {
  const bare = (url: string) => url.replace(/^https?:/i, "");
  const prefix = bare(base) + statePaths.stored;
  return bare(address).startsWith(prefix) ? bare(address).slice(prefix.length) : undefined;
}
