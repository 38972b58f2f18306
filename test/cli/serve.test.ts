// A server as a process: its output at start, signals, the log, and what errors reveal.

import { execFile } from "node:child_process";
import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountDead } from "../dead-mount.ts";
import { grain } from "../grain.ts";
import { fixturesFolder } from "../host.ts";
import { refusalOf } from "../server/platform/server/raw-http.ts";
import { type Built, buildProgram, type Program } from "./built.ts";

let built: Built;
let folder: string;
let images: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-serve-"));
  images = join(folder, "images");
  mkdirSync(images);
  copyFileSync(join(fixturesFolder, "base.png"), join(images, "base.png"));
  writeFileSync(join(images, "broken.png"), "not a picture");
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

function write(name: string, yaml: string): string {
  const path = join(folder, name);
  writeFileSync(path, yaml);
  return path;
}

async function stop(program: Program): Promise<number | null> {
  program.process.kill("SIGTERM");
  return (await program.ended).code;
}

const info = (url: string, name: string) => fetch(`${url}/iiif/3/${name}/info.json`);

describe("the start", () => {
  test("without arguments serves the sample, and names URLs that respond", async () => {
    const server = await built.serve([]);
    await server.said(/info\.json\n/);
    const urls = server.status().out.match(/http:\S+/g) ?? [];
    expect(urls.length).toBeGreaterThanOrEqual(2);
    for (const url of urls) expect((await fetch(url)).status).toBe(200);
    expect(urls.some((url) => url.endsWith("/iiif/3/sample/info.json"))).toBe(true);
    expect(await stop(server)).toBe(0);
  });

  test("with a folder serves that folder as source files", async () => {
    const server = await built.serve(["images"], { cwd: folder });
    expect((await info(server.url, "base.png")).status).toBe(200);
    expect((await info(server.url, "sample")).status).toBe(404);
    const ready = (await (await fetch(`${server.url}/ready`)).json()) as { sources: { name: string }[] };
    expect(ready.sources.map(({ name }) => name)).toEqual(["files"]);
    expect(await stop(server)).toBe(0);
  });

  test("with a folder and a file without sources uses both", async () => {
    const file = write("tile.yaml", "image: { tile_size: 256 }");
    const server = await built.serve(["-config", file, "images"], { cwd: folder });
    expect(await (await info(server.url, "base.png")).json()).toMatchObject({ tiles: [{ width: 256 }] });
    expect(await stop(server)).toBe(0);
  });

  test.each([
    ["{}", "responses of any size, no cap on requests"],
    ["{ max_in_flight_per_ip: 7 }", "responses of any size, 7 requests at once from one network"],
    [
      "{ max_in_flight: 9, max_in_flight_per_ip: 7 }",
      "responses of any size, 9 requests at once, 7 requests at once from one network",
    ],
  ])("under limits %s prints them", async (limits, text) => {
    const server = await built.serve(["-config", write("limits.yaml", `limits: ${limits}`)]);
    await server.said(/info\.json\n/);
    expect(server.status().out).toContain(`, ${text}\n`);
    expect(await stop(server)).toBe(0);
  });

  test("counts the images of a source, under the shortest form of its path", async () => {
    mkdirSync(join(folder, "two/below"), { recursive: true });
    for (const name of ["one.png", "below/two.png"])
      copyFileSync(join(fixturesFolder, "base.png"), join(folder, "two", name));
    const server = await built.serve(["images/.././two/"], { cwd: folder });
    await server.said(/info\.json\n/);
    expect(server.status().out).toContain(`files: ${join(folder, "two")}, 2 images\n`);
    expect(await stop(server)).toBe(0);
  });

  test("with an unreachable origin explains it below the addresses, and serves the other sources", async () => {
    const file = write(
      "away.yaml",
      `sources: [{ name: near, type: filesystem, root: ./images }, { name: far, prefix: far/, type: http, url: "http://127.0.0.1:1/{identifier}?key=hunter2" }]`,
    );
    const server = await built.serve(["-config", file]);
    await server.said(/source "far": .*does not respond\. Start its server, or correct url\.\n/);
    const { out, err } = server.status();
    expect(out.indexOf("start page")).toBeLessThan(out.indexOf('source "far"'));
    expect(out + err).not.toContain("hunter2");
    expect((await info(server.url, "base.png")).status).toBe(200);
    expect(await stop(server)).toBe(0);
  });

  test("with an empty folder says so and serves", async () => {
    mkdirSync(join(folder, "empty"));
    const server = await built.serve(["empty"], { cwd: folder });
    await server.said(/no image found in source "files"/);
    expect((await fetch(`${server.url}/`)).status).toBe(200);
    expect(await stop(server)).toBe(0);
  });
});

