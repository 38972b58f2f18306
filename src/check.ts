// What `smalti check` finds besides a valid configuration: doubtful values, and what cannot be built, reached or used from here.

import type { Config } from "./config/schema.ts";
import { configWarnings } from "./config/warnings.ts";
import { placed, runChecks } from "./lib/checks.ts";
import { silentLog } from "./lib/log.ts";
import { buildOuterParts } from "./parts.ts";
import type { Platform } from "./platform/platform.ts";

/** Warnings as `key: message`. Leaves nothing behind. Throws when a part cannot be built, as at start. */
export async function checkWarnings(config: Config, platform: Platform): Promise<string[]> {
  const doubts = configWarnings(config).map(({ path, message }) => `${path}: ${message}`);
  const { checks } = await buildOuterParts(config, platform, silentLog);
  const findings = await runChecks(checks, (check) => check.dryRun?.() ?? check.run());
  const faults = findings.flatMap(({ check, problem }) =>
    problem === undefined ? [] : [`${check.key}: ${placed(check, problem)}`],
  );
  return [...doubts, ...faults];
}
