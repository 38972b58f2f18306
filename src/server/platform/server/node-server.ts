// The HTTP server of Node: RFC 9112 timeouts, the raw target, and a stop that lets requests finish.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, Server as PlainServer, type Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { internalError, normaliseIp, type ServeOptions, type Serving } from "../../../base/index.ts";
import { createDraining, lingerMs } from "./draining.ts";
import { listenError, listeningUrl } from "./listening.ts";
import {
  malformedRequest,
  problemOfParser,
  refuseRequest,
  respondRefusal,
  writeRefusal,
} from "./refusals.ts";
import { noteRequest, targetOf } from "./request-facts.ts";

/** The raw target; `url` is the listener's version. */
const rawTarget = Symbol("target");
type Incoming = IncomingMessage & { [rawTarget]?: string };

/** A GET can contain a content state of 64 KiB, which base64 and percent-encoding lengthen. */
const maxHeaderBytes = 128 * 1024;
/** Interval at which Node checks for late requests, and thus the maximum delay beyond the timeout. */
const lookMs = (timeoutMs: number) => Math.max(50, Math.min(1_000, timeoutMs / 10));
/**
 * Maximum number of connections without a running request, each of which takes a file descriptor and memory.
 * One more closes the one that has waited longest.
 */
const usualMaxWaiting = 4096;

/** Milliseconds beyond `keepAliveMs` that a connection stays open, since a request may be on its way. */
const graceMs = 1_000;

/** Requests of one connection that may be unanswered; one more closes it. Browsers send one after another. */
const maxPipelined = 64;

interface Connection {
  /** Address of the peer. */
  readonly address: string | undefined;
  /** Responses that are not complete with what starts each, in order. Only the first has been started. */
  readonly running: Map<ServerResponse, () => void>;
}

