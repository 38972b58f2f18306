// The package as people get it: packed, fetched from a registry in an empty folder, started, asked for a
// tile, stopped.

import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";
import { type Packed, packInto } from "./packed.ts";
import { expectJpeg, startProgram } from "./program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = `${root}test/runtimes/node_modules/.bin/`;

let folder: string;
let packed: Packed;
let registry: Server;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-package-"));
  packed = packInto(folder);
  registry = await serveRegistry(packed.tarball);
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|bun_)/i.test(name)));
  env = {
    ...own,
    HOME: join(folder, "home"),
    TMPDIR: folder,
    npm_config_registry: url,
    npm_config_update_notifier: "false",
    NPM_CONFIG_REGISTRY: url,
    BUN_CONFIG_REGISTRY: url,
    NO_PROXY: "127.0.0.1",
  };
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the package holds the build, files for systemd, proxies and guards, and nothing else; it depends on nothing, and has less than 34.5 MB without the documentation, which has less than 3", () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
  expect(Object.keys(scripts)).not.toContain("install");
  const sizes = { documentation: 0, rest: 0 };
  for (const { path, size } of packed.files)
    sizes[path.startsWith("dist/static/docs/") ? "documentation" : "rest"] += size;
  expect(sizes.documentation).toBeGreaterThan(0);
  expect(sizes.documentation).toBeLessThan(3_000_000);
  expect(sizes.rest).toBeLessThan(34_500_000);
  const paths = packed.files.map(({ path }) => path);
  expect(new Set(paths.map((path) => path.split("/")[0]))).toEqual(
    new Set(["LICENSE", "README.md", "deploy", "dist", "package.json"]),
  );
  expect(paths.filter((path) => path.startsWith("deploy/"))).toEqual(
    expect.arrayContaining(["deploy/proxy/nginx.conf", "deploy/systemd/smalti.service"]),
  );
  expect(paths.filter((path) => /^deploy\/(?!guards\/|proxy\/|systemd\/)/.test(path))).toEqual([]);
  for (const file of ["THIRD_PARTY_LICENSES.txt", "main.js", "hooks.d.ts", "workerd.capnp"])
    expect(paths).toContain(`dist/${file}`);
});

test.each([
  ["npx", ["npx", "--yes", "smalti"], "npx smalti DIR", "node"],
  ["bunx", [`${programs}bunx`, "smalti"], "bunx smalti DIR", "node"],
  ["bunx --bun", [`${programs}bunx`, "--bun", "smalti"], "bunx smalti DIR", "bun"],
  ["deno run", [`${programs}deno`, "run", "--allow-all", "npm:smalti"], "deno run -A npm:smalti DIR", "deno"],
] as const)(
  "%s starts it in an empty folder, it serves a tile and stops cleanly",
  async (name, command, hint, runtime) => {
    const cwd = join(folder, name.replaceAll(" ", ""));
    mkdirSync(cwd);
    const port = await freePort();
    const program = startProgram(command, { cwd, env: { ...env, SERVICE_ADDR: `127.0.0.1:${port}` } });
    try {
      await program.said(/an image +http/);
      const about = new RegExp(`^smalti \\d+\\.\\d+\\.\\d+(\\+[0-9a-f]{7})? on ${runtime} `, "m");
      expect(program.output()).toMatch(about);
      expect(program.output()).toContain(hint);
      await expectJpeg(`http://127.0.0.1:${port}/iiif/3/sample/0,0,512,512/256,/0/default.jpg`);
      program.signal("SIGINT");
      await program.ended;
      expect(program.output()).toContain("stopping");
      expect(program.output()).not.toMatch(/error|warn/i);
    } finally {
      program.signal("SIGKILL");
    }
  },
);

test("npm installs the command smalti", async () => {
  const prefix = join(folder, "global");
  await promisify(execFile)("npm", ["install", "--global", "--prefix", prefix, "smalti"], { env });
  const { stdout } = await promisify(execFile)(join(prefix, "bin/smalti"), ["version"]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+(\+[0-9a-f]{7})?\n$/);
});

/** A registry that has this package alone. */
async function serveRegistry(file: string): Promise<Server> {
  const bytes = readFileSync(file);
  const manifest = JSON.parse(
    execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }),
  );
  const digest = (name: string, encoding: "hex" | "base64") =>
    createHash(name).update(bytes).digest(encoding);
  const server = createServer(({ url = "", headers }, response) => {
    if (url.endsWith(".tgz")) return response.end(bytes);
    if (url !== "/smalti") return response.writeHead(404).end("{}");
    const dist = {
      tarball: `http://${headers.host}/smalti/-/${basename(file)}`,
      integrity: `sha512-${digest("sha512", "base64")}`,
      shasum: digest("sha1", "hex"),
    };
    const { version } = manifest;
    response.setHeader("Content-Type", "application/json");
    return response.end(
      JSON.stringify({
        name: "smalti",
        "dist-tags": { latest: version },
        versions: { [version]: { ...manifest, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
