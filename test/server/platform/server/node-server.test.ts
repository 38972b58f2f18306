// The Node server, spoken to over raw sockets.

import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ServeOptions, Serving } from "../../../../src/base/platform.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { serveNode } from "../../../../src/server/platform/server/node-server.ts";
import { rawExchange, rawGet, refusalOf } from "./raw-http.ts";

const platform = nodePlatform(new URL("../../../../dist/", import.meta.url));
const running: Serving[] = [];

async function listen(options: Partial<ServeOptions> = {}): Promise<{ serving: Serving; port: number }> {
  const serving = await platform.serve!({
    hostname: "127.0.0.1",
    port: 0,
    readTimeoutMs: 0,
    writeTimeoutMs: 0,
    keepAliveMs: 75_000,
    fetch: (request) => new Response(platform.rawTarget(request)),
    ...options,
  });
  running.push(serving);
  return { serving, port: Number(new URL(serving.urls[0] ?? "").port) };
}

afterEach(() => Promise.all(running.splice(0).map((serving) => serving.stop(0))));

/** Returns status and code of a response that is a problem document; its length has to match its headers. */
function problemIn(answer: string): [status: number, code: string] {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  expect(/^content-length: (\d+)$/im.exec(head)?.[1] ?? String(body.length)).toBe(String(body.length));
  const { status, code } = JSON.parse(body) as { status: number; code: string };
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  return [status, code];
}

