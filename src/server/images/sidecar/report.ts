// Summary of the sidecar of a master, for purges, the image doctor and the operator.

import { type PartKind, readEntry } from "../../../imaging/index.ts";

/** Size of a part of a sidecar, whether it is stored in the entry or in blocks. */
export interface StoredPart {
  readonly kind: PartKind;
  readonly bytes: number;
}

/** State of the sidecar of a master. */
export type SidecarReport =
  | { readonly state: "absent" | "building" }
  /** `bytes`: size of the entries of all layers, without blocks. */
  | { readonly state: "complete"; readonly bytes: number; readonly parts: readonly StoredPart[] }
  /**
   * There is none: for this file until `until` (milliseconds since 1970), or because of the configuration if
   * that is absent.
   */
  | { readonly state: "unavailable"; readonly until?: number };

/** Returns the report of complete layers with these entries. */
export function reportOf(entries: readonly Uint8Array[]): SidecarReport {
  const parts = entries.flatMap((entry) =>
    [...(readEntry(entry)?.values() ?? [])].map(({ kind, blocks }) => ({ kind, bytes: blocks.size })),
  );
  return { state: "complete", bytes: entries.reduce((sum, { length }) => sum + length, 0), parts };
}
