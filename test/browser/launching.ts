// The Chromium of this machine, and how it is started for tests: without a network of its own.

import { existsSync } from "node:fs";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Options of `chromium.launch`; nothing is asked of hosts that a test did not name. */
export const launching = {
  executablePath: program ?? "chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};
