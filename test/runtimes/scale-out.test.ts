// Three replicas, processes or containers, behind the nginx of deploy/proxy, with Redis for derivatives,
// facts and sessions, and a bucket for sidecars: under load they are restarted in turn, one is killed, and
// Redis is restarted. REQUESTS=20000 sends at least that many in each part.

import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { freePort } from "../servers/free-port.ts";
import { exampleSite, hasNginx, type Nginx, startNginx } from "../servers/nginx.ts";
import { type RedisServer, startRedis } from "../servers/redis.ts";
import { type S3Server, startS3, testAccount } from "../servers/s3.ts";
import type { Place, Runtime } from "./runtimes.ts";
import { runtimesFor } from "./selection.ts";

const requests = Number(process.env.REQUESTS ?? 500);
const gated = "staff.png";
/** Pictures of which a tile costs little. */
const quick = ["base.png", "jpg-baseline-420.jpg", "tif-bigtiff-bigendian-tiled.tif", "webp-lossy.webp"];

const env = {
  AWS_ACCESS_KEY_ID: testAccount.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccount.secretAccessKey,
  AWS_SESSION_TOKEN: testAccount.sessionToken ?? "",
};

/** One of the servers behind the proxy, always on the same port. */
class Replica {
  readonly #runtime: Runtime;
  readonly #place: Place;
  #process: ChildProcess | undefined;
  output = "";

  constructor(runtime: Runtime, directory: string, port: number) {
    this.#runtime = runtime;
    this.#place = { directory, port, env };
  }

  get port(): number {
    return this.#place.port;
  }

