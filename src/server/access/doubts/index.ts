// All doubts about access settings, derived from the settings alone: nothing is read, listed or requested.

import type { Finding } from "../../../base/index.ts";
import { addressDoubts } from "./addresses.ts";
import { loginDoubts } from "./logins.ts";
import { ruleDoubts } from "./rules.ts";
import { sessionDoubts } from "./sessions.ts";
import type { AccessLocation, AccessSettings } from "./settings.ts";
import { sourceDoubts } from "./sources.ts";

export { refusedPatterns } from "./logins.ts";
export type { AccessSettings } from "./settings.ts";

/** Returns doubts about access settings that are accepted, each with what is wrong and what to do. */
export const accessDoubts = (settings: AccessSettings, location: AccessLocation): Finding[] => [
  ...ruleDoubts(settings),
  ...sourceDoubts(settings),
  ...addressDoubts(settings, location),
  ...loginDoubts(settings, location),
  ...sessionDoubts(settings),
];
