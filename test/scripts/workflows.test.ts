import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = new URL("../../.github/workflows/", import.meta.url);
const files = readdirSync(folder);

test("there are workflows for tests, releases and images", () => {
  expect(files.sort()).toEqual(["image.yml", "release.yml", "test.yml"]);
});

describe.each(files)("%s", (file) => {
  const text = readFileSync(new URL(file, folder), "utf8");
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test("pins each action by the full digest of a commit, and says of which version", () => {
    const lines = text.split("\n").filter((line) => /^\s*(- )?uses:/.test(line));
    expect(lines.length).toBe(steps.filter((step) => step.uses).length);
    for (const line of lines) expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("may only read by default, and each job ends in time", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(workflow.concurrency).toBeDefined();
    for (const job of jobs) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  test("leaves no credentials in the checkout", () => {
    const checkouts = steps.filter((step) => step.uses?.startsWith("actions/checkout@"));
    for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
  });

  test("hands what others write to scripts in variables, not in their text", () => {
    // https://docs.github.com/actions/security-guides, "script injections"
    for (const step of steps) expect(step.run ?? "").not.toContain("${{");
  });
});
