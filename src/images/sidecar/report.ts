// What is known of a master's sidecar, for purges, the image doctor and the operator.

import { type PartKind, readEntry } from "../../imaging/sidecar/entry.ts";

/** A part of a sidecar and its bytes, wherever they stand. */
export interface KeptPart {
  readonly kind: PartKind;
  readonly bytes: number;
}

/** What is known of a master's sidecar. */
export type SidecarReport =
  | { readonly state: "absent" | "building" }
  /** `bytes`: of its entry, blocks not counted. */
  | { readonly state: "complete"; readonly bytes: number; readonly parts: readonly KeptPart[] }
  /** None can be kept: of this file until `until` (milliseconds since 1970); without it as the service is configured. */
  | { readonly state: "unavailable"; readonly until?: number };

/** The report of a sidecar whose entry these bytes are. */
export function reportOf(entry: Uint8Array): SidecarReport {
  const parts = [...(readEntry(entry)?.values() ?? [])].map(({ kind, blocks }) => ({
    kind,
    bytes: blocks.size,
  }));
  return { state: "complete", bytes: entry.length, parts };
}
