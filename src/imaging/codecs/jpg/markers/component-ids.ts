// The ids that components have in a frame header (ITU-T T.81, B.2.2).

/**
 * Ids to write for components: their own, or 1, 2 and so on where two of them share one, which some encoders write against
 * the standard. Shared ids name no colours, so nothing is lost with them.
 */
export function distinctIds(components: readonly { readonly id: number }[]): number[] {
  const ids = components.map(({ id }) => id);
  return new Set(ids).size === ids.length ? ids : ids.map((_, i) => i + 1);
}
