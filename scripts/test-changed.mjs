// Runs what a change can reach: check, and the test files whose imports, or the paths that they name, lead to
// a file that differs from a commit. Without --since that is where the branch left main; on main itself, the
// commit before.
//
//   node scripts/test-changed.mjs [--since REF] [--list | --outputs]
//
//   --list      prints what would run, and runs nothing
//   --outputs   prints unit=true and so on, as a workflow's job has outputs; reasons go to the standard error

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { suitesReached } from "./test/reach.mjs";
import { suites } from "./test/reach-rows.mjs";

const { values } = parseArgs({
  options: { since: { type: "string" }, list: { type: "boolean" }, outputs: { type: "boolean" } },
});
const reached = suitesReached({ since: values.since || undefined });

for (const reason of reached.reasons) console.error(reason);
if (values.outputs) for (const { name } of suites) console.log(`${name}=${reached.suites.includes(name)}`);
else if (values.list) for (const file of Object.values(reached.files).flat()) console.log(file);
else process.exitCode = runAll();

/** Runs them in turn, also after one has failed; the status of the process. */
function runAll() {
  if (reached.all) return statusOf("node", "scripts/test.mjs");
  const common = reached.suites.filter((name) => !(name in reached.files));
  const statuses = [statusOf("node", "scripts/test.mjs", ...common)];
  for (const { name, config } of suites) {
    const files = reached.files[name];
    if (files.length > 0) statuses.push(statusOf("npx", "vitest", "run", "--config", config, ...files));
  }
  return statuses.some((status) => status !== 0) ? 1 : 0;
}

function statusOf(program, ...args) {
  return spawnSync(program, args, { stdio: "inherit" }).status;
}
