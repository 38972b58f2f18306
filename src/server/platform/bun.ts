// Bun. Its server resolves dot segments and replaces `\` with `/` before the request is visible, so raw
// targets are unknown.

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
import { noteRequest } from "./server/request-facts.ts";
import { startWebWorker } from "./workers/web-worker.ts";

interface BunServer {
  readonly port: number;
  stop(closeActive?: boolean): Promise<void>;
  requestIP(request: Request): { readonly address: string } | null;
  /** Idle time of this request's connection in seconds; 0: no limit. */
  timeout(request: Request, seconds: number): void;
}

declare const Bun: {
  readonly version: string;
  serve(options: {
    port: number;
    hostname: string;
    idleTimeout: number;
    error(error: unknown): Response;
    fetch(request: Request, server: BunServer): Response | Promise<Response>;
  }): BunServer;
};

/** Whole seconds as Bun takes them: at most 255, 0 for no limit. */
const seconds = (ms: number) => Math.min(255, Math.ceil(ms / 1000));

/** Bun looks for idle connections every four seconds, and may close one so much too early. */
const lookSeconds = 4;

/**
 * Idle time of a connection once its response exists, in seconds: Bun applies it to the rest of the response,
 * and then until the next request. The longer of both times, and a second more, since a request may be on its
 * way; 0, no limit, if that is more than Bun can count.
 */
function idleSeconds({ writeTimeoutMs, keepAliveMs }: ServeOptions): number {
  const longer = Math.max(writeTimeoutMs || Number.POSITIVE_INFINITY, keepAliveMs);
  const idle = Math.ceil(longer / 1000) + lookSeconds + 1;
  return idle > 255 ? 0 : idle;
}

async function serve(options: ServeOptions): Promise<Serving> {
  const draining = createDraining(options.fetch);
  let server: BunServer;
  try {
    server = Bun.serve({
      port: options.port,
      hostname: options.hostname ?? "::", // IPv4 as well
      idleTimeout: seconds(options.readTimeoutMs),
      error: () => respondRefusal(internalError),
      async fetch(bare, bun) {
        // Without a usable Host field Bun has a URL without scheme and authority.
        const request = bare.url.startsWith("/")
          ? new Request(`${listeningUrl(options.hostname, bun.port)}${bare.url}`, bare)
          : bare;
        // The idle limit would also end a slow render and a quiet event stream.
        bun.timeout(bare, 0);
        noteRequest(request, { address: normaliseIp(bun.requestIP(bare)?.address ?? "") });
        const response = await draining.fetch(request);
        const streams = response.headers.get("content-type")?.startsWith("text/event-stream");
        if (!streams) bun.timeout(bare, idleSeconds(options));
        return response;
      },
    });
  } catch (error) {
    throw listenError(error, options.hostname, options.port);
  }
  return {
    urls: [listeningUrl(options.hostname, server.port)],
    async stop(graceMs) {
      await draining.stop(graceMs, () => server.stop());
      void server.stop(true);
    },
  };
}

/** `dist`: the directory of the bundle. */
export function bunPlatform(dist: URL): Platform {
  return {
    ...processPlatform(dist, "bun"),
    version: Bun.version,
    startWorker: (entry = "thread") => startWebWorker(new URL(`${entry}.js`, dist)),
    serve,
  };
}
