// SIGTERM while clients hold keep-alive connections: each gets whole responses and an orderly end.

import { get } from "node:http";
import { connect } from "node:net";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixture } from "../host.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { chosenRuntimes } from "./runtimes.ts";
import { type Started, startServer } from "./server.ts";

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A keep-alive connection. */
interface Client {
  /**
   * Sends a GET and resolves with its response; undefined if the connection ended cleanly before the first
   * byte.
   */
  get(path: string): Promise<Answer | undefined>;
  /** Resolves when the server has closed the connection. Rejects when the connection was reset. */
  readonly closed: Promise<void>;
  /** True if the server has closed it. */
  isClosed(): boolean;
  end(): void;
}

/**
 * Connects to a port of this machine. Reads responses with Content-Length or in chunks (RFC 9112, section 6).
 */
async function connectClient(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  socket.setTimeout(45_000, () => socket.destroy(new Error("The server was silent for 45 s.")));
  let received = Buffer.alloc(0);
  let over = false;
  let tell = () => {};
  const closed = new Promise<void>((resolve, reject) => {
    socket.once("end", resolve);
    socket.once("error", reject);
  });
  closed
    .catch(() => {})
    .finally(() => {
      over = true;
      tell();
    });
  socket.on("data", (part) => {
    received = Buffer.concat([received, part]);
    tell();
  });
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  return {
    closed,
    isClosed: () => over,
    end: () => socket.destroy(),
    async get(path) {
      if (over) return undefined;
      received = Buffer.alloc(0);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      for (;;) {
        const answer = parseAnswer(received);
        if (answer) return answer;
        if (over) {
          await closed;
          if (received.length === 0) return undefined;
          throw new Error(`The connection ended in the middle of an answer: ${received.subarray(0, 500)}`);
        }
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    },
  };
}

/** Returns a complete response; undefined while parts are missing. */
function parseAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(/: */, 2) as [string, string]));
  const content = bytes.subarray(end + 4);
  const body = headers.has("content-length")
    ? wholeBody(content, Number(headers.get("content-length")))
    : chunkedBody(content);
  return body && { status: Number(first.split(" ")[1]), headers, body };
}

const wholeBody = (content: Buffer, length: number) =>
  content.length < length ? undefined : content.subarray(0, length);

function chunkedBody(content: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = content.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const length = Number.parseInt(content.subarray(at, line).toString("latin1"), 16);
    if (content.length < line + 2 + length + 2) return undefined;
    if (length === 0) return Buffer.concat(parts);
    parts.push(content.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

// workerd itself ends when its requests are done; nothing of ours has a part in it.
const ownServers = chosenRuntimes().filter(({ hosted }) => !hosted);

describe.each(ownServers)("SIGTERM on $name", (runtime) => {
  let origin: Origin;
  let server: Started;
  beforeEach(async () => {
    origin = await startOrigin({ "a.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
    });
  });
  afterEach(async () => {
    await server?.close();
    await origin?.close();
  });
  const stopping = () => expect.poll(server.output, { timeout: 30_000, interval: 5 }).toContain("stopping");

  it("lets a running request finish, announces the end of its connection, and closes it", async () => {
    let release = () => {};
    origin.behaviour.hold = new Promise((resolve) => {
      release = resolve;
    });
    const asked = origin.asked.length;
    const [client, idle] = await Promise.all([connectClient(server.port), connectClient(server.port)]);
    expect((await idle.get("/health"))?.headers.get("connection")).not.toBe("close");
    const answer = client.get("/iiif/3/web%2Fa.jpg/full/300,/0/default.png");
    await expect.poll(() => origin.asked.length, { timeout: 30_000 }).toBeGreaterThan(asked);
    server.signal("SIGTERM");
    await stopping();
    // It may be too late for a response, but is not reset.
    const late = await idle.get("/health");
    if (late) expect([late.status, late.headers.get("connection")]).toEqual([200, "close"]);
    await idle.closed;
    release();
    const { status, headers, body } = (await answer) as Answer;
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    expect(await sharp(body).metadata()).toMatchObject({ format: "png", width: 300, height: 200 });
    await client.closed;
    expect(await server.ended).toBe(0);
  });

  it("resets none of the keep-alive connections", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => connectClient(server.port)));
    let answers = 0;
    const work = clients.map(async (client, i) => {
      for (let n = 0; !client.isClosed(); n++) {
        const answer = await client.get(`/iiif/3/base.png/${i},${n % 300},32,32/max/0/default.jpg`);
        if (!answer) break;
        answers++;
        expect(answer.status).toBe(200);
        if (answer.headers.get("connection") === "close") break;
        // Data received meanwhile, including an end, is read before the next request.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.closed;
    });
    await expect.poll(() => answers, { timeout: 30_000 }).toBeGreaterThan(24);
    server.signal("SIGTERM");
    await Promise.all(work);
    expect(await server.ended).toBe(0);
  });

  it("loses no request of clients that go on until it accepts no more", async () => {
    const path = `http://127.0.0.1:${server.port}/iiif/3/base.png`;
    let answers = 0;
    // Each request has a connection of its own, since a busy client may find a kept one closed.
    const statusOf = (url: string) =>
      new Promise<number | string | undefined>((resolve) => {
        const failed = ({ code }: NodeJS.ErrnoException) => resolve(code);
        get(url, { agent: false }, (response) => {
          response.resume().on("error", failed);
          response.on("end", () => resolve(response.statusCode));
        }).on("error", failed);
      });
    const clients = Array.from({ length: 12 }, async (_, i) => {
      for (let n = 0; ; n++) {
        const status = await statusOf(`${path}/${i},${n % 300},32,32/max/0/default.jpg`);
        if (status !== 200) return status;
        answers++;
      }
    });
    await expect.poll(() => answers, { timeout: 30_000 }).toBeGreaterThan(24);
    server.signal("SIGTERM");
    expect(new Set(await Promise.all(clients))).toEqual(new Set(["ECONNREFUSED"]));
    expect(await server.ended).toBe(0);
  });

  it("ends after shutdown_timeout although a request never does", async () => {
    await server.close();
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
      extra: "shutdown_timeout: 300ms\n",
    });
    origin.behaviour.hold = new Promise(() => {});
    const asked = origin.asked.length;
    const client = await connectClient(server.port);
    const answer = client.get("/iiif/3/web%2Fa.jpg/info.json");
    answer.catch(() => {});
    await expect.poll(() => origin.asked.length, { timeout: 30_000 }).toBeGreaterThan(asked);
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
    client.end();
  });
});
