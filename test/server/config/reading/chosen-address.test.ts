// Settings under which clients choose the address that ids begin with.

import { expect, test } from "vitest";
import type { Platform } from "../../../../src/base/platform.ts";
import { addressWarnings } from "../../../../src/server/config/reading/chosen-address.ts";
import { loadConfig, problemLines } from "../../../../src/server/config/reading/load.ts";

const warnings = (yaml: string, runtime: Platform["name"] = "node") => {
  const { config, problems } = loadConfig(yaml, {});
  if (!config) throw new Error(problemLines(problems, "the test"));
  return addressWarnings(config, runtime);
};

test.each([
  ["", "anybody can send"],
  ["addr: 0.0.0.0:80", "anybody can send"],
  ['addr: "[::]:8080"', "anybody can send"],
  ["addr: 192.0.2.1:8080", "anybody can send"],
  ["trusted_proxies: [10.0.0.0/8]", "pass on from clients"],
  ["addr: 127.0.0.1:8080\ntrusted_proxies: [127.0.0.1]", "pass on from clients"],
])("they do with %j", (yaml, reason) => {
  const [warning, ...others] = warnings(yaml);
  expect([warning?.where, others]).toEqual(["base_url", []]);
  expect(warning?.text).toContain(reason);
  expect(warning?.text).toContain("set it to the address that readers use");
});

test.each([
  "base_url: https://images.example.org",
  "base_url: https://images.example.org\ntrusted_proxies: [10.0.0.0/8]",
  "addr: 127.0.0.1:8080",
  "addr: localhost:8080",
  'addr: "[::1]:8080"',
])("they do not, or only this machine does, with %j", (yaml) => expect(warnings(yaml)).toEqual([]));

test("workerd listens at addresses of its own, so addr says nothing there", () => {
  expect(warnings("addr: 127.0.0.1:8080", "workerd")).toHaveLength(1);
});
