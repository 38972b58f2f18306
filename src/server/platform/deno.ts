// Deno. Its server has no timeouts of its own; a proxy in front has to disconnect clients that send or read
// too slowly.

import {
  internalError,
  normaliseIp,
  type Platform,
  type ServeOptions,
  type Serving,
} from "../../base/index.ts";
import { processPlatform } from "./process/process.ts";
import { createDraining } from "./server/draining.ts";
import { listenError, listeningUrl } from "./server/listening.ts";
import { respondRefusal } from "./server/refusals.ts";
import { noteRequest, targetOf } from "./server/request-facts.ts";
import { startWebWorker } from "./workers/web-worker.ts";

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
      onListen(): void;
      onError(error: unknown): Response;
    },
    handler: (request: Request, info: { remoteAddr: { hostname?: string } }) => Response | Promise<Response>,
  ): DenoServer;
};

async function serve(options: ServeOptions): Promise<Serving> {
  const draining = createDraining(options.fetch);
  let server: DenoServer;
  try {
    server = Deno.serve(
      {
        port: options.port,
        hostname: options.hostname ?? "::", // IPv4 as well
        onListen() {},
        onError: () => respondRefusal(internalError),
      },
      (request, info) => {
        noteRequest(request, {
          address: normaliseIp(info.remoteAddr.hostname ?? ""),
          target: targetOf(request.url),
        });
        return draining.fetch(request);
      },
    );
  } catch (error) {
    throw listenError(error, options.hostname, options.port);
  }
  return {
    urls: [listeningUrl(options.hostname, server.addr.port)],
    // Requests that are still running end with the process: Deno throws if a server is aborted after its
    // shutdown.
    stop: (graceMs) => draining.stop(graceMs, () => server.shutdown()),
  };
}

/** `dist`: the directory of the bundle. */
export function denoPlatform(dist: URL): Platform {
  return {
    ...processPlatform(dist, "deno"),
    version: Deno.version.deno,
    startWorker: (entry = "thread") => startWebWorker(new URL(`${entry}.js`, dist)),
    serve,
  };
}
