// The command line: serve, check, hook test, doctor, hash-password, version.

import { createApp } from "./app.ts";
import { diagnose, doctorQuestion } from "./commands/auth-doctor.ts";
import { checkWarnings } from "./commands/check.ts";
import { CommandError, hashPasswordCommand } from "./commands/hash-password.ts";
import { type HookQuestion, testHook } from "./commands/hook-test.ts";
import { askAboutImage, imageQuestion } from "./commands/image-doctor.ts";
import { parseAddress } from "./config/address.ts";
import { type ConfigFile, createConfigFile } from "./config/editing/file.ts";
import { effectiveYaml } from "./config/effective.ts";
import { loadConfig, problemLines } from "./config/reading/load.ts";
import { absolutePath, withAbsolutePaths, withFolder } from "./config/reading/paths.ts";
import type { Config } from "./config/schema.ts";
import { nameOf, placed, preventsStart } from "./lib/checks.ts";
import { parseDuration } from "./lib/options/quantity.ts";
import { createLog } from "./lib/telemetry/log.ts";
import { maskUrls } from "./lib/telemetry/mask-urls.ts";
import type { Platform, Serving } from "./platform/platform.ts";
import { createService, type Service } from "./service.ts";
import { printStart } from "./start/facts.ts";
import { version } from "./version.ts";

const usage = `smalti ${version}, an IIIF image server

  smalti [serve] [-config FILE]     serve what the configuration says; without one, the sample picture
  smalti DIR                        serve the images of a folder
  smalti check [-config FILE]       validate the configuration and print it with all defaults
  smalti hook test --identifier ID  ask the configured hook about an identifier, and print what it says; beside -config FILE:
      --function NAME                 resolve, authorize, presentation or overlay; without it the first that there is
      --header "Name: value"          a header of the request, as often as needed
      --client-ip ADDRESS             where the request comes from
  smalti doctor auth                walk through the logins as a viewer does, and say which step fails and why; beside -config FILE:
      --url URL                       public address of the service; without it base_url, else the local address
      --origin ORIGIN                 origin of the viewer; without it the first of auth.cors.token_origins
      --identifier ID                 an image that needs a login; without it one for each profile
      --client-ip ADDRESS             the address of this machine as the service has to see it, for kiosks
      --json                          the findings as JSON
  smalti doctor IMAGE               say why an image looks or behaves as it does, and what to do about it: format, colours, levels,
                                    cost, limits. IMAGE is an identifier, or a file where no sources are configured; beside -config FILE:
      --no-measure                    render nothing; without it a tile and, where that is cheap, the whole image
      --json                          facts and findings as JSON
  smalti hash-password [--cost N]   print the hash of a password for users or htpasswd_file; it is typed, or read from the
                                    standard input
  smalti version                    print the version

The file may also be named by SERVICE_CONFIG. SERVICE_ADDR, SERVICE_LOG_LEVEL, SERVICE_LOG_FORMAT and
SERVICE_MAX_PIXEL_AREA override the file.
`;

/** A mistake of the operator: one line and exit code 1. */
class StartError extends Error {}

interface Arguments {
  readonly command: "serve" | "check" | "hook" | "version" | "help";
  readonly file?: string;
  readonly folder?: string;
  /** Of `hook test`. */
  readonly question?: HookQuestion;
}

/** Flags of `hook test`, which take a value. */
const questionFlags = ["identifier", "function", "header", "client-ip"] as const;
type QuestionFlag = (typeof questionFlags)[number];

/** Reads the command line. Throws StartError for what it does not know. */
export function parseArguments(args: readonly string[]): Arguments {
  const commands: readonly string[] = ["serve", "check", "hook", "version", "help"];
  let command: Arguments["command"] | undefined;
  let file: string | undefined;
  let folder: string | undefined;
  let tests = false;
  const asked: { readonly [F in QuestionFlag]: string[] } = {
    identifier: [],
    function: [],
    header: [],
    "client-ip": [],
  };
  const words = [...args];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const flag = /^--?(config|help|h|version|v)(?:=(.*))?$/s.exec(word);
    const [, name, given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const question = questionFlags.find((each) => each === name && command === "hook");
    if (flag?.[1] === "config") file = valueAfter(word, given, words, "the name of a file");
    else if (question) asked[question].push(valueAfter(word, given, words, "a value"));
    else if (flag) command = commandOf(flag[1]);
    else if (word.startsWith("-")) throw new StartError(`unknown flag ${word}; see smalti --help`);
    else if (command === "hook" && !tests && word === "test") tests = true;
    else if (command === undefined && folder === undefined && commands.includes(word))
      command = word as Arguments["command"];
    else if (folder === undefined && (command ?? "serve") === "serve") folder = word;
    else throw new StartError(`unexpected argument ${word}; see smalti --help`);
  }
  const chosen = command ?? "serve";
  const common = { command: chosen, ...(file && { file }), ...(folder && { folder }) };
  if (chosen !== "hook") return common;
  return { ...common, question: questionOf(tests, asked) };
}

