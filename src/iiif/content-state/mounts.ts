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
