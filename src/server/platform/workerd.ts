// workerd: modules and configuration come from the entry, files from the DISK binding, static files from
// ASSETS.

import { waitUntil } from "cloudflare:workers";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { ImagingError, normaliseIp, type Platform } from "../../base/index.ts";
import { compression } from "./compression.ts";
import { containerCommands } from "./container-commands.ts";
import { isAssetPath } from "./files/asset-path.ts";
import { diskFiles, type Fetcher } from "./files/disk-files.ts";
import { notedAddress, notedTarget, noteRequest, targetOf } from "./server/request-facts.ts";

/**
 * The bindings of the worker: services DISK and ASSETS (both optional), and environment variables as text.
 */
export interface WorkerdBindings {
  readonly DISK?: Fetcher;
  readonly ASSETS?: Fetcher;
  /** The configuration as YAML; else /config.yaml of DISK. */
  readonly SMALTI_CONFIG?: string;
  readonly [name: string]: unknown;
}

/** The amount of memory is unknown; the variable SMALTI_MEMORY_BYTES can set it. */
const assumedMemory = 512 * 1024 * 1024;

const deflateAsync = promisify(deflate) as (
  data: Uint8Array,
  options: { level: number },
) => Promise<Uint8Array>;

const isJson = (response: Response) =>
  response.headers.get("content-type")?.startsWith("application/json") === true;

/**
 * `modules`: compiled modules by name, since workerd compiles none at run time; `onDemand`: imports of those
 * that are loaded when they are first needed.
 */
export function workerdPlatform(
  bindings: WorkerdBindings,
  modules: Readonly<Record<string, WebAssembly.Module>>,
  onDemand: Readonly<Record<string, () => Promise<{ readonly default: WebAssembly.Module }>>>,
): Platform {
  const variables = Object.entries(bindings).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const env = Object.fromEntries(variables);
  const { DISK, ASSETS } = bindings;
  return {
    name: "workerd",
    version: globalThis.navigator?.userAgent ?? "",
    env,
    parallelism: 1,
    startCommands: env.SMALTI_IMAGE
      ? containerCommands(env.SMALTI_IMAGE)
      : { folder: "workerd serve workerd.capnp --directory-path disk=DIR" },
    memoryBytes: Number(env.SMALTI_MEMORY_BYTES) || assumedMemory,
    wasm(name) {
      const module = modules[name];
      if (!module) throw new Error(`No WebAssembly module has the name ${JSON.stringify(name)}.`);
      return module;
    },
    async loadWasm(name) {
      try {
        const load = onDemand[name];
        if (load) return (await load()).default;
      } catch (cause) {
        throw missingModule(name, cause);
      }
      throw missingModule(name);
    },
    async asset(path) {
      if (!ASSETS || !isAssetPath(path)) return undefined;
      const response = await ASSETS.fetch(
        `http://assets/${path.split("/").map(encodeURIComponent).join("/")}`,
      );
      // A disk service lists directories as JSON.
      const isList = isJson(response) && !path.endsWith(".json");
      if (response.ok && !isList) return new Uint8Array(await response.arrayBuffer());
      await response.body?.cancel();
      return undefined;
    },
    async deflate(data, level) {
      const out = await deflateAsync(data, { level });
      return new Uint8Array(out.buffer as ArrayBuffer, out.byteOffset, out.byteLength);
    },
    compression,
    clientAddress: notedAddress,
    rawTarget: notedTarget,
    ...(DISK ? { files: diskFiles(DISK) } : {}),
    connectionsEndWithRequest: true,
    keepAlive,
    cwd: "/",
    write(stream, text) {
      const made = typeof text === "string" ? text : text();
      (stream === "out" ? console.log : console.error)(made.replace(/\n$/, ""));
    },
  };
}

const missingModule = (name: string, cause?: unknown) =>
  new ImagingError(
    "unsupported",
    `The module ${name}, which this format needs, is not part of this deployment on workerd; ask for another format, or run the service on Node, Deno or Bun.`,
    { code: "module_missing", cause },
  );

/**
 * Lets work continue when the client of its request has left: others may wait for it, and it holds a permit
 * until it has ended. A request that waits for another one counts as hanging, unless it has a timer of its
 * own.
 */
function keepAlive(work: Promise<unknown>): void {
  const timer = setInterval(() => {}, 1000);
  waitUntil(work.finally(() => clearInterval(timer)));
}

/**
 * Records facts about a request before it is handled. The peer is the runtime's (`cf.clientIp`); the header
 * CF-Connecting-IP comes from the client unchanged, unless Cloudflare's own front end, which sets other `cf`
 * members, is in front.
 */
export function noteWorkerdRequest(request: Request): void {
  const cf = (request as Request & { cf?: { clientIp?: string; colo?: string } }).cf;
  const address = cf?.clientIp ?? (cf?.colo ? request.headers.get("cf-connecting-ip") : undefined);
  noteRequest(request, { address: normaliseIp(address ?? ""), target: targetOf(request.url) });
}
