// The version that a build shows.

import { execFileSync } from "node:child_process";

/** The version of a checkout: `dev` unless HEAD carries a tag vX.Y.Z. */
export function version(root) {
  try {
    const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return (
      tags
        .split("\n")
        .find((tag) => /^v\d+\.\d+\.\d+/.test(tag))
        ?.slice(1) ?? "dev"
    );
  } catch {
    return "dev"; // no git, or no repository
  }
}
