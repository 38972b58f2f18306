// Requests for the bundled sample in the idle time after a start, so that the first real requests meet code
// that the runtime has compiled.
//
// They go through a service of their own, whose caches, figures and log are in memory and end with it. Only
// the render workers are those of the service that the process serves.

import { createLog, type Platform } from "../../base/index.ts";
import { imageAddress, mainPrefix } from "../../iiif/index.ts";
import {
  type Config,
  configSchema,
  createApp,
  createService,
  parseTarget,
  type Service,
  sampleKey,
} from "../../server/index.ts";

export interface WarmUp {
  /** Sends the requests. Resolves when they are over; never rejects. Does nothing once it has been ended. */
  begin(): Promise<void>;
  /** Ends it if the request is a real one: not a probe, which may come from the start on, every second. */
  meet(request: Request): void;
  /** Ends it; jobs that are running are cancelled. */
  end(): void;
}

/** Number of times that everything is made again from nothing, including the sidecar of the sample. */
const passes = 3;

/** Requests of a pass for each worker. */
const requestsPerWorker = 20;

/** Maximum number of workers that take part: each holds about 40 MB until it has been idle for a while. */
const maxWorkers = 4;

/** Milliseconds between requests in which the main thread is idle. */
const pauseMs = 1;

/** Paths that load balancers and monitors ask for. */
const probes: ReadonlySet<string> = new Set(["/health", "/ready", "/metrics"]);

/** Creates the warm-up of a service. */
export function createWarmUp(service: Service): WarmUp {
  const { platform, log } = service;
  const ending = new AbortController();
  const { signal } = ending;
  return {
    async begin() {
      try {
        for (let pass = 0; pass < passes && !signal.aborted; pass++) await runPass(service, signal);
      } catch (error) {
        if (!signal.aborted) log.debug("the warm-up has ended early", { cause: String(error) });
      }
    },
    meet(request) {
      if (signal.aborted) return;
      const { path } = parseTarget(platform.rawTarget(request), request.url);
      if (!probes.has(path)) ending.abort();
    },
    end: () => ending.abort(),
  };
}

/** Sends the requests of a pass to a fresh service. Throws an Error if one fails. */
async function runPass(served: Service, signal: AbortSignal): Promise<void> {
  const { version, images } = served;
  const config = settingsOf(served.config());
  // Lines are formatted, as those of real requests are, and dropped.
  const log = createLog({ ...config.log, write() {}, writeLater: (line) => void line() });
  const pool = createUncountedPool(images.pool);
  const hidden = await createService(config, confinePlatform(served.platform), log, version, { pool });
  const app = createApp(hidden, []);
  const send = async (target: string) => {
    const url = `http://localhost${imageAddress(mainPrefix[3], sampleKey)}/${target}`;
    const response = await app.fetch(new Request(url, { headers: { "Accept-Encoding": "gzip" }, signal }));
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`status ${response.status} for ${target}`);
  };
  const workers = Math.min(pool.status().size, maxWorkers);
  try {
    for (let round = 0; round < requestsPerWorker && !signal.aborted; round++) {
      await Promise.all(Array.from({ length: workers }, (_, n) => send(targetAt(round * workers + n))));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    await hidden.close();
  }
}

/** Returns a pool over another one, which counts none of its jobs. */
const createUncountedPool = (pool: Service["images"]["pool"]): Service["images"]["pool"] => ({
  run: (job, limits) => pool.runUncounted(job, limits),
  runUncounted: (job, limits) => pool.runUncounted(job, limits),
  status: () => pool.status(),
  resize: (size) => pool.resize(size),
  close: () => pool.close(),
});

/** Returns a platform without files, variables and outputs: a pass reaches nothing but its own memory. */
function confinePlatform({ files: _, onDropped: __, write: ___, ...platform }: Platform): Platform {
  return { ...platform, env: {} };
}

/**
 * Returns the settings of a pass: how images are made, sent and logged as the operator wants it, without the
 * limits that the sample might exceed; the rest by default, with small caches in memory.
 */
function settingsOf({ image, http, log }: Config): Config {
  const slot = { backend: "heap", max_bytes: "8MiB" };
  const cache = { render: slot, info: slot, origin: slot };
  const limits = { max_pixel_area: 0, max_output_area: 0, max_output_width: 0, max_output_height: 0 };
  return { ...configSchema.parse({ cache }), image: { ...image, ...limits }, http, log };
}

/** What a viewer asks for, by the number of the request, which makes images differ. */
const targets: readonly ((n: number) => string)[] = [
  () => "info.json",
  (n) => tile(1, n),
  (n) => tile(2, n),
  (n) => tile(4, n),
  (n) => tile(8, n),
  (n) => `full/${150 + n},/0/default.jpg`,
];

const targetAt = (n: number): string => targets[n % targets.length]?.(n) ?? "info.json";

/** Side of the tiles in pixels: half of the usual one, since smaller ones take less memory. */
const tileSide = 256;

/** Size of the sample in pixels. */
const [width, height] = [4096, 2732];

/** Returns a tile at 1/`scale`, aligned to the blocks of the sample. */
function tile(scale: number, n: number): string {
  const side = tileSide * scale;
  const block = 16 * scale;
  const offsetAt = (length: number, share: number) =>
    Math.floor(((length - side) * ((n * share) % 1)) / block) * block;
  return `${offsetAt(width, 0.618)},${offsetAt(height, 0.382)},${side},${side}/${tileSide},/0/default.jpg`;
}
