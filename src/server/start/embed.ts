// The service inside another program: configuration in, a function from Request to Response out.

import {
  createLog,
  findingList,
  type LogLevel,
  type Platform,
  type StartCommands,
  startProblems,
  startResults,
  version,
} from "../../base/index.ts";
import { createApp, type Surface } from "../app.ts";
import { loadConfig, problemLines } from "../config/reading/load.ts";
import { absolutePath, withAbsolutePaths, withFolder } from "../config/reading/paths.ts";
import { respondRefusal } from "../platform/server/refusals.ts";
import { createService, type Service } from "../service.ts";
import { configText, optionProblems, pathOf } from "./handler-options.ts";
import type { HandlerOptions } from "./library.d.ts";

export interface Embedded {
  respond(request: Request): Promise<Response>;
  /** Resolves when running requests have their responses, and everything is closed. */
  close(): Promise<void>;
}

/**
 * Builds the service for a program that listens itself. It writes to no output, and handles no signals.
 * Without `log`, warnings and errors go to the console. `platformOf`: makes the platform for the option
 * `files`. `further`: surfaces of other houses. Throws an Error that lists all problems of the configuration,
 * or says what prevents a start.
 */
export async function embed(
  platformOf: (files: string | undefined) => Promise<Platform>,
  options: HandlerOptions,
  further: readonly Surface[],
): Promise<Embedded> {
  const mistaken = optionProblems(options);
  if (mistaken.length > 0) throw new Error(findingList(mistaken, "the options of createHandler have"));
  const bare = await platformOf(pathOf(options.files));
  const { config: given, log: sink } = options;
  const folder = pathOf(options.folder);
  const platform: Platform = { ...bare, env: options.env ?? bare.env, startCommands };
  const cwd = absolutePath(bare.cwd ?? "/", pathOf(options.cwd) ?? "");
  const loaded = loadConfig(configText(given), platform.env);
  if (loaded.problems) {
    // An object has no lines.
    const problems = loaded.problems.map(({ position, ...problem }) =>
      typeof given === "string" && position ? { ...problem, position } : problem,
    );
    throw new Error(problemLines(problems, "the option config"));
  }
  const written = withAbsolutePaths(loaded.config, cwd);
  const config = folder === undefined ? written : withFolder(written, absolutePath(cwd, folder));
  const log = createLog({
    level: sink ? config.log.level : atLeastWarn(config.log.level),
    format: config.log.format,
    write(line) {
      try {
        (sink ?? console.error)(line.trimEnd());
      } catch {
        // A request does not fail because the program's log failed.
      }
    },
  });
  const service = await createService(config, platform, log, version);
  const results = await startResults(service.check);
  const mistakes = startProblems(results);
  if (mistakes.length > 0) {
    await service.close();
    throw new Error(mistakes.join("\n"));
  }
  service.logResults(results);
  return embedClosable(service, further);
}

/** Shown on the start page while there are no sources: a program has no command line of the service. */
const startCommands: StartCommands = {
  folder: 'createHandler({ folder: "DIR" })',
  config: 'createHandler({ config: "sources: …" })',
};

const atLeastWarn = (level: LogLevel): LogLevel => (level === "error" ? "error" : "warn");

/** Refuses requests after the close, which waits for those before it. */
function embedClosable(service: Service, further: readonly Surface[]): Embedded {
  const app = createApp(service, further);
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  return {
    async respond(request) {
      if (closing) return closedResponse();
      const response = app.fetch(request);
      running.add(response);
      return response.finally(() => running.delete(response));
    },
    close() {
      closing ??= (async () => {
        service.endStreams();
        await Promise.allSettled(running);
        await service.close();
      })();
      return closing;
    },
  };
}

function closedResponse(): Response {
  const response = respondRefusal({
    status: 503,
    code: "closed",
    detail: "The service has been closed by its program.",
  });
  response.headers.set("Retry-After", "1");
  return response;
}
