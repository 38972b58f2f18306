// Installs the runtimes, and builds dist/ once before the suite, unless RUNTIMES_DIST=built says that it is
// there.

import { build } from "../../scripts/build.mjs";
import { installPackages } from "../../scripts/packages.mjs";

export default async function setup(): Promise<void> {
  installPackages("test/runtimes");
  if (process.env.RUNTIMES_DIST !== "built") await build({ quiet: true });
}
