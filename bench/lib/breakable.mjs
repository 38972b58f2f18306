// The services that a server depends on, with the faults that each may have: a Redis, a folder, a web server,
// a bucket, files that are replaced.
//
// Each part is { name, faults: { name: { begin, end } }, close }; a fault begins and ends by a call, and
// leaves nothing behind.

import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { compiled } from "./compiled.mjs";

const none = () => {};

function freePort() {
  return new Promise((done) => {
    const holder = createTcpServer().listen(0, "127.0.0.1", () => {
      const { port } = holder.address();
      holder.close(() => done(port));
    });
  });
}

/**
 * A Redis that is killed and comes back empty, freezes, refuses writes, or loses everything; undefined if
 * Redis is not installed.
 */
export async function breakableRedis(place) {
  const port = await freePort();
  let child;
  const start = async () => {
    const own = [
      "--bind",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--dir",
      place,
      "--save",
      "",
      "--appendonly",
      "no",
    ];
    child = spawn("redis-server", own, { stdio: "ignore" });
    const failed = new Promise((done) => child.once("error", () => done(true)));
    return !(await Promise.race([failed, pause(300)]));
  };
  const tell = (line) =>
    new Promise((done) => {
      const socket = connect(port, "127.0.0.1", () => socket.end(`${line}\r\n`));
      socket.on("error", done).on("close", done).resume();
    });
  if (!(await start())) return undefined;
  return {
    name: "redis",
    port,
    faults: {
      killed: { begin: () => child.kill("SIGKILL"), end: start },
      frozen: { begin: () => child.kill("SIGSTOP"), end: () => child.kill("SIGCONT") },
      full: {
        begin: () => tell("CONFIG SET maxmemory 1mb"),
        end: () => tell("CONFIG SET maxmemory 0"),
      },
      flushed: { begin: () => tell("FLUSHALL"), end: none },
    },
    close: () => child.kill("SIGKILL"),
  };
}

/**
 * A folder for entries behind a link, so that it can be exchanged instantly. Faults that need a separate file
 * system are left out if this process may not mount one; `missing` names them.
 */
export async function breakableFolder(place) {
  const disk = join(place, "disk");
  const path = join(place, "entries");
  mkdirSync(disk);
  const turnTo = (target) => {
    const next = join(place, "entries.next");
    rmSync(next, { force: true });
    symlinkSync(target, next);
    renameSync(next, path);
  };
  turnTo(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "none", disk]).status === 0;
  const { mountDead } = await compiled("test/dead-mount.ts");
  const dead = await mountDead();
  const filler = join(disk, "filler");
  const remount = (how) => spawnSync("mount", ["-o", `remount,${how}`, disk]);
  const backToDisk = { end: () => turnTo(disk) };
  const ofMount = {
    "read-only": { begin: () => remount("ro"), end: () => remount("rw") },
    full: {
      begin: () => spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M", "status=none"]),
      end: () => rmSync(filler, { force: true }),
    },
  };
  const asFile = () => {
    writeFileSync(join(place, "file"), "");
    return join(place, "file");
  };
  const asPipe = () => {
    spawnSync("mkfifo", [join(place, "pipe")]);
    return join(place, "pipe");
  };
  const usual = {
    gone: { begin: () => turnTo(join(place, "nothing")), ...backToDisk },
    "a file in place": { begin: () => turnTo(asFile()), ...backToDisk },
    "a pipe in place": {
      begin: () => turnTo(asPipe()),
      ...backToDisk,
    },
    "pipes for entries": {
      begin: () =>
        spawnSync("sh", [
          "-c",
          'find "$1/" -type f | head -50 | while read -r f; do rm -f "$f"; mkfifo "$f"; done',
          "sh",
          path,
        ]),
      end: none,
    },
    emptied: { begin: () => spawnSync("sh", ["-c", 'rm -rf "$1"/*', "sh", disk]), end: none },
  };
  return {
    name: "folder",
    path,
    missing: [...(mounted ? [] : Object.keys(ofMount)), ...(dead ? [] : ["hanging"])],
    faults: {
      ...usual,
      ...(mounted && ofMount),
      ...(dead && { hanging: { begin: () => turnTo(dead.path), ...backToDisk } }),
    },
    async close() {
      await dead?.remove();
      if (mounted) spawnSync("umount", ["-l", disk]);
    },
  };
}

/**
 * A web server over files in memory, name to bytes, that stalls, refuses, breaks off, drips, lies, and
 * changes its tags.
 */
