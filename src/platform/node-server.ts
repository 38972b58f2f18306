// The HTTP server of Node: RFC 9112 timeouts, the target as it came, and a stop that lets requests finish.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, Server as PlainServer, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { listenError, listeningUrl } from "./listening.ts";
import type { ServeOptions, Serving } from "./platform.ts";
import { noteRequest, plainAddress, targetOf } from "./request-facts.ts";

/** A GET can carry a content state of 64 KiB, which base64 and percent-encoding make longer. */
const maxHeaderBytes = 128 * 1024;
/** How often Node looks for requests that are late. */
const lookMs = (timeoutMs: number) => Math.max(50, Math.min(5_000, timeoutMs / 4));

/** Listens and answers with `options.fetch`. Rejects with an Error that has a `code` when the address cannot be had. */
export async function serveNode(options: ServeOptions): Promise<Serving> {
  const targets = new WeakMap<IncomingMessage, string>();
  const answer = getRequestListener(
    (request, { incoming }) => {
      noteRequest(request, {
        address: plainAddress(incoming.socket.remoteAddress),
        target: targetOf(targets.get(incoming as IncomingMessage) ?? "/"),
      });
      return options.fetch(request);
    },
    { hostname: "localhost", errorHandler: answerFailure },
  );
  const running = new Set<ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: options.readTimeoutMs,
      requestTimeout: options.readTimeoutMs,
      connectionsCheckingInterval: lookMs(options.readTimeoutMs || 20_000),
    },
    (incoming: IncomingMessage, outgoing: ServerResponse) => {
      running.add(outgoing);
      // The listener refuses a raw backslash; the application has to answer it, in its own form of errors.
      const target = incoming.url ?? "/";
      targets.set(incoming, target);
      incoming.url = target.replaceAll("\\", "%5C");
      outgoing.once("close", () => running.delete(outgoing));
      // The socket was idle for the write timeout. That is a stall only where bytes wait to be sent: a slow render
      // or an event stream with nothing to tell is not cut.
      outgoing.on("timeout", (socket) => {
        if (socket.writableLength > 0) socket.destroy();
      });
      void answer(incoming, outgoing);
    },
  );
  server.setTimeout(options.writeTimeoutMs);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // The server's own closeIdleConnections also cuts answers that are complete but still on their way.
  const closeIdle = () => {
    const busy = new Set([...running].map((outgoing) => outgoing.socket));
    for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: options.hostname }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error) => {
    throw listenError(error, options.hostname, options.port);
  });
  const { port } = server.address() as AddressInfo;

  return {
    urls: [listeningUrl(options.hostname, port)],
    stop(graceMs) {
      return new Promise((resolve) => {
        // Connections that become idle after this moment are closed as soon as they are seen to be.
        const sweep = setInterval(closeIdle, 50);
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        // Of the plain server, since the one of HTTP calls closeIdleConnections.
        PlainServer.prototype.close.call(server, () => {
          clearInterval(sweep);
          clearTimeout(cut);
          resolve();
        });
        for (const outgoing of running) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false;
        closeIdle();
      });
    },
  };
}

/** What the listener itself could not turn into a request is malformed; anything else is a fault of the application. */
function answerFailure(error: unknown): Response {
  const malformed = error instanceof Error && error.name === "RequestError";
  return new Response(
    malformed ? "The request is malformed: expected a path and a valid Host header.\n" : null,
    {
      status: malformed ? 400 : 500,
      headers: malformed ? { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } : {},
    },
  );
}
