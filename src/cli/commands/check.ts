// What `smalti check` finds in a valid configuration: doubtful values, and parts that cannot be built,
// reached or used from here.

import {
  type Finding,
  failureOf,
  findingJson,
  findingLine,
  type Platform,
  runChecks,
  silentLog,
} from "../../base/index.ts";
import { unmatchedRows, unmatchedRules } from "../../doctor/index.ts";
import { createCodecs, runTask } from "../../imaging/index.ts";
import {
  addressWarnings,
  buildFolders,
  buildOuterParts,
  type CheckedManifestFiles,
  type Config,
  checkManifestFiles,
  codecHost,
  configWarnings,
  createOverlays,
  createYamlReader,
  doubtfulHeaps,
  doubtfulVolumes,
  effectiveConfig,
  effectiveYaml,
  type OuterParts,
  overlayChecks,
  rowDoubts,
} from "../../server/index.ts";
import { countWithUnit } from "./collection-text.ts";
import { command, configFlag } from "./command.ts";
import { inWords } from "./command-error.ts";
import { removeControls } from "./findings-text.ts";
import { readConfig } from "./read-config.ts";

export const check = command({
  name: "check",
  summary: "validate the configuration and print it with all defaults",
  more: "says on the standard error what is valid but doubtful, or cannot be used here",
  examples: ["smalti check -config smalti.yaml > effective.yaml"],
  json: "the warnings, the mistakes in manifest files, and the configuration",
  flags: { config: configFlag },
  async run({ platform, flags: { config: named } }) {
    const { config, find, file } = await readConfig(platform, { file: named });
    const { manifestFiles, ...checked } = await inWords(checkAll(config, platform));
    const warnings = [...(file ? addressWarnings(config, platform.name) : []), ...checked.warnings].map(
      (warning): Finding => {
        const position = find(warning.where ?? "");
        return { ...warning, ...(position && { position }) };
      },
    );
    const faults = manifestFiles?.faults ?? [];
    const lines = [...warnings, ...faults].map(findingLine);
    for (const line of lines) platform.write?.("err", `smalti: warning: ${removeControls(line)}\n`);
    if (manifestFiles?.isComplete === false) platform.write?.("err", `smalti: ${notAll(manifestFiles)}\n`);
    return {
      text: effectiveYaml(config) + verdictLine(lines.length),
      data: {
        warnings: warnings.map(findingJson.setting),
        manifestFiles: manifestFiles && { ...manifestFiles, faults: faults.map(findingJson.manifestFile) },
        config: effectiveConfig(config),
      },
    };
  },
});

const notAll = ({ folders }: CheckedManifestFiles) =>
  `looked at the manifest files of ${countWithUnit(folders, "folder")}, and not at all of them: smalti doctor looks at each`;

/** Returns the last line, a comment: the standard output is YAML. */
const verdictLine = (warnings: number) =>
  warnings === 0
    ? "# No mistakes found.\n"
    : `# No mistakes found, but ${countWithUnit(warnings, "warning")}, on the standard error.\n`;

interface Checked {
  /** Each with its key. */
  readonly warnings: readonly Finding[];
  /** Absent if the service reads no manifest files. */
  readonly manifestFiles?: CheckedManifestFiles;
}

/**
 * Checks a configuration. Leaves nothing behind, and reads sources for a few seconds at most. Throws if a
 * part cannot be built, like a start.
 */
export async function checkAll(config: Config, platform: Platform): Promise<Checked> {
  const parts = await buildOuterParts(config, platform, silentLog);
  try {
    const warnings = await warningsOf(parts, config, platform);
    const manifestFiles = await manifestFilesOf(parts, config, platform);
    return { warnings, ...(manifestFiles && { manifestFiles }) };
  } finally {
    // Their threads would keep the process from ending.
    await parts.hooks?.close();
  }
}

async function manifestFilesOf(
  { sources, slots, hooks }: OuterParts,
  { presentation, sources: options }: Config,
  platform: Platform,
): Promise<CheckedManifestFiles | undefined> {
  const isMapped = hooks?.has("resolve") && presentation.derive === "auto";
  if (!presentation.enabled || isMapped) return undefined;
  const reader = createYamlReader({ platform });
  try {
    const folders = buildFolders({ info: slots.info, readYaml: reader.read, sources: options });
    return await checkManifestFiles({ sources, folders });
  } finally {
    reader.close();
  }
}

async function warningsOf(
  { checks, slots, sources, hooks }: OuterParts,
  config: Config,
  platform: Platform,
): Promise<Finding[]> {
  const doubts = [
    ...configWarnings(config, platform.name, platform.env),
    ...doubtfulHeaps(config.cache, platform.memoryBytes),
    ...(await doubtfulVolumes(config.cache, slots)),
    ...rowDoubts(hooks?.rows() ?? [], config),
    ...(await unmatchedRows(hooks?.rows() ?? [], sources)),
    ...(hooks?.doubts() ?? []),
    ...(config.auth
      ? await unmatchedRules({ auth: config.auth, sources, lists: !hooks?.has("resolve") })
      : []),
  ];
  const codecs = createCodecs(codecHost(platform));
  const overlays = createOverlays({
    options: config.overlay,
    sources,
    platform,
    codecs,
    log: silentLog,
    decode: ({ task, bytes }) => runTask(task, { codecs, bytes }),
  });
  const all = [...checks, ...overlayChecks(overlays, config.overlay)];
  const results = await runChecks(all, (check) => check.dryRun?.() ?? check.run());
  const faults = results.flatMap((result) =>
    failureOf(result).map((failure) => ({ ...failure, where: result.check.key })),
  );
  return [...doubts, ...faults];
}