/** What flags without a value ask for. */
const commandOf = (flag = "") => (flag.startsWith("v") ? "version" : "help");

/** The value of a flag: after =, or the next word. */
function valueAfter(flag: string, given: string | undefined, words: string[], what: string): string {
  const value = given ?? words.shift();
  if (!value) throw new StartError(`${flag} needs ${what}`);
  return value;
}

function questionOf(
  tests: boolean,
  asked: { readonly [F in QuestionFlag]: readonly string[] },
): HookQuestion {
  if (!tests) throw new StartError("expected hook test, received hook; see smalti --help");
  const [identifier] = asked.identifier;
  if (identifier === undefined) throw new StartError("hook test needs --identifier ID");
  const [name, client] = [asked.function.at(-1), asked["client-ip"].at(-1)];
  return {
    identifier,
    headers: asked.header,
    ...(name !== undefined && { function: name }),
    ...(client !== undefined && { client }),
  };
}

/** Runs a command line to its end; a server runs until it is told to stop. Never throws: mistakes end in exit code 1. */
export async function run(platform: Platform, args: readonly string[]): Promise<void> {
  const out = (text: string) => platform.write?.("out", text);
  const fail = (text: string) => {
    platform.write?.("err", `smalti: ${maskUrls(text)}\n`);
    platform.exit?.(1);
  };
  try {
    if (args[0] === "hash-password") return out(await hashPasswordCommand(platform, args.slice(1)));
    if (args[0] === "doctor") return platform.exit?.(await askDoctor(platform, args.slice(1)));
    const parsed = parseArguments(args);
    if (parsed.command === "help") return out(usage);
    if (parsed.command === "version") return out(`${version}\n`);
    const loaded = await readConfig(platform, parsed);
    if (parsed.command === "check") {
      await check(platform, loaded.config);
      // A look into a folder that hangs would keep the process.
      return platform.exit?.(0);
    }
    if (parsed.question) return platform.exit?.(await askHook(platform, loaded.config, parsed.question));
    await serve(platform, parsed, loaded);
  } catch (error) {
    if (error instanceof StartError || error instanceof CommandError) return fail(error.message);
    fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** Prints the effective configuration, and beside it what is valid but doubtful or cannot be used here. */
async function check(platform: Platform, config: Config): Promise<void> {
  const warnings = await checkWarnings(config, platform).catch((error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error));
  });
  for (const warning of warnings) platform.write?.("err", `smalti: warning: ${warning}\n`);
  platform.write?.("out", effectiveYaml(config));
  platform.exit?.(0); // a server that does not answer may still be waited for
}

/** Prints what the hook says; the exit code. */
async function askHook(platform: Platform, config: Config, question: HookQuestion): Promise<number> {
  const { out, err, failed } = await testHook(config, platform, question).catch((error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error));
  });
  for (const line of err) platform.write?.("err", `smalti: ${maskUrls(line)}\n`);
  if (out !== undefined) platform.write?.("out", out);
  return failed ? 1 : 0;
}

/** Prints what the doctor finds; the exit code. */
async function askDoctor(platform: Platform, args: readonly string[]): Promise<number> {
  const about = args[0] === "auth" ? doctorQuestion(args) : imageQuestion(args);
  const { file } = about;
  const { config } = await readConfig(platform, { command: "check", ...(file && { file }) });
  const asked = "image" in about ? askAboutImage(config, platform, about) : diagnose(config, platform, about);
  const { out, failed } = await asked.catch((error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error));
  });
  platform.write?.("out", out);
  return failed ? 1 : 0;
}

interface LoadedFile {
  readonly config: Config;
  /** Absolute path of the file, when there is one. */
  readonly file?: string;
}

async function readConfig(platform: Platform, args: Arguments): Promise<LoadedFile> {
  const name = args.file ?? (platform.env.SERVICE_CONFIG || undefined);
  const file = name === undefined ? undefined : absolutePath(platform.cwd ?? "/", name);
  const bytes = file === undefined ? undefined : await readFile(platform, file);
  const loaded = loadConfig(bytes && new TextDecoder().decode(bytes), platform.env);
  if (loaded.problems) throw new StartError(problemLines(loaded.problems, file ?? "the environment"));
  const config = await completed(platform, args, file, loaded.config);
  return { config, ...(file ? { file } : {}) };
}

/** A configuration with absolute paths, and with the folder of the command line where there is one. */
async function completed(
  platform: Platform,
  args: Arguments,
  file: string | undefined,
  written: Config,
): Promise<Config> {
  const base = file === undefined ? (platform.cwd ?? "/") : file.replace(/[^/\\]*$/, "");
  const config = withAbsolutePaths(written, base);
  if (args.folder === undefined) return config;
  if (config.sources.length > 0)
    throw new StartError(
      `a folder (${args.folder}) and sources in ${file} exclude each other; give one of them`,
    );
  const root = absolutePath(platform.cwd ?? "/", args.folder);
  const stat = await platform.files?.stat(root).catch(() => undefined);
  if (stat?.kind !== "directory")
    throw new StartError(
      `${args.folder} is no folder that can be read; give a folder of images, or no argument for the sample`,
    );
  return withFolder(config, root);
}

