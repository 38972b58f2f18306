// The systemd unit, checked by systemd's own tools, and its configuration.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { parseDuration } from "../../src/base/options/quantity.ts";
import { parseAddress } from "../../src/server/config/address.ts";
import { loadConfig } from "../../src/server/config/reading/load.ts";

const deploy = fileURLToPath(new URL("../../deploy/systemd/", import.meta.url));
const unit = readFileSync(join(deploy, "smalti.service"), "utf8");
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0 || process.env.CI !== undefined;

const folder = mkdtempSync(join(tmpdir(), "smalti-unit-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs systemd-analyze on the unit, with the programs of this machine. */
function analyze(...args: string[]) {
  const file = join(folder, "smalti.service");
  const here = unit
    .replace("/usr/bin/node", process.execPath)
    .replace(/^Documentation=.*$/m, `Documentation=file:${join(deploy, "smalti.service")}`);
  writeFileSync(file, here);
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

describe.skipIf(!hasSystemd)("systemd-analyze", () => {
  test("verify reports nothing about the unit", () => {
    expect(analyze("verify", "--man=no")).toEqual({ status: 0, output: "" });
  });

  test("security reports an exposure below 2.0 of 10 for the unit", () => {
    const { status, output } = analyze("security", "--offline=true", "--threshold=20", "--no-pager");
    expect(output).toContain("Overall exposure level");
    expect(status).toBe(0);
  });
});

test("the configuration is valid, and matches the port, the folder and the timeout of the unit", () => {
  const { config, problems } = loadConfig(readFileSync(join(deploy, "smalti.yaml"), "utf8"), {});
  expect(problems).toBeUndefined();
  if (!config) return;
  expect(setting("SocketBindAllow")).toBe(`tcp:${parseAddress(config.addr).port}`);
  expect(config.cache.origin).toMatchObject({ path: `/var/cache/${setting("CacheDirectory")}` });
  expect(parseDuration(setting("TimeoutStopSec") ?? "")).toBeGreaterThan(
    parseDuration(config.shutdown_timeout),
  );
});

test("the page that the unit names is in the package, at the folder of its program", () => {
  const [, folder] = / (\/\S+)\/dist\/main\.js/.exec(setting("ExecStart") ?? "") ?? [];
  const [, page] =
    new RegExp(`^file:${folder}/dist/static/docs/([a-z/]+)\\.html$`).exec(setting("Documentation") ?? "") ??
    [];
  // scripts/site/ makes a page of each of these.
  expect(existsSync(new URL(`../../docs/${page}.md`, import.meta.url))).toBe(true);
});

test("the limit of starts is reached if each fails immediately", () => {
  const milliseconds = (name: string) => parseDuration((setting(name) ?? "").replace(/min$/, "m"));
  const inARow = Number(setting("StartLimitBurst")) * milliseconds("RestartSec");
  // systemd.unit(5): starts are counted within the interval. A start may take as long again.
  expect(2 * inARow).toBeLessThan(milliseconds("StartLimitIntervalSec"));
});
