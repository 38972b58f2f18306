// What a rule requires: access through any of its profiles; and what readers with and without access get.
// Computed once.

import { parseSizeParameter } from "../../../iiif/index.ts";
import type { Denial, Grant } from "../access.ts";
import { isKiosk, type Profile } from "../profiles/profile.ts";

export interface Requirement {
  /** In the order of the rule. Substitute, heading and note come from the first. */
  readonly profiles: readonly [Profile, ...Profile[]];
  /** Grant for readers with access through one of them. */
  readonly granted: Grant;
  /** For all others. */
  readonly refused: Grant | Denial;
  /** Why they may not look into a folder, and what to do. */
  readonly folderReason: string;
  /** True if one of the profiles keeps manifests and collections for readers with access. */
  readonly gatesDocuments: boolean;
}

/** Headers that prove a login. */
const loginHeaders = ["Cookie", "Authorization"];

/** Creates the requirement of a rule with these profiles, whose options have been validated. */
export function createRequirement(profiles: Requirement["profiles"]): Requirement {
  const headers = profiles.flatMap(({ access_service: service }) =>
    service.backend === "header" ? [service.header] : [],
  );
  const vary = Object.freeze([...loginHeaders, ...headers]);
  const names = profiles.map(({ name }) => name).join(", ");
  const shared = { profile: names, cachedBy: "caller", vary } as const;
  const granted: Grant = Object.freeze({ allowed: true, tier: "full", ...shared });
  const gatesDocuments = profiles.some(({ documents }) => documents === "gated");
  const common = { profiles, granted, gatesDocuments, folderReason: reasonOf(profiles, "folder") };
  const size = profiles[0].substitute.max_size;
  if (size === "") return { ...common, refused: Object.freeze({ ...denialOf(profiles), ...shared }) };
  const maxSize = parseSizeParameter(3, size);
  return { ...common, refused: Object.freeze({ allowed: true, tier: "substitute", maxSize, ...shared }) };
}

function denialOf(profiles: readonly Profile[]) {
  return { allowed: false, status: 401, reason: reasonOf(profiles) } as const;
}

/**
 * Returns what a reader without access to an image, or to a folder, lacks, and what to do. It names no
 * addresses of kiosks.
 */
function reasonOf(profiles: readonly Profile[], thing: "image" | "folder" = "image"): string {
  if (profiles.every(({ access_service: service }) => service.backend === "header"))
    return `This ${thing} is for readers whom the site in front of this service knows. Log in there, then ask again.`;
  if (profiles.every(isKiosk))
    return `This ${thing} is open only to certain network addresses, such as those of a reading room, and this request came from another one. Ask again from there.`;
  const except = profiles.some(isKiosk) ? ", except from certain network addresses" : "";
  const way = { image: "The image information names where to log in; ask", folder: "Log in, then ask" }[
    thing
  ];
  return `This ${thing} needs a login${except}. ${way} again with the cookie or token from there.`;
}
