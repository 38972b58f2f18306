// `smalti serve`, which is also what a command line without a command means.

import { serve } from "../start/serve.ts";
import { command, configFlag } from "./command.ts";
import { UsageError } from "./command-error.ts";
import { meantCommand } from "./help.ts";
import { isFolder, readConfig } from "./read-config.ts";

export const serveCommand = command({
  name: "serve",
  summary:
    "serve the sources of the configuration, or the images of a folder; without both, the sample picture",
  examples: ["smalti /srv/images --port 8081", "smalti serve -config smalti.yaml"],
  flags: {
    config: configFlag,
    port: {
      kind: "number",
      value: "N",
      from: 0,
      to: 65535,
      text: "the port, instead of the one in `addr`; 0 takes a free one",
      short: "p",
    },
  },
  operands: [{ name: "DIR", among: "folder", optional: true }],
  async run({ platform, flags: { config: file, port }, operands: [folder], commands }) {
    const meant = folder === undefined ? undefined : meantCommand(folder, commands);
    if (folder !== undefined && meant !== undefined && !(await isFolder(platform, folder)))
      throw new UsageError(`${folder} is neither a command nor a readable folder; did you mean ${meant}?`);
    const asked = { file, folder, port };
    await serve(platform, asked, await readConfig(platform, asked));
    return undefined;
  },
});
