// What tests need beyond npm: found on the machine, installed on Debian and Ubuntu when this user may, else named.

import { spawnSync } from "node:child_process";

/** Program to look for and Debian package that brings it. */
const needs = {
  chromium: { programs: ["chromium", "chromium-browser", "google-chrome"], debian: "chromium" },
};

const found = (programs) =>
  programs.some((program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0);

/** Whether a need is met now, after an attempt to install it. Says in one line what is missing where it is not. */
export function provide(name) {
  const { programs, debian } = needs[name];
  if (found(programs)) return true;
  const apt = spawnSync("sh", ["-c", "command -v apt-get"]).status === 0;
  if (apt && process.getuid?.() === 0) {
    console.log(`installing ${debian}`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", ["-qq", "update"], { stdio: "inherit", env });
    spawnSync("apt-get", ["-qq", "install", "-y", "--no-install-recommends", debian], {
      stdio: ["ignore", "ignore", "inherit"],
      env,
    });
    if (found(programs)) return true;
  }
  console.error(
    `missing for the tests: ${name} (Debian package ${debian}); install it, then run the tests again`,
  );
  return false;
}
