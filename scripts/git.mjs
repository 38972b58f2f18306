// The questions that scripts ask git.

import { execFileSync } from "node:child_process";

/**
 * Returns the output of git in a folder, without the last line break; undefined if git is missing or fails.
 */
export function git(cwd, ...args) {
  try {
    const text = execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return text.trimEnd();
  } catch {
    return undefined;
  }
}