/** A promise and its resolver. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("the request target", () => {
  const targets = [
    "/iiif/3/a\\b/info.json",
    "/iiif/3/a%2Fb/info.json",
    "/iiif/3/a%2fb//c/info.json",
    "//example.com/x",
    "/iiif/3/../../etc/passwd",
    "/iiif/3/%2e%2E/x?y=\\z&w=%",
    "/caf%E4",
  ];
  for (const target of targets) {
    it(`reaches the application as it came: ${target}`, async () => {
      const { port } = await listen();
      expect(await rawGet(port, target)).toEqual({ status: 200, body: target });
    });
  }

  it("loses scheme and authority when it is absolute", async () => {
    const { port } = await listen();
    expect((await rawGet(port, "http://example.org/a/../b")).body).toBe("/a/../b");
  });

  it("may be sent by HTTP/1.0 without a Host header", async () => {
    const { port } = await listen();
    const answer = await rawExchange(port, "GET /x HTTP/1.0\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\/x$/);
  });

  it("is accepted up to 64 KiB", async () => {
    const { port } = await listen();
    const target = `/${"a".repeat(64 * 1024)}`;
    expect((await rawGet(port, target)).body).toBe(target);
  });
});

describe("malformed requests", () => {
  it.each([
    ["no HTTP at all", "nonsense\r\n\r\n"],
    ["HTTP/1.1 without Host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["a target that is no path", "GET x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"],
    ["a field without a name", "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n"],
  ])("get 400 and a problem: %s", async (_, text) => {
    const { port } = await listen();
    expect(problemIn(await rawExchange(port, text))).toEqual([400, "malformed_request"]);
  });

  /** Fields that a proxy and this server may read differently (RFC 9112, sections 6 and 11.2). */
  const misframed = {
    "a coding before chunked": "Transfer-Encoding: identity, chunked",
    "an unknown coding before chunked": "Transfer-Encoding: gzip, chunked",
    "an empty coding before chunked": "Transfer-Encoding: , chunked",
    "chunked not at the end": "Transfer-Encoding: chunked, identity",
    "chunked twice": "Transfer-Encoding: chunked, chunked",
    "codings in two fields": "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "chunked in two fields": "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "identity alone": "Transfer-Encoding: identity",
    "a coding that ends like chunked": "Transfer-Encoding: xchunked",
    "a coding that begins like chunked": "Transfer-Encoding: chunkedx",
    "chunked with a parameter": "Transfer-Encoding: chunked;q=1",
    "chunked in quotes": 'Transfer-Encoding: "chunked"',
    "a vertical tab before chunked": "Transfer-Encoding: \x0bchunked",
    "a folded field": "Transfer-Encoding:\r\n chunked",
    "a space before the colon": "Transfer-Encoding : chunked",
    "no coding": "Transfer-Encoding:",
    "a length after chunked": "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "a length before chunked": "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "two lengths": "Content-Length: 5\r\nContent-Length: 5",
    "a list of lengths": "Content-Length: 5, 5",
    "a signed length": "Content-Length: +5",
    "a hexadecimal length": "Content-Length: 0x5",
    "a line that ends without CR": "Transfer-Encoding: chunked\nX: y",
  } as const;

  it.each(Object.entries(misframed))(
    "in which a body may hide another request get 400, and the other request none: %s",
    async (_, fields) => {
      const reached: string[] = [];
      const { port } = await listen({
        async fetch(request) {
          reached.push(request.method);
          return new Response(await request.text());
        },
      });
      const hidden = "0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";
      const answer = await rawExchange(port, `POST / HTTP/1.1\r\nHost: h\r\n${fields}\r\n\r\n${hidden}`);
      expect(problemIn(answer)).toEqual([400, "malformed_request"]);
      expect(answer).toMatch(/^connection: close$/im);
      expect(reached).toEqual([]);
    },
  );

  it("with a chunked body by HTTP/1.0, which has none, get 400", async () => {
    const { port } = await listen();
    const text = "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    expect(problemIn(await rawExchange(port, text))).toEqual([400, "malformed_request"]);
  });

  it.each(["chunked", "Chunked", "\tchunked "])(
    "are none if their body is chunked and nothing else: %j",
    async (coding) => {
      const { port } = await listen({ fetch: async (request) => new Response(await request.text()) });
      const text = `POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding:${coding}\r\n\r\n`;
      const answer = await rawExchange(port, `${text}5\r\nhello\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain("hello");
    },
  );

  it("with more than 128 KiB of headers get 431 and a problem", async () => {
    const { port } = await listen();
    const text = `GET / HTTP/1.1\r\nHost: h\r\nX: ${"a".repeat(130 * 1024)}\r\n\r\n`;
    expect(problemIn(await rawExchange(port, text))).toEqual([431, "headers_too_large"]);
  });

  it("after a response that has begun add nothing to it", async () => {
    const { port } = await listen({
      fetch: () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode("part")),
          }),
        ),
    });
    const answer = new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
      socket.on("data", (bytes) => {
        text += bytes;
        if (text.includes("part")) socket.write("nonsense\r\n\r\n");
      });
      socket.on("close", () => resolve(text));
      socket.on("error", () => {});
    });
    expect(await answer).not.toContain("malformed_request");
  });
});

describe("the host of a request", () => {
  const fetch = (request: Request) =>
    new Response(JSON.stringify({ host: request.headers.get("host"), url: request.url }));

  it("reaches the application as it came, whatever it is", async () => {
    const { port } = await listen({ fetch });
    for (const host of ["a b/c", "[zz]", "u@h"]) {
      const answer = await rawExchange(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain(JSON.stringify({ host, url: `http://127.0.0.1:${port}/` }));
    }
  });

  it("is detected if it is given twice", async () => {
    const { port } = await listen({ fetch });
    const text = "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n";
    expect(await rawExchange(port, text)).toContain('"host":"a, b"');
  });

  it("is the listening address if HTTP/1.0 names none", async () => {
    const { port } = await listen({ fetch });
    expect(await rawExchange(port, "GET / HTTP/1.0\r\n\r\n")).toContain(`"url":"http://127.0.0.1:${port}/"`);
  });
});

