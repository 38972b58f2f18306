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
import { always, suites } from "./test/reach-rows.mjs";

const { values } = parseArgs({
  options: { since: { type: "string" }, list: { type: "boolean" }, outputs: { type: "boolean" } },
});
const reached = suitesReached({ since: values.since || undefined });

for (const reason of reached.reasons) console.error(reason);
if (values.outputs)
  // The job check runs what always runs.
  for (const { name } of suites)
    console.log(`${name}=${reached.files[name].some((file) => !always.includes(file))}`);
else if (values.list) for (const file of Object.values(reached.files).flat()) console.log(file);
else process.exitCode = runAll();

/** Runs them; returns the status of the process. */
function runAll() {
  const files = Object.values(reached.files).flat();
  const args = reached.all ? [] : [...(files.length > 0 ? [`--files=${files}`] : []), ...reached.suites];
  return spawnSync("node", ["scripts/test.mjs", ...args], { stdio: "inherit" }).status;
}
