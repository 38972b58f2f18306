// Facts that the Containerfiles share with other files. test/containers/ builds them.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildSources } from "../../scripts/build-stamp.mjs";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the image of workerd has the workerd that the tests run", () => {
  const [, version] = /^ARG WORKERD_VERSION=(.+)$/m.exec(read("deploy/workerd.Containerfile")) ?? [];
  expect(version).toBe(JSON.parse(read("test/runtimes/package.json")).devDependencies.workerd);
});

test.each(["node", "workerd"])("the release pins the base of the image of %s", (runtime) => {
  const [, expression = ""] = /sed -nE 's\/(.+?)\/\\1\/p'/.exec(read(".github/workflows/image.yml")) ?? [];
  const lines = read(`deploy/${runtime}.Containerfile`).split("\n");
  const bases = lines.filter((line) => new RegExp(expression).test(line));
  expect(bases).toEqual(["ARG BASE=docker.io/library/node:24-bookworm-slim"]);
});

test("a build in a container gets all that a build reads", () => {
  const sources = buildSources.map((name) => `!${name}`);
  expect(sources.length).toBeGreaterThan(5);
  expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining(sources));
});