describe("clients", () => {
  it("are known by their address", async () => {
    const { port } = await listen({ fetch: (request) => new Response(platform.clientAddress(request)) });
    expect((await rawGet(port, "/")).body).toBe("127.0.0.1");
  });

  it("that leave abort the signal of their request", async () => {
    const arrived = gate();
    const aborted = gate();
    const { port } = await listen({
      fetch: async (request) => {
        request.signal.addEventListener("abort", aborted.open);
        arrived.open();
        await aborted.opened;
        return new Response();
      },
    });
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    await arrived.opened;
    socket.destroy();
    await aborted.opened;
  });

  it("that do not finish their headers in time are cut off with 408 and a problem", async () => {
    const { port } = await listen({ readTimeoutMs: 100 });
    const answer = await rawExchange(port, "GET / HTTP/1.1\r\nHost: h\r\n");
    expect(problemIn(answer)).toEqual([408, "request_timeout"]);
  });

  it.each([
    ["nothing", ""],
    ["half of a head", "GET / HTTP/1.1\r\nHost: h\r\n"],
  ])("that send %s get 408 from the read timeout, whatever the write timeout", async (_, text) => {
    const { port } = await listen({ readTimeoutMs: 400, writeTimeoutMs: 50 });
    expect(problemIn(await rawExchange(port, text))).toEqual([408, "request_timeout"]);
  });

  it("learn how long an idle connection is kept open, whatever the read timeout", async () => {
    const { port } = await listen({ readTimeoutMs: 2000, keepAliveMs: 75_000 });
    const url = `http://127.0.0.1:${port}/`;
    expect((await fetch(url)).headers.get("keep-alive")).toBe("timeout=75");
  });

  it("may send a request in pieces when the time of an idle connection ends", async () => {
    const { port } = await listen({ keepAliveMs: 100 });
    const socket = connect(port, "127.0.0.1");
    const next = () => new Promise<string>((resolve) => socket.once("data", (part) => resolve(String(part))));
    socket.write("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n");
    await next();
    // The server's timer ends while the head is on its way.
    await new Promise((resolve) => setTimeout(resolve, 90));
    socket.write("GET /2 HTTP/1.1\r\n");
    // Longer than its grace.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    socket.write("Host: h\r\n\r\n");
    expect(await next()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  it("that are idle are closed, the longest first, if more than the maximum wait", async () => {
    const running = gate();
    const serving = await serveNode(
      {
        hostname: "127.0.0.1",
        port: 0,
        readTimeoutMs: 0,
        writeTimeoutMs: 0,
        keepAliveMs: 75_000,
        fetch: async ({ url }) => {
          if (url.endsWith("/slow")) await running.opened;
          return new Response("ok");
        },
      },
      3,
    );
    const port = Number(new URL(serving.urls[0] ?? "").port);
    const closed: number[] = [];
    const sockets: Socket[] = [];
    const open = async (name: number, target: string) => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      socket.once("close", () => closed.push(name));
      socket.write(`GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
      if (target !== "/slow") await new Promise((resolve) => socket.once("data", resolve));
      return socket;
    };
    const slow = await open(0, "/slow");
    for (const name of [1, 2, 3]) await open(name, "/");
    // The first one is used again, so that the second has waited longest.
    sockets[1]?.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    await new Promise((resolve) => sockets[1]?.once("data", resolve));
    await open(4, "/");
    await expect.poll(() => closed).toEqual([2]);
    running.open();
    await new Promise((resolve) => slow.once("data", resolve));
    expect(closed).toEqual([2]);
    for (const socket of sockets) socket.destroy();
    await serving.stop(0);
  });

  it("that do not read their response are cut off after the write timeout", async () => {
    const cancelled = gate();
    const { port } = await listen({
      writeTimeoutMs: 100,
      fetch: () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
            cancel: cancelled.open,
          }),
        ),
    });
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    socket.on("error", () => {});
    socket.pause();
    await cancelled.opened;
    socket.destroy();
  });

  it("that wait for a slow response are not cut off by the write timeout", async () => {
    const { port } = await listen({
      writeTimeoutMs: 50,
      fetch: async () => {
        await new Promise((resolve) => setTimeout(resolve, 250)); // longer than the write timeout
        return new Response("late");
      },
    });
    expect((await rawGet(port, "/")).body).toBe("late");
  });
});

describe("stopping", () => {
  it("lets a running request finish, and soon takes no new one", async () => {
    const arrived = gate();
    const go = gate();
    const { serving, port } = await listen({
      fetch: async () => {
        arrived.open();
        await go.opened;
        return new Response("whole");
      },
    });
    const answer = rawExchange(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); // keep-alive: the server has to close it
    await arrived.opened;
    const stopped = serving.stop(240_000);
    await expect.poll(() => refusalOf(port)).toBe("ECONNREFUSED");
    go.open();
    expect(await answer).toContain("whole");
    await stopped;
  });

  it("cuts unfinished responses after the grace period", async () => {
    const arrived = gate();
    const { serving, port } = await listen({
      fetch: () => {
        arrived.open();
        return new Promise(() => {});
      },
    });
    const answer = rawExchange(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    await arrived.opened;
    await serving.stop(50);
    expect(await answer).toBe("");
  });
});

describe("listening", () => {
  it("on a port in use is refused with the code EADDRINUSE and advice", async () => {
    const { port } = await listen();
    const second = listen({ port });
    await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
    await expect(second).rejects.toThrow(`127.0.0.1:${port} is in use`);
  });

  it("on all interfaces is shown as localhost", async () => {
    const { serving } = await listen({ hostname: undefined });
    expect(serving.urls[0]).toMatch(/^http:\/\/localhost:\d+$/);
  });
});
