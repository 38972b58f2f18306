// `smalti version`.

import { version } from "../../base/index.ts";
import { command } from "./command.ts";

export const versionCommand = command({
  name: "version",
  summary: "print the version",
  examples: ["smalti version"],
  json: "the version, and the runtime with its own",
  flags: {},
  run: async ({ platform }) => ({
    text: `${version}\n`,
    data: { version, runtime: { name: platform.name, version: platform.version } },
  }),
});
