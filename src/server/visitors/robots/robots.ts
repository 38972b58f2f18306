// The list of agents in /robots.txt, which comes from a file.

import { type Check, type Log, type Platform, watchFile } from "../../../base/index.ts";
import { fileCheck } from "../file-check.ts";
import { readAgentList } from "./agent-list.ts";
import type { RobotsOptions } from "./options.ts";

export interface Robots {
  /** Returns the crawlers that may fetch nothing, after a look for changes of their file. */
  agents(): Promise<readonly string[]>;
  readonly checks: readonly Check[];
}

/** Reads the file. Throws an Error that names the key if it cannot be used. */
export async function openRobots(
  { agents_file }: Pick<RobotsOptions, "agents_file">,
  { files }: Pick<Platform, "files">,
  log: Pick<Log, "info" | "error">,
): Promise<Robots> {
  if (agents_file === "") return { agents: async () => [], checks: [] };
  const key = "robots.agents_file";
  const file = await watchFile({
    path: agents_file,
    files,
    log,
    of: "crawlers",
    key,
    read: readAgentList,
  });
  return {
    async agents() {
      await file.refresh();
      return file.current();
    },
    checks: [fileCheck("agents", key, agents_file, file)],
  };
}
