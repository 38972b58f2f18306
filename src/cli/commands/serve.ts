// `smalti serve`, which is also what a command line without a command means.

import { withHost } from "../../server/index.ts";
import { serve } from "../serving/serve.ts";
import { command, configFlag } from "./command.ts";
import { UsageError } from "./command-error.ts";
import { guessCommand } from "./help.ts";
import { isFolder, readConfig } from "./read-config.ts";

/** Throws UsageError for anything but a host, also for one with a port. */
function checkHost(host: string | undefined): void {
  try {
    if (host !== undefined) withHost(":0", host);
  } catch {
    throw new UsageError(
      `--host expects a name or an address without a port, such as localhost, 127.0.0.1 or ::1; received ${host}`,
    );
  }
}

export const serveCommand = command({
  name: "serve",
  summary:
    "serve the sources of the configuration, or the images of a folder; without both, the sample picture",
  examples: ["smalti /srv/images --port 8081", "smalti serve -config smalti.yaml"],
  flags: {
    config: configFlag,
    host: {
      kind: "text",
      value: "HOST",
      text: "the host to listen on, instead of the one in `addr`: `localhost` for this machine only, `0.0.0.0` or `::` for all networks",
    },
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
  async run({ platform, flags: { config: file, host, port }, operands: [folder], commands }) {
    const meant = folder === undefined ? undefined : guessCommand(folder, commands);
    if (folder !== undefined && meant !== undefined && !(await isFolder(platform, folder)))
      throw new UsageError(`${folder} is neither a command nor a readable folder; did you mean ${meant}?`);
    checkHost(host);
    const choices = { file, folder, host, port };
    await serve(platform, choices, await readConfig(platform, choices));
    return undefined;
  },
});
