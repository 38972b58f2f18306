// smalti serve: builds the service, listens, reads the configuration again on SIGHUP, and ends on SIGTERM.

import { mountAdmin } from "../../admin/index.ts";
import {
  createLog,
  messageOf,
  type Platform,
  parseDuration,
  type Serving,
  startProblems,
  startResults,
  version,
} from "../../base/index.ts";
import {
  type Address,
  createApp,
  createService,
  parseAddress,
  printStart,
  type Service,
} from "../../server/index.ts";
import { CommandError } from "../commands/command-error.ts";
import { type ConfigLocation, configFileOf, type LoadedFile } from "../commands/read-config.ts";
import { createMinuteSummary } from "./minute-summary.ts";
import { createWarmUp } from "./warm-up.ts";

/** Serves until it is stopped. Throws CommandError if the configuration or the system prevents the start. */
export async function serve(platform: Platform, location: ConfigLocation, loaded: LoadedFile): Promise<void> {
  const { config } = loaded;
  const log = createLog({
    level: config.log.level,
    format: config.log.format,
    write: (line) => platform.write?.("err", line),
    writeLater: (line) => platform.write?.("err", line, true),
  });
  const file = configFileOf(platform, location, loaded.file);
  const summary = isAtTerminal(platform, config.log.format)
    ? createMinuteSummary((line) => platform.write?.("err", line))
    : undefined;
  const service = await createService(config, platform, log, version, { configFile: file, summary }).catch(
    (error: unknown) => {
      throw new CommandError(messageOf(error));
    },
  );
  // Without waiting: a save that ended with the process is nothing that a start depends on.
  void file?.sweep();
  if (!platform.serve) throw new CommandError(`the runtime ${platform.name} cannot listen by itself`);
  const app = createApp(service, [mountAdmin]);
  const warmUp = createWarmUp(service);
  // In parallel to listening, which waits for no check.
  const checking = startResults(service.check);
  const serving = await platform
    .serve({
      ...parseAddress(config.addr),
      readTimeoutMs: parseDuration(config.read_timeout),
      writeTimeoutMs: parseDuration(config.write_timeout),
      keepAliveMs: parseDuration(config.http.keep_alive),
      fetch(request) {
        warmUp.meet(request);
        return app.fetch(request);
      },
    })
    .catch(async (error: unknown) => {
      await closeBy(service, performance.now() + parseDuration(config.shutdown_timeout));
      throw new CommandError(listenProblem(config.addr, error));
    });
  // Before anybody can read that it serves, and stop it.
  const end = () => {
    warmUp.end();
    summary?.end();
    void stop(platform, service, serving);
  };
  platform.onSignal?.("stop", end);
  // A terminal that is closed says so by the same signal: without a file there is nothing to read again.
  const hangUp = summary && !file ? end : () => void reload(service);
  platform.onSignal?.("reload", hangUp);
  const results = await checking;
  const mistakes = startProblems(results);
  if (mistakes.length > 0) {
    await serving.stop(0);
    await closeBy(service, performance.now() + parseDuration(config.shutdown_timeout));
    throw new CommandError(mistakes.join("\n"));
  }
  await printStart(service, { urls: serving.urls, file: loaded.file, results });
  // Without workers, its renders would delay the first real request.
  if (platform.startWorker) void warmUp.begin();
}

/** True if a person reads the log and the start text as they are written. */
const isAtTerminal = ({ columns }: Platform, format: "text" | "json") =>
  format === "text" && columns?.("out") !== undefined && columns("err") !== undefined;

/** What to do about each refusal of the system, by its code. */
const listenProblems: Readonly<Record<string, (address: Address, addr: string) => string>> = {
  EADDRINUSE: ({ port }, addr) =>
    `the address ${addr} is in use by another program; stop that program, or choose another port, for example with --port ${port < 65535 ? port + 1 : port - 1}`,
  EACCES: (_, addr) =>
    `the address ${addr} may not be used by this user; choose a port of 1024 or more, for example with --port 8080`,
  EADDRNOTAVAIL: ({ hostname }) =>
    `this machine does not have the address ${hostname}; give another one with --host, or none for all networks`,
  ENOTFOUND: ({ hostname }) =>
    `no address is known for the host ${hostname}; give another one with --host, or none for all networks`,
};

function listenProblem(addr: string, error: unknown): string {
  const problem = listenProblems[(error as { code?: string }).code ?? ""];
  return problem?.(parseAddress(addr), addr) ?? `cannot listen on ${addr}: ${(error as Error).message}`;
}

/** When the first signal to stop came, by performance.now(). */
let stoppingSince: number | undefined;

/** Programs that started this one, such as bunx, pass on a signal that the terminal has sent it already. */
const sameSignalMs = 500;

/** Milliseconds for connections and workers to end once they are aborted. */
const cutMs = 100;

/**
 * Lets requests run and caches be written for shutdown_timeout, and ends within 2.5 s after it, whatever
 * hangs; a second signal ends immediately.
 */
async function stop(platform: Platform, service: Service, serving: Serving): Promise<void> {
  const { log } = service;
  const tell = (calls: readonly string[]) =>
    log.error("ended by a signal, because calls to the operating system do not return", { calls });
  const now = performance.now();
  if (stoppingSince !== undefined) {
    if (now - stoppingSince < sameSignalMs) return;
    log.error("stopped by a second signal before everything was closed");
    platform.exit?.(1, { tell });
    return;
  }
  stoppingSince = now;
  const timeoutMs = parseDuration(service.config().shutdown_timeout);
  const end = now + timeoutMs + cutMs;
  service.endStreams();
  const stopped = serving.stop(timeoutMs);
  log.info("stopping");
  if (!(await endsBy(end, stopped)))
    log.warn("stopped before every connection was closed, because shutdown_timeout has passed");
  if (!(await closeBy(service, end)))
    log.warn("stopped before every cache was closed, because shutdown_timeout has passed", {
      caches: service.slots.open(),
    });
  platform.exit?.(0, { tell });
}

/**
 * Closes the service, but waits no longer than until `end` (of performance.now()). Returns false if it was
 * not closed by then.
 */
const closeBy = (service: Service, end: number) => endsBy(end, service.close());

/** Returns whether work ends by `end` (of performance.now()), as soon as that is known. */
async function endsBy(end: number, work: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, end - performance.now()));
  });
  const ended = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}

async function reload({ configFile, log, ...service }: Service): Promise<void> {
  try {
    // Without a file nothing can have changed: variables are those of the start.
    const waits = (await configFile?.reload(service.reload)) ?? [];
    log.info("configuration read again", waits.length > 0 ? { needRestart: waits } : {});
  } catch (error) {
    log.error("configuration not changed", {
      problem: messageOf(error),
    });
  }
}
