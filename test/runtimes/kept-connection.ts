// A keep-alive connection that never repeats a request, as HTTP clients and proxies may do.

import { connect } from "node:net";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A keep-alive connection. */
export interface Client {
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
export async function connectClient(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
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
