// smalti sessions end: which sessions it ends in a store shared with a service, and which arguments it
// refuses.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../src/base/telemetry/log.ts";
import { buildSessions } from "../../src/server/access/sessions/index.ts";
import { sessionOptions } from "../../src/server/access/sessions/options.ts";
import { nodeFiles } from "../../src/server/platform/files/node-files.ts";
import { type RedisServer, startRedis } from "../servers/redis.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let redis: RedisServer;
beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-end-"));
  mkdirSync(join(folder, "kept"));
  redis = await startRedis();
});
afterAll(async () => {
  await redis?.close();
  built.remove();
  rmSync(folder, { recursive: true, force: true });
});

const stores = {
  redis: () => ({ backend: "redis", redis: { addr: `127.0.0.1:${redis.port}`, timeout: "60s" } }),
  filesystem: () => ({ backend: "filesystem", path: join(folder, "kept") }),
  heap: () => ({ backend: "heap" }),
} as const;

function configFor(store: keyof typeof stores): string {
  const file = join(folder, `${store}.yaml`);
  const profile = { pattern: "clickthrough", access_service: { backend: "builtin" } };
  const auth = { session: stores[store](), profiles: { terms: profile } };
  writeFileSync(file, JSON.stringify({ auth }));
  return file;
}

test.each(["redis", "filesystem"] as const)(
  "ends sessions in %s, and reports their number",
  async (store) => {
    const { sessions } = buildSessions(sessionOptions.parse(stores[store]()), 3_600_000, {
      platform: { env: {}, files: nodeFiles() } as never,
      log: silentLog,
    });
    const logIn = (profile: string, user: string) =>
      sessions.logIn({
        profile,
        user,
        fingerprint: "",
        grantedAt: Date.now(),
        expiresAt: Date.now() + 600_000,
      });
    const [ann, bob] = [await logIn("terms", "ann"), await logIn("terms", "bob")];
    await logIn("former", "eve");
    const lineOf = (args: string[]) => ["sessions", "end", ...args, "-config", configFor(store)];
    const end = (...args: string[]) => built.command(lineOf(args));
    expect(await built.run(lineOf(["--profile", "terms", "--user=ann"]))).toEqual({
      code: 0,
      out: "1 session ended\n",
      err: "",
    });
    expect([await sessions.find(ann.id), (await sessions.find(bob.id))?.grants[0]?.user]).toEqual([
      undefined,
      "bob",
    ]);
    expect(await end("--profile", "former")).toEqual({
      code: 0,
      out: "1 session ended; the configuration has no profile former\n",
      err: "",
    });
    expect(await end("--all")).toEqual({ code: 0, out: "1 session ended\n", err: "" });
    expect(await sessions.find(bob.id)).toBeUndefined();
    await sessions.close();
  },
);

describe("is refused", () => {
  test.each([
    [["sessions"], /expected sessions end/],
    [["sessions", "list"], /expected sessions end, received sessions list/],
    [["sessions", "end"], /needs --profile NAME, --user NAME, both, or --all/],
    [["sessions", "end", "--all", "--user", "ann"], /needs --profile NAME/],
    [["sessions", "end", "--profile"], /--profile needs a value/],
    [["sessions", "end", "--user", "--all"], /--user needs a value/],
    [["sessions", "end", "--everybody"], /does not know --everybody/],
  ])("as %j", async (args, message) => {
    const { code, out, err } = await built.command(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  test("if sessions are in the memory of the service", async () => {
    const { code, err } = await built.command(["sessions", "end", "--all", "-config", configFor("heap")]);
    expect([code, err]).toEqual([1, expect.stringContaining("end them on its page /admin/auth")]);
  });

  test("if the store does not respond", async () => {
    const file = join(folder, "away.yaml");
    const session = { backend: "redis", redis: { addr: "127.0.0.1:1", timeout: "200ms" } };
    writeFileSync(file, JSON.stringify({ auth: { session } }));
    const { code, out, err } = await built.run(["sessions", "end", "--all", "-config", file]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/Redis/);
  });
});
