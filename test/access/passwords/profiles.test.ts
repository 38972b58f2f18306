import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { apr1 } from "../../../src/access/passwords/apr1.ts";
import { openProfilePasswords, type ProfilePasswords } from "../../../src/access/passwords/profiles.ts";
import { profileOptions } from "../../../src/access/profile-options.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { nodeFiles } from "../../../src/platform/node-files.ts";
import { type Folder, temporaryFolder } from "../../stores/folder.ts";

let folder: Folder;
const open: ProfilePasswords[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const passwords of open.splice(0)) passwords.close();
  await folder.remove();
});

const openAll = async (profiles: Record<string, object>) => {
  const parsed = Object.entries(profiles).map(([name, given]) => [name, profileOptions.parse(given)]);
  const platform = { files: nodeFiles(), parallelism: 1 };
  const passwords = await openProfilePasswords(Object.fromEntries(parsed), { platform, log: silentLog });
  open.push(passwords);
  return passwords;
};
const active = (service: object) => ({
  pattern: "active",
  access_service: { backend: "builtin", ...service },
});

it("each profile that asks for a password has its own, and no other profile has any", async () => {
  const passwords = await openAll({
    staff: active({ users: { ann: apr1("one", "abc") } }),
    press: active({ users: { ann: apr1("two", "abc") } }),
    click: { pattern: "clickthrough", access_service: { backend: "builtin" } },
  });
  const right = (profile: string, password: string) => passwords.of(profile)?.verify("ann", password);
  expect(await Promise.all([right("staff", "one"), right("staff", "two")])).toEqual([true, false]);
  expect(await Promise.all([right("press", "one"), right("press", "two")])).toEqual([false, true]);
  expect([passwords.of("click"), passwords.of("nobody"), passwords.of("__proto__")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(passwords.checks).toEqual([]);
});

it("a password file is checked, and its profile is named at the start", async () => {
  const file = join(folder.path, "htpasswd");
  writeFileSync(file, `ann:${apr1("one", "abc")}\n`);
  const passwords = await openAll({ staff: active({ htpasswd_file: file }) });
  expect(await passwords.of("staff")?.verify("ann", "one")).toBe(true);
  const [check] = passwords.checks;
  expect(check).toMatchObject({ part: "passwords", name: "staff", place: file, neededFor: "changes" });
  await check?.run();
  rmSync(file);
  await expect(openAll({ staff: active({ htpasswd_file: file }) })).rejects.toThrow(
    /^auth\.profiles\.staff\.access_service\.htpasswd_file: .*not there/,
  );
});
