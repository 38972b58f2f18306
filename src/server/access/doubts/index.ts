// All doubts about access settings, derived from the settings alone: nothing is read, listed or requested.

import { addressDoubts } from "./addresses.ts";
import type { AccessPlace, AccessSettings, Doubt } from "./doubt.ts";
import { loginDoubts } from "./logins.ts";
import { ruleDoubts } from "./rules.ts";
import { sessionDoubts } from "./sessions.ts";
import { sourceDoubts } from "./sources.ts";

export type { AccessSettings, Doubt } from "./doubt.ts";
export { refusedPatterns } from "./logins.ts";

/** Doubts about access settings that are accepted, each with what is wrong and what to do. */
export const accessDoubts = (settings: AccessSettings, place: AccessPlace): Doubt[] => [
  ...ruleDoubts(settings),
  ...sourceDoubts(settings),
  ...addressDoubts(settings, place),
  ...loginDoubts(settings, place),
  ...sessionDoubts(settings),
];