  /** Resolves once it is ready for requests. */
  async start(): Promise<void> {
    const [command = "", ...args] = this.#runtime.command(this.#place);
    const child = spawn(command, args, {
      cwd: this.#runtime.cwd ?? this.#place.directory,
      env: { ...process.env, ...env, SERVICE_ADDR: `127.0.0.1:${this.port}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (this.output += part));
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`A replica ended:\n${this.output}`);
      const response = await fetch(`http://127.0.0.1:${this.port}/ready`).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Exit code, or null if a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill(signal);
    return ended;
  }
}

describe.each(runtimesFor("replicas").filter(({ name }) => name.startsWith("node")))(
  "three replicas of $name",
  (runtime) => {
    let folder: string;
    let redis: RedisServer;
    let bucket: S3Server;
    let replicas: readonly Replica[];
    let proxy: Nginx;

    beforeAll(async () => {
      if (!hasNginx) return;
      folder = mkdtempSync(join(tmpdir(), "smalti-scale-"));
      mkdirSync(join(folder, "images"));
      for (const name of quick) copyFileSync(join(fixturesFolder, name), join(folder, "images", name));
      copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images", gated));
      // Sessions survive a restart of Redis if it writes its data; "always" means before each response.
      redis = await startRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
      bucket = await startS3();
      const shared = `backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s, max_memory: 256MiB`;
      const objects = `bucket: ${bucket.bucket}, region: ${bucket.region}, endpoint: "${bucket.url}", path_style: true, session_token_env: AWS_SESSION_TOKEN`;
      writeFileSync(
        join(folder, "config.yaml"),
        `sources: [{ name: images, type: filesystem, root: ${runtime.images ?? "./images"} }]
image: { max_concurrent: 1 }
log: { level: warn }
http: { server_timing: true }
trusted_proxies: [127.0.0.1]
cache:
  render: { ${shared} }
  info: { ${shared} }
  origin: { backend: s3, ${objects} }
auth:
  session: { backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s } }
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: ${gated}, profile: terms }]
`,
      );
      const ports = [await freePort(), await freePort(), await freePort()];
      replicas = ports.map((port) => new Replica(runtime, folder, port));
      await Promise.all(replicas.map((replica) => replica.start()));
      proxy = await startNginx({
        http: (folder, port) =>
          // Each request is to reach a replica.
          exampleSite({ folder, port, replicas: ports }).replace("proxy_cache smalti;", "proxy_cache off;"),
      });
    });
    afterAll(async () => {
      await proxy?.close();
      await Promise.all((replicas ?? []).map((replica) => replica.end("SIGKILL")));
      await Promise.all([redis?.close(), bucket?.close()]);
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    /**
     * Returns the path of a tile that has not been requested yet; each fifth is one of a few that are cached.
     */
    function tile(round: number, n: number): string {
      const name = quick[n % quick.length];
      const left = n % 5 === 0 ? 0 : (n * 7) % 500;
      const width = n % 5 === 0 ? 100 : 40 + ((n * 13 + round) % 60);
      return `/iiif/3/${name}/${left},20,${width},100/${width},/0/default.jpg`;
    }

    /**
     * Fetches tiles through the proxy, eight at a time, until `act` has ended. Failures in words, and how
     * many were fetched. `act` may wait until some more are.
     */
    async function underLoad(
      round: number,
      act: (fetched: (more: number) => Promise<void>) => Promise<unknown>,
    ) {
      const failures: string[] = [];
      let fetched = 0;
      let isOver = false;
      const client = async () => {
        while (!isOver || fetched < requests) {
          const path = tile(round, fetched++);
          try {
            const response = await fetch(proxy.url + path);
            const bytes = new Uint8Array(await response.arrayBuffer());
            const isWhole = bytes[0] === 0xff && bytes.at(-1) === 0xd9;
            if (response.status !== 200 || !isWhole) failures.push(`${response.status} for ${path}`);
          } catch (error) {
            failures.push(`${error} for ${path}`);
          }
        }
      };
      const clients = Promise.all(Array.from({ length: 8 }, client));
      const more = async (count: number) => {
        const before = fetched;
        await expect.poll(() => fetched).toBeGreaterThan(before + count);
      };
      await act(more).finally(() => {
        isOver = true;
      });
      await clients;
      console.log(`${fetched} requests, ${failures.length} failed`);
      return failures;
    }

    /** Ends and starts each replica, and the next one only when the one before is ready again. */
    async function restartAll(): Promise<void> {
      for (const replica of replicas) {
        expect(await replica.end("SIGTERM")).toBe(0);
        await replica.start();
      }
    }

    /** A session, begun by one replica. */
    async function logIn({ port }: Replica): Promise<string> {
      const login = await fetch(`http://127.0.0.1:${port}/iiif/auth/login/terms`, {
        method: "POST",
        body: new URLSearchParams(),
      });
      expect(login.status).toBe(200);
      const [cookie = ""] = (login.headers.get("Set-Cookie") ?? "").split(";");
      return cookie;
    }

    /** Returns each replica's status for a session that requests the gated image. */
    const statuses = (cookie: string) =>
      Promise.all(
        replicas.map(async ({ port }) => {
          const path = `http://127.0.0.1:${port}/iiif/3/${gated}/full/50,/0/default.png`;
          const response = await fetch(path, { headers: { cookie } });
          await response.arrayBuffer();
          return response.status;
        }),
      );

    const run = test.runIf(hasNginx);

    run(
      "no request fails while the replicas are restarted one after the other, and sessions stay",
      async () => {
        const cookie = await logIn(replicas[0] as Replica);
        expect(await statuses("")).toEqual([401, 401, 401]);
        expect(await statuses(cookie)).toEqual([200, 200, 200]);
        expect(await underLoad(1, restartAll)).toEqual([]);
        expect(await statuses(cookie)).toEqual([200, 200, 200]);
      },
    );

    run("no request fails while one replica is killed: the proxy asks another", async () => {
      const [first] = replicas;
      const failures = await underLoad(2, async (fetched) => {
        await fetched(20);
        await first?.end("SIGKILL");
      });
      // nginx retries responses that have not begun; those in transfer are cut off.
      expect(failures.length).toBeLessThanOrEqual(8);
      await first?.start();
    });

    run("no request fails while Redis is restarted, and sessions are there again", async () => {
      const cookie = await logIn(replicas[1] as Replica);
      const failures = await underLoad(3, async (fetched) => {
        await fetched(20);
        await redis.kill();
        await fetched(40);
        await redis.restart();
      });
      expect(failures).toEqual([]);
      await expect.poll(() => statuses(cookie)).toEqual([200, 200, 200]);
    });

    run("a derivative that one replica has made is a cache hit on the others", async () => {
      const path = "/iiif/3/base.png/1,2,30,40/max/0/default.png";
      const [first, ...others] = replicas;
      const cacheOf = async (replica: Replica | undefined) => {
        const response = await fetch(`http://127.0.0.1:${replica?.port}${path}`);
        await response.arrayBuffer();
        return response.headers.get("Server-Timing");
      };
      expect(await cacheOf(first)).toContain("miss");
      for (const replica of others) await expect.poll(() => cacheOf(replica)).toContain("hit"); // stored in the background
    });
  },
);