export async function breakableOrigin(files) {
  let behave;
  let version = 1;
  const server = createServer((request, response) => {
    const file = files.get(decodeURIComponent(request.url.slice(1)));
    if (behave?.(request, response, file)) return;
    give(request, response, file);
  });
  const give = (request, response, file, { ranges = true, named = true } = {}) => {
    if (!file) return void response.writeHead(404).end();
    const facts = { "content-type": "application/octet-stream", ...(named && { etag: `"${version}"` }) };
    if (named && request.headers["if-none-match"] === facts.etag)
      return void response.writeHead(304, facts).end();
    const [, from, to] = (ranges && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "")) || [];
    if (from === undefined)
      return void response.writeHead(200, { ...facts, "content-length": file.length }).end(file);
    const [first, end] = [Number(from), Math.min(file.length, Number(to) + 1)];
    if (first >= file.length)
      return void response.writeHead(416, { "content-range": `bytes */${file.length}` }).end();
    response.writeHead(206, {
      ...facts,
      "content-length": end - first,
      "content-range": `bytes ${first}-${end - 1}/${file.length}`,
    });
    response.end(file.subarray(first, end));
  };
  /** Returns the usual headers of a response, and the bytes that belong to it. */
  const headOf = (request, file) => {
    const [, from = "0", to = `${file.length - 1}`] =
      /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const [first, end] = [Number(from), Math.min(file.length, Number(to) + 1)];
    const headers = {
      etag: `"${version}"`,
      "content-length": end - first,
      "content-range": `bytes ${first}-${end - 1}/${file.length}`,
    };
    return { headers, body: file.subarray(first, end) };
  };
  const drips = new Set();
  const by = (own) => ({
    begin: () => {
      behave = (request, response, file) => file && (own(request, response, file) ?? true);
    },
    end: () => {
      behave = undefined;
    },
  });
  const faults = {
    stalling: by(none),
    "stalling in the body": by((request, response, file) => {
      const { headers, body } = headOf(request, file);
      response.writeHead(206, headers).write(body.subarray(0, body.length >> 1));
    }),
    "refusing (503)": by((_, response) => void response.writeHead(503).end("busy")),
    "refusing (500), slow": by((_, response) => void setTimeout(() => response.writeHead(500).end(), 300)),
    "breaking off": by((request, response, file) => {
      const { headers, body } = headOf(request, file);
      response.writeHead(206, headers).write(body.subarray(0, body.length >> 1), () => response.destroy());
    }),
    dripping: by((request, response, file) => {
      const { headers, body } = headOf(request, file);
      response.writeHead(206, headers);
      let at = 0;
      const timer = setInterval(() => response.write(body.subarray(at, ++at)), 50);
      drips.add(timer);
      response.on("close", () => clearInterval(timer));
    }),
    "too short": by((request, response, file) => {
      const { headers, body } = headOf(request, file);
      response
        .writeHead(206, { ...headers, "content-length": body.length >> 1 })
        .end(body.subarray(0, body.length >> 1));
    }),
    "another range": by((request, response, file) => {
      const { headers, body } = headOf(request, file);
      response
        .writeHead(206, { ...headers, "content-range": `bytes 1-${body.length}/${file.length + 1}` })
        .end(body);
    }),
    endless: by((_, response) => {
      response.writeHead(200);
      const more = Buffer.alloc(1 << 16);
      const push = () => {
        while (!response.destroyed && response.write(more));
        response.once("drain", push);
      };
      push();
    }),
    "a web page": by(
      (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Sorry"),
    ),
    resetting: by((request) => void request.socket.destroy()),
    // These are not faults, but states in which responses have to be correct.
    "without ranges": by((request, response, file) => void give(request, response, file, { ranges: false })),
    "without tags": by((request, response, file) => void give(request, response, file, { named: false })),
    "other tags": { begin: () => void version++, end: none },
  };
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    name: "origin",
    url: `http://127.0.0.1:${server.address().port}`,
    faults,
    close() {
      for (const timer of drips) clearInterval(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A bucket over the same files. */
export async function breakableBucket(files) {
  const { startS3 } = await compiled("test/servers/s3.ts");
  const server = await startS3({ account: undefined });
  for (const [name, bytes] of files) server.put(name, bytes);
  const by = (fault) => ({
    begin: () => {
      server.fault = () => fault;
    },
    end: () => {
      server.fault = () => undefined;
    },
  });
  return {
    name: "bucket",
    url: server.url,
    bucket: server.bucket,
    region: server.region,
    faults: {
      "refusing (SlowDown)": by({ refuse: { status: 503, code: "SlowDown" } }),
      "refusing (InternalError)": by({ refuse: { status: 500, code: "InternalError" } }),
      "an error with status 200": by({ refuse: { status: 200, code: "InternalError" } }),
      slow: by({ delayMs: 400 }),
      stalling: by({ delayMs: 3_600_000 }),
      "breaking off": by({ cutAfter: 5000 }),
    },
    close: server.close,
  };
}

/**
 * A file that is exchanged for another by renaming, and one that is written again in place, piece by piece.
 */
export function replacedFiles(folder, place, [one, other], growing) {
  let running = false;
  let turning = Promise.resolve();
  const repeat = (act) => ({
    begin() {
      running = true;
      turning = (async () => {
        for (let n = 0; running; n++) await act(n);
      })();
    },
    async end() {
      running = false;
      await turning;
    },
  });
  const exchange = async (n) => {
    const next = join(place, "exchanged");
    copyFileSync(n % 2 ? one : other, next);
    renameSync(next, join(folder, "exchanged.jpg"));
    await pause(30 + (n % 7) * 40);
  };
  copyFileSync(one, join(folder, "exchanged.jpg"));
  writeFileSync(join(folder, "growing.jpg"), growing);
  const grow = async () => {
    const pieces = 8;
    const step = Math.ceil(growing.length / pieces);
    for (let piece = 0; piece < pieces; piece++) {
      writeFileSync(join(folder, "growing.jpg"), growing.subarray(piece * step, (piece + 1) * step), {
        flag: piece ? "a" : "w",
      });
      await pause(60);
    }
  };
  return {
    name: "files",
    faults: { exchanged: repeat(exchange), "copied into place": repeat(grow) },
    close: none,
  };
}
