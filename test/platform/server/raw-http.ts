// Requests as bytes, for what no HTTP client sends.

import { connect } from "node:net";

/** Sends `text` to a port of this machine; everything that comes back until the connection ends. */
export function rawExchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1");
    socket.on("data", (part) => {
      answer += part;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
  });
}

/** A GET over a raw connection that closes afterwards: status and body. */
export async function rawGet(port: number, target: string): Promise<{ status: number; body: string }> {
  const answer = await rawExchange(
    port,
    `GET ${target} HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n`,
  );
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: rest.join("\r\n\r\n") };
}
