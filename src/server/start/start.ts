// The service for runtimes that hand over requests by themselves (workerd): configuration text in, fetch out.

import { createLog, findingLine, type Platform, version } from "../../base/index.ts";
import { createApp, type Surface } from "../app.ts";
import { addressWarnings } from "../config/reading/chosen-address.ts";
import { loadConfig, problemLines } from "../config/reading/load.ts";
import { withAbsolutePaths, withFolder } from "../config/reading/paths.ts";
import { createService } from "../service.ts";
import { printStart } from "./facts.ts";

export interface Started {
  respond(request: Request): Promise<Response>;
  /** Prints what is served. `file`: the configuration file, if any. */
  print(file: string | undefined): Promise<void>;
  /** Resolves when all pending writes have ended or failed. */
  whenSettled(): Promise<void>;
}

/**
 * Builds the service and its app. Without a configuration, the files of the platform are its only source, if
 * there are any. `further`: surfaces of other houses. Throws an Error that lists all problems of the
 * configuration.
 */
export async function start(
  platform: Platform,
  configText: string | undefined,
  further: readonly Surface[],
): Promise<Started> {
  const loaded = loadConfig(configText, platform.env);
  if (loaded.problems) throw new Error(problemLines(loaded.problems, "SMALTI_CONFIG or /config.yaml"));
  const written = withAbsolutePaths(loaded.config, "/");
  const alone = configText === undefined && (await holdsFiles(platform));
  const config = alone ? withFolder(written, "/") : written;
  const log = createLog({
    level: config.log.level,
    format: config.log.format,
    write: (line) => console.log(line.trimEnd()),
  });
  if (configText !== undefined)
    for (const finding of addressWarnings(config, platform.name)) log.warn(findingLine(finding));
  const service = await createService(config, platform, log, version);
  return {
    respond: createApp(service, further).fetch,
    // Such a runtime does not report its addresses.
    print: async (file) => printStart(service, { urls: [], file, results: await service.check() }),
    async whenSettled() {
      await Promise.all(service.slots.all.map((slot) => slot.whenSettled()));
    },
  };
}

/** True if there is anything at the top of the platform's files; a missing disk is empty. */
async function holdsFiles({ files }: Platform): Promise<boolean> {
  try {
    for await (const _ of files?.list("/") ?? []) return true;
  } catch {
    // not there
  }
  return false;
}
