// A profile as decisions use it: what its readers and all others get, made once.

import { parseSizeParameter } from "../../iiif/image/grammar.ts";
import type { Denial, Grant } from "../access.ts";
import type { ProfileOptions } from "./options.ts";

export interface Profile extends ProfileOptions {
  readonly name: string;
  /** For those who have logged in. */
  readonly granted: Grant;
  /** For all others. */
  readonly refused: Grant | Denial;
}

/** Headers by which a reader proves to have logged in. */
const loginHeaders = ["Cookie", "Authorization"];

/** A profile from its options, which have been checked. */
export function createProfile(name: string, options: ProfileOptions): Profile {
  const { access_service: service, substitute } = options;
  const header = service.backend === "header" ? [service.header] : [];
  const vary = Object.freeze([...loginHeaders, ...header]);
  const shared = { profile: name, keptBy: "caller", vary } as const;
  const granted: Grant = Object.freeze({ allowed: true, tier: "full", ...shared });
  if (substitute.max_size === "")
    return { ...options, name, granted, refused: Object.freeze({ ...denialOf(options), ...shared }) };
  const maxSize = parseSizeParameter(3, substitute.max_size);
  const refused: Grant = Object.freeze({ allowed: true, tier: "substitute", maxSize, ...shared });
  return { ...options, name, granted, refused };
}

function denialOf({ access_service: service }: ProfileOptions) {
  const reason =
    service.backend === "header"
      ? "This image is for readers whom the site in front of this service knows. Log in there, then ask again."
      : "This image needs a login. The image information names where to log in; ask again with the cookie or token from there.";
  return { allowed: false, status: 401, reason } as const;
}