describe("SIGHUP", () => {
  test("takes the live keys of the changed file, names those that wait, and keeps all when it is broken", async () => {
    const source = `sources: [{ name: s, type: filesystem, root: ${JSON.stringify(images)} }]`;
    const file = write("live.yaml", source);
    const server = await built.serve(["-config", file]);
    expect((await info(server.url, "base.png")).status).toBe(200); // 600 x 400 = 240,000 pixels

    write("live.yaml", `${source}\nimage: { max_pixel_area: 239999, tile_size: 256 }`);
    server.process.kill("SIGHUP");
    await server.said(/configuration read again needRestart=\["image\.tile_size"\]/);
    const refused = await info(server.url, "base.png");
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: "source_too_large" });

    write("live.yaml", `${source}\nimage: { max_pixel_area: none }`);
    server.process.kill("SIGHUP");
    await server.said(/configuration not changed .*image\.max_pixel_area/);
    expect((await info(server.url, "base.png")).status).toBe(400);

    write("live.yaml", `${source}\nimage: { max_pixel_area: 240000 }`);
    server.process.kill("SIGHUP");
    await server.said(/configuration read again\n/);
    expect(await (await info(server.url, "base.png")).json()).toMatchObject({ tiles: [{ width: 512 }] });
    expect(await stop(server)).toBe(0);
  });

  test("changes the log level", async () => {
    const file = write("level.yaml", "log: { level: warn }");
    const server = await built.serve(["-config", file]);
    await info(server.url, "sample");
    write("level.yaml", "log: { level: info }");
    server.process.kill("SIGHUP");
    await server.said(/configuration read again/);
    expect(server.status().err).not.toContain("/iiif/3/sample/info.json");
    await info(server.url, "sample");
    await server.said(/info {2}request .*path=\/iiif\/3\/sample\/info\.json .*status=200/);
    expect(await stop(server)).toBe(0);
  });
});

test("a start warns if clients choose the address that ids begin with, but not of a folder that is tried out", async () => {
  const warning = /warn .*base_url: is not set, so ids begin with an address that clients choose/;
  const open = write("open.yaml", "trusted_proxies: [127.0.0.1]");
  const named = write("named.yaml", "base_url: https://images.example.org");
  for (const [args, warns] of [
    [["-config", open], true],
    [["-config", named], false],
    [[images], false],
  ] as const) {
    const server = await built.serve(args);
    await info(server.url, "sample");
    expect([args, warning.test(server.status().err)]).toEqual([args, warns]);
    expect(await stop(server)).toBe(0);
  }
});

describe("SIGTERM", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets a running request finish, soon takes no new connection, and exits 0",
    async (signal) => {
      await grain(2800, 2800, 40).jpeg().toFile(join(images, "large.jpg"));
      const file = write("patient.yaml", "shutdown_timeout: 5m");
      const server = await built.serve(["-config", file, images]);
      let answered = false;
      const answer = fetch(`${server.url}/iiif/3/large.jpg/full/max/1/default.png`).then(async (response) => {
        const bytes = new Uint8Array(await response.arrayBuffer());
        answered = true;
        return { status: response.status, bytes };
      });
      // The request has begun when another one sent after it has been answered.
      await info(server.url, "large.jpg");
      server.process.kill(signal);
      await server.said(/info {2}stopping/);
      expect(answered).toBe(false);
      const port = Number(new URL(server.url).port);
      await expect.poll(() => refusalOf(port)).toBe("ECONNREFUSED");
      const { status, bytes } = await answer;
      expect(status).toBe(200);
      expect(await sharp(bytes).stats()).toMatchObject({ isOpaque: false }); // decodes to its end; uncovered corners
      expect((await server.ended).code).toBe(0);
    },
  );

  test("cuts responses that run longer than shutdown_timeout, and exits 0", async () => {
    const file = write(
      "short.yaml",
      `shutdown_timeout: 200ms\nsources: [{ name: s, type: filesystem, root: ${JSON.stringify(images)} }]`,
    );
    const server = await built.serve(["-config", file]);
    const answer = fetch(`${server.url}/iiif/3/large.jpg/full/max/1/default.png`).then((response) =>
      response.arrayBuffer(),
    );
    answer.catch(() => {});
    await info(server.url, "large.jpg");
    server.process.kill("SIGTERM");
    await expect(answer).rejects.toThrow();
    expect((await server.ended).code).toBe(0);
  });
});

