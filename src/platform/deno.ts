// Deno. Its server has no timeouts of its own; a proxy in front has to cut clients that send or read too slowly.

import { listenError, listeningUrl } from "./listening.ts";
import type { Platform, ServeOptions, Serving } from "./platform.ts";
import { processPlatform } from "./process.ts";
import { noteRequest, plainAddress, targetOf } from "./request-facts.ts";
import { startWebWorker } from "./web-worker.ts";

interface DenoServer {
  readonly addr: { readonly port: number };
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

declare const Deno: {
  readonly version: { readonly deno: string };
  serve(
    options: {
      port: number;
      hostname: string;
      signal: AbortSignal;
      onListen(): void;
      onError(error: unknown): Response;
    },
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Response | Promise<Response>,
  ): DenoServer;
};

async function serve(options: ServeOptions): Promise<Serving> {
  const cut = new AbortController();
  let server: DenoServer;
  try {
    server = Deno.serve(
      {
        port: options.port,
        hostname: options.hostname ?? "::", // IPv4 as well
        signal: cut.signal,
        onListen() {},
        onError: () => new Response(null, { status: 500 }),
      },
      (request, info) => {
        noteRequest(request, {
          address: plainAddress(info.remoteAddr.hostname),
          target: targetOf(request.url),
        });
        return options.fetch(request);
      },
    );
  } catch (error) {
    throw listenError(error, options.hostname, options.port);
  }
  return {
    urls: [listeningUrl(options.hostname, server.addr.port)],
    async stop(graceMs) {
      const timer = setTimeout(() => cut.abort(), graceMs);
      await Promise.race([
        server.shutdown(),
        new Promise((done) => cut.signal.addEventListener("abort", done)),
      ]);
      clearTimeout(timer);
    },
  };
}

/** `dist`: the directory of the bundle. */
export function denoPlatform(dist: URL): Platform {
  return {
    ...processPlatform(dist, "deno"),
    version: Deno.version.deno,
    startWorker: () => startWebWorker(new URL("thread.js", dist)),
    serve,
  };
}
