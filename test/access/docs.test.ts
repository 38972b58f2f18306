// What docs/authorization.md says of the configuration holds.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { profileFaults } from "../../src/access/profile-faults.ts";
import { patterns, profileOptions } from "../../src/access/profile-options.ts";
import { createRules } from "../../src/access/rules.ts";
import { loadConfig } from "../../src/config/load.ts";

const page = readFileSync(new URL("../../docs/authorization.md", import.meta.url), "utf8");

test("its first example is accepted, and its rules gate what the text says", () => {
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const { config, problems } = loadConfig(yaml, {});
  expect(problems).toBeUndefined();
  const match = createRules(config?.auth?.rules ?? []);
  const found = [
    "archive/1914/a.tif",
    "archive",
    "archive/1915/a.tif",
    "archive2",
    "atlas.tif;2",
    "theses/x",
  ];
  expect(found.map((identifier) => match(identifier))).toEqual([
    "staff",
    "terms",
    "terms",
    undefined,
    "reading-room",
    "campus",
  ]);
});

test("its table of patterns and backends is that of the start", () => {
  const services = {
    builtin: { backend: "builtin" },
    header: { backend: "header" },
    external: { backend: "external", url: "https://a.example", callback_secret_env: "A" },
    oidc: { backend: "oidc", issuer: "https://a.example", client_id: "a", client_secret_env: "A" },
  };
  for (const pattern of patterns) {
    const row = page.match(new RegExp(`^\\| \`${pattern}\` \\|(.*)\\|$`, "m"))?.[1] ?? "";
    const said = row.split("|").map((cell) => cell.trim() !== "no");
    const held = Object.values(services).map((access_service) => {
      const faults = profileFaults("p", profileOptions.parse({ pattern, access_service }));
      return !faults.some(({ path }) => path.at(-1) === "backend");
    });
    expect([pattern, said]).toEqual([pattern, held]);
  }
});
