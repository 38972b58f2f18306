// Requests as bytes, for what no HTTP client sends.

import { connect } from "node:net";

/** True if the first response is complete, by its length or the last of its chunks. */
function isComplete(answer: string): boolean {
  const headEnd = answer.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, headEnd + 2)) ?? [];
  return length === undefined
    ? answer.endsWith("\r\n0\r\n\r\n")
    : answer.length - headEnd - 4 >= Number(length);
}

/**
 * Sends `text` to a port of this machine; returns everything received until the connection ends. `once`: or
 * until the first response is complete, since workerd leaves connections open for seconds.
 */
export function rawExchange(port: number, text: string, once = false): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1");
    socket.on("data", (part) => {
      answer += part;
      if (once && isComplete(answer)) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
  });
}

/** Sends a GET over a separate raw connection; returns status and body. */
export async function rawGet(port: number, target: string): Promise<{ status: number; body: string }> {
  const answer = await rawExchange(
    port,
    `GET ${target} HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n`,
    true,
  );
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: rest.join("\r\n\r\n") };
}

/** Connects and leaves; resolves with the code of the error if that failed, such as ECONNREFUSED. */
export const refusalOf = (port: number) =>
  new Promise<string | undefined>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