describe("a cache in a folder that cannot be used", () => {
  test.each([
    ["a-file/cache", "a part of its path is a file"],
    ...(process.platform === "linux" ? [["/proc/none", "it does not exist and cannot be created"]] : []),
  ])(
    "%s is named with the reason below the addresses, in the log and in /ready, and images are served",
    async (path, reason) => {
      write("a-file", "");
      const file = write(
        "unusable.yaml",
        `base_url: http://localhost:8080\ncache: { render: { backend: filesystem, path: ${path} } }`,
      );
      const server = await built.serve(["-config", file]);
      await server.said(new RegExp(`cache "render": .*${reason}`));
      await server.said(new RegExp(`warn .*slot=render .*${reason}`));
      expect(server.status().out).toContain(
        `cache render   filesystem in ${path.startsWith("/") ? path : join(folder, path)}, `,
      );
      const ready = (await (await fetch(`${server.url}/ready`)).json()) as {
        status: string;
        caches: { name: string; error?: string }[];
      };
      expect(ready.status).toBe("ready");
      expect(ready.caches.find(({ name }) => name === "render")?.error).toContain(reason);
      expect((await fetch(`${server.url}/iiif/3/sample/full/64,/0/default.jpg`)).status).toBe(200);
      expect(await stop(server)).toBe(0);
      const checked = await built.run(["check", "-config", file]);
      expect([checked.code, checked.err]).toEqual([
        0,
        expect.stringMatching(
          new RegExp(`^smalti: warning: line 2, column \\d+: cache\\.render\\.path: .*${reason}`),
        ),
      ]);
    },
  );
});

