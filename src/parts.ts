// The parts that stand on something outside of the process, such as folders and servers, with their checks.

import type { Config } from "./config/schema.ts";
import type { Check } from "./lib/checks.ts";
import type { Log } from "./lib/log.ts";
import type { Platform } from "./platform/platform.ts";
import { sourceChecks } from "./sources/checks.ts";
import { buildSources, type Sources } from "./sources/index.ts";
import { slotChecks } from "./stores/checks.ts";
import { buildSlots, type Slots } from "./stores/index.ts";

export interface OuterParts {
  readonly sources: Sources;
  readonly slots: Slots;
  readonly checks: readonly Check[];
}

/** Builds them; nothing is read, written or asked yet. Throws when one cannot be built from what the configuration says. */
export function buildOuterParts(config: Config, platform: Platform, log: Log): OuterParts {
  const slots = buildSlots(config.cache, platform, log);
  const sources = buildSources(config.sources, platform, slots.origin);
  const checks = [...sourceChecks(sources, config.sources), ...slotChecks(slots, config.cache, platform)];
  return { sources, slots, checks };
}