/** The file of a configuration, for the administration pages and reloads. */
function configFileOf(platform: Platform, args: Arguments, path: string | undefined): ConfigFile | undefined {
  const { files, env } = platform;
  if (path === undefined || !files) return undefined;
  const complete = (config: Config) => completed(platform, args, path, config);
  return createConfigFile({ path, files, env, complete });
}

async function readFile(platform: Platform, file: string): Promise<Uint8Array> {
  const bytes = await platform.files?.readFile(file).catch((error: unknown) => {
    throw new StartError(
      `the configuration file ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  });
  if (!bytes) throw new StartError(`there is no configuration file ${file}`);
  return bytes;
}

async function serve(platform: Platform, args: Arguments, loaded: LoadedFile): Promise<void> {
  const { config } = loaded;
  const log = createLog({
    level: config.log.level,
    format: config.log.format,
    write: (line, mayWait) => platform.write?.("err", line, mayWait),
  });
  const file = configFileOf(platform, args, loaded.file);
  const service = await createService(config, platform, log, version, undefined, file).catch(
    (error: unknown) => {
      throw new StartError(error instanceof Error ? error.message : String(error));
    },
  );
  // Without waiting: a save that ended with the process is nothing that a start depends on.
  void file?.sweep();
  if (!platform.serve) throw new StartError(`the runtime ${platform.name} cannot listen by itself`);
  const app = createApp(service);
  // Beside listening, which waits for no check.
  const checking = service.check();
  const serving = await platform
    .serve({
      ...parseAddress(config.addr),
      readTimeoutMs: parseDuration(config.read_timeout),
      writeTimeoutMs: parseDuration(config.write_timeout),
      fetch: app.fetch,
    })
    .catch(async (error: unknown) => {
      await closeBy(service, performance.now() + parseDuration(config.shutdown_timeout));
      throw new StartError(listenProblem(config.addr, error));
    });
  // Before anybody can read that it serves, and stop it.
  platform.onSignal?.("stop", () => void stop(platform, service, serving));
  platform.onSignal?.("reload", () => void reload(service));
  const findings = await checking;
  const mistakes = findings.flatMap(({ check, problem }) =>
    problem !== undefined && preventsStart(check) ? [`${nameOf(check)} at ${placed(check, problem)}`] : [],
  );
  if (mistakes.length > 0) {
    await serving.stop(0);
    await closeBy(service, performance.now() + parseDuration(config.shutdown_timeout));
    throw new StartError(mistakes.join("\n"));
  }
  await printStart(service, { urls: serving.urls, file: loaded.file, findings });
}

function listenProblem(addr: string, error: unknown): string {
  const code = (error as { code?: string }).code ?? (error as Error).name;
  if (code === "EADDRINUSE" || code === "AddrInUse")
    return `the address ${addr} is in use; stop the other program or choose another with SERVICE_ADDR=:8081`;
  if (code === "EACCES" || code === "PermissionDenied")
    return `the address ${addr} may not be used by this user; choose a port of 1024 or more`;
  return `cannot listen on ${addr}: ${(error as Error).message}`;
}

let stopping = false;

/** Most that is kept of shutdown_timeout for the end of the process itself, in milliseconds. */
const lastMs = 2500;
/** How long connections and workers take to end when they are cut. */
const cutMs = 100;

/** Ends within shutdown_timeout, whatever hangs; a second signal ends at once. */
async function stop(platform: Platform, service: Service, serving: Serving): Promise<void> {
  const { log } = service;
  const tell = (calls: readonly string[]) =>
    log.error("ended by a signal, because calls of the operating system do not end", { calls });
  if (stopping) {
    log.error("stopped by a second signal before everything was closed");
    platform.exit?.(1, tell);
    return;
  }
  stopping = true;
  const timeoutMs = parseDuration(service.config().shutdown_timeout);
  const graceMs = Math.max(timeoutMs / 2, timeoutMs - lastMs);
  const end = performance.now() + graceMs + cutMs;
  service.endStreams();
  const stopped = serving.stop(graceMs);
  log.info("stopping"); // where Node says so it takes no new connections any more
  if (!(await endsBy(end, stopped)))
    log.warn("stopped before every connection was closed, because shutdown_timeout is over");
  if (!(await closeBy(service, end)))
    log.warn("stopped before every cache was closed, because shutdown_timeout is over", {
      caches: service.slots.open(),
    });
  platform.exit?.(0, tell);
}

/** Closes the service, but waits no longer than to `end` (of performance.now()). False where it was not closed by then. */
const closeBy = (service: Service, end: number) => endsBy(end, service.close());

/** Whether work ends by `end` (of performance.now()), as soon as that is known. */
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
      problem: error instanceof Error ? error.message : String(error),
    });
  }
}
