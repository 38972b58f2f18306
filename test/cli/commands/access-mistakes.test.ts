// Mistakes in `auth:` and in its environment, each planted into a sound configuration: `smalti check` reports
// every one.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { Platform } from "../../../src/base/platform.ts";
import { run } from "../../../src/cli/cli.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";
import { addresses } from "./mistakes/addresses.ts";
import { logins } from "./mistakes/logins.ts";
import { bcrypt, secrets, sound } from "./mistakes/mistake.ts";
import { rules } from "./mistakes/rules.ts";
import { sessions } from "./mistakes/sessions.ts";

let folder: string;
let platform: Platform;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-mistakes-"));
  const images = ["scans/a.png", "scans/private/b.png", "scans/private/deep/c.png", "scans/Maps/d.png"];
  for (const path of [...images, "scans/one/e.png", "scans/name.png", "museum/vault/f.png"]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, path));
  }
  mkdirSync(join(folder, "scans/notes"));
  writeFileSync(join(folder, "scans/notes/readme.txt"), "notes");
  mkdirSync(join(folder, "sessions"));
  writeFileSync(join(folder, "htpasswd"), `ann:${bcrypt}\n`);
  writeFileSync(join(folder, "empty"), "# nobody yet\n");
  writeFileSync(join(folder, "plaintext"), "ann:secret\n");
  writeFileSync(join(folder, "page.html"), "<form>{{ if .Error }}</form>");
  const { service } = await served("");
  await service.close();
  ({ platform } = service);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of `smalti check` on standard error, as an operator reads them. */
async function check(config: unknown, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const file = join(folder, "smalti.yaml");
  writeFileSync(file, stringify(config));
  let told = "";
  await run(
    {
      ...platform,
      env: { ...secrets, ...env },
      cwd: folder,
      write: (to, text) => {
        if (to === "err") told += text;
      },
    },
    ["check", "-config", file],
  );
  return told === "" ? [] : told.trimEnd().split("\n");
}

test("a sound configuration is warned of nothing", async () => {
  expect(await check(sound())).toEqual([]);
});

test("a mistake is reported with its position in the file", async () => {
  const config = sound();
  config.auth.rules.push({ match: "private/x.png", profile: "click" });
  const at = stringify(config)
    .split("\n")
    .findIndex((line) => line.includes("private/x.png"));
  expect(await check(config)).toContainEqual(
    expect.stringMatching(
      new RegExp(`^smalti: warning: line ${at + 1}, column \\d+: auth\\.rules\\.5\\.match: `),
    ),
  );
});

describe.each([
  ["rules", rules],
  ["addresses", addresses],
  ["logins", logins],
  ["sessions", sessions],
])("%s:", (_, mistakes) => {
  test.each(mistakes)("$what", async ({ plant, key, says, env }) => {
    const config = sound();
    plant(config);
    const told = await check(config, env);
    const ofKey = told.filter((line) => new RegExp(`(^|[ :])${key.replaceAll(".", "\\.")}: `).test(line));
    expect([told, ofKey.some((line) => says.test(line))]).toEqual([told, true]);
  });
});
