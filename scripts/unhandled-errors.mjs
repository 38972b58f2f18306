// A reporter of vitest that keeps the errors outside of tests, which fail a run but are in no JSON report.

import { writeFileSync } from "node:fs";

/** Writes the stacks of such errors as a JSON list to the file that `UNHANDLED_ERRORS` names. */
export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const stacks = errors.map(({ name, message, stack }) => stack || `${name}: ${message}`);
    if (process.env.UNHANDLED_ERRORS) writeFileSync(process.env.UNHANDLED_ERRORS, JSON.stringify(stacks));
  }
}
