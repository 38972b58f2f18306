// A real Redis for tests, from Debian, in a separate folder; and an HTTP front for it that speaks the REST
// protocol of Upstash.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Redis } from "ioredis";
import { freePort } from "./free-port.ts";

export interface RedisServer {
  readonly port: number;
  /** A separate client for inspecting the contents. */
  readonly admin: Redis;
  /** Kills the process; its data is lost. */
  kill(): Promise<void>;
  /** Stops answering, connections stay. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the options of a TCP driver for a server without a password, waiting for at most two minutes. */
export const tcpOptions = ({ port }: Pick<RedisServer, "port">) =>
  ({
    host: "127.0.0.1",
    port,
    db: 0,
    tls: false,
    password: undefined,
    timeoutMs: 120_000,
    connectEachTime: false,
  }) as const;

/** Starts redis-server on a free port of 127.0.0.1 and waits until it responds. */
export async function startRedis({
  args = [] as readonly string[],
  password = "",
} = {}): Promise<RedisServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "smalti-redis-"));
  const connection = { host: "127.0.0.1", port, retryStrategy: () => 20, maxRetriesPerRequest: null };
  let child: ChildProcess | undefined;
  // Also if its parent ends early.
  const end = () => void child?.kill("SIGKILL");
  process.once("exit", end);
  const start = async () => {
    const secret = password ? ["--requirepass", password] : [];
    const place = ["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder, "--save", ""];
    const started = spawn("redis-server", [...place, ...secret, ...args], { stdio: "ignore" });
    child = started;
    await new Promise<void>((resolve, reject) => {
      started.once("error", (cause) =>
        reject(new Error("redis-server cannot be started; install it (Debian: redis-server)", { cause })),
      );
      started.once("spawn", resolve);
    });
    await admin.ping();
  };
  const kill = async () => {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await ended;
  };
  const admin = new Redis({ ...connection, ...(password ? { password } : {}) });
  admin.on("error", () => {});
  await start();
  return {
    port,
    admin,
    kill,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async restart() {
      await kill();
      await start();
    },
    async close() {
      process.off("exit", end);
      admin.disconnect();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface RestFront {
  readonly url: string;
  /** True if requests get a 500. */
  broken: boolean;
  close(): Promise<void>;
}

/** Upstash's REST protocol in front of a Redis: a command as JSON list, its reply as JSON, a bearer token. */
export async function startRestFront({ port }: RedisServer, token: string): Promise<RestFront> {
  const redis = new Redis({ host: "127.0.0.1", port });
  redis.on("error", () => {});
  const app = new Hono();
  app.post("/", async (context) => {
    if (context.req.header("authorization") !== `Bearer ${token}`)
      return context.json({ error: "WRONGPASS invalid or missing auth token" }, 401);
    if (front.broken) return context.json({ error: "ERR internal" }, 500);
    const [command = "", ...args] = ((await context.req.json()) as unknown[]).map(String);
    try {
      return context.json({ result: await redis.call(command, ...args) });
    } catch (error) {
      return context.json({ error: (error as Error).message }, 400);
    }
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0, overrideGlobalObjects: false });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address() as { readonly port: number };
  const front = {
    url: `http://127.0.0.1:${address.port}`,
    broken: false,
    async close() {
      redis.disconnect();
      await new Promise((resolve) => {
        server.close(resolve);
        (server as unknown as { closeAllConnections(): void }).closeAllConnections();
      });
    },
  };
  return front;
}
