// Ids of components in a frame header (ITU-T T.81, B.2.2).

/**
 * Returns the ids to write for components: their own, or 1, 2 and so on if two of them share one, which some
 * encoders write against the standard. Shared ids do not identify colours, so nothing is lost.
 */
export function distinctIds(components: readonly { readonly id: number }[]): number[] {
  const ids = components.map(({ id }) => id);
  return new Set(ids).size === ids.length ? ids : ids.map((_, i) => i + 1);
}