/** The connections of a server. */
class Connections {
  readonly #sockets = new Map<Socket, Connection>();
  /** Connections without a running request, those that have waited longest first. */
  readonly #waiting = new Set<Socket>();
  /** Connections on which no further request counts, since nobody knows where it begins. */
  readonly #refused = new WeakSet<Socket>();
  readonly #maxWaiting: number;
  #stopping = false;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  add(socket: Socket): void {
    this.#sockets.set(socket, { address: normaliseIp(socket.remoteAddress ?? ""), running: new Map() });
    this.#waiting.add(socket);
    if (this.#waiting.size > this.#maxWaiting) this.#waiting.values().next().value?.destroy();
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#waiting.delete(socket);
    });
  }

  addressOf(socket: Socket): string | undefined {
    return this.#sockets.get(socket)?.address;
  }

  /** Starts `respond` once the earlier requests of its connection have their responses. */
  take(incoming: Incoming, outgoing: ServerResponse, respond: () => void): void {
    const { socket } = incoming;
    const running = this.#sockets.get(socket)?.running;
    if (!running || this.#refused.has(socket)) return;
    this.#waiting.delete(socket);
    outgoing.on("close", () => this.#end(socket, outgoing));
    const isRefused = isMisframed(incoming.headers["transfer-encoding"], incoming.httpVersion);
    if (isRefused) this.#refused.add(socket);
    const start = isRefused ? () => refuseRequest(outgoing, malformedRequest) : respond;
    running.set(outgoing, start);
    if (running.size === 1) start();
    else if (running.size > maxPipelined) socket.destroy();
  }

  /** Closes a connection whose bytes are no request, with a response if none has begun. */
  refuse(socket: Socket, error: NodeJS.ErrnoException): void {
    const running = [...(this.#sockets.get(socket)?.running.keys() ?? [])];
    const responding = running.some((outgoing) => outgoing.socket === socket && outgoing.headersSent);
    if (socket.writable && !responding && error.code !== "ECONNRESET")
      socket.write(writeRefusal(problemOfParser(error)));
    socket.destroySoon();
  }

  /** Closes each connection when it has no request any more. */
  stop(): void {
    this.#stopping = true;
    for (const socket of this.#sockets.keys()) this.closeWhenIdle(socket);
  }

  // The server's own closeIdleConnections also aborts responses that are complete but not fully sent.
  closeWhenIdle(socket: Socket, afterMs = lingerMs): void {
    // A request may be arriving; closing immediately would reset it.
    const { bytesRead } = socket;
    const close = () => {
      if (!this.#waiting.has(socket)) return;
      if (socket.bytesRead === bytesRead) socket.destroy();
      else if (this.#stopping) this.closeWhenIdle(socket);
    };
    // What arrived while the thread was busy is read before an immediate, but after a timer.
    setTimeout(() => setImmediate(close), afterMs).unref();
  }

  #end(socket: Socket, outgoing: ServerResponse): void {
    const connection = this.#sockets.get(socket);
    if (!connection) return;
    connection.running.delete(outgoing);
    if (socket.destroyed) return;
    const [startNext] = connection.running.values();
    if (startNext) {
      startNext();
      return;
    }
    this.#waiting.add(socket);
    if (this.#stopping) this.closeWhenIdle(socket);
  }
}

/**
 * Listens and responds with `options.fetch`. Rejects with an Error that has a `code` if the address is
 * unavailable.
 */
export async function serveNode(options: ServeOptions, maxWaiting = usualMaxWaiting): Promise<Serving> {
  const connections = new Connections(maxWaiting);
  const draining = createDraining(options.fetch);
  const listener = getRequestListener(
    (request, env) => {
      const incoming = env.incoming as Incoming;
      noteRequest(request, {
        address: connections.addressOf(incoming.socket),
        target: targetOf(incoming[rawTarget] ?? "/"),
      });
      return draining.fetch(request);
    },
    { errorHandler: failureResponse },
  );
  /** Address of the server, which replaces a missing host. */
  let authority = "localhost";
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false, // the listener refuses it, with a body
      headersTimeout: options.readTimeoutMs,
      requestTimeout: options.readTimeoutMs,
      keepAliveTimeout: options.keepAliveMs,
      connectionsCheckingInterval: lookMs(options.readTimeoutMs),
    },
    (incoming: Incoming, outgoing: ServerResponse) =>
      connections.take(incoming, outgoing, () => respond(incoming, outgoing)),
  );
  function respond(incoming: Incoming, outgoing: ServerResponse): void {
    // The listener refuses a raw backslash and some hosts; the application has to handle both, with its own
    // form of errors.
    const target = incoming.url ?? "/";
    incoming[rawTarget] = target;
    incoming.url = target.replaceAll("\\", "%5C");
    if (incoming.headers.host !== undefined || incoming.httpVersion !== "1.1")
      incoming.headers.host = authority;
    // Timeout of the response, not of the server: a connection without a request ends by the read timeout,
    // with 408.
    outgoing.setTimeout(options.writeTimeoutMs).on("timeout", cutStalled);
    void listener(incoming, outgoing);
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    connections.refuse(socket, error),
  );
  // Clients learn the time from the header Keep-Alive, and may send a request at its very end.
  server.on("timeout", (socket: Socket) => connections.closeWhenIdle(socket, graceMs));
  server.on("connection", (socket: Socket) => connections.add(socket));

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: options.hostname }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error) => {
    throw listenError(error, options.hostname, options.port);
  });
  const url = listeningUrl(options.hostname, (server.address() as AddressInfo).port);
  authority = new URL(url).host;

  return {
    urls: [url],
    async stop(graceMs) {
      await draining.stop(
        graceMs,
        () =>
          new Promise((resolve) => {
            // The method of the plain server, since that of HTTP calls closeIdleConnections.
            PlainServer.prototype.close.call(server, () => resolve());
            connections.stop();
          }),
      );
      server.closeAllConnections();
    },
  };
}

/**
 * The socket was idle for the write timeout. That is a stall only if bytes wait to be sent: a slow render or
 * a quiet event stream is not aborted.
 */
function cutStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/**
 * True if a proxy may see the end of a request elsewhere than the server does, so that a second request can
 * hide in its body (RFC 9112, sections 6.1 and 11.2). `chunked` is the only coding that is known here, but
 * parsers accept lists that end with it; and HTTP/1.0 has no codings. `codings`: the whole field
 * Transfer-Encoding, if there is one.
 */
function isMisframed(codings: string | null | undefined, httpVersion = "1.1"): boolean {
  return typeof codings === "string" && (httpVersion !== "1.1" || codings.toLowerCase() !== "chunked");
}

/**
 * A request that the listener itself could not parse is malformed; any other error is a fault of the
 * application.
 */
function failureResponse(error: unknown): Response {
  const malformed = error instanceof Error && error.name === "RequestError";
  return respondRefusal(malformed ? malformedRequest : internalError);
}
