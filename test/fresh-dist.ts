// Builds dist/ before a suite if its sources have changed since, so that tests never run a stale build.

import { fileURLToPath } from "node:url";
import { build } from "../scripts/build.mjs";
import { builtFrom, sourcesDigest } from "../scripts/build-stamp.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = `${root}dist`;

/** Leaves the path of the build in TEST_DIST, which workers inherit. */
export default async function setup(): Promise<void> {
  if (builtFrom(dist) !== sourcesDigest(root)) await build({ quiet: true });
  process.env.TEST_DIST = dist;
}
