// The servers that are compared: how each is started, where it responds, what it reads; start and stop.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listening } from "./http.mjs";
import { nodeFlags } from "./processes.mjs";

const bench = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const image = (base, id, path) => `${base}/iiif/3/${id}/${path}`;

/** A build of this server, whose entry the option `program` names. */
const ours = (program) => ({
  missing: ({ [program]: file }) => (file && existsSync(file) ? undefined : `no ${file}: npm run build`),
  command: (run, options) => [
    process.execPath,
    ...nodeFlags,
    options[program],
    "-config",
    configuration(run, options),
  ],
  ready: "/health",
  url: image,
});

/**
 * One row per server. `missing` describes what it lacks on this machine; `command` returns its arguments from
 * the run (port, sources, place: a temporary empty folder) and the options of the script.
 */
const servers = {
  smalti: ours("program"),
  /** Another build of this server, `options.before`. */
  before: ours("before"),
  sharp: {
    command: ({ port, sources }) => [process.execPath, join(bench, "peers/sharp.mjs"), String(port), sources],
    ready: "/",
    url: image,
    reads: /\.(jpg|tif|png|webp)$/,
  },
  "iiif-processor": {
    missing: ({ modules }) =>
      resolves("iiif-processor", modules) ? undefined : "no iiif-processor from npm",
    command: ({ port, sources }) => [
      process.execPath,
      join(bench, "peers/iiif-processor.mjs"),
      String(port),
      sources,
    ],
    environment: ({ modules }) => ({ PEER_MODULES: modules }),
    ready: "/",
    url: image,
    reads: /\.(jpg|tif|png|webp)$/,
  },
  iipsrv: {
    missing: (options) =>
      iipsrvOf(options) && nginxOf(options) ? undefined : "no iipsrv or no nginx on this machine",
    command: ({ port, sources }, options) => [
      join(bench, "peers/iipsrv.sh"),
      String(port),
      sources,
      iipsrvOf(options),
      nginxOf(options),
    ],
    ready: "/",
    url: (base, id, path) => `${base}/fcgi?IIIF=${id}/${path}`,
    reads: /\.(tif|jp2)$/,
  },
};

const installed = (name) => {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};
const packaged = "/usr/lib/iipimage-server/iipsrv.fcgi";
const iipsrvOf = ({ iipsrv }) =>
  iipsrv ?? installed("iipsrv") ?? (existsSync(packaged) ? packaged : undefined);
const nginxOf = ({ nginx }) => nginx ?? installed("nginx");

function resolves(name, folder) {
  try {
    return createRequire(resolve(folder, "any.js")).resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * Our configuration: each slot as the options say, with the files of the origin slot in the temporary folder;
 * `settings` of the options, made from that folder, replace whole keys of it.
 */
function configuration({ port, sources, place }, { cache, settings: own }) {
  const slots = Object.entries(cache).map(([slot, backend]) => [
    slot,
    backend === "filesystem" ? { backend, path: join(place, slot) } : { backend },
  ]);
  const file = join(place, "smalti.yaml");
  const settings = {
    addr: `127.0.0.1:${port}`,
    log: { level: "error" },
    sources: [{ name: "bench", type: "filesystem", root: resolve(sources) }],
    cache: Object.fromEntries(slots),
    ...own?.(place),
  };
  writeFileSync(file, JSON.stringify(settings)); // JSON is YAML
  return file;
}

/** The names that can run here, of those wanted; the others are named on standard error with the reason. */
export function available(wanted, options) {
  return wanted.filter((name) => {
    const row = servers[name];
    if (!row) throw new Error(`expected a server of ${Object.keys(servers).join(", ")}, received "${name}"`);
    const reason = row.missing?.(options);
    if (reason) console.error(`left out: ${name} (${reason})`);
    return !reason;
  });
}

/** True if a server accepts this picture as a source. */
export const reads = (name, picture) => servers[name].reads?.test(picture) ?? true;

const running = new Set();
process.on("exit", () => {
  for (const server of running) server.end("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));

/**
 * Starts a server with empty caches on a free port, pinned to one `processor` if the options say so (Linux),
 * and waits until it responds. Returns its name and process id, `url(picture, path)` and `stop()`. Throws if
 * it does not come up.
 */
export async function start(name, options) {
  const row = servers[name];
  const port = await freePort();
  const place = mkdtempSync(join(tmpdir(), "smalti-bench-"));
  const command = row.command({ port, sources: options.sources, place }, options);
  const [program, ...rest] = options.processor ? ["taskset", "-c", options.processor, ...command] : command;
  const child = spawn(program, rest, {
    env: { ...process.env, ...row.environment?.(options) },
    stdio: ["ignore", "ignore", options.verbose ? "inherit" : "ignore"],
    detached: true,
  });
  let alive = true;
  const ended = new Promise((done) => {
    const gone = () => {
      alive = false;
      running.delete(server);
      done();
    };
    child.once("exit", gone);
    child.once("error", gone);
  });
  const base = `http://127.0.0.1:${port}`;
  const server = {
    name,
    pid: child.pid,
    url: (picture, path) => row.url(base, encodeURIComponent(picture), path),
    end(signal) {
      try {
        process.kill(-child.pid, signal);
      } catch {} // gone already
      rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    },
    async stop() {
      if (alive) process.kill(-child.pid, "SIGTERM");
      await Promise.race([ended, pause(2000)]);
      server.end("SIGKILL");
      await ended;
    },
  };
  running.add(server);
  if (await listening(base + row.ready, () => alive)) return server;
  await server.stop();
  throw new Error(`${name} did not come up (--verbose shows what it says)`);
}

export function freePort() {
  return new Promise((resolve) => {
    const holder = http.createServer().listen(0, "127.0.0.1", () => {
      const { port } = holder.address();
      holder.close(() => resolve(port));
    });
  });
}
