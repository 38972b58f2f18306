// Measures what an access decision costs, by credentials and session store, and how often Redis is queried
// for it.
//
//   npm run build && node bench/access.mjs [--rounds 20000] [--backends heap,redis]
//
// Prints wall times in ms, after 1,000 decisions of each kind to warm up. `redis` needs redis-server on the
// PATH.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "20000" },
    backends: { type: "string", default: "heap,redis" },
  },
});
/** Hash of `secret`, made by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-access-"));
const port = 20_000 + (process.pid % 10_000);
const script = join(folder, "access.mjs");
await build({
  stdin: {
    contents: `
      import { rulesAccess } from "./src/server/access/rules/decide.ts";
      import { heldSessions } from "./src/server/access/held-grants.ts";
      import { openPasswords } from "./src/server/access/passwords/index.ts";
      import { createProfile } from "./src/server/access/profiles/profile.ts";
      import { profileOptions } from "./src/server/access/profiles/options.ts";
      import { createRules } from "./src/server/access/rules/rules.ts";
      import { buildSessions } from "./src/server/access/sessions/index.ts";
      import { sessionOptions } from "./src/server/access/sessions/options.ts";
      import { silentLog } from "./src/base/telemetry/log.ts";
      import { detectPlatform } from "./src/server/platform/detect.ts";
      import { quantile } from "./bench/lib/numbers.mjs";
      const [backend, port, rounds] = process.argv.slice(2);
      const platform = await detectPlatform(new URL(${JSON.stringify(`${pathToFileURL(join(root, "dist"))}/`)}));
      const redis = backend === "redis" && { redis: { addr: "127.0.0.1:" + port } };
      const { sessions: all } = buildSessions(sessionOptions.parse({ backend, ...redis }), 3600000, { platform, log: silentLog });
      const users = { ann: ${JSON.stringify(hash)} };
      const staff = createProfile("staff", profileOptions.parse({ pattern: "active", access_service: { backend: "builtin", users } }));
      const { verifyHere } = await import("./src/server/access/passwords/hash.ts");
      const verifier = { verify: async (password, hash) => verifyHere(password, hash), close() {} };
      const passwords = await openPasswords({ users, htpasswd_file: "" }, { platform, log: silentLog, verifier, key: "users" });
      const mark = await passwords.verify("ann", "secret");
      const sessions = heldSessions({ sessions: all, profileOf: () => staff, passwordsOf: () => passwords });
      // Twenty rules, the last of which matches.
      const match = createRules([...Array.from({ length: 19 }, (_, i) => ({ match: "closed-" + i + "/*", profile: "staff" })), { match: "private/*", profile: "staff" }]);
      const access = rulesAccess({ profileFor: (identifier) => match(identifier) && staff, sessions, cookieName: "service_session" });
      const expiresAt = Date.now() + 3600000;
      let id;
      // Among ten thousand others.
      for (let i = 0; i < 10000; i++) id = (await sessions.logIn({ profile: "staff", user: "ann", pattern: "active", backend: "builtin", mark, grantedAt: Date.now(), expiresAt })).id;
      const token = (await sessions.issueToken(id, 3600000)).id;
      const presented = {
        "public": ["public/a.tif;2", {}, "public"],
        "denied, nothing presented": ["private/a.tif", {}, undefined],
        "granted by a cookie": ["private/a.tif", { cookie: "a=b; service_session=" + id + "; c=d" }, "full"],
        "granted by a token": ["private/a.tif", { authorization: "Bearer " + token }, "full"],
        "denied, an unknown cookie": ["private/a.tif", { cookie: "service_session=" + "A".repeat(43) }, undefined],
      };
      const times = Object.fromEntries(Object.keys(presented).map((name) => [name, []]));
      for (let i = 0; i < 1000 + Number(rounds); i++)
        for (const [name, [identifier, headers, tier]] of Object.entries(presented)) {
          const began = performance.now();
          const decided = access.decide({ identifier, path: "/", header: (key) => headers[key] });
          const { tier: got } = decided instanceof Promise ? await decided : decided;
          if (i >= 1000) times[name].push(performance.now() - began);
          if (got !== tier) throw new Error(name + ": " + got);
        }
      console.log(JSON.stringify(Object.entries(times).map(([name, all]) => [name, quantile(all, 0.5), quantile(all, 0.95), quantile(all, 0.99)])));
      await sessions.close();`,
    resolveDir: root,
    loader: "ts",
  },
  outfile: script,
  bundle: true,
  format: "esm",
  platform: "node",
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "error",
});

const server = spawn("redis-server", ["--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder], {
  stdio: "ignore",
});
const cli = (...args) =>
  spawnSync("redis-cli", ["-h", "127.0.0.1", "-p", port, ...args], { encoding: "utf8" }).stdout;
for (let tries = 0; tries < 100 && !cli("ping")?.includes("PONG"); tries++)
  await new Promise((done) => setTimeout(done, 50));

const rows = [];
try {
  for (const backend of options.backends.split(",")) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, backend, port, options.rounds], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${backend}: ${stderr}`);
    for (const [name, ...times] of JSON.parse(stdout))
      rows.push([backend, name, ...times.map((ms) => ms.toFixed(4))]);
  }
  console.log(`${machine()}\n\n${table(["sessions", "decision", "p50", "p95", "p99"], rows)}`);
  if (options.backends.includes("redis")) console.log(`\n${cli("info", "commandstats")}`);
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
