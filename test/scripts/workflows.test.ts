import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { suites } from "../../scripts/test/reach-rows.mjs";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly "timeout-minutes"?: number;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly steps?: readonly Step[];
  /** A workflow of this repository, in place of steps. */
  readonly uses?: string;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = new URL("../../.github/workflows/", import.meta.url);
const files = readdirSync(folder);
const textOf = (file: string) => readFileSync(new URL(file, folder), "utf8");
const workflowOf = (file: string) => parse(textOf(file)) as Workflow;
const scriptsOf = (job: Job | undefined) => (job?.steps ?? []).map((step) => step.run ?? "").join("\n");

test("there are workflows for tests, releases and images", () => {
  expect(files.sort()).toEqual(["image.yml", "nightly.yml", "release.yml", "test.yml"]);
});

describe.each(files)("%s", (file) => {
  const text = textOf(file);
  const workflow = workflowOf(file);
  const jobs = Object.values(workflow.jobs).filter((job) => !job.uses);
  const steps = jobs.flatMap((job) => job.steps ?? []);

  test("pins each action by the full digest of a commit, and names the version", () => {
    const lines = text.split("\n").filter((line) => /^\s*(- )?uses: (?!\.\/)/.test(line));
    expect(lines.length).toBe(steps.filter((step) => step.uses).length);
    for (const line of lines) expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("may only read by default, and each job has a time limit", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(workflow.concurrency).toBeDefined();
    for (const job of jobs) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  test("leaves no credentials in the checkout", () => {
    const checkouts = steps.filter((step) => step.uses?.startsWith("actions/checkout@"));
    for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
  });

  test("passes outside input to scripts in variables, not in their text", () => {
    // https://docs.github.com/actions/security-guides, "script injections"
    for (const step of steps) expect(step.run ?? "").not.toContain("${{");
  });
});

// Runs the shell of a step, with programs that only print how they were called.
const shell = (script: string, env: Readonly<Record<string, string>>, programs = "") =>
  execFileSync("bash", ["--norc", "-e", "-o", "pipefail", "-c", `${programs}\n${script}`], {
    encoding: "utf8",
    stdio: "pipe",
    env: { PATH: process.env.PATH, ...env },
  });

describe("the tests", () => {
  const { on, jobs } = workflowOf("test.yml");
  const gated = suites.map(({ name }) => name);
  const stepOf = (job: string) => jobs[job]?.steps?.find(({ name }) => name)?.run ?? "";

  test("run each suite in a job of its own if the change can reach it, and check after every change", () => {
    expect(Object.keys(jobs)).toEqual(["reach", "check", ...gated, "test"]);
    expect(jobs.check?.needs).toBeUndefined();
    expect(Object.keys(jobs.reach?.outputs ?? {})).toEqual(gated);
    for (const name of gated) {
      expect(jobs[name]?.needs).toBe("reach");
      expect(jobs[name]?.if).toBe(`needs.reach.outputs.${name} == 'true'`);
      expect(scriptsOf(jobs[name])).toMatch(
        new RegExp(`node scripts/test\\.mjs (--shard="\\$SHARD/3" )?${name}$`, "m"),
      );
    }
    expect(jobs.unit?.strategy?.matrix).toEqual({ node: [20, 24], shard: [1, 2, 3] });
    expect(on).toEqual({ push: { branches: ["main"] }, pull_request: null });
  });

  test("keep the packages of each job under the lock files of what it installs", () => {
    const packages: Record<string, readonly string[]> = {
      check: ["scripts/check", "test/browser"],
      unit: ["scripts/check", "test/deploy"],
      runtimes: ["scripts/check", "test/runtimes"],
      containers: ["test/runtimes"],
      browser: ["test/browser", "test/browser/clients"],
    };
    for (const [name, folders] of Object.entries(packages)) {
      const options = jobs[name]?.steps?.find(({ uses }) => uses?.startsWith("actions/setup-node@"))?.with;
      const locks = ["package-lock.json", ...folders.map((folder) => `${folder}/package-lock.json`)];
      expect(options).toMatchObject({ cache: "npm", "cache-dependency-path": `${locks.join("\n")}\n` });
    }
  });

  test("run everything on main, and on a branch what differs from its base", () => {
    const outputs = (base: string) =>
      shell(
        stepOf("reach").replaceAll('>> "$GITHUB_OUTPUT"', ""),
        { BASE: base },
        'node() { echo "node $*"; }',
      );
    expect(outputs("")).toBe(gated.map((name) => `${name}=true\n`).join(""));
    expect(outputs("0123abc")).toBe("node scripts/test-changed.mjs --outputs --since 0123abc\n");
  });

  const all = Object.fromEntries(["reach", "check", ...gated].map((name) => [name, "success"]));
  const isGreen = (results: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>) => {
    const needs = Object.entries(results).map(([name, result]) => [name, { result, outputs: {} }]);
    const known = { ...Object.fromEntries(needs), reach: { result: results.reach, outputs: wanted } };
    try {
      shell(stepOf("test"), { JOBS: JSON.stringify(known) });
      return true;
    } catch {
      return false;
    }
  };
  const wanted = Object.fromEntries(gated.map((name) => [name, "true"]));

  test.each([
    ["all jobs pass", {}, {}, true],
    ["a job is left out that no change reaches", { browser: "skipped" }, { browser: "false" }, true],
    ["a job is skipped that is needed", { browser: "skipped" }, {}, false],
    ["a job fails", { unit: "failure" }, {}, false],
    ["a job is cancelled", { runtimes: "cancelled" }, {}, false],
    ["check is skipped", { check: "skipped" }, {}, false],
    [
      "reach fails, so that all others are skipped",
      { reach: "failure", unit: "skipped" },
      { unit: "" },
      false,
    ],
  ])("are green only as they should if %s", (_, results, outputs, green) => {
    expect(Object.keys(all)).toEqual(jobs.test?.needs);
    expect(jobs.test?.if).toBe("always()");
    expect(isGreen({ ...all, ...results }, { ...wanted, ...outputs })).toBe(green);
  });

  test("try all cases each night, with nothing from a cache", () => {
    const nightly = workflowOf("nightly.yml");
    expect(nightly.on).toHaveProperty("schedule");
    expect(scriptsOf(nightly.jobs.all)).toContain("npm run test:all");
    expect(textOf("nightly.yml")).not.toMatch(/^\s*cache:/m);
  });
});

describe("a release", () => {
  const { on, jobs } = workflowOf("release.yml");

  test("begins with a tag, and publishes only after the tests of its commit and two equal builds", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(scriptsOf(jobs.tested)).toContain("workflows/test.yml/runs");
    expect(jobs.build?.needs).toBe("tested");
    expect(scriptsOf(jobs.build)).toContain("node scripts/release.mjs --tagged");
    const others = Object.entries(jobs).filter(([name]) => !["tested", "build"].includes(name));
    expect(others.map(([name, job]) => [name, job.needs])).toEqual([
      ["publish", "build"],
      ["images", "build"],
    ]);
  });

  test("pushes images by no other way", () => {
    expect(jobs.images?.uses).toBe("./.github/workflows/image.yml");
    expect(Object.keys(workflowOf("image.yml").on)).toEqual(["workflow_call"]);
  });

  test("tests each image before it pushes it, on both architectures, and tags the joined image", () => {
    const { build, join } = workflowOf("image.yml").jobs;
    expect(build?.strategy?.matrix).toEqual({
      runtime: ["node", "workerd"],
      runner: ["ubuntu-24.04", "ubuntu-24.04-arm"],
    });
    const scripts = (build?.steps ?? []).map((step) => step.run ?? "");
    const place = (words: string) => scripts.findIndex((script) => script.includes(words));
    expect(place("try-image.sh")).toBeGreaterThan(place("--load"));
    expect(place("push=true")).toBeGreaterThan(place("try-image.sh"));
    expect(scriptsOf(build)).not.toMatch(/--tag (?!smalti-tried)/);
    expect(join?.needs).toBe("build");
  });

  test.each([
    ["v1.2.3", ["1.2.3", "1.2", "latest"]],
    ["v1.2.3-rc.1", ["1.2.3-rc.1"]],
  ])("of %s has the tags %j", (tag, tags) => {
    const step = workflowOf("image.yml").jobs.join?.steps?.find(({ run }) =>
      run?.includes("imagetools create"),
    );
    const said = shell(
      (step?.run ?? "").replace('"$GITHUB_OUTPUT"', "/dev/null"),
      { TAG: tag, REGISTRY: "r", REPOSITORY: "O/S", RUNTIME: "workerd" },
      'docker() { echo "docker $*"; }\ncat() { printf "sha256:a\\nsha256:b\\n"; }',
    );
    const options = tags.map((name) => `--tag r/o/s:${name}-workerd`).join(" ");
    expect(said).toBe(`docker buildx imagetools create ${options} r/o/s@sha256:a r/o/s@sha256:b\n`);
  });

  test.each([
    ["v1.2.3", "", "npm publish ./release/smalti-1.2.3.tgz --provenance --access public --tag latest\n"],
    ["v1.2.3-rc.1", "", expect.stringMatching(/ --tag next\n$/)],
    // openssl's digest of an empty file: FIPS 180-4.
    [
      "v1.2.3",
      "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
      "",
    ],
  ])("%s is published to npm unless it exists as %j", (tag, there, said) => {
    const step = jobs.publish?.steps?.find(({ run }) => run?.includes("npm publish"));
    const script = step?.run?.replace('"$package" | base64', "/dev/null | base64") ?? "";
    const npm = `npm() { if [ "$1" = view ]; then echo "$THERE"; else echo "npm $*"; fi; }`;
    expect(shell(script, { TAG: tag, THERE: there }, npm)).toEqual(said);
    expect(() => shell(script, { TAG: tag, THERE: "sha512-other" }, npm)).toThrow("npm has another smalti");
  });
});
