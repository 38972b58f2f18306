// The kinds of login, and the choice for a profile.

import type { Profile } from "../../../access/profiles/profile.ts";
import { activeWay } from "./active.ts";
import { clickthroughWay } from "./clickthrough.ts";
import { externalWay } from "./external.ts";
import { kioskWay } from "./kiosk.ts";
import { oidcWay } from "./oidc.ts";
import type { Way } from "./way.ts";

/** Ways by backend; `builtin` has one for each pattern. A backend without a way has no login. */
const ways = {
  builtin: {
    clickthrough: clickthroughWay,
    active: activeWay,
    kiosk: kioskWay,
    external: undefined,
  },
  header: undefined,
  external: externalWay,
  oidc: oidcWay,
} as const satisfies Readonly<
  Record<
    Profile["access_service"]["backend"],
    Way | Readonly<Record<Profile["pattern"], Way | undefined>> | undefined
  >
>;

/** Returns the way of a profile, or undefined if the profile has no login. */
export function wayOf({ pattern, access_service: { backend } }: Profile): Way | undefined {
  return backend === "builtin" ? ways.builtin[pattern] : ways[backend];
}
