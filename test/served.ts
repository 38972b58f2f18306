// The whole application in this process, jobs in place: requests go in by their raw target, as over a socket.

import { mountAdmin } from "../src/admin/routes.ts";
import type { Dns, FileSystem, Platform } from "../src/base/platform.ts";
import { type Log, type LogFields, silentLog } from "../src/base/telemetry/log.ts";
import type { Access } from "../src/server/access/access.ts";
import { createApp, type Surface } from "../src/server/app.ts";
import type { ConfigFile } from "../src/server/config/config-file.ts";
import { loadConfig, problemLines } from "../src/server/config/reading/load.ts";
import { checkedGet } from "../src/server/platform/checked-get.ts";
import { compression } from "../src/server/platform/compression.ts";
import { assetReader } from "../src/server/platform/files/dist-files.ts";
import { nodeFiles } from "../src/server/platform/files/node-files.ts";
import { sentOnce } from "../src/server/platform/node.ts";
import { createService, type Service } from "../src/server/service.ts";
import { fixturesFolder, testHost } from "./host.ts";

export interface Served {
  readonly service: Service;
  /** GET of a raw target unless `init` says otherwise. */
  get(
    target: string,
    init?: RequestInit & { readonly peer?: string; readonly host?: string },
  ): Promise<Response>;
}

/**
 * An application over a YAML configuration; without sources in it, the test pictures are the default source.
 * `over`: parts of the platform, the log and the access rules that are not the usual ones.
 */
export async function served(
  yaml = "",
  env: Record<string, string> = {},
  over: {
    readonly files?: FileSystem | undefined;
    readonly log?: Log | undefined;
    readonly deflate?: Platform["deflate"];
    readonly dns?: Dns;
    readonly access?: Access;
    readonly configFile?: ConfigFile;
    readonly asset?: Platform["asset"];
    /** Mounted next to the surfaces of the service. */
    readonly surface?: Surface;
  } = {},
): Promise<Served> {
  const loaded = loadConfig(
    yaml.includes("sources:")
      ? yaml
      : `${yaml}\nsources: [{ name: fixtures, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]`,
    env,
  );
  if (loaded.problems) throw new Error(problemLines(loaded.problems, "the test"));
  // On a busy machine a render may wait for its turn for as long as it takes.
  const limits = { ...loaded.config.limits, ...(!yaml.includes("max_wait") && { max_wait: "0s" }) };
  const targets = new WeakMap<Request, string>();
  const peers = new WeakMap<Request, string>();
  const platform: Platform = {
    name: "node",
    version: process.versions.node,
    instance: "test:1",
    env,
    parallelism: 2,
    startCommands: { folder: "smalti DIR", config: "smalti -config smalti.yaml" },
    memoryBytes: 2 ** 32,
    wasm: testHost.wasm as Platform["wasm"],
    loadWasm: testHost.loadWasm as Platform["loadWasm"],
    deflate: over.deflate ?? testHost.deflate,
    compression,
    asset: over.asset ?? assetReader(new URL("../", import.meta.url)),
    files: over.files ?? nodeFiles(),
    sendsPieces: true,
    checkedGet,
    ...(over.dns && { dns: over.dns }),
    sentOnce,
    clientAddress: (request) => peers.get(request),
    rawTarget: (request) => targets.get(request),
  };
  const bugs: unknown[] = [];
  const note = (message: string, fields?: LogFields) => fields?.cause && bugs.push(message, fields);
  const log = over.log ?? { ...silentLog, error: (...line) => void note(...line) };
  const service = await createService({ ...loaded.config, limits }, platform, log, "dev", {
    access: over.access,
    configFile: over.configFile,
  });
  const app = createApp(service, [mountAdmin, ...(over.surface ? [over.surface] : [])]);
  return {
    service,
    async get(target, { peer = "192.0.2.1", host = "images.test", ...init } = {}) {
      const request = new Request(`http://${host}/`, init);
      targets.set(request, target);
      peers.set(request, peer);
      const response = await app.fetch(request);
      // A test that expects none fails without the cause, which is in the log alone.
      if (response.status === 500 && bugs.length > 0) console.error(target, ...bugs.splice(0));
      return response;
    },
  };
}
