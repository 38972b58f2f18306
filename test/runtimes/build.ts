// Builds dist/ once before the suite, unless RUNTIMES_DIST=built says that it is there.

import { build } from "../../scripts/build.mjs";

export default async function setup(): Promise<void> {
  if (process.env.RUNTIMES_DIST !== "built") await build({ quiet: true });
}
