// Entry of workerd. The service is built by the first request, since bindings are only there then.

import modules, { onDemand } from "smalti:modules";
import { mountAdmin } from "./admin/routes.ts";
import { noteWorkerdRequest, type WorkerdBindings, workerdPlatform } from "./server/platform/workerd.ts";
import { type Started, start } from "./server/start/start.ts";

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

let started: Promise<Started> | undefined;

const configFile = "/config.yaml";

/** Builds the service and prints what it serves, which its first response does not wait for. */
async function open(bindings: WorkerdBindings, context: Context): Promise<Started> {
  const platform = workerdPlatform(bindings, modules, onDemand);
  const variable = bindings.SMALTI_CONFIG;
  const text = variable || (await configOnDisk(platform.files));
  const service = await start(platform, text, [mountAdmin]);
  const origin = variable ? "SMALTI_CONFIG" : configFile;
  context.waitUntil(service.print(text === undefined ? undefined : origin).catch(() => {}));
  return service;
}

async function configOnDisk(files: ReturnType<typeof workerdPlatform>["files"]): Promise<string | undefined> {
  const bytes = await files?.readFile(configFile);
  return bytes && new TextDecoder().decode(bytes);
}

export default {
  async fetch(request: Request, bindings: WorkerdBindings, context: Context): Promise<Response> {
    noteWorkerdRequest(request);
    started ??= open(bindings, context).catch((error) => {
      started = undefined;
      throw error;
    });
    const service = started;
    // A request that waits for another one counts as hanging, unless it has a timer of its own.
    const alive = setInterval(() => {}, 1000);
    const response = service.then(({ respond }) => respond(request)).finally(() => clearInterval(alive));
    // Otherwise work whose client has left would stop permanently, and never release its permit; and values
    // of a request would not be stored after its response.
    context.waitUntil(
      response.then(
        async () => (await service).whenSettled(),
        () => {},
      ),
    );
    return response;
  },
};