describe.concurrent("a cache that never responds", () => {
  let silent: Server;
  beforeAll(async () => {
    // Takes connections and says nothing.
    silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => silent.close());

  const hanging = async (name: string, timeout: string) => {
    const { port } = silent.address() as AddressInfo;
    const redis = `{ backend: redis, addr: "127.0.0.1:${port}", timeout: 6s }`;
    const file = write(name, `shutdown_timeout: ${timeout}\ncache: { info: ${redis} }`);
    const server = await built.serve(["-config", file]);
    // The facts of the sample are being written to the cache when the server stops.
    expect((await info(server.url, "sample")).status).toBe(200);
    return server;
  };

  test("holds no stop up once shutdown_timeout has passed", async () => {
    const server = await hanging("hanging.yaml", "300ms");
    expect(await stop(server)).toBe(0);
    expect(server.status().err).toMatch(/warn .*shutdown_timeout/);
  });

  test("is not waited for after a second signal, and the exit code is 1", async () => {
    const server = await hanging("stubborn.yaml", "5m");
    server.process.kill("SIGTERM");
    await server.said(/info {2}stopping/);
    // Signals within the first half second count as the one that bunx and similar programs forward.
    const again = setInterval(() => server.process.kill("SIGINT"), 100);
    expect((await server.ended).code).toBe(1);
    clearInterval(again);
    // A busy machine may let through another one before the process ends.
    expect(server.status().err).toContain("second signal");
  });
});

describe.concurrent("files that hang", () => {
  test("in a cache on a dead mount delay neither a response nor the stop", async ({ skip }) => {
    const mount = await mountDead();
    if (!mount) return skip("only root may mount, where the kernel has FUSE");
    await grain(1200, 900, 40).jpeg({ progressive: true }).toFile(join(images, "progressive.jpg"));
    const cache = `{ backend: filesystem, path: ${JSON.stringify(join(mount.path, "cache"))} }`;
    const file = write(
      "dead.yaml",
      `shutdown_timeout: 10s\ncache: { render: ${cache}, info: ${cache}, origin: ${cache}, text: ${cache} }`,
    );
    const server = await built.serve(["-config", file, images]);
    for (const left of [0, 100, 200, 300]) {
      const answer = await fetch(`${server.url}/iiif/3/progressive.jpg/${left},0,512,512/256,/0/default.png`);
      expect(answer.status).toBe(200);
      expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ width: 256, height: 256 });
    }
    const ready = (await (await fetch(`${server.url}/ready`)).json()) as {
      status: string;
      caches: { name: string; error?: string }[];
    };
    expect(ready.status).toBe("ready");
    // Nothing uses the cache of changes, which is in memory.
    for (const { error } of ready.caches.filter(({ name }) => name !== "changes"))
      expect(error).toMatch(/respond/);
    expect(server.status().err).toMatch(/warn .*goes on without it, in memory .*slot=origin/);
    server.process.kill("SIGTERM");
    await server.ended;
    expect(server.process.signalCode).toBe("SIGTERM");
    expect(server.status().err).toMatch(/error ended by a signal.*FSReqPromise/);
    const { err } = await built.run(["check", "-config", file]);
    expect(err).toMatch(/cache\.origin\.path: .*no response/);
    await mount.remove();
  });

  test("in a thread of Node delay no stop, not even a worker's", async () => {
    const pipe = join(folder, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    // Both wait for a writer that never comes.
    const preload = write(
      "hang.mjs",
      `import { open } from "node:fs/promises";
import { isMainThread } from "node:worker_threads";
import { openSync } from "node:fs";
if (isMainThread) open(${JSON.stringify(pipe)}, "r");
else openSync(${JSON.stringify(pipe)}, "r");`,
    );
    const server = await built.serve([], { flags: ["--import", preload] });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    server.process.kill("SIGTERM");
    await server.ended;
    expect(server.process.signalCode).toBe("SIGTERM");
    expect(server.status().err).toMatch(/error ended by a signal.*FSReqPromise.*Worker/);
  });

  test("of a slow disk leave a command its exit code, and those that never return end it", async () => {
    const pipe = join(folder, "slow");
    await promisify(execFile)("mkfifo", [pipe]);
    const preload = write(
      "slow.mjs",
      `import { open } from "node:fs/promises";\nopen(${JSON.stringify(pipe)}, "r");`,
    );
    const start = () => built.start(["version"], { flags: ["--import", preload] });
    // Undefined before the command opens the pipe, since there is no reader; a call that waits would hang.
    const openEnd = () => open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
    const slow = start();
    await slow.said(/\n/);
    let end = await openEnd();
    while (!end && slow.process.exitCode === null && slow.process.signalCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      end = await openEnd();
    }
    await end?.close();
    expect(await slow.ended).toMatchObject({ code: 0, err: "" });

    const dead = start();
    await dead.ended;
    expect(dead.process.signalCode).toBe("SIGTERM");
    expect(dead.status().err).toMatch(/within 10 s \(FSReqPromise.* ends by a signal instead of exit code 0/);
  });
});

describe("the log", () => {
  const failing = "broken.png/full/max/0/default.jpg";

  test("as JSON is one object per line on standard error, and nothing else is written", async () => {
    const server = await built.serve(["images"], {
      cwd: folder,
      env: { SERVICE_LOG_FORMAT: "json", SERVICE_LOG_LEVEL: "debug" },
    });
    await fetch(`${server.url}/iiif/3/${failing}`);
    await fetch(`${server.url}/iiif/3/a%0Ab%22/info.json`);
    expect(await stop(server)).toBe(0);
    const { out, err } = server.status();
    expect(out).toBe("");
    const entries = err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ message }) => message)).toEqual(
      expect.arrayContaining(["serving", "request", "stopping"]),
    );
    expect(
      entries.every(
        (entry) => typeof entry.level === "string" && !Number.isNaN(Date.parse(String(entry["@timestamp"]))),
      ),
    ).toBe(true);
  });

  test("at level error holds no request and no start", async () => {
    const server = await built.serve(["images"], { cwd: folder, env: { SERVICE_LOG_LEVEL: "error" } });
    await info(server.url, "base.png");
    expect(await stop(server)).toBe(0);
    expect(server.status().err).toBe("");
  });
});

test("no error reveals a path, a stack or the name of the folder", async () => {
  const server = await built.serve([images]);
  for (const path of [
    "broken.png/info.json",
    "none.png/info.json",
    "..%2F..%2Fetc%2Fpasswd/info.json",
    "base.png/9,9,9/max/0/default.jpg",
    "broken.png/full/max/0/default.jpg",
  ])
    for (const accept of ["application/json", "text/html"]) {
      const response = await fetch(`${server.url}/iiif/3/${path}`, { headers: { Accept: accept } });
      expect(response.status).toBeGreaterThanOrEqual(400);
      const text = await response.text();
      expect(text).not.toContain(folder);
      expect(text).not.toContain(built.dist);
      expect(text).not.toMatch(/\bat \S+ \(|\.js:\d+|\.ts:\d+|node_modules/);
    }
  expect(await stop(server)).toBe(0);
});
