// The package as a library on Node, Deno and Bun.

import { mountAdmin } from "./admin/routes.ts";
import { normaliseIp } from "./base/index.ts";
import { detectPlatform } from "./server/platform/detect.ts";
import { distFolder } from "./server/platform/files/dist-folder.ts";
import { noteRequest, targetOf } from "./server/platform/server/request-facts.ts";
import { embed } from "./server/start/embed.ts";
import type { Handler, HandlerOptions, RequestFacts } from "./server/start/library.d.ts";

/** A function from Request to Response with the service behind it, as start/library.d.ts describes it. */
export async function createHandler(options: HandlerOptions = {}): Promise<Handler> {
  const service = await embed((files) => detectPlatform(distFolder(import.meta.url, files)), options, [
    mountAdmin,
  ]);
  const handle = async (request: Request, facts?: RequestFacts) => {
    const address = normaliseIp(facts?.clientAddress ?? "");
    noteRequest(request, { address, target: targetOf(request.url) });
    return service.respond(request);
  };
  return Object.assign(handle, { close: service.close });
}
